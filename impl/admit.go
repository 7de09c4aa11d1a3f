package impl

import (
	"context"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/edge"
)

// job is an admitted request.
type job struct {
	contract.Request
	accountID      string
	idempotencyKey string // "" if the request has none
}

// admit fills in the defaults and checks the one rule that openapi.yaml cannot hold: that the language is installed.
func (s *Service) admit(ctx context.Context, r gen.ExtractRequestObject) (job, error) {
	// The installed languages are asked for every request: engines behind a remote recognizer may change while the service runs.
	supported, err := s.Recognizer.Languages(ctx)
	if err != nil {
		return job{}, err
	}
	request, err := contract.NewRequest(r.Body, supported)
	if err != nil {
		return job{}, contract.Invalid(map[string]string{"language": err.Error()})
	}
	j := job{Request: request, accountID: edge.CallerFrom(ctx).AccountID}
	if r.Params.IdempotencyKey != nil {
		j.idempotencyKey = *r.Params.IdempotencyKey
	}
	return j, nil
}
