package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/edge"
)

func cutHeader(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	return name, strings.TrimSpace(value), ok
}

func TestHandler_UsesTheRequestIDOfTheClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent []string
		kept bool
	}{
		"keeps one that the caller chose": {[]string{"trace-0123~!"}, true},
		"keeps one of 128 characters":     {[]string{strings.Repeat("x", 128)}, true},
		"makes one if there is none":      {nil, false},
		"replaces an empty one":           {[]string{""}, false},
		"replaces one of 129 characters":  {[]string{strings.Repeat("x", 129)}, false},
		"replaces one with a space":       {[]string{"a b"}, false},
		"replaces one beyond ASCII":       {[]string{"é"}, false},
		"replaces two":                    {[]string{"a", "b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mustNew(t, func(o *edge.Options) { o.RequestID = func(*http.Request) string { return "made-here" } })
			r := extraction(smallBody)
			r.Header["X-Request-Id"] = c.sent
			want := "made-here"
			if c.kept {
				want = c.sent[0]
			}
			assert.Equal(t, want, d.do(t, r).Header.Get("X-Request-Id"))
			assert.Contains(t, d.log.String(), `"request_id":"`+want+`"`)
		})
	}
}

func TestHandler_MakesUniqueRequestIDs(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	first := d.do(t, extraction(smallBody)).Header.Get("X-Request-Id")
	second := d.do(t, extraction(smallBody)).Header.Get("X-Request-Id")
	assert.Len(t, first, 26)
	assert.NotEqual(t, first, second)
}

func TestHandler_Answers500AfterAPanic(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		panic("index out of range [7] with length 3")
	}
	_, f := d.fails(t, http.StatusInternalServerError, extraction(smallBody))
	assert.NotContains(t, f.Message, "index")
	assert.Contains(t, d.log.String(), "index out of range")
	assert.Contains(t, d.log.String(), "exchange_test.go", "the stack is in the log")
	d.server.extract = nil
	assert.Equal(t, http.StatusOK, d.do(t, extraction(smallBody)).StatusCode, "places in progress are given back")
}

func TestHandler_CutsTheConnectionIfAnAnswerHasBegun(t *testing.T) {
	t.Parallel()
	for name, cause := range map[string]any{"a panic": "halfway", "an abort": http.ErrAbortHandler} {
		t.Run("after "+name, func(t *testing.T) {
			t.Parallel()
			d := mustNew(t, func(o *edge.Options) {
				o.Routes = map[string]http.Handler{"GET /__test/half": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Length", "10")
					_, _ = w.Write([]byte("half"))
					panic(cause)
				})}
			})
			assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
				d.ServeHTTP(httptest.NewRecorder(), get("/__test/half"))
			})
			assert.Contains(t, d.log.String(), `"route":"/__test/half","status":200,"bytes":4`)
			assert.Equal(t, cause == "halfway", strings.Contains(d.log.String(), `"msg":"panic"`))
		})
	}
}

func TestHandler_LogsOneLineForEachRequest(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.do(t, extraction(`{"imageUrl":"https://example.org/a.jpg?signature=s3cret"}`, "X-Request-Id", "one"))
	lines := strings.Split(strings.TrimSpace(d.log.String()), "\n")
	require.Len(t, lines, 1)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
	assert.Greater(t, line["duration_us"], 0.0)
	assert.Greater(t, line["bytes"], 0.0)
	for name, want := range map[string]any{
		"level": "INFO", "msg": "request", "request_id": "one", "method": "POST", "route": "/api/v1/extract",
		"status": 200.0, "account": "acc_1", "key": "key_1",
	} {
		assert.Equal(t, want, line[name], name)
	}
	assert.NotContains(t, d.log.String(), "s3cret")
	assert.NotContains(t, d.log.String(), goodKey)
}

func TestHandler_LogsOnlyUnknownPaths(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.fails(t, http.StatusNotFound, get("/wp-login.php?token=s3cret"))
	assert.Contains(t, d.log.String(), `"route":"","status":404`)
	assert.Contains(t, d.log.String(), `"path":"/wp-login.php"`)
	assert.NotContains(t, d.log.String(), "s3cret")
}

func TestHandler_LogsProbesAtDebugLevel(t *testing.T) {
	t.Parallel()
	ready := error(nil)
	d := mustNew(t, func(o *edge.Options) { o.Ready = func(context.Context) error { return ready } })
	d.do(t, get("/healthz"))
	d.do(t, get("/readyz"))
	assert.Equal(t, 2, strings.Count(d.log.String(), `"level":"DEBUG"`))
	ready = errors.New("the database is away")
	d.fails(t, http.StatusServiceUnavailable, get("/readyz"))
	assert.Contains(t, d.log.String(), `"level":"ERROR"`)
	assert.Contains(t, d.log.String(), "the database is away")
}

// What is private in the URL of an image stays out of the log, even inside the error of a library.
func TestHandler_RedactsURLsInTheLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, kept string }{
		"a query":         {`Get "https://example.org/a.jpg?signature=s3cret": EOF`, `https://example.org/a.jpg?...`},
		"a password":      {`dial https://user:s3cret@example.org/a?b: EOF`, `https://example.org/a?...`},
		"a password only": {`dial https://user:s3cret@example.org/a: EOF`, `https://example.org/a: EOF`},
		"a fragment":      {`https://example.org/a#s3cret`, `https://example.org/a?...`},
		"an inline image": {`cannot read data:image/png;base64,s3cret: EOF`, `cannot read data:... EOF`},
		"only an image":   {`data:,s3cret is not data:<type>;base64,<data> or another data: URL`, `data:... is not data:<type>;base64,<data> or another data: URL`},
		"a long text":     {strings.Repeat("x", 2048) + " s3cret", "contact support:..."},
		"a URL cut off":   {"see https://user:s3cret" + strings.Repeat("x", 2048) + "@example.org", "contact support: see..."},
	} {
		t.Run("removes "+name, func(t *testing.T) {
			t.Parallel()
			d := mustNew(t, nil)
			d.server.extract = returns(nil, contract.Internal(errors.New(c.text)))
			d.fails(t, http.StatusInternalServerError, extraction(smallBody))
			assert.NotContains(t, d.log.String(), "s3cret")
			assert.Contains(t, d.log.String(), c.kept)
		})
	}
}

// Operators look for errors in the log, so a client alone must not be able to cause any.
func TestHandler_LogsNoErrorForHTTP2(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	preface := httptest.NewRequest("PRI", "/", http.NoBody)
	preface.Proto, preface.ProtoMajor, preface.ProtoMinor = "HTTP/2.0", 2, 0
	answer := httptest.NewRecorder()
	d.ServeHTTP(answer, preface)
	require.Equal(t, http.StatusHTTPVersionNotSupported, answer.Code)
	assert.Contains(t, d.log.String(), `"level":"INFO"`)
}

func TestHandler_LogsNoErrorIfTheClientWentAway(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		cancel()
		return nil, fmt.Errorf("recognize: %w", &url.Error{Op: "Post", URL: "http://engine", Err: context.Canceled})
	}
	d.ServeHTTP(httptest.NewRecorder(), extraction(smallBody).WithContext(ctx))
	assert.Contains(t, d.log.String(), `"level":"INFO"`)
	assert.NotContains(t, d.log.String(), `"level":"ERROR"`)
	d.log.Reset()
	d.fails(t, http.StatusInternalServerError, extraction(smallBody))
	assert.Contains(t, d.log.String(), `"level":"ERROR"`, "a cancellation of our own is an error")
}

func TestHandler_LetsRoutesFlush(t *testing.T) {
	t.Parallel()
	d := mustNew(t, func(o *edge.Options) {
		o.Routes = map[string]http.Handler{"GET /__test/flush": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write([]byte("a"))
			assert.NoError(t, errors.Join(err, http.NewResponseController(w).Flush()))
		})}
	})
	assert.Equal(t, "a", d.do(t, get("/__test/flush")).Body)
}

// A handler around the front end passes values in the context and sees the route, as with http.ServeMux.
func TestHandler_SharesContextAndHeadersWithAWrappingHandler(t *testing.T) {
	t.Parallel()
	type key struct{}
	d := mustNew(t, nil)
	d.server.status = func(ctx context.Context) (gen.StatusResponseObject, error) {
		assert.Equal(t, "inside", ctx.Value(key{}))
		return nil, contract.Overloaded(1, nil)
	}
	r := status()
	r = r.WithContext(context.WithValue(r.Context(), key{}, "inside"))
	rec := httptest.NewRecorder()
	rec.Header().Set("Preference-Applied", "code=500")
	d.ServeHTTP(rec, r)
	assert.Equal(t, "code=500", rec.Header().Get("Preference-Applied"))
	assert.Equal(t, "/api/v1/status", r.Pattern)
}

func TestHandler_CallsAnswered(t *testing.T) {
	t.Parallel()
	var told []string
	d := mustNew(t, func(o *edge.Options) {
		o.Answered = func(path string, status int) { told = append(told, fmt.Sprint(path, " ", status)) }
	})
	for _, r := range []*http.Request{
		extraction(smallBody), extraction(`{}`), extraction(`{}`, "Authorization", ""),
		get("/healthz"), get("/elsewhere/of/many"),
		httptest.NewRequest(http.MethodDelete, "/api/v1/status", nil),
	} {
		d.do(t, r)
	}
	d.server.extract = func(context.Context, gen.ExtractRequestObject) (gen.ExtractResponseObject, error) { panic("halfway") }
	d.do(t, extraction(smallBody))
	require.Equal(t, []string{
		"/api/v1/extract 200", "/api/v1/extract 400", "/api/v1/extract 401", "/healthz 200", " 404", " 405", "/api/v1/extract 500",
	}, told)
}
