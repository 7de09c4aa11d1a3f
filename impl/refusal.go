package impl

import (
	"context"
	"errors"

	"uncial/impl/fetch"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/store"
	"uncial/internal/contract"
	"uncial/internal/fair"
)

// refusal turns any failure into the *contract.Error that the client gets. An unknown error becomes a 500 whose cause
// appears in the log but not in the response.
func refusal(err error) error {
	var (
		known        *contract.Error
		image        *ocr.ImageError
		unfetched    *fetch.Error
		insufficient *ledger.InsufficientError
		database     *store.Error
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &unfetched):
		return contract.Unfetched(unfetched.Reason, unfetched.Text, unfetched.RetryAfter)
	case errors.Is(err, fetch.ErrNetwork):
		return contract.Offline(contract.BusyRetryAfter, err)
	case errors.As(err, &image):
		return contract.BadImage(image.Reason)
	case errors.As(err, &insufficient):
		return contract.Insufficient(insufficient.Remaining, insufficient.NextReset, insufficient.LimitedBy)
	case errors.Is(err, ledger.ErrIdempotencyKeyReused):
		return contract.IdempotencyKeyReused()
	case errors.Is(err, fair.ErrFull), errors.Is(err, ocr.ErrBusy):
		return contract.Overloaded(contract.BusyRetryAfter, err)
	case errors.Is(err, ocr.ErrUnavailable), errors.As(err, &database) && database.IsTemporary():
		busy := contract.Overloaded(contract.BusyRetryAfter, err)
		busy.IsOverload = false // the log has it as an error, because an operator must act
		return busy
	case errors.As(err, &database):
		return contract.Internal(err)
	case errors.Is(err, ocr.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return contract.TooSlow(err)
	}
	return contract.Internal(err)
}
