package impl

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"uncial/gen"
	"uncial/impl/ledger"
	"uncial/internal/edge"
	"uncial/internal/language"
)

// job is a request with its defaults filled in.
type job struct {
	accountID string
	repeatKey string // Idempotency-Key, or ""
	imageURL  string
	language  string // a tag that the recognizer supports
	enhance   bool
	format    gen.Format
}

// admit checks what the document cannot: whether the language is installed.
func (s *Service) admit(ctx context.Context, r gen.ExtractRequestObject) (job, error) {
	caller := edge.CallerFrom(ctx)
	j := job{
		accountID: caller.AccountID, imageURL: r.Body.ImageURL,
		language: language.Default, format: gen.JSON,
	}
	if r.Params.IdempotencyKey != nil {
		j.repeatKey = *r.Params.IdempotencyKey
	}
	if r.Body.Language != nil {
		j.language = *r.Body.Language
	}
	if r.Body.Enhance != nil {
		j.enhance = *r.Body.Enhance
	}
	if r.Body.Format != nil {
		j.format = *r.Body.Format
	}
	supported, err := s.Recognizer.Languages(ctx)
	if err != nil {
		return j, err
	}
	if j.language, err = language.Match(j.language, supported); err != nil {
		return j, edge.Invalid(map[string]string{"language": err.Error()})
	}
	return j, nil
}

// fingerprint is the same for requests that ask the same.
func (j job) fingerprint() [32]byte {
	// Marshalling strings and a bool cannot fail.
	asked, _ := json.Marshal([]any{j.imageURL, j.language, j.enhance, j.format})
	return sha256.Sum256(asked)
}

// hold takes the points, or finds the answer that a first attempt with the same Idempotency-Key stored. While that
// attempt still runs it waits.
func (s *Service) hold(ctx context.Context, j job) (ledger.Hold, []byte, error) {
	req := ledger.HoldRequest{AccountID: j.accountID, Points: Cost, TTL: s.HoldTTL}
	if j.repeatKey != "" {
		req.Idempotency = &ledger.Idempotency{Key: j.repeatKey, Fingerprint: j.fingerprint()}
	}
	hold, err := s.Ledger.Acquire(ctx, req)
	if replay, ok := errors.AsType[*ledger.ReplayError](err); ok {
		return hold, replay.Answer, nil
	}
	return hold, nil, err
}
