package impl

import (
	"context"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/edge"
	"uncial/internal/fair"
	"uncial/internal/request"
)

// maxFetchedImages is how many fetched images may wait for a place among those to be read. Accounts share it; while an account
// has used up its share, no further image is fetched for it.
const maxFetchedImages = 16

// admitted is a request that passed admission: valid, with its defaults filled in, and with the account that pays for it.
type admitted struct {
	contract.Request
	accountID      string
	keyID, meterID string
	idempotencyKey string // "" if the request has none
}

// admit fills in the defaults and checks the one rule that openapi.yaml cannot express: that the language is installed.
// Errors: *contract.Error for a language that is not installed, and those of Recognizer.Languages.
func (s *Service) admit(ctx context.Context, r gen.ExtractRequestObject) (admitted, error) {
	// Not cached: the engines behind a remote recognizer, and so the installed languages, may change while the service runs.
	supported, err := s.Recognizer.Languages(ctx)
	if err != nil {
		return admitted{}, err
	}
	request, err := contract.NewRequest(r.Body, supported)
	if err != nil {
		return admitted{}, contract.Invalid(map[string]string{"language": err.Error()})
	}
	caller := edge.CallerFrom(ctx)
	j := admitted{Request: request, accountID: caller.AccountID, keyID: caller.KeyID, meterID: caller.MeterID}
	if r.Params.IdempotencyKey != nil {
		j.idempotencyKey = *r.Params.IdempotencyKey
	}
	return j, nil
}

// enter takes a place for the first stage of the extraction: reading if the request carries its image, else fetching. It is
// called before any points are held, so that a refusal does not touch the database. The error is fair.ErrFull.
func (s *Service) enter(ctx context.Context, j admitted) (inside context.Context, leave func(), err error) {
	if _, isInline := request.InlineImage(ctx, j.ImageURL); isInline {
		return s.Reading.Enter(ctx)
	}
	if !s.Reading.MayWait(ctx, maxFetchedImages) {
		return ctx, nil, fair.ErrFull
	}
	return s.Fetching.Enter(ctx)
}
