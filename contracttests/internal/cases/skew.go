package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/model"
)

// compareClocks derives from an answer how far the target's clock is off. Windows follow the target's clock.
func (r *Run) compareClocks(x *model.Exchange) {
	date, err := http.ParseTime(x.Header.Get("Date"))
	// A deviation below two seconds is within the precision of Date and of the network.
	skew := date.Add(time.Second / 2).Sub(x.Received) // Date has whole seconds
	if err != nil || skew.Abs() < 2*time.Second {
		return
	}
	r.skew = skew
	for _, accounts := range r.accounts {
		for _, a := range accounts {
			a.Skew = skew
		}
	}
}

// probeClock detects a mock whose keys file lacks "simulated": every case would fail for that reason.
func (r *Run) probeClock(ctx context.Context) error {
	keys := r.Keys[model.KeyOK]
	if r.Simulated || r.Control != nil || len(keys) == 0 || !strings.HasPrefix(keys[0], "ocr_test_") {
		return nil
	}
	x, err := r.Exchange(ctx, statusWith(keys[0]))
	if err != nil {
		return nil //nolint:nilerr // the cases report it
	}
	now, ok := windowClock(x)
	if date, err := http.ParseTime(x.Header.Get("Date")); ok && err == nil && now.Sub(date).Abs() > answer.MaxSkew {
		return fmt.Errorf("the server is a mock whose clock shows %s; add \"simulated\": true to the keys file, or use --mock", now.UTC().Format(time.RFC3339))
	}
	return nil
}

// windowClock is the time of the server by its window: the reset in a status record minus the seconds until then.
func windowClock(x *model.Exchange) (time.Time, bool) {
	var record struct{ RateLimit struct{ Reset *int64 } }
	_, in, _, ok := model.HeaderWindow(x)
	if json.Unmarshal(x.Body, &record) != nil || record.RateLimit.Reset == nil || !ok {
		return time.Time{}, false
	}
	return time.Unix(*record.RateLimit.Reset-in, 0), true
}
