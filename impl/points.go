package impl

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"uncial/gen"
	"uncial/impl/ledger"
	"uncial/impl/store"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/version"
)

// How long a finished extraction tries to record its end while the database is away. The time is short enough for a
// client that waits and long enough for a database to fail over.
const (
	recordTimeout = 20 * time.Second
	recordPause   = 200 * time.Millisecond // between attempts
)

// hold takes the price from the account. If an earlier request with the same Idempotency-Key was answered it returns
// that reply instead; while the earlier request runs it waits.
func (s *Service) hold(ctx context.Context, j job) (hold ledger.Hold, reply []byte, err error) {
	req := ledger.HoldRequest{AccountID: j.accountID, Points: contract.Price, TTL: s.HoldTTL}
	if j.idempotencyKey != "" {
		req.Idempotency = &ledger.Idempotency{Key: j.idempotencyKey, Fingerprint: j.Fingerprint()}
	}
	hold, err = s.Ledger.Acquire(ctx, req)
	if replay, ok := errors.AsType[*ledger.ReplayError](err); ok {
		return hold, replay.Reply, nil
	}
	return hold, nil, err
}

// readWhileHeld reads the image and keeps the hold from expiring meanwhile. If the hold is lost all the same, reading
// stops, because its result could not be charged.
func (s *Service) readWhileHeld(ctx context.Context, h ledger.Hold, j job) (*document.Document, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	extended := make(chan struct{})
	go func() {
		defer close(extended)
		s.extend(ctx, h, cancel)
	}()
	doc, err := s.read(ctx, j)
	if lost := context.Cause(ctx); err != nil && lost != nil {
		err = lost
	}
	cancel(nil)
	<-extended
	return doc, err
}

// extend extends the hold until ctx ends, and calls lost when the hold no longer exists. Other errors are left to the
// next attempt: a database that is away for a moment does not end the work.
func (s *Service) extend(ctx context.Context, h ledger.Hold, lost context.CancelCauseFunc) {
	ticker := time.NewTicker(s.HoldTTL / 3) // two attempts may fail before the hold expires
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err := s.Ledger.Extend(ctx, h, s.HoldTTL)
			if errors.Is(err, ledger.ErrExpired) || errors.Is(err, ledger.ErrEnded) {
				lost(err)
				return
			}
		}
	}
}

// settle charges the hold and stores the reply for repeats, in one transaction. It charges nothing if the client has gone.
func (s *Service) settle(ctx context.Context, h ledger.Hold, j job, doc *document.Document, started time.Time) (gen.ExtractionResult, error) {
	result, err := contract.NewResult(j.Request, doc, format.Meta{Created: s.Now(), Version: version.Version})
	if err != nil {
		return result, err
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	for retried := false; ; retried = true {
		_, err = s.Ledger.Settle(ctx, h, func(b ledger.Balance) ([]byte, error) {
			took := max(0, s.Now().Sub(started).Milliseconds())
			result.RemainingPoints, result.ProcessingTime = &b.Remaining, &took
			return json.Marshal(result)
		})
		if retried && errors.Is(err, ledger.ErrEnded) {
			return result, nil // the attempt before succeeded; only its confirmation was lost
		}
		if _, unavailable := errors.AsType[*store.Error](err); !unavailable {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, err
		case <-time.After(recordPause):
		}
	}
}

// release gives the points back, even if the client has gone. If that fails too the hold expires by itself.
func (s *Service) release(ctx context.Context, h ledger.Hold) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := s.Ledger.Release(ctx, h); err != nil {
		s.Logger.ErrorContext(ctx, "points not released; the hold will expire", "hold", h.ID, "error", err)
	}
}
