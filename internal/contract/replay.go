package contract

import (
	"net/http"

	"uncial/gen"
)

// Replayed is the stored answer to an earlier request with the same Idempotency-Key. A header tells it from the first answer;
// the body is the same.
type Replayed struct{ gen.ExtractResponseObject }

var _ gen.ExtractResponseObject = Replayed{}

// VisitExtractResponse writes the stored answer with the header "Idempotency-Replayed: true".
func (r Replayed) VisitExtractResponse(w http.ResponseWriter) error {
	w.Header().Set("Idempotency-Replayed", "true")
	return r.ExtractResponseObject.VisitExtractResponse(w)
}
