package contract_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/contract"
)

func TestError_Unwrap(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := error(contract.Internal(cause))
	require.ErrorIs(t, err, cause)
	assert.Equal(t, "SERVER_ERROR: internal error; quote the X-Request-Id when you contact support: cause", err.Error())
}

func TestWindow_RetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 18, 0, time.UTC)
	for left, want := range map[time.Duration]time.Duration{
		-time.Second: time.Second, 0: time.Second, time.Nanosecond: time.Second, time.Second: time.Second,
		time.Second + 1: 2 * time.Second, 59500 * time.Millisecond: time.Minute, time.Minute: time.Minute,
	} {
		assert.Equal(t, want, contract.Window{Reset: now.Add(left), Now: now}.RetryAfter(), left)
	}
}
