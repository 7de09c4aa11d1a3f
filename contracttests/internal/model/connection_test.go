package model_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/model"
)

// TestTarget_Exchange_cancelled cancels requests that net/http does not send itself. The server never answers.
func TestTarget_Exchange_cancelled(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	target, err := model.Target{BaseURL: "http://" + ln.Addr().String() + "/api/v1", Timeout: time.Minute}.WithDefaults()
	require.NoError(t, err)
	for name, r := range map[string]*model.Request{
		"text":     {Method: http.MethodGet, Path: "/status", Text: "GET /status HTTP/1.1\r\nHost: x\r\n\r\n"},
		"HTTP/1.0": {Method: http.MethodGet, Path: "/status", OldHTTP: true},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err := target.Exchange(ctx, r)
		require.ErrorContains(t, err, "no answer: ", name)
		require.NotContains(t, err.Error(), "no answer: no answer", name)
		require.ErrorIs(t, ctx.Err(), context.Canceled, name)
	}
}
