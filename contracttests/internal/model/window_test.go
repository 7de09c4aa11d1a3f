package model_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/model"
)

// A server that stalls after it has counted a request writes a Date that is late, and so the suite believes in a reset that is
// late.
func TestAccount_ObserveWindow_stalls(t *testing.T) {
	t.Parallel()
	reset := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	answer := func(date time.Time, took time.Duration, left, in int) *model.Exchange {
		h := http.Header{"Date": {date.Format(http.TimeFormat)}, "Ratelimit-Policy": {`"account";q=60;w=60`}}
		h.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, in))
		return &model.Exchange{Header: h, Sent: date.Add(-took), Received: date}
	}
	for took, problems := range map[time.Duration]int{9 * time.Second: 0, 10 * time.Millisecond: 1} {
		a := model.Account{}
		require.Empty(t, a.ObserveWindow(answer(reset.Add(-30*time.Second), took, 59, 38), true))
		a.Known = true
		require.Len(t, a.ObserveWindow(answer(reset.Add(-29*time.Second), time.Millisecond, 58, 29), true), problems, "took %v", took)
	}
}
