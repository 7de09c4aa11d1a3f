package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/edge"
)

const internalText = "internal error; quote the X-Request-Id when you contact support"

var (
	errInternal = errors.New("pq: relation \"accounts\" at /srv/uncial/store.go:17 *store.DB")
	usedUp      = contract.Window{Limit: 60, Reset: clock.Add(1500 * time.Millisecond), Now: clock}
)

// serverErrors are what a server may return, and what is answered.
var serverErrors = map[string]struct {
	err    error
	status int
	body   string
	header string // "Name: value"
}{
	"a 400": {
		contract.Invalid(map[string]string{"b": "is <bad> & \"ugly\"", "a": "is wrong"}), 400,
		`{"success":false,"error":"The request is not valid.","code":"INVALID_REQUEST","message":"a: is wrong; b: is <bad> & \"ugly\"","details":{"a":"is wrong","b":"is <bad> & \"ugly\""}}`, "",
	},
	"a 400 with its own summary": {
		&contract.Error{Code: contract.InvalidRequest, Summary: "The image could not be fetched or read.", Details: map[string]string{"imageUrl": "is gone"}, Cause: errInternal}, 400,
		`{"success":false,"error":"The image could not be fetched or read.","code":"INVALID_REQUEST","message":"The image could not be fetched or read.","details":{"imageUrl":"is gone"}}`, "",
	},
	"an image that cannot be read": {
		contract.BadImage("the server returned 404"), 400,
		`{"success":false,"error":"The image could not be fetched or read.","code":"INVALID_REQUEST","message":"imageUrl: the server returned 404","details":{"imageUrl":"the server returned 404"}}`,
		`RateLimit: "account";r=59;t=42`,
	},
	"a 401": {
		contract.Unauthorized(errInternal), 401,
		`{"success":false,"error":"The API key is not valid.","code":"INVALID_API_KEY","message":"the API key is missing, unknown, expired or revoked, its account is suspended, or it is used from outside its IP ranges; send \"Authorization: Bearer <API key>\""}`, "WWW-Authenticate: Bearer",
	},
	"a 402": {
		contract.Insufficient(0, time.Date(2026, 2, 1, 1, 0, 0, 0, time.FixedZone("", 3600)), contract.LimitedByAccount), 402,
		`{"success":false,"error":"Not enough points for this extraction.","code":"INSUFFICIENT_POINTS","message":"an extraction costs 10 points; 0 remaining; upgrade the plan or wait for the reset","remainingPoints":0,"nextReset":"2026-02-01T00:00:00Z","limitedBy":"account"}`, "",
	},
	"a 402 because of the cap of the key": {
		contract.Insufficient(2, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), contract.LimitedByKey), 402,
		`{"success":false,"error":"Not enough points for this extraction.","code":"INSUFFICIENT_POINTS","message":"an extraction costs 10 points; 2 remaining under the monthly cap of the key; raise the cap or wait for the reset","remainingPoints":2,"nextReset":"2026-02-01T00:00:00Z","limitedBy":"key"}`, "",
	},
	"a 429": {
		contract.Limited(usedUp, 0), 429,
		`{"success":false,"error":"Too many requests.","code":"RATE_LIMITED","message":"the limit is 60 extractions per minute; try again in 2 seconds","remainingPoints":0}`, "Retry-After: 2",
	},
	"a 429 of a window that was not counted": {
		contract.Limited(contract.Window{Limit: 5, Reset: clock.Add(7 * time.Second), Now: clock}, 9990), 429,
		`{"success":false,"error":"Too many requests.","code":"RATE_LIMITED","message":"the limit is 5 extractions per minute; try again in 7 seconds","remainingPoints":9990}`,
		`RateLimit: "account";r=0;t=7`,
	},
	"a 429 in the last second of a window": {
		contract.Limited(contract.Window{Limit: 5, Reset: clock.Add(time.Second), Now: clock}, 9990), 429,
		`{"success":false,"error":"Too many requests.","code":"RATE_LIMITED","message":"the limit is 5 extractions per minute; try again in 1 second","remainingPoints":9990}`,
		"Retry-After: 1",
	},
	"a 500":                  {contract.Internal(errInternal), 500, serverError(internalText), "Retry-After: "},
	"a 500 with Retry-After": {contract.Overloaded(1500*time.Millisecond, errInternal), 500, serverError("the service is busy; try again later"), "Retry-After: 2"},
	"an unknown error":       {errInternal, 500, serverError(internalText), ""},
	"a wrapped error":        {errors.Join(errInternal, contract.Overloaded(time.Second, nil)), 500, serverError("the service is busy; try again later"), "Retry-After: 1"},
	"a timeout":              {context.DeadlineExceeded, 500, serverError(internalText), ""},
	"an unknown code":        {&contract.Error{Code: "TEAPOT", Message: "x"}, 500, serverError(internalText), ""},
	"a 400 without details":  {&contract.Error{Code: contract.InvalidRequest, Message: "x"}, 500, serverError(internalText), ""},
}

// Every error of a server becomes the answer of its status; do validates each against openapi.yaml.
func TestHandler_WritesEveryError(t *testing.T) {
	t.Parallel()
	for name, c := range serverErrors {
		t.Run("writes "+name, func(t *testing.T) {
			t.Parallel()
			d := mustNew(t, nil)
			d.server.extract = returns(nil, c.err)
			res := d.do(t, extraction(smallBody))
			assert.Equal(t, c.status, res.StatusCode)
			assert.Equal(t, c.body+"\n", res.Body)
			if c.header != "" {
				name, value, _ := cutHeader(c.header)
				assert.Equal(t, value, res.Header.Get(name))
			}
			if c.status == http.StatusInternalServerError {
				level := "ERROR"
				if strings.Contains(c.body, "busy") {
					level = "WARN"
				}
				assert.Contains(t, d.log.String(), `"level":"`+level+`"`)
			}
		})
	}
}

func serverError(message string) string {
	return `{"success":false,"error":"The service could not complete the request.","code":"SERVER_ERROR","message":"` + message + `"}`
}

// A gate that fails is a 500 at each of its steps, on both operations.
func TestHandler_HidesErrorsOfTheGate(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.gate.err = errors.New("dial tcp 10.0.0.7:5432: connect: connection refused")
	for _, r := range []*http.Request{extraction(smallBody), status()} {
		_, f := d.fails(t, http.StatusInternalServerError, r)
		assert.NotContains(t, f.Message, "dial")
	}
	assert.Contains(t, d.log.String(), "connection refused")
}

func TestHandler_Answers500WithoutAUsableAnswer(t *testing.T) {
	t.Parallel()
	var notJSON gen.Extract200JSONResponse
	notJSON.Body.Confidence = math.NaN()
	d := mustNew(t, nil)
	for name, answer := range map[string]gen.ExtractResponseObject{"none": nil, "one that cannot be encoded": notJSON} {
		d.server.extract = returns(answer, nil)
		_, f := d.fails(t, http.StatusInternalServerError, extraction(smallBody))
		assert.NotContains(t, f.Message, "NaN", name)
	}
	d.server.status = func(context.Context) (gen.StatusResponseObject, error) { return nil, nil }
	d.fails(t, http.StatusInternalServerError, status())
}

// Errors that a server builds with the generated types get the headers of every answer too.
func TestHandler_AddsItsHeadersToGeneratedErrors(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	var extract gen.Extract402JSONResponse
	extract.Body = gen.InsufficientPointsError{Error: "e", Code: "INSUFFICIENT_POINTS", Message: "m", NextReset: clock}
	d.server.extract = returns(extract, nil)
	var answer gen.Status400JSONResponse
	answer.Body = gen.InvalidRequestError{Error: "e", Code: "INVALID_REQUEST", Message: "m", Details: gen.Details{"a": "b"}}
	d.server.status = func(context.Context) (gen.StatusResponseObject, error) { return answer, nil }
	d.fails(t, http.StatusPaymentRequired, extraction(smallBody))
	d.fails(t, http.StatusBadRequest, status())
}

func TestWriteError_OutsideOfTheFrontEnd(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	edge.WriteError(rec, contract.MethodNotAllowed("GET", "PUT"))
	assert.Equal(t, http.StatusMethodNotAllowed, rec.Code)
	assert.Equal(t, "GET, PUT", rec.Header().Get("Allow"))
	assert.NotEmpty(t, rec.Header().Get("X-Request-Id"))
	var f failure
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &f))
	assert.Equal(t, map[string]string{"method": "must be GET or PUT"}, f.Details)
}
