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
	"uncial/internal/language"
)

const (
	// readingTime is how long the body of a request may take to arrive, and an answer to leave.
	readingTime = 30 * time.Second
	// defaultPlaces is how many requests are served at once where the recognizer does not tell its load.
	defaultPlaces = 64
)

// handler serves a recognizer.
type handler struct {
	rec    ocr.Recognizer
	load   func() ocr.Load
	log    *slog.Logger
	places chan struct{} // one for each image that may be in memory
}

// Handler serves rec. Where rec has a method Load() ocr.Load, no more images are let in than it has workers and places
// in its queue, so that the memory which waiting images take is bounded; what is refused was not read from the
// connection. The logger may be nil.
func Handler(rec ocr.Recognizer, log *slog.Logger) http.Handler {
	h := &handler{rec: rec, load: func() ocr.Load { return ocr.Load{Ready: 1} }, log: log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	places := defaultPlaces
	if r, ok := rec.(interface{ Load() ocr.Load }); ok {
		h.load = r.Load
		places = max(1, r.Load().Workers+r.Load().Queue)
	}
	h.places = make(chan struct{}, places)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /recognize", h.recognize)
	mux.HandleFunc("GET /languages", h.languages)
	mux.HandleFunc("GET /load", func(w http.ResponseWriter, _ *http.Request) { h.answer(w, http.StatusOK, h.load()) })
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /readyz", h.ready)
	return mux
}

func (h *handler) recognize(w http.ResponseWriter, r *http.Request) {
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
	default:
		h.fail(w, ocr.ErrBusy)
		return
	}
	req, err := h.request(r)
	if err != nil {
		h.refuse(w, err)
		return
	}
	ctx, cancel, err := withDeadline(r.Context(), r.Header)
	if err != nil {
		h.refuse(w, err)
		return
	}
	defer cancel()
	if req.Image, err = body(w, r); errors.Is(err, errNoImage) {
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

// request reads the parameters.
func (h *handler) request(r *http.Request) (ocr.Request, error) {
	query := r.URL.Query()
	req := ocr.Request{Language: query.Get("language")}
	tags, err := h.rec.Languages(r.Context())
	if err != nil {
		return req, errors.New("language: not known at the moment")
	}
	if !slices.Contains(tags, req.Language) {
		return req, fmt.Errorf("language: want one of %s", language.List(tags))
	}
	if text := query.Get("enhance"); text != "" {
		if req.Enhance, err = strconv.ParseBool(text); err != nil {
			return req, errors.New("enhance: want true or false")
		}
	}
	return req, nil
}

// body reads the image. After it, the connection has no deadline: the recognizer has one.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(readingTime)) // not every ResponseWriter has a connection
	image, err := io.ReadAll(http.MaxBytesReader(w, r.Body, ocr.MaxBytes))
	_ = connection.SetReadDeadline(time.Time{})
	_ = connection.SetWriteDeadline(time.Time{})
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, &ocr.ImageError{Reason: fmt.Sprintf("the image is larger than %d bytes", ocr.MaxBytes)}
	}
	if err != nil {
		return nil, errNoImage
	}
	return image, nil
}

var errNoImage = fmt.Errorf("the image did not arrive whole within %v", readingTime)

func (h *handler) languages(w http.ResponseWriter, r *http.Request) {
	tags, err := h.rec.Languages(r.Context())
	if err != nil {
		h.fail(w, err)
		return
	}
	h.answer(w, http.StatusOK, languages{tags})
}

type languages struct {
	Languages []string `json:"languages"`
}

func (h *handler) ready(w http.ResponseWriter, r *http.Request) {
	if _, err := h.rec.Languages(r.Context()); err != nil || h.load().Ready == 0 {
		h.fail(w, ocr.ErrBusy)
	}
}

// refuse is for requests that are wrong in form.
func (h *handler) refuse(w http.ResponseWriter, err error) {
	var f failure
	f.Error.Kind, f.Error.Message = requestKind, err.Error()
	h.answer(w, http.StatusBadRequest, f)
}

func (h *handler) fail(w http.ResponseWriter, err error) {
	status, f := describe(err)
	if status == http.StatusInternalServerError {
		h.log.Error("an image could not be read", "error", err)
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	h.answer(w, status, f)
}

func (h *handler) answer(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		h.log.Error("an answer could not be written", "error", err)
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(readingTime))
	setLoad(w.Header(), h.load())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}
