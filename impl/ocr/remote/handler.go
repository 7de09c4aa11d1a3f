package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/fair"
	"uncial/internal/language"
)

const (
	// transferTimeout is the maximum time to receive the body of a request, and to send an answer.
	transferTimeout = 30 * time.Second
	// defaultAdmitted is the maximum number of images in memory if the recognizer has no semaphore and does not report its
	// load.
	defaultAdmitted = 64
	// retryAfter is sent with 503, in seconds.
	retryAfter = "1"
)

// handler serves a recognizer to the clients of this package. It does not authenticate them, because an engine listens on a
// private network.
type handler struct {
	rec       ocr.Recognizer
	load      func() ocr.Load
	log       *slog.Logger
	semaphore *fair.Semaphore // bounds the images in memory
}

// Handler returns a handler that serves rec. It limits the images in memory: by the semaphore of rec if rec has a method
// Semaphore() *fair.Semaphore, which also divides the places among accounts; otherwise to the number of workers and queue
// places that a method Load() ocr.Load of rec returns; otherwise to defaultAdmitted. It does not read a refused image from the
// connection. log may be nil.
func Handler(rec ocr.Recognizer, log *slog.Logger) http.Handler {
	h := &handler{rec: rec, load: func() ocr.Load { return ocr.Load{Ready: 1} }, log: log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	admitted := defaultAdmitted
	if r, ok := rec.(interface{ Load() ocr.Load }); ok {
		h.load = r.Load
		admitted = max(1, r.Load().Workers+r.Load().Queue)
	}
	if r, ok := rec.(interface{ Semaphore() *fair.Semaphore }); ok {
		h.semaphore = r.Semaphore()
	} else {
		h.semaphore = fair.NewSemaphore(func() int { return admitted })
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /recognize", h.recognize)
	mux.HandleFunc("GET /languages", h.languages)
	mux.HandleFunc("GET /load", func(w http.ResponseWriter, _ *http.Request) { h.answer(w, http.StatusOK, h.load()) })
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /readyz", h.ready)
	return mux
}

// recognize reads an image. It checks everything that it can before it reads the body, so that a client that waits for "100
// Continue" does not send an image that will be refused.
func (h *handler) recognize(w http.ResponseWriter, r *http.Request) {
	ctx, err := withAccount(r.Context(), r.Header)
	if err != nil {
		h.refuse(w, err)
		return
	}
	// Never wait here: images wait in the queue of the recognizer, and if that is full, they must be refused at once.
	ctx, leave, err := h.semaphore.Enter(ctx)
	if err != nil {
		h.fail(w, fmt.Errorf("%w: %w", ocr.ErrBusy, err))
		return
	}
	defer leave()
	req, err := h.parameters(r)
	if err != nil {
		h.refuse(w, err)
		return
	}
	ctx, cancel, err := withDeadline(ctx, r.Header)
	if err != nil {
		h.refuse(w, err)
		return
	}
	defer cancel()
	if req.Image, err = readImage(w, r); errors.Is(err, errIncomplete) {
		h.refuse(w, err)
		return
	} else if err != nil {
		h.fail(w, err)
		return
	}
	doc, err := h.rec.Recognize(ctx, req)
	if err != nil {
		h.fail(w, err)
		return
	}
	h.answer(w, http.StatusOK, doc)
}

// parameters parses the query. The error names the parameter and is shown to the client.
func (h *handler) parameters(r *http.Request) (ocr.Request, error) {
	query := r.URL.Query()
	req := ocr.Request{Language: query.Get("language")}
	tags, err := h.rec.Languages(r.Context())
	if err != nil {
		return req, errors.New("language: the languages cannot be determined at the moment")
	}
	if !slices.Contains(tags, req.Language) {
		return req, fmt.Errorf("language: expected one of %s", language.List(tags))
	}
	for name, flag := range map[string]*bool{"enhance": &req.Enhance, "preview": &req.Preview, "picture": &req.Picture} {
		if text := query.Get(name); text != "" {
			if *flag, err = strconv.ParseBool(text); err != nil {
				return req, fmt.Errorf("%s: expected true or false", name)
			}
		}
	}
	return req, nil
}

// readImage reads the body. Afterwards the connection has no deadline, because the recognizer has its own. The error is
// *ocr.ImageError if the image is too large, and errIncomplete if it did not arrive.
func readImage(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(transferTimeout)) // fails only in tests without a connection
	image, err := io.ReadAll(http.MaxBytesReader(w, r.Body, ocr.MaxBytes))
	// The server's own timeouts would end a long reading.
	_ = connection.SetReadDeadline(time.Time{})
	_ = connection.SetWriteDeadline(time.Time{})
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, &ocr.ImageError{Reason: fmt.Sprintf("the image is larger than %d bytes", ocr.MaxBytes)}
	}
	if err != nil {
		return nil, errIncomplete
	}
	return image, nil
}

// errIncomplete is not an ImageError, because the transfer is at fault and not the image.
var errIncomplete = fmt.Errorf("the image did not arrive completely within %v", transferTimeout)

// languages answers with the tags that a client may ask for.
func (h *handler) languages(w http.ResponseWriter, r *http.Request) {
	tags, err := h.rec.Languages(r.Context())
	if err != nil {
		h.fail(w, err)
		return
	}
	h.answer(w, http.StatusOK, languages{tags})
}

// languages is the answer of GET /languages.
type languages struct {
	Languages []string `json:"languages"`
}

// ready answers with 503 while no worker can read. It differs from /healthz because a live engine may be unready.
func (h *handler) ready(w http.ResponseWriter, r *http.Request) {
	if _, err := h.rec.Languages(r.Context()); err != nil || h.load().Ready == 0 {
		h.fail(w, ocr.ErrBusy)
	}
}

// refuse answers a malformed request. The error is shown to the client.
func (h *handler) refuse(w http.ResponseWriter, err error) {
	var f failure
	f.Error.Kind, f.Error.Message = requestKind, err.Error()
	h.answer(w, http.StatusBadRequest, f)
}

// fail answers with an error of the recognizer.
func (h *handler) fail(w http.ResponseWriter, err error) {
	status, f := failureOf(err)
	if status == http.StatusInternalServerError {
		h.log.Error("cannot read an image", "error", err)
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	h.answer(w, status, f)
}

// answer sends value as JSON, together with the current load.
func (h *handler) answer(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		h.log.Error("cannot encode an answer", "error", err)
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transferTimeout))
	setLoad(w.Header(), h.load())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails if the client has left
}
