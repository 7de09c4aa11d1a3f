package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/tesseract"
	"uncial/impl/ocr/worker"
	"uncial/internal/document"
)

// MustPage is a PNG of lines of text.
func MustPage(tb testing.TB, lines ...string) []byte {
	tb.Helper()
	var file bytes.Buffer
	require.NoError(tb, png.Encode(&file, ocrtest.Page(lines...)))
	return file.Bytes()
}

// start runs a worker and gives the service's end of its pipe. hangUp closes it and waits for the worker's end.
func start(tb testing.TB, run func(in io.Reader, out io.Writer) error) (conn *pipe.Conn, hangUp func() error) {
	tb.Helper()
	toWorker, requests := io.Pipe()
	answers, fromWorker := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(toWorker, fromWorker)
		_ = fromWorker.Close()
		_ = toWorker.Close()
		ended <- err
	}()
	hangUp = func() error {
		_ = requests.Close()
		return <-ended
	}
	return pipe.New(answers, requests), hangUp
}

func TestRun(t *testing.T) {
	t.Parallel()
	set, err := models.Find(ocrtest.Tessdata)
	require.NoError(t, err)
	conn, hangUp := start(t, func(in io.Reader, out io.Writer) error { return worker.Run(in, out, set) })
	hello, err := conn.ReceiveHello()
	require.NoError(t, err)
	require.Equal(t, set.Languages(), hello.Languages)
	require.Equal(t, set.Names(), hello.Models)
	require.Regexp(t, `^tesseract 5\.`, hello.Version)

	ask := func(req pipe.Request, image []byte) pipe.Answer {
		require.NoError(t, conn.SendRequest(req, image))
		answer, err := conn.ReceiveAnswer()
		require.NoError(t, err)
		require.Equal(t, req.ID, answer.ID)
		return answer
	}
	answer := ask(pipe.Request{ID: 1, Language: "en", Deadline: 60_000}, MustPage(t, "A worker reads", "its first page"))
	require.Equal(t, "A worker reads\nits first page", answer.Document.Text())
	require.Equal(t, "en", answer.Document.Language)
	require.Greater(t, answer.Document.Confidence, 0.8)
	require.False(t, answer.Document.Enhanced)

	answer = ask(pipe.Request{ID: 2, Language: "en", Deadline: 60_000}, []byte("no image"))
	require.Equal(t, pipe.ImageFault, answer.Error.Kind)
	require.Contains(t, answer.Error.Message, "send JPEG, PNG, TIFF, BMP or WebP")

	answer = ask(pipe.Request{ID: 3, Language: "en", Deadline: 1}, MustPage(t, "Too late", "is too late", "by far"))
	require.Equal(t, pipe.TimeoutFault, answer.Error.Kind)

	answer = ask(pipe.Request{ID: 4, Language: "tlh", Deadline: 60_000}, MustPage(t, "Unknown"))
	require.Equal(t, pipe.Internal, answer.Error.Kind, "the service asks for what the hello offers only")

	answer = ask(pipe.Request{ID: 5, Language: "de", Deadline: 60_000}, MustPage(t, "Noch immer bereit"))
	require.Equal(t, "Noch immer bereit", answer.Document.Text())

	answer = ask(pipe.Request{ID: 6, Language: "en", Deadline: 60_000}, MustPage(t))
	require.Empty(t, answer.Document.Text())
	require.Len(t, answer.Document.Pages, 1)

	require.NoError(t, hangUp(), "the end of the pipe is no error")
}

func TestRun_needs_a_language(t *testing.T) {
	t.Parallel()
	set, err := models.Find()
	require.NoError(t, err)
	require.ErrorContains(t, worker.Run(bytes.NewReader(nil), io.Discard, set), "no language")
}

func TestServe_ends_after_a_panic(t *testing.T) {
	t.Parallel()
	conn, hangUp := start(t, func(in io.Reader, out io.Writer) error {
		return worker.Serve(pipe.New(in, out), func(context.Context, pipe.Request, []byte) (*document.Document, error) {
			panic("out of order")
		})
	})
	require.NoError(t, conn.SendRequest(pipe.Request{ID: 9, Language: "en", Deadline: 1000}, []byte("x")))
	answer, err := conn.ReceiveAnswer()
	require.NoError(t, err)
	require.Equal(t, pipe.Internal, answer.Error.Kind)
	require.Contains(t, answer.Error.Message, "out of order")
	_, err = conn.ReceiveAnswer()
	require.ErrorIs(t, err, io.EOF)
	require.ErrorContains(t, hangUp(), "out of order")
}

func TestServe_answers_what_the_pipe_refuses_with_an_error(t *testing.T) {
	t.Parallel()
	conn, hangUp := start(t, func(in io.Reader, out io.Writer) error {
		return worker.Serve(pipe.New(in, out), func(context.Context, pipe.Request, []byte) (*document.Document, error) {
			return &document.Document{Language: "en"}, nil // no pages
		})
	})
	require.NoError(t, conn.SendRequest(pipe.Request{ID: 1, Language: "en", Deadline: 1000}, []byte("x")))
	answer, err := conn.ReceiveAnswer()
	require.NoError(t, err)
	require.Equal(t, pipe.Internal, answer.Error.Kind)
	require.NoError(t, hangUp())
}

func TestServe_blames_the_image_where_the_recognizer_gives_up(t *testing.T) {
	t.Parallel()
	conn, hangUp := start(t, func(in io.Reader, out io.Writer) error {
		return worker.Serve(pipe.New(in, out), func(context.Context, pipe.Request, []byte) (*document.Document, error) {
			return nil, fmt.Errorf("reading: %w", tesseract.ErrRecognition)
		})
	})
	require.NoError(t, conn.SendRequest(pipe.Request{ID: 1, Language: "en", Deadline: 1000}, []byte("x")))
	answer, err := conn.ReceiveAnswer()
	require.NoError(t, err)
	require.Equal(t, pipe.ImageFault, answer.Error.Kind)
	require.Contains(t, answer.Error.Message, "send it smaller")
	require.NoError(t, hangUp(), "the worker stays fit for the next image")
}

func TestServe_ends_where_the_pipe_breaks(t *testing.T) {
	t.Parallel()
	read := func(context.Context, pipe.Request, []byte) (*document.Document, error) {
		return nil, errors.New("unused")
	}
	require.Error(t, worker.Serve(pipe.New(bytes.NewReader([]byte("garbage instead of frames")), io.Discard), read))
}
