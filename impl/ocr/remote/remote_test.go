package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/document"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	ocrtest.MaybeWorker()
	os.Exit(m.Run())
}

func MustDial(tb testing.TB, url string, o remote.Options) *remote.Client {
	tb.Helper()
	c, err := remote.Dial(tb.Context(), url, o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.Close()) })
	return c
}

// A client in front of a handler in front of a pool keeps every promise of the pool.
func TestClient_Recognize(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	ocrtest.Run(t, ocrtest.Scripted(func(tb testing.TB, o ocrtest.Options) ocrtest.Subject {
		tb.Helper()
		pool, err := workerpool.New(tb.Context(), workerpool.Options{
			Worker: self, Sandbox: sandbox.Off, Workers: o.Workers, Queue: o.Queue, Deadline: o.Deadline, Wait: time.Minute,
		})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, pool.Close()) })
		var inside atomic.Int64 // images that the handler has let in and not let go
		handler := remote.Handler(pool, nil)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/recognize" {
				inside.Add(1)
				defer inside.Add(-1)
			}
			handler.ServeHTTP(w, r)
		}))
		tb.Cleanup(server.Close)
		return ocrtest.Subject{
			Recognizer: MustDial(tb, server.URL, remote.Options{}),
			Load: func() (busy, queued int) {
				l := pool.Load()
				if int(inside.Load()) != l.Busy+l.Queued {
					return l.Busy, -1 // one is on its way in or out, and still has its place
				}
				return l.Busy, l.Queued
			},
		}
	}))
}

// fake is a recognizer that a test directs.
type fake struct {
	read  func(ctx context.Context, req ocr.Request) (*document.Document, error)
	load  func() ocr.Load
	calls atomic.Int64
}

func (f *fake) Languages(context.Context) ([]string, error) { return []string{"de", "en"}, nil }

func (f *fake) Load() ocr.Load {
	if f.load == nil {
		return ocr.Load{Workers: 8, Ready: 8, Queue: 8}
	}
	return f.load()
}

func (f *fake) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	f.calls.Add(1)
	if f.read == nil {
		return page(), nil
	}
	return f.read(ctx, req)
}

func page() *document.Document {
	return &document.Document{Pages: []document.Page{{Width: 1, Height: 1}}, Language: "en"}
}

func fails(err error) func(context.Context, ocr.Request) (*document.Document, error) {
	return func(context.Context, ocr.Request) (*document.Document, error) { return nil, err }
}

func request() ocr.Request { return ocr.Request{Image: []byte("image"), Language: "en"} }

func TestHandler_statuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why    string
		err    error
		target string
		body   string
		header map[string]string
		status int
		kind   string
		text   string
	}{
		{why: "a document", target: "/recognize?language=en", body: "i", status: 200},
		{why: "the image's fault", err: &ocr.ImageError{Reason: "want a PNG"}, target: "/recognize?language=en", body: "i", status: 400, kind: "image", text: "want a PNG"},
		{why: "a full queue", err: fmt.Errorf("no: %w", ocr.ErrBusy), target: "/recognize?language=en", body: "i", status: 503, kind: "busy", text: "the queue is full"},
		{why: "too slow", err: ocr.ErrTimeout, target: "/recognize?language=en", body: "i", status: 504, kind: "timeout", text: "the image took too long to read"},
		{why: "the caller's deadline", err: context.DeadlineExceeded, target: "/recognize?language=en", body: "i", status: 504, kind: "timeout"},
		{why: "anything else", err: errors.New("/usr/lib/x is gone"), target: "/recognize?language=en", body: "i", status: 500, kind: "internal", text: "the engine failed"},
		{why: "a language that cannot be read", target: "/recognize?language=tlh", body: "i", status: 400, kind: "request", text: "language: want one of de, en"},
		{why: "no language", target: "/recognize", body: "i", status: 400, kind: "request"},
		{why: "a strange choice", target: "/recognize?language=en&enhance=maybe", body: "i", status: 400, kind: "request", text: "enhance: want true or false"},
		{why: "a strange deadline", target: "/recognize?language=en", body: "i", header: map[string]string{"Uncial-Deadline": "-5"}, status: 400, kind: "request"},
		{why: "an image that is too large", target: "/recognize?language=en", body: strings.Repeat("x", ocr.MaxBytes+1), status: 400, kind: "image"},
		{why: "another method", target: "/languages", body: "i", status: 405},
		{why: "another path", target: "/else", body: "i", status: 404},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			if c.err != nil {
				f.read = fails(c.err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.target, strings.NewReader(c.body))
			for k, v := range c.header {
				r.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			remote.Handler(f, nil).ServeHTTP(w, r)
			require.Equal(t, c.status, w.Code)
			if c.kind == "" {
				return
			}
			require.Equal(t, c.status == 503, w.Header().Get("Retry-After") != "")
			var body struct {
				Error struct{ Kind, Message string }
			}
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
			require.Equal(t, c.kind, body.Error.Kind)
			require.Contains(t, body.Error.Message, c.text)
		})
	}
}

func TestHandler_tellsItsState(t *testing.T) {
	t.Parallel()
	load := ocr.Load{Workers: 2, Ready: 2, Busy: 1, Idle: 1, Queue: 8}
	f := &fake{load: func() ocr.Load { return load }}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		remote.Handler(f, nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	require.JSONEq(t, `{"workers":2,"ready":2,"busy":1,"idle":1,"queued":0,"queue":8}`, get("/load").Body.String())
	require.JSONEq(t, `{"languages":["de","en"]}`, get("/languages").Body.String())
	require.Equal(t, http.StatusOK, get("/healthz").Code)
	require.Equal(t, http.StatusOK, get("/readyz").Code)
	load.Ready = 0
	require.Equal(t, http.StatusOK, get("/healthz").Code, "it lives, although no worker is ready")
	require.Equal(t, http.StatusServiceUnavailable, get("/readyz").Code)
}

// What is refused for lack of room was not even sent.
func TestHandler_boundsImagesInMemory(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	f := &fake{
		load: func() ocr.Load { return ocr.Load{Workers: 1, Ready: 1, Queue: 1} },
		read: func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
			select {
			case <-gate:
				return page(), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}
	server := httptest.NewServer(remote.Handler(f, nil))
	defer server.Close()
	c := MustDial(t, server.URL, remote.Options{Refresh: time.Hour})
	var wg sync.WaitGroup
	errs := make(chan error, 2)
	for range 2 {
		wg.Go(func() { _, err := c.Recognize(t.Context(), request()); errs <- err })
	}
	eventually(t, "both are inside", func() bool { return f.calls.Load() == 2 })
	big := &countingReader{Reader: bytes.NewReader(make([]byte, ocr.MaxBytes))}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/recognize?language=en", big)
	require.NoError(t, err)
	r.Header.Set("Expect", "100-continue")
	res, err := (&http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}).Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.Zero(t, big.n.Load())
	_, err = c.Recognize(t.Context(), request())
	require.ErrorIs(t, err, ocr.ErrBusy)
	close(gate)
	wg.Wait()
	require.NoError(t, <-errs)
	require.NoError(t, <-errs)
}

type countingReader struct {
	io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "never: %s", what)
	}
}

func TestClient_Recognize_goesToTheLeastLoaded(t *testing.T) {
	t.Parallel()
	var engines []*fake
	var handlers []http.Handler
	for _, queued := range []int{6, 0, 3} {
		f := &fake{load: func() ocr.Load { return ocr.Load{Workers: 2, Ready: 2, Busy: min(queued, 2), Queued: queued, Queue: 8} }}
		engines, handlers = append(engines, f), append(handlers, remote.Handler(f, nil))
	}
	cl, _ := MustCluster(t, handlers...)
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
	for range 20 {
		_, err := c.Recognize(t.Context(), request())
		require.NoError(t, err)
	}
	require.EqualValues(t, 20, engines[1].calls.Load())
}

func TestClient_Recognize_spreadsWhatItSendsItself(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	var engines []*fake
	var handlers []http.Handler
	for range 3 {
		f := &fake{read: func(context.Context, ocr.Request) (*document.Document, error) { <-gate; return page(), nil }}
		engines, handlers = append(engines, f), append(handlers, remote.Handler(f, nil))
	}
	cl, _ := MustCluster(t, handlers...)
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() { _, _ = c.Recognize(t.Context(), request()) })
	}
	eventually(t, "each has its third", func() bool {
		return engines[0].calls.Load() == 4 && engines[1].calls.Load() == 4 && engines[2].calls.Load() == 4
	})
	close(gate)
	wg.Wait()
}

// dying is an engine that looks well and ends each connection over which an image comes, before it answers.
func dying(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/recognize" {
		_, _ = io.WriteString(w, `{"workers":100,"ready":100,"queue":100}`)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

func TestClient_Recognize_triesAnotherEngineWhereOneDies(t *testing.T) {
	t.Parallel()
	f := &fake{load: func() ocr.Load { return ocr.Load{Workers: 1, Ready: 1, Queue: 9, Queued: 5} }}
	var died atomic.Int64
	cl, _ := MustCluster(t, remote.Handler(f, nil), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/recognize" {
			died.Add(1)
		}
		dying(w, r)
	}))
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour, Shun: time.Hour})
	for range 10 {
		_, err := c.Recognize(t.Context(), request())
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, died.Load(), "an address that failed is avoided")
	require.EqualValues(t, 10, f.calls.Load())
}

func TestClient_Recognize_triesTwiceAndNoMore(t *testing.T) {
	t.Parallel()
	var died atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/recognize" {
			died.Add(1)
		}
		dying(w, r)
	})
	cl, _ := MustCluster(t, h, h, h)
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
	_, err := c.Recognize(t.Context(), request())
	require.ErrorContains(t, err, "gave no answer")
	require.EqualValues(t, 2, died.Load())
}

func TestClient_Recognize_doesNotRepeatWhatWasAnswered(t *testing.T) {
	t.Parallel()
	for why, answer := range map[string]error{
		"an image's fault":  &ocr.ImageError{Reason: "want a PNG"},
		"a timeout":         ocr.ErrTimeout,
		"an internal error": errors.New("boom"),
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			a, b := &fake{read: fails(answer)}, &fake{read: fails(answer)}
			cl, _ := MustCluster(t, remote.Handler(a, nil), remote.Handler(b, nil))
			c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
			_, err := c.Recognize(t.Context(), request())
			require.Error(t, err)
			require.EqualValues(t, 1, a.calls.Load()+b.calls.Load())
		})
	}
}

func TestClient_Recognize_asksAnotherWhereOneIsFull(t *testing.T) {
	t.Parallel()
	full := &fake{read: fails(ocr.ErrBusy)} // looks idle
	free := &fake{load: func() ocr.Load { return ocr.Load{Workers: 4, Ready: 4, Busy: 2, Queue: 4} }}
	cl, _ := MustCluster(t, remote.Handler(full, nil), remote.Handler(free, nil))
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: time.Hour})
	_, err := c.Recognize(t.Context(), request())
	require.NoError(t, err)
	free.read = fails(ocr.ErrBusy)
	_, err = c.Recognize(t.Context(), request())
	require.ErrorIs(t, err, ocr.ErrBusy)
}

func TestClient_followsTheName(t *testing.T) {
	t.Parallel()
	a, b := &fake{}, &fake{}
	cl, servers := MustCluster(t, remote.Handler(a, nil), remote.Handler(b, nil))
	cl.set()
	c := MustDial(t, cl.url, remote.Options{Lookup: cl.lookup, Refresh: 5 * time.Millisecond, Shun: 20 * time.Millisecond})
	_, err := c.Recognize(t.Context(), request())
	require.Error(t, err, "no engine is there yet")
	_, err = c.Languages(t.Context())
	require.Error(t, err)

	cl.set(1)
	eventually(t, "the first engine is found", func() bool { _, err := c.Recognize(t.Context(), request()); return err == nil })
	cl.set(1, 2)
	eventually(t, "the second is found", func() bool {
		_, err := c.Recognize(t.Context(), request())
		return err == nil && b.calls.Load() > 0
	})
	servers[0].Close()
	for range 50 {
		_, err := c.Recognize(t.Context(), request())
		require.NoError(t, err, "one address is dead and still in the name")
	}
	tags, err := c.Languages(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"de", "en"}, tags)
	cl.set()
	_, err = c.Recognize(t.Context(), request())
	require.NoError(t, err, "the name does not resolve for a while: what was known stays")
}

func TestClient_Recognize_passesDeadlinesAndChoicesOn(t *testing.T) {
	t.Parallel()
	got := make(chan ocr.Request, 1)
	left := make(chan time.Duration, 1)
	f := &fake{read: func(ctx context.Context, req ocr.Request) (*document.Document, error) {
		end, _ := ctx.Deadline()
		left <- time.Until(end)
		got <- req
		return page(), nil
	}}
	server := httptest.NewServer(remote.Handler(f, nil))
	defer server.Close()
	c := MustDial(t, server.URL+"/", remote.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	want := ocr.Request{Image: []byte("image"), Language: "de", Enhance: true}
	_, err := c.Recognize(ctx, want)
	require.NoError(t, err)
	require.Equal(t, want, <-got)
	require.InDelta(t, 10, (<-left).Seconds(), 5)
}

func TestClient_Recognize_bounds(t *testing.T) {
	t.Parallel()
	for why, h := range map[string]http.HandlerFunc{
		"an answer that is no document": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"pages":[]}`) },
		"an answer with more to it":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"x":1}`) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
		},
		"a page of another server": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<html>")
		},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(h)
			defer server.Close()
			_, err := MustDial(t, server.URL, remote.Options{Refresh: time.Hour}).Recognize(t.Context(), request())
			require.Error(t, err)
			fault := (*ocr.ImageError)(nil)
			require.NotErrorAs(t, err, &fault)
			require.NotErrorIs(t, err, ocr.ErrBusy)
		})
	}
}

func TestClient_Recognize_givesUpWithoutADeadlineOfTheCaller(t *testing.T) {
	t.Parallel()
	f := &fake{read: func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	server := httptest.NewServer(remote.Handler(f, nil))
	defer server.Close()
	_, err := MustDial(t, server.URL, remote.Options{Timeout: 100 * time.Millisecond}).Recognize(t.Context(), request())
	require.ErrorIs(t, err, ocr.ErrTimeout)
}

func TestDial_refusesWhatIsNoURLOfAnEngine(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "engine:8090", "ftp://engine", "http://", "http://engine:99999", "http://engine:port"} {
		_, err := remote.Dial(t.Context(), url, remote.Options{})
		require.Error(t, err, url)
	}
}
