package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/tesseract"
	"uncial/impl/ocr/worker"
	"uncial/internal/document"
)

func page(tb testing.TB, lines ...string) []byte {
	tb.Helper()
	return ocrtest.MustPNG(tb, ocrtest.Page(lines...))
}

// start runs a worker and returns the service's end of its pipe. hangUp closes the pipe and waits until the worker ends.
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

// startServe runs a worker that answers every request with the document and the error.
func startServe(tb testing.TB, read func() (*document.Document, error)) (*pipe.Conn, func() error) {
	tb.Helper()
	return start(tb, func(in io.Reader, out io.Writer) error {
		return worker.Serve(pipe.New(in, out), func(context.Context, pipe.Request, []byte) (pipe.Answer, error) {
			doc, err := read()
			return pipe.Answer{Document: doc}, err
		})
	})
}

func ask(tb testing.TB, conn *pipe.Conn, id uint64, language string, deadlineMS int64, image []byte) pipe.Answer {
	tb.Helper()
	request := pipe.Request{ID: id, Language: language, Deadline: deadlineMS}
	require.NoError(tb, conn.SendRequest(request, image))
	answer, err := conn.ReceiveAnswer(request, nil)
	require.NoError(tb, err)
	return answer
}

func TestRun(t *testing.T) {
	t.Parallel()
	set, err := models.Find(ocrtest.Tessdata)
	require.NoError(t, err)
	conn, hangUp := start(t, func(in io.Reader, out io.Writer) error { return worker.Run(in, out, set) })
	hello, err := conn.ReceiveHello()
	require.NoError(t, err)
	require.Subset(t, hello.Languages, append(set.Languages(), "und"))
	require.True(t, slices.IsSorted(hello.Languages))
	require.Equal(t, set.Names(), hello.Models)
	require.Regexp(t, `^tesseract 5\.`, hello.Version)

	const minute = 60_000 // milliseconds
	answer := ask(t, conn, 1, "en", minute, page(t, "A worker reads", "its first page"))
	require.Equal(t, "A worker reads\nits first page", answer.Document.Text())
	require.Equal(t, "en", answer.Document.Language)
	require.Greater(t, answer.Document.Confidence, 0.8)
	require.False(t, answer.Document.Enhanced)

	answer = ask(t, conn, 2, "en", minute, []byte("not an image"))
	require.Equal(t, pipe.InvalidImage, answer.Error.Kind)
	require.Contains(t, answer.Error.Message, "send JPEG, PNG, TIFF, BMP or WebP")

	answer = ask(t, conn, 3, "en", 1, page(t, "Too late", "is too late", "by far"))
	require.Equal(t, pipe.TimedOut, answer.Error.Kind)

	answer = ask(t, conn, 4, "tlh", minute, page(t, "Unknown"))
	require.Equal(t, pipe.Internal, answer.Error.Kind, "the service asks only for languages of the hello")

	answer = ask(t, conn, 5, "de", minute, page(t, "Noch immer bereit"))
	require.Equal(t, "Noch immer bereit", answer.Document.Text())

	answer = ask(t, conn, 6, "en", minute, page(t))
	require.Empty(t, answer.Document.Text())
	require.Len(t, answer.Document.Pages, 1)

	require.NoError(t, hangUp(), "the end of the pipe is not an error")
}

func TestRun_NoLanguage(t *testing.T) {
	t.Parallel()
	set, err := models.Find()
	require.NoError(t, err)
	require.ErrorContains(t, worker.Run(bytes.NewReader(nil), io.Discard, set), "cannot read any language")
}

func TestServe(t *testing.T) {
	t.Parallel()
	t.Run("exits after a panic", func(t *testing.T) {
		t.Parallel()
		conn, hangUp := startServe(t, func() (*document.Document, error) { panic("out of order") })
		answer := ask(t, conn, 9, "en", 1000, []byte("x"))
		require.Equal(t, pipe.Internal, answer.Error.Kind)
		require.Contains(t, answer.Error.Message, "out of order")
		_, err := conn.ReceiveAnswer(pipe.Request{ID: 9}, nil)
		require.ErrorIs(t, err, io.EOF)
		require.ErrorContains(t, hangUp(), "out of order")
	})
	t.Run("reports a document that the pipe refuses", func(t *testing.T) {
		t.Parallel()
		conn, hangUp := startServe(t, func() (*document.Document, error) { return &document.Document{Language: "en"}, nil })
		require.Equal(t, pipe.Internal, ask(t, conn, 1, "en", 1000, []byte("x")).Error.Kind)
		require.NoError(t, hangUp())
	})
	t.Run("blames the image if the recognizer gives up", func(t *testing.T) {
		t.Parallel()
		conn, hangUp := startServe(t, func() (*document.Document, error) {
			return nil, fmt.Errorf("reading: %w", tesseract.ErrRecognition)
		})
		answer := ask(t, conn, 1, "en", 1000, []byte("x"))
		require.Equal(t, pipe.InvalidImage, answer.Error.Kind)
		require.Contains(t, answer.Error.Message, "send a smaller image")
		require.NoError(t, hangUp(), "the worker can read the next image")
	})
	t.Run("exits if the pipe breaks", func(t *testing.T) {
		t.Parallel()
		read := func(context.Context, pipe.Request, []byte) (pipe.Answer, error) {
			return pipe.Answer{}, errors.New("unused")
		}
		require.Error(t, worker.Serve(pipe.New(bytes.NewReader([]byte("garbage instead of frames")), io.Discard), read))
	})
}
