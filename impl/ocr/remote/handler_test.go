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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/remote"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	const read = "/recognize?language=en"
	for name, c := range map[string]struct {
		err    error // of the recognizer
		target string
		body   string
		header map[string]string
		status int
		kind   string
		text   string
	}{
		"returns a document":               {target: read, status: 200},
		"blames the image":                 {err: &ocr.ImageError{Reason: "want a PNG"}, target: read, status: 400, kind: "image", text: "want a PNG"},
		"reports a full queue":             {err: fmt.Errorf("no: %w", ocr.ErrBusy), target: read, status: 503, kind: "busy", text: "the queue is full"},
		"reports a timeout":                {err: ocr.ErrTimeout, target: read, status: 504, kind: "timeout", text: "reading the image took too long"},
		"reports the caller's deadline":    {err: context.DeadlineExceeded, target: read, status: 504, kind: "timeout"},
		"hides internal errors":            {err: errors.New("/usr/lib/x is gone"), target: read, status: 500, kind: "internal", text: "the engine failed"},
		"refuses an unsupported language":  {target: "/recognize?language=tlh", status: 400, kind: "request", text: "language: expected one of de, en"},
		"refuses a missing language":       {target: "/recognize", status: 400, kind: "request"},
		"refuses an invalid enhance":       {target: read + "&enhance=maybe", status: 400, kind: "request", text: "enhance: expected true or false"},
		"refuses an invalid deadline":      {target: read, header: map[string]string{"Uncial-Deadline": "-5"}, status: 400, kind: "request"},
		"refuses an image that is too big": {target: read, body: strings.Repeat("x", ocr.MaxBytes+1), status: 400, kind: "image"},
		"refuses another method":           {target: "/languages", status: 405},
		"refuses another path":             {target: "/else", status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			if c.err != nil {
				f.read = fails(c.err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.target, strings.NewReader("i"+c.body))
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

func TestHandler_State(t *testing.T) {
	t.Parallel()
	f := &fake{load: ocr.Load{Workers: 2, Ready: 2, Busy: 1, Idle: 1, Queue: 8}}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		remote.Handler(f, nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	require.JSONEq(t, `{"workers":2,"ready":2,"busy":1,"idle":1,"queued":0,"queue":8}`, get("/load").Body.String())
	require.JSONEq(t, `{"languages":["de","en"]}`, get("/languages").Body.String())
	require.Equal(t, http.StatusOK, get("/healthz").Code)
	require.Equal(t, http.StatusOK, get("/readyz").Code)
	f.load.Ready = 0
	require.Equal(t, http.StatusOK, get("/healthz").Code, "the engine is alive without a ready worker")
	require.Equal(t, http.StatusServiceUnavailable, get("/readyz").Code)
}

func TestHandler_BoundsImagesInMemory(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	f := &fake{load: ocr.Load{Workers: 1, Ready: 1, Queue: 1}, read: waits(gate)}
	url := MustServe(t, remote.Handler(f, nil))
	c := MustDial(t, url, remote.Options{Refresh: time.Hour})
	errs := make(chan error, 2)
	for range 2 {
		go func() { errs <- recognize(t, c) }()
	}
	ocrtest.Eventually(t, "both images are admitted", func() bool { return f.calls.Load() == 2 })
	big := &countingReader{Reader: bytes.NewReader(make([]byte, ocr.MaxBytes))}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/recognize?language=en", big)
	require.NoError(t, err)
	r.Header.Set("Expect", "100-continue")
	res, err := (&http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}).Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.Zero(t, big.n.Load(), "a refused image is not even sent")
	require.ErrorIs(t, recognize(t, c), ocr.ErrBusy)
	close(gate)
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
