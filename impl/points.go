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

// How long a finished extraction keeps trying to settle or release its hold while the database is unreachable: short
// enough for a waiting client, long enough for a database to fail over.
const (
	recordTimeout = 20 * time.Second
	recordPause   = 200 * time.Millisecond // between attempts
)

// hold sets the price of an extraction aside. If an earlier request with the same Idempotency-Key was answered, hold
// returns its reply instead; if that request is still running, hold waits for it. Errors: those of Ledger.HoldOrWait.
func (s *Service) hold(ctx context.Context, j admitted) (hold ledger.Hold, reply []byte, err error) {
	req := ledger.HoldRequest{AccountID: j.accountID, KeyID: j.keyID, MeterID: j.meterID, Points: contract.Price, TTL: s.HoldTTL}
	if j.idempotencyKey != "" {
		req.Idempotency = &ledger.Idempotency{Key: j.idempotencyKey, Fingerprint: j.Fingerprint()}
	}
	hold, err = s.Ledger.HoldOrWait(ctx, req)
	if replay, ok := errors.AsType[*ledger.ReplayError](err); ok {
		return hold, replay.Reply, nil
	}
	return hold, nil, err
}

// readWhileHeld reads the image and extends the hold in the meantime. If the hold is lost anyway, reading stops, because
// its result could not be charged; the error is then ledger.ErrExpired or ledger.ErrEnded.
func (s *Service) readWhileHeld(ctx context.Context, h ledger.Hold, j admitted) (*document.Document, error) {
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

// extend extends the hold until ctx ends, and calls lost if the hold has ended. After any other error it tries again at
// the next tick, so that a short outage of the database does not stop the extraction.
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

// settle charges the hold and stores the reply for repeated requests, in one transaction. It charges nothing if the
// client has disconnected. While the database is unreachable it retries, for up to recordTimeout.
func (s *Service) settle(ctx context.Context, h ledger.Hold, j admitted, doc *document.Document, started time.Time) (gen.ExtractionResult, error) {
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
			return result, nil // the previous attempt succeeded, but its confirmation was lost
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

// release returns the points, even if the client has disconnected. If that fails too, the hold expires after HoldTTL.
func (s *Service) release(ctx context.Context, h ledger.Hold) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := s.Ledger.Release(ctx, h); err != nil {
		s.Logger.ErrorContext(ctx, "points not released; the hold will expire", "hold", h.ID, "error", err)
	}
}
