package ocrtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/document"

	"github.com/stretchr/testify/require"
)

// Options of a recognizer that a case asks for.
type Options struct {
	Workers  int
	Queue    int
	Deadline time.Duration // for one image
}

// Subject is an open recognizer.
type Subject struct {
	ocr.Recognizer
	// Load is how many images are being read, and how many wait.
	Load func() (busy, queued int)
	// Kill kills the process that reads, as an operator or the kernel might. Nil where Harness.Crash is an image.
	Kill func()
}

// Harness opens recognizers and knows images.
type Harness struct {
	// Open opens a recognizer that is closed at the test's end.
	Open     func(tb testing.TB, o Options) Subject
	Language string // one that can be read
	// Page is an image, and a word that stands in it and in no other.
	Page   func(i int) (image []byte, word string)
	Broken []byte        // is no image
	Slow   []byte        // takes longer than Long to read
	Crash  []byte        // the worker dies of it; nil where there is none, and the Subject's Kill is called instead
	Short  time.Duration // enough to read a page, many times over, and much less than Long
	Long   time.Duration
}

// Case is one promise.
type Case struct {
	Name        string
	Explanation string
	Check       func(t *testing.T, h Harness)
}

// Cases are all promises.
var Cases = []Case{
	{"reads a page", "The text is that of the image, in the language asked for.", readsAPage},
	{"languages", "They are sorted, and not empty.", languages},
	{"many at once", "Answers are never mixed up, whatever ends first.", manyAtOnce},
	{"broken image", "It is the image's fault, says what is wrong, and costs nothing else.", brokenImage},
	{"caller gone before", "Nothing is read for a caller who is gone already.", goneBefore},
	{"caller gone while reading", "The call returns within a second, and the worker is free again.", goneWhileReading},
	{"caller gone while waiting", "The place in the queue is free at once.", goneWhileWaiting},
	{"caller's deadline", "It ends the reading as the caller's going away does.", callersDeadline},
	{"image's deadline", "An image that takes too long is ended, and the next is read.", imagesDeadline},
	{"full queue", "What finds no place is refused at once; what has one is read.", fullQueue},
	{"crash", "It fails the image that was being read, tells nothing internal, and the next is read.", crash},
}

// Run checks all promises.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			t.Log(c.Explanation)
			c.Check(t, h)
		})
	}
}

// patience is how long a case waits for what must come. A second is promised; machines under test are busy.
const patience = 30 * time.Second

func (h Harness) open(t *testing.T, workers, queue int) Subject {
	t.Helper()
	return h.Open(t, Options{Workers: workers, Queue: queue, Deadline: h.Long + patience})
}

type result struct {
	doc *document.Document
	err error
}

// start reads in the background.
func (h Harness) start(ctx context.Context, s Subject, image []byte) <-chan result {
	done := make(chan result, 1)
	go func() {
		doc, err := s.Recognize(ctx, ocr.Request{Image: image, Language: h.Language})
		done <- result{doc, err}
	}()
	return done
}

func await(t *testing.T, done <-chan result, limit time.Duration) result {
	t.Helper()
	select {
	case r := <-done:
		return r
	case <-time.After(limit):
		t.Fatalf("no answer within %v", limit)
		return result{}
	}
}

// mustRead reads a page, which must succeed.
func (h Harness) mustRead(t *testing.T, s Subject) *document.Document {
	t.Helper()
	image, word := h.Page(0)
	r := await(t, h.start(t.Context(), s, image), patience)
	require.NoError(t, r.err)
	require.Contains(t, r.doc.Text(), word)
	return r.doc
}

// until waits for a load.
func until(t *testing.T, s Subject, busy, queued int) {
	t.Helper()
	require.Eventually(t, func() bool {
		b, q := s.Load()
		return b == busy && q == queued
	}, patience, time.Millisecond, "never were %d images read and %d waiting", busy, queued)
}

func readsAPage(t *testing.T, h Harness) {
	t.Helper()
	doc := h.mustRead(t, h.open(t, 1, 1))
	require.Equal(t, h.Language, doc.Language)
	require.Len(t, doc.Pages, 1)
	require.Greater(t, doc.Confidence, 0.0)
}

func languages(t *testing.T, h Harness) {
	t.Helper()
	tags, err := h.open(t, 1, 1).Languages(t.Context())
	require.NoError(t, err)
	require.Contains(t, tags, h.Language)
	require.True(t, slices.IsSorted(tags), tags)
}

func manyAtOnce(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 2, 16)
	pending := map[string]<-chan result{}
	for i := range 16 {
		image, word := h.Page(i)
		pending[word] = h.start(t.Context(), s, image)
	}
	for word, done := range pending {
		r := await(t, done, patience)
		require.NoError(t, r.err)
		require.Contains(t, r.doc.Text(), word)
	}
}

func brokenImage(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	r := await(t, h.start(t.Context(), s, h.Broken), patience)
	var fault *ocr.ImageError
	require.ErrorAs(t, r.err, &fault)
	require.NotEmpty(t, fault.Reason)
	r = await(t, h.start(t.Context(), s, nil), patience)
	require.ErrorAs(t, r.err, &fault, "an empty file")
	h.mustRead(t, s)
}

func goneBefore(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := await(t, h.start(ctx, s, h.Slow), time.Second)
	require.ErrorIs(t, r.err, context.Canceled)
	until(t, s, 0, 0)
}

func goneWhileReading(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := h.start(ctx, s, h.Slow)
	until(t, s, 1, 0)
	cancel()
	r := await(t, done, time.Second)
	require.ErrorIs(t, r.err, context.Canceled)
	h.mustRead(t, s)
}

func goneWhileWaiting(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	first, stop := context.WithCancel(t.Context())
	defer stop()
	reading := h.start(first, s, h.Slow)
	until(t, s, 1, 0)
	second, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiting := h.start(second, s, h.Slow)
	until(t, s, 1, 1)
	cancel()
	require.ErrorIs(t, await(t, waiting, time.Second).err, context.Canceled)
	until(t, s, 1, 0)
	image, word := h.Page(0)
	next := h.start(t.Context(), s, image)
	until(t, s, 1, 1)
	stop()
	require.ErrorIs(t, await(t, reading, time.Second).err, context.Canceled)
	r := await(t, next, patience)
	require.NoError(t, r.err)
	require.Contains(t, r.doc.Text(), word)
}

func callersDeadline(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	ctx, cancel := context.WithTimeout(t.Context(), h.Short)
	defer cancel()
	r := await(t, h.start(ctx, s, h.Slow), h.Short+time.Second)
	require.ErrorIs(t, r.err, context.DeadlineExceeded)
	h.mustRead(t, s)
}

func imagesDeadline(t *testing.T, h Harness) {
	t.Helper()
	s := h.Open(t, Options{Workers: 1, Queue: 1, Deadline: h.Short})
	r := await(t, h.start(t.Context(), s, h.Slow), h.Short+patience)
	require.ErrorIs(t, r.err, ocr.ErrTimeout)
	h.mustRead(t, s)
}

func fullQueue(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reading := h.start(ctx, s, h.Slow)
	until(t, s, 1, 0)
	image, word := h.Page(0)
	waiting := h.start(t.Context(), s, image)
	until(t, s, 1, 1)
	require.ErrorIs(t, await(t, h.start(t.Context(), s, image), time.Second).err, ocr.ErrBusy)
	cancel()
	require.ErrorIs(t, await(t, reading, time.Second).err, context.Canceled)
	r := await(t, waiting, patience)
	require.NoError(t, r.err)
	require.Contains(t, r.doc.Text(), word)
}

func crash(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	image := h.Crash
	if image == nil {
		image = h.Slow
	}
	done := h.start(t.Context(), s, image)
	if h.Crash == nil {
		until(t, s, 1, 0)
		time.Sleep(h.Short / 4) // until the worker has the image: one that is killed before costs none
		s.Kill()
	}
	r := await(t, done, patience)
	require.Error(t, r.err)
	var fault *ocr.ImageError
	for _, other := range []error{ocr.ErrBusy, ocr.ErrTimeout, context.Canceled, context.DeadlineExceeded} {
		require.NotErrorIs(t, r.err, other)
	}
	require.NotErrorAs(t, r.err, &fault, "the caller could do nothing about it")
	require.NotRegexp(t, `/|\bpid\b|signal|exit`, fmt.Sprint(r.err), "it tells nothing internal")
	h.mustRead(t, s)
}
