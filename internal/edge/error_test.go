package edge_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/edge"
)

func TestError_whatServersAnswer(t *testing.T) {
	t.Parallel()
	usedUp := edge.Window{Limit: 5, Remaining: 0, Reset: clock.Add(7 * time.Second), Now: clock}
	for _, c := range []struct {
		name    string
		err     error
		status  int
		body    string
		headers map[string]string
	}{
		{
			"an image that cannot be read is named", edge.BadImage("the server answered 404; the URL of an image is needed"), http.StatusBadRequest,
			`{"success":false,"error":"The image could not be read.","code":"INVALID_REQUEST",` +
				`"message":"imageUrl: the server answered 404; the URL of an image is needed",` +
				`"details":{"imageUrl":"the server answered 404; the URL of an image is needed"}}`,
			map[string]string{"RateLimit": `"account";r=59;t=42`},
		},
		{
			"a key that came with another request", edge.KeyReused(), http.StatusBadRequest,
			`{"success":false,"error":"The request is not valid.","code":"INVALID_REQUEST",` +
				`"message":"Idempotency-Key: already used with a different request within the last 24 hours; repeat that request exactly or use a new key",` +
				`"details":{"Idempotency-Key":"already used with a different request within the last 24 hours; repeat that request exactly or use a new key"}}`,
			nil,
		},
		{
			"the headers of a limit report its own window", edge.Limited(usedUp, 9990), http.StatusTooManyRequests,
			`{"success":false,"error":"Too many requests.","code":"RATE_LIMITED",` +
				`"message":"the limit is 5 requests per minute; try again in 7 seconds","remainingPoints":9990}`,
			map[string]string{"RateLimit": `"account";r=0;t=7`, "RateLimit-Policy": `"account";q=5;w=60`, "Retry-After": "7"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := mustNew(t, nil)
			d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) { return nil, c.err }
			res := d.do(t, extraction(`{"imageUrl":"https://images.example.org/1.png"}`))
			require.Equal(t, c.status, res.StatusCode)
			require.JSONEq(t, c.body, res.Body)
			for name, value := range c.headers {
				require.Equal(t, value, res.Header.Get(name), name)
			}
		})
	}
}
