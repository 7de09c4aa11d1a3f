package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	main "uncial/impl/cmd/uncial"
	"uncial/internal/contract"
	"uncial/internal/edge"
)

func TestShowSample(t *testing.T) {
	t.Parallel()
	reset := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		err         error
		says, fails string
	}{
		"names the command that adds points": {
			contract.Insufficient(3, reset, contract.LimitedByAccount),
			"The sample page was not read: it costs 10 points, and the account has 3 left until 1 November 00:00 UTC. To add points, run:\n\n" +
				"  bin/uncial account grant acc_1 500 --reason demo --database 'sqlite:/my data/uncial.db'\n", "",
		},
		"says where the cap of the key is raised": {
			contract.Insufficient(0, reset, contract.LimitedByKey), "0 are left under the monthly cap of the key; raise it in the dashboard", "",
		},
		"names the limit and the wait of the minute": {
			contract.Limited(contract.Window{Limit: 60, Now: reset, Reset: reset.Add(9 * time.Second)}, 7),
			"The sample page was not read: the limit is 60 extractions per minute; try again in 9 seconds.", "",
		},
		"fails if the service fails": {contract.Internal(errors.New("boom")), "", "reading the sample page failed: internal error; quote the X-Request-Id"},
		"fails if the key is wrong":  {contract.Unauthorized(nil), "", "INVALID_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { edge.WriteError(w, c.err) }))
			t.Cleanup(server.Close)
			var out bytes.Buffer
			err := main.ShowSample(t.Context(), &out, server.URL, "ocr_1", "acc_1", "sqlite:/my data/uncial.db")
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Contains(t, out.String(), c.says)
			require.Contains(t, out.String(), "curl -sS "+server.URL+"/api/v1/extract -H 'Authorization: Bearer ocr_1'")
			require.NotContains(t, out.String(), `"success"`)
		})
	}
	t.Run("can be repeated without a charge", func(t *testing.T) {
		t.Parallel()
		keys := map[string]int{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			if keys[key]++; keys[key] > 1 {
				w.Header().Set("Idempotency-Replayed", "true")
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "text": "Rome"})
		}))
		t.Cleanup(server.Close)
		var first, second bytes.Buffer
		require.NoError(t, main.ShowSample(t.Context(), &first, server.URL, "ocr_1", "acc_1", "sqlite:a"))
		require.NoError(t, main.ShowSample(t.Context(), &second, server.URL, "ocr_1", "acc_1", "sqlite:a"))
		require.Len(t, keys, 1)
		require.NotContains(t, keys, "")
		require.NotContains(t, first.String(), "earlier start")
		require.Contains(t, second.String(), "Response of an earlier start, not charged again")
	})
}
