// Package impl is the real service: it fetches an image, has it read, and keeps the points.
package impl

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"time"

	"uncial/gen"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/store"
	"uncial/internal/document"
	"uncial/internal/edge"
	"uncial/internal/format"
	"uncial/internal/version"
)

// Cost of an extraction, in points.
const Cost = 10

// Service implements the contract. All fields but Improve are required; they are not changed after the first call.
type Service struct {
	Ledger     *ledger.Ledger
	Fetch      func(ctx context.Context, imageURL string) ([]byte, error)
	Recognizer ocr.Recognizer
	// Improve corrects a document that was read with enhancement, in place; after an error it is as it was. Nil leaves it
	// to the recognizer.
	Improve  func(ctx context.Context, image []byte, doc *document.Document) error
	HoldTTL  time.Duration // how long points stay held if this process dies
	Deadline time.Duration // for an extraction as a whole
	Now      func() time.Time
	Logger   *slog.Logger
}

var _ gen.StrictServerInterface = (*Service)(nil)

// Extract is the whole use case: admit, hold the points, fetch the image, recognise, enhance, settle. Whatever fails
// after the hold gives the points back.
func (s *Service) Extract(ctx context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	started := s.Now()
	ctx, cancel := context.WithTimeout(ctx, s.Deadline)
	defer cancel()

	job, err := s.admit(ctx, r)
	if err != nil {
		return nil, refusal(err)
	}
	hold, stored, err := s.hold(ctx, job)
	if err != nil {
		return nil, refusal(err)
	}
	if stored != nil {
		return replay(stored)
	}
	doc, err := s.readHeld(ctx, hold, job)
	if err == nil {
		var result gen.ExtractionResult
		if result, err = s.settle(ctx, hold, job, doc, started); err == nil {
			return answer(result), nil
		}
	}
	s.release(ctx, hold)
	return nil, refusal(err)
}

// readHeld reads while it keeps the hold from expiring. A hold that is lost all the same ends the work: it could not be
// charged.
func (s *Service) readHeld(ctx context.Context, h ledger.Hold, j job) (*document.Document, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		s.keep(ctx, h, cancel)
	}()
	doc, err := s.read(ctx, j)
	if lost := context.Cause(ctx); err != nil && lost != nil {
		err = lost
	}
	cancel(nil)
	<-kept
	return doc, err
}

// keep extends the hold until ctx ends. A database that is away for a while is no reason to give up.
func (s *Service) keep(ctx context.Context, h ledger.Hold, lost context.CancelCauseFunc) {
	every := time.NewTicker(s.HoldTTL / 3)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			err := s.Ledger.Extend(ctx, h, s.HoldTTL)
			if errors.Is(err, ledger.ErrExpired) || errors.Is(err, ledger.ErrEnded) {
				lost(err)
				return
			}
		}
	}
}

// read fetches the image and has it recognised and enhanced.
func (s *Service) read(ctx context.Context, j job) (*document.Document, error) {
	image, err := s.Fetch(ctx, j.imageURL)
	if err != nil {
		return nil, err
	}
	doc, err := s.Recognizer.Recognize(ctx, ocr.Request{Image: image, Language: j.language, Enhance: j.enhance})
	if err != nil {
		return nil, err
	}
	if j.enhance && s.Improve != nil {
		if err := s.Improve(ctx, image, doc); err != nil {
			s.Logger.WarnContext(ctx, "the enhancement of this machine stands alone", "error", err)
		}
	}
	return doc, nil
}

// settle charges the points and stores the answer for repeats, in one step.
func (s *Service) settle(ctx context.Context, h ledger.Hold, j job, doc *document.Document, started time.Time) (gen.ExtractionResult, error) {
	result, err := s.result(j, doc)
	if err != nil {
		return result, err
	}
	if err := ctx.Err(); err != nil { // the caller is gone: nothing is answered, so nothing is charged
		return result, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	for again := false; ; again = true {
		_, err = s.Ledger.Settle(ctx, h, func(b ledger.Balance) ([]byte, error) {
			took := max(0, s.Now().Sub(started).Milliseconds())
			result.RemainingPoints, result.ProcessingTime = &b.Remaining, &took
			return json.Marshal(result)
		})
		if again && errors.Is(err, ledger.ErrEnded) {
			return result, nil // the attempt before was carried out; only its confirmation was lost
		}
		if _, lost := errors.AsType[*store.Error](err); !lost {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, err
		case <-time.After(settlePause):
		}
	}
}

const (
	settleTimeout = 20 * time.Second
	settlePause   = 200 * time.Millisecond // between attempts while the database is away
)

// release gives the points back, also when the caller is gone. Where even that fails the hold expires.
func (s *Service) release(ctx context.Context, h ledger.Hold) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if err := s.Ledger.Release(ctx, h); err != nil {
		s.Logger.ErrorContext(ctx, "points stay held until they expire", "hold", h.ID, "error", err)
	}
}

// decimals keeps four of a confidence, as the written formats do: an estimate has no more.
func decimals(confidence float64) float64 {
	return math.Round(min(max(confidence, 0), 1)*10_000) / 10_000
}

// result is the answer but for what is known only once the points are settled.
func (s *Service) result(j job, doc *document.Document) (gen.ExtractionResult, error) {
	result := gen.ExtractionResult{
		Success: true, Text: doc.Text(), Enhanced: &doc.Enhanced, Language: &doc.Language,
		Confidence: decimals(doc.Confidence), PointsUsed: Cost,
	}
	if doc.Enhanced {
		edits := make([]gen.Edit, len(doc.Edits))
		for i, e := range doc.Edits {
			edits[i] = gen.Edit{
				Page: int64(e.Page) + 1, Before: e.Before, After: e.After, Rule: e.Rule, Confidence: decimals(e.Confidence),
				Box: gen.Box{X: int64(e.Box.X), Y: int64(e.Box.Y), Width: int64(e.Box.W), Height: int64(e.Box.H)},
			}
		}
		result.Edits = &edits
	}
	if j.format == gen.JSON || j.format == gen.Text {
		return result, nil
	}
	written, err := format.Write(string(j.format), doc, format.Meta{
		Image: format.ImageName(j.imageURL), Created: s.Now(), Version: version.Version,
	})
	if err != nil {
		return result, err
	}
	result.Document = &written
	return result, nil
}

func answer(result gen.ExtractionResult) gen.ExtractResponseObject {
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}
}

// replay is a stored answer once more.
func replay(stored []byte) (gen.ExtractResponseObject, error) {
	var result gen.ExtractionResult
	if err := json.Unmarshal(stored, &result); err != nil {
		return nil, err
	}
	return answer(result), nil
}

// refusal says what the caller may know of a failure.
func refusal(err error) error {
	var (
		known        *edge.Error
		image        *ocr.ImageError
		insufficient *ledger.InsufficientError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &image):
		return edge.BadImage(image.Reason)
	case errors.As(err, &insufficient):
		return edge.Insufficient(Cost, insufficient.Remaining, insufficient.NextReset)
	case errors.Is(err, ledger.ErrKeyReused):
		return edge.KeyReused()
	case errors.Is(err, ocr.ErrBusy):
		return edge.Overloaded(busyRetry, err)
	case errors.Is(err, ocr.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		e := edge.Internal(err)
		e.Message = "reading the image took too long; try a smaller image or fewer pages"
		return e
	}
	return edge.Internal(err)
}

// busyRetry is about how long a full queue takes to move.
const busyRetry = 5 * time.Second
