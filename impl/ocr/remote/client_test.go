package remote_test

import (
	"context"
	"errors"
	"io"
	"net/http"
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

// A client, a handler and a pool together must keep every promise of a recognizer.
func TestClient_Recognize(t *testing.T) {
	t.Parallel()
	ocrtest.Run(t, ocrtest.Scripted(func(tb testing.TB, o ocrtest.Options) ocrtest.Subject {
		tb.Helper()
		pool, err := workerpool.New(tb.Context(), workerpool.Options{
			Worker: ocrtest.MustSelf(tb), Sandbox: sandbox.Off, Workers: o.Workers, Queue: o.Queue, Deadline: o.Deadline, Wait: time.Minute,
		})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, pool.Close()) })
		var admitted atomic.Int64 // requests inside the handler
		handler := remote.Handler(pool, nil)
		url := MustServe(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/recognize" {
				admitted.Add(1)
				defer admitted.Add(-1)
			}
			handler.ServeHTTP(w, r)
		}))
		return ocrtest.Subject{
			Recognizer: MustDial(tb, url, remote.Options{}),
			Load: func() (busy, queued int) {
				l := pool.Load()
				if int(admitted.Load()) != l.Busy+l.Queued {
					return l.Busy, -1 // a request that is arriving or leaving still counts in the handler
				}
				return l.Busy, l.Queued
			},
		}
	}))
	t.Run("passes the request and its deadline on", func(t *testing.T) {
		t.Parallel()
		got, left := make(chan ocr.Request, 1), make(chan time.Duration, 1)
		f := &fake{read: func(ctx context.Context, req ocr.Request) (*document.Document, error) {
			end, _ := ctx.Deadline()
			left <- time.Until(end)
			got <- req
			doc := page()
			doc.Pages[0].Picture = ocrtest.MustPNG(t, ocrtest.Page("a"))
			return doc, nil
		}}
		c := MustDial(t, MustServe(t, remote.Handler(f, nil))+"/", remote.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		want := ocr.Request{Image: []byte("image"), Language: page().Language, Enhance: true, Preview: true, Picture: true}
		_, err := c.Recognize(ctx, want)
		require.NoError(t, err)
		require.Equal(t, want, <-got)
		require.InDelta(t, 10, (<-left).Seconds(), 5)
	})
	t.Run("sets a deadline if the caller has none", func(t *testing.T) {
		t.Parallel()
		url := MustServe(t, remote.Handler(&fake{read: waits(nil)}, nil))
		require.ErrorIs(t, recognize(t, MustDial(t, url, remote.Options{Timeout: 100 * time.Millisecond})), ocr.ErrTimeout)
	})
	t.Run("returns the caller's deadline even if the engine gives up at the same moment", func(t *testing.T) {
		t.Parallel()
		c := MustDial(t, MustServe(t, remote.Handler(&fake{read: waits(nil)}, nil)), remote.Options{})
		for i := range 50 { // deadlines of whole and of broken milliseconds
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond+time.Duration(i)*37*time.Microsecond)
			_, err := c.Recognize(ctx, ocr.Request{Image: []byte("image"), Language: "en"})
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	})
}

func TestClient_Recognize_InvalidAnswer(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"an invalid document": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"pages":[]}`) },
		"an unknown field":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"x":1}`) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
		},
		"a page of another server": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<html>")
		},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			err := recognize(t, MustDial(t, MustServe(t, h), remote.Options{Refresh: time.Hour}))
			require.Error(t, err)
			invalid := (*ocr.ImageError)(nil)
			require.NotErrorAs(t, err, &invalid)
			require.NotErrorIs(t, err, ocr.ErrBusy)
		})
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "engine:8090", "ftp://engine", "http://", "http://engine:99999", "http://engine:port"} {
		_, err := remote.Dial(t.Context(), url, remote.Options{})
		require.Error(t, err, url)
	}
}

func TestClient_Recognize_ChoosesEngine(t *testing.T) {
	t.Parallel()
	t.Run("chooses the engine with the lowest load", func(t *testing.T) {
		t.Parallel()
		var engines []*fake
		for _, queued := range []int{6, 0, 3} {
			engines = append(engines, &fake{load: ocr.Load{Workers: 2, Ready: 2, Busy: min(queued, 2), Queued: queued, Queue: 8}})
		}
		c := MustFakes(t, engines...).dial(t, remote.Options{})
		for range 20 {
			require.NoError(t, recognize(t, c))
		}
		require.EqualValues(t, 20, engines[1].calls.Load())
	})
	t.Run("spreads its own requests evenly", func(t *testing.T) {
		t.Parallel()
		gate := make(chan struct{})
		engines := []*fake{{read: waits(gate)}, {read: waits(gate)}, {read: waits(gate)}}
		c := MustFakes(t, engines...).dial(t, remote.Options{})
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() { _ = recognize(t, c) })
		}
		ocrtest.Eventually(t, "each engine has a third", func() bool {
			return engines[0].calls.Load() == 4 && engines[1].calls.Load() == 4 && engines[2].calls.Load() == 4
		})
		close(gate)
		wg.Wait()
	})
	t.Run("uses an engine with room if the first one is full", func(t *testing.T) {
		t.Parallel()
		full := &fake{read: fails(ocr.ErrBusy)} // reports no load
		free := &fake{load: ocr.Load{Workers: 4, Ready: 4, Busy: 2, Queue: 4}}
		c := MustFakes(t, full, free).dial(t, remote.Options{})
		require.NoError(t, recognize(t, c))
		free.read = fails(ocr.ErrBusy)
		require.ErrorIs(t, recognize(t, c), ocr.ErrBusy)
	})
}

// dying is an engine that reports no load and drops each connection on which an image arrives. It counts the images.
type dying struct{ images atomic.Int64 }

func (d *dying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/recognize" {
		_, _ = io.WriteString(w, `{"workers":100,"ready":100,"queue":100}`)
		return
	}
	d.images.Add(1)
	_, _ = io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

func TestClient_Recognize_Retries(t *testing.T) {
	t.Parallel()
	t.Run("retries on another engine if one dies", func(t *testing.T) {
		t.Parallel()
		f, d := &fake{load: ocr.Load{Workers: 1, Ready: 1, Queue: 9, Queued: 5}}, &dying{}
		c := MustCluster(t, remote.Handler(f, nil), d).dial(t, remote.Options{Shun: time.Hour})
		for range 10 {
			require.NoError(t, recognize(t, c))
		}
		require.EqualValues(t, 1, d.images.Load(), "an engine that failed is avoided")
		require.EqualValues(t, 10, f.calls.Load())
		require.Equal(t, remote.Stats{Engines: 2, Avoided: 1, Requests: 11, Died: 1, Repeated: 1}, c.Stats())
	})
	t.Run("retries at most once", func(t *testing.T) {
		t.Parallel()
		d := &dying{}
		err := recognize(t, MustCluster(t, d, d, d).dial(t, remote.Options{}))
		require.ErrorContains(t, err, "gave no answer")
		require.NotErrorIs(t, err, ocr.ErrUnavailable, "the image may have killed the engines")
		require.EqualValues(t, 2, d.images.Load())
	})
	t.Run("does not invite a retry if only the first of two engines got the image", func(t *testing.T) {
		t.Parallel()
		d := &dying{}
		c := MustCluster(t, d, http.NotFoundHandler())
		cl := c.dial(t, remote.Options{})
		c.servers[1].Close() // reports no load, so it is avoided from the beginning
		err := recognize(t, cl)
		require.ErrorContains(t, err, "gave no answer")
		require.NotErrorIs(t, err, ocr.ErrUnavailable)
		require.EqualValues(t, 1, d.images.Load())
	})
	t.Run("reports that no engine can be reached", func(t *testing.T) {
		t.Parallel()
		c := MustFakes(t, &fake{}, &fake{}, &fake{})
		cl := c.dial(t, remote.Options{})
		for _, s := range c.servers {
			s.Close()
		}
		require.ErrorIs(t, recognize(t, cl), ocr.ErrUnavailable)
		_, err := cl.Languages(t.Context())
		require.ErrorIs(t, err, ocr.ErrUnavailable)
	})
	t.Run("reports that no engine accepts the image", func(t *testing.T) {
		t.Parallel()
		// Proxies accept connections and close them if there is no engine.
		refuses := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
		})
		require.ErrorIs(t, recognize(t, MustCluster(t, refuses).dial(t, remote.Options{})), ocr.ErrUnavailable)
	})
	for name, answer := range map[string]error{
		"not after an image error":    &ocr.ImageError{Reason: "want a PNG"},
		"not after a timeout":         ocr.ErrTimeout,
		"not after an internal error": errors.New("boom"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := &fake{read: fails(answer)}, &fake{read: fails(answer)}
			require.Error(t, recognize(t, MustFakes(t, a, b).dial(t, remote.Options{})))
			require.EqualValues(t, 1, a.calls.Load()+b.calls.Load())
		})
	}
}

func TestClient_FollowsHostName(t *testing.T) {
	t.Parallel()
	a, b := &fake{}, &fake{}
	cl := MustFakes(t, a, b)
	cl.set()
	c := cl.dial(t, remote.Options{Refresh: 5 * time.Millisecond, Shun: 20 * time.Millisecond})
	require.ErrorIs(t, recognize(t, c), ocr.ErrUnavailable, "no engine is known yet")
	_, err := c.Languages(t.Context())
	require.ErrorIs(t, err, ocr.ErrUnavailable)

	cl.set(1)
	ocrtest.Eventually(t, "the first engine is found", func() bool { return recognize(t, c) == nil })
	cl.set(1, 2)
	ocrtest.Eventually(t, "the second engine is found", func() bool { return recognize(t, c) == nil && b.calls.Load() > 0 })
	cl.servers[0].Close()
	for range 50 {
		require.NoError(t, recognize(t, c), "one address is dead but still belongs to the name")
	}
	tags, err := c.Languages(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"de", "en"}, tags)
	cl.set()
	require.NoError(t, recognize(t, c), "the name does not resolve for a while: known engines stay")
}

func TestClient_Ready(t *testing.T) {
	t.Parallel()
	t.Run("needs one engine with a ready worker", func(t *testing.T) {
		t.Parallel()
		cl := MustFakes(t, &fake{load: ocr.Load{Workers: 2, Queue: 8}}, &fake{load: ocr.Load{Workers: 2, Ready: 2, Queue: 8}})
		c := cl.dial(t, remote.Options{})
		require.NoError(t, c.Ready(t.Context()))
		_, err := c.Languages(t.Context())
		require.NoError(t, err)
		cl.servers[1].Close()
		require.EqualError(t, c.Ready(t.Context()), "no engine has a ready worker")
		_, err = c.Languages(t.Context())
		require.NoError(t, err, "the languages are still known")

		cl.set()
		require.Error(t, cl.dial(t, remote.Options{}).Ready(t.Context()), "the name has no addresses")
	})
	t.Run("ends with its context", func(t *testing.T) {
		t.Parallel()
		held := make(chan struct{})
		var mute atomic.Bool
		url := MustServe(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if mute.Load() {
				<-held
			}
			_, _ = io.WriteString(w, `{"workers":1,"ready":1}`)
		}))
		t.Cleanup(func() { close(held) })
		c := MustDial(t, url, remote.Options{Refresh: time.Hour})
		mute.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		require.Error(t, c.Ready(ctx))
		require.NoError(t, t.Context().Err())
	})
}
