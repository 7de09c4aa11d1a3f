package ocrtest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/document"
	"uncial/internal/fair"

	"github.com/stretchr/testify/require"
)

// The promises of ocr.Recognizer that the type system cannot express. A new implementation must keep all of them. Times are
// upper limits for a busy machine: the suite checks how a call ends, not how fast.

// Options of the recognizer that a check needs.
type Options struct {
	Workers  int
	Queue    int
	Deadline time.Duration // for one image
}

// Subject is an open recognizer.
type Subject struct {
	ocr.Recognizer
	// Load returns the number of images that are being read and the number that wait.
	Load func() (busy, queued int)
	// Kill kills the process that reads, as an operator or the kernel might. It may be nil if Harness.crash is set.
	Kill func()
}

// Harness opens recognizers and has images for them.
type Harness struct {
	// Open opens a recognizer that is closed when the test ends.
	Open     func(tb testing.TB, o Options) Subject
	Language string // one that can be read
	// Page returns an image, and a word that is only on that image.
	Page   func(i int) (image []byte, word string)
	steady []byte        // takes tens of milliseconds to read; if nil, Page(0) is used instead
	Broken []byte        // not an image
	Slow   []byte        // takes longer than Long to read
	crash  []byte        // kills the worker; if nil, the Subject's Kill is called instead
	Short  time.Duration // enough to read a page many times over, and much less than Long
	Long   time.Duration // less than reading Slow takes
}

// promises lists the promises of every recognizer. The name completes "a recognizer ...".
var promises = []struct {
	name, explanation string
	check             func(t *testing.T, h Harness)
}{
	{"reads a page", "The text is that of the image, in the requested language.", readsPage},
	{"lists its languages", "They are sorted, and there is at least one.", listsLanguages},
	{"reads many images at once", "Answers are never mixed up, in whichever order the images are finished.", readsManyAtOnce},
	{"refuses a broken image", "The error blames the image and says what is wrong; nothing else is affected.", refusesBrokenImage},
	{"does not read for a cancelled context", "An image is not read if its context was cancelled before the call.", ignoresCancelledContext},
	{"stops when the caller leaves", "The call returns within a second, and the worker is free again.", stopsWhenCallerLeaves},
	{"frees the queue position of a waiting caller who leaves", "The next image can wait there at once.", freesQueuePosition},
	{"respects the caller's deadline", "When it passes, the reading stops as it does when the caller leaves.", respectsCallersDeadline},
	{"respects its own deadline", "An image that takes too long is abandoned, and the next one is read.", respectsOwnDeadline},
	{"refuses images when the queue is full", "The refusal is immediate; accepted images are read.", refusesWhenFull},
	{"shares its workers between accounts", "However many images one account sends, those of another account get their turn.", sharesWorkers},
	{"counts images in answers as memory", "They count for the caller's account, and without memory for them the caller is refused.", countsMemory},
	{"survives a crash", "The image being read fails, without internal details, and the next one is read.", survivesCrash},
}

// Run checks all promises, each as a sub-test.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			t.Log(p.explanation)
			p.check(t, h)
		})
	}
}

// open opens a recognizer with a deadline that is never reached.
func (h Harness) open(t *testing.T, workers, queue int) Subject {
	t.Helper()
	return h.Open(t, Options{Workers: workers, Queue: queue, Deadline: h.Long + patience})
}

type result struct {
	doc *document.Document
	err error
}

// start reads an image in the background.
func (h Harness) start(ctx context.Context, s Subject, image []byte) <-chan result {
	done := make(chan result, 1)
	go func() {
		doc, err := s.Recognize(ctx, ocr.Request{Image: image, Language: h.Language})
		done <- result{doc, err}
	}()
	return done
}

// startSlow begins to read the slow image and returns once the worker is busy with it. stop makes the caller leave and
// checks that the call returns within a second.
func (h Harness) startSlow(t *testing.T, s Subject) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := h.start(ctx, s, h.Slow)
	until(t, s, 1, 0)
	return func() {
		cancel()
		require.ErrorIs(t, await(t, done, time.Second).err, context.Canceled)
	}
}

// startPage sends a page while another image is being read, and returns once the page waits. read checks that it is read.
func (h Harness) startPage(t *testing.T, s Subject) (read func()) {
	t.Helper()
	image, word := h.Page(0)
	done := h.start(t.Context(), s, image)
	until(t, s, 1, 1)
	return func() { requireWord(t, await(t, done, patience), word) }
}

// await fails the test if the call has not returned within the limit.
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

// requireWord checks that a page was read, by the word that is only on that page.
func requireWord(t *testing.T, r result, word string) {
	t.Helper()
	require.NoError(t, r.err)
	require.Contains(t, r.doc.Text(), word)
}

func (h Harness) mustRead(t *testing.T, s Subject) *document.Document {
	t.Helper()
	image, word := h.Page(0)
	r := await(t, h.start(t.Context(), s, image), patience)
	requireWord(t, r, word)
	return r.doc
}

// until waits until the recognizer has the given load.
func until(t *testing.T, s Subject, busy, queued int) {
	t.Helper()
	Eventually(t, fmt.Sprintf("%d images are being read and %d wait", busy, queued), func() bool {
		b, q := s.Load()
		return b == busy && q == queued
	})
}

// readsPage checks the parts of a document that every caller needs.
func readsPage(t *testing.T, h Harness) {
	t.Helper()
	doc := h.mustRead(t, h.open(t, 1, 1))
	require.Equal(t, h.Language, doc.Language)
	require.Len(t, doc.Pages, 1)
	require.Greater(t, doc.Confidence, 0.0)
}

// listsLanguages checks the order too, because the contract shows the list to clients.
func listsLanguages(t *testing.T, h Harness) {
	t.Helper()
	tags, err := h.open(t, 1, 1).Languages(t.Context())
	require.NoError(t, err)
	require.Contains(t, tags, h.Language)
	require.True(t, slices.IsSorted(tags), tags)
}

// readsManyAtOnce reads more images than there are workers, each with a different word.
func readsManyAtOnce(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 2, 16)
	pending := map[string]<-chan result{}
	for i := range 16 {
		image, word := h.Page(i)
		pending[word] = h.start(t.Context(), s, image)
	}
	for word, done := range pending {
		requireWord(t, await(t, done, patience), word)
	}
}

// refusesBrokenImage includes the empty image, which does not reach a decoder.
func refusesBrokenImage(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	for _, image := range [][]byte{h.Broken, nil} {
		var invalid *ocr.ImageError
		require.ErrorAs(t, await(t, h.start(t.Context(), s, image), patience).err, &invalid)
		require.NotEmpty(t, invalid.Reason)
	}
	h.mustRead(t, s)
}

// ignoresCancelledContext uses the slow image, so that a recognizer that began to read it would be busy.
func ignoresCancelledContext(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, await(t, h.start(ctx, s, h.Slow), time.Second).err, context.Canceled)
	until(t, s, 0, 0)
}

// stopsWhenCallerLeaves also reads a page afterwards, which would take longer than patience if the only worker were still busy.
func stopsWhenCallerLeaves(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	h.startSlow(t, s)()
	h.mustRead(t, s)
}

// freesQueuePosition uses a queue for one image: the next image fits only if the position is free again.
func freesQueuePosition(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	stop := h.startSlow(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiting := h.start(ctx, s, h.Slow)
	until(t, s, 1, 1)
	cancel()
	require.ErrorIs(t, await(t, waiting, time.Second).err, context.Canceled)
	until(t, s, 1, 0)
	read := h.startPage(t, s)
	stop()
	read()
}

// respectsCallersDeadline expects the error of the context, because the caller knows its own deadline.
func respectsCallersDeadline(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	ctx, cancel := context.WithTimeout(t.Context(), h.Short)
	defer cancel()
	r := await(t, h.start(ctx, s, h.Slow), h.Short+time.Second)
	require.ErrorIs(t, r.err, context.DeadlineExceeded)
	h.mustRead(t, s)
}

// respectsOwnDeadline expects ocr.ErrTimeout, so that the service can distinguish a slow image from a caller who left.
func respectsOwnDeadline(t *testing.T, h Harness) {
	t.Helper()
	s := h.Open(t, Options{Workers: 1, Queue: 1, Deadline: h.Short})
	r := await(t, h.start(t.Context(), s, h.Slow), h.Short+patience)
	require.ErrorIs(t, r.err, ocr.ErrTimeout)
	h.mustRead(t, s)
}

// refusesWhenFull occupies the worker and the only position in the queue.
func refusesWhenFull(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	stop := h.startSlow(t, s)
	read := h.startPage(t, s)
	image, _ := h.Page(0)
	require.ErrorIs(t, await(t, h.start(t.Context(), s, image), time.Second).err, ocr.ErrBusy)
	stop()
	read()
}

// survivesCrash kills the worker with an image, or from outside if there is no such image. The error must not blame the caller
// or invite a retry.
func survivesCrash(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 1)
	image := h.crash
	if image == nil {
		image = h.Slow
	}
	done := h.start(t.Context(), s, image)
	if h.crash == nil {
		until(t, s, 1, 0)
		time.Sleep(h.Short / 4) // until the worker has the image: if it were killed earlier, the image would be read again
		s.Kill()
	}
	r := await(t, done, patience)
	require.Error(t, r.err)
	for _, other := range []error{ocr.ErrBusy, ocr.ErrUnavailable, ocr.ErrTimeout, context.Canceled, context.DeadlineExceeded} {
		require.NotErrorIs(t, r.err, other)
	}
	var invalid *ocr.ImageError
	require.NotErrorAs(t, r.err, &invalid, "the caller could do nothing about it")
	require.NotRegexp(t, `/|\bpid\b|signal|exit`, fmt.Sprint(r.err), "no internal details")
	h.mustRead(t, s)
}

// sharesWorkers lets one account, the flooder, send 32 images at a time, and another account one at a time. The number of the
// flooder's images that are read in the meantime shows how often the other account had to wait. The image takes longer to read
// than to send; otherwise the worker would have time for the flooder between two images of the other account.
func sharesWorkers(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 64)
	flood, stop := context.WithCancel(fair.NewContext(t.Context(), fair.Account{Label: "flooder"}))
	defer stop()
	image, word := h.Page(0)
	if h.steady != nil {
		image, word = h.steady, ""
	}
	var flooded atomic.Int64
	for range 32 {
		go func() {
			for flood.Err() == nil {
				if _, err := s.Recognize(flood, ocr.Request{Image: image, Language: h.Language}); err == nil {
					flooded.Add(1)
				}
			}
		}()
	}
	Eventually(t, "the flooder's images are being read", func() bool { return flooded.Load() > 0 })
	other := fair.NewContext(t.Context(), fair.Account{Label: "other"})
	const images = 10
	before := flooded.Load()
	for range images {
		requireWord(t, await(t, h.start(other, s, image), patience), word)
	}
	require.LessOrEqual(t, flooded.Load()-before, int64(2*images+2), "at most about one image of the flooder for one of the other")
}

// countsMemory checks that an answer counts in the memory of its account, and that an answer without room fails with
// fair.ErrFull.
func countsMemory(t *testing.T, h Harness) {
	t.Helper()
	s := h.open(t, 1, 4)
	image, _ := h.Page(0)
	req := ocr.Request{Image: image, Language: h.Language, Preview: true}
	read := func(memory int64) (*document.Document, int64, error) {
		places := fair.NewPlaces(memory, 0)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		doc, err := s.Recognize(fair.WithReservation(ctx, places.Reserve(fair.Account{Label: "a"})), req)
		return doc, places.Used(), err
	}
	_, used, err := read(1)
	require.ErrorIs(t, err, fair.ErrFull)
	require.Zero(t, used)
	doc, used, err := read(1 << 30)
	require.NoError(t, err, "the refusal before cost no more than that answer")
	require.NotEmpty(t, doc.Pages[0].Preview)
	require.GreaterOrEqual(t, used, int64(len(doc.Pages[0].Preview)))
	require.LessOrEqual(t, used, 2*int64(len(doc.Pages[0].Preview)))
}
