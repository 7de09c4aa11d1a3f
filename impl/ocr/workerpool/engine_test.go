package workerpool_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/workerpool"
)

// MustBuildWorker builds the worker itself.
func MustBuildWorker(tb testing.TB) string {
	tb.Helper()
	worker := filepath.Join(tb.TempDir(), "uncial-worker")
	out, err := exec.Command("go", "build", "-o", worker, "uncial/impl/cmd/uncial-worker").CombinedOutput()
	require.NoErrorf(tb, err, "%s", out)
	return worker
}

// MustOpenEngine is a pool of the real engine in its sandbox.
func MustOpenEngine(tb testing.TB, o workerpool.Options) (*workerpool.Pool, *roster) {
	tb.Helper()
	children := newRoster()
	o.Logger = slog.New(children)
	p, err := workerpool.New(tb.Context(), o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, p.Close()) })
	return p, children
}

// words can be told from each other, whatever a reading gets wrong.
var words = []string{
	"house", "garden", "river", "mountain", "window", "bridge", "summer", "winter",
	"letter", "church", "market", "island", "forest", "silver", "orange", "soldier",
}

func mustEncode(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, img))
	return b.Bytes()
}

// noise takes the engine minutes.
func noise() image.Image {
	img := image.NewPaletted(image.Rect(0, 0, 6000, 6000), color.Palette{color.White, color.Black})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.IntN(4) / 3)
	}
	return img
}

func TestPool_Recognize_withTheRealEngine(t *testing.T) {
	t.Parallel()
	worker := MustBuildWorker(t)
	slow := mustEncode(t, noise())
	pages := make([][]byte, len(words))
	for i, word := range words {
		pages[i] = mustEncode(t, ocrtest.Page("This page is about the "+word, "and about nothing else."))
	}
	ocrtest.Run(t, ocrtest.Harness{
		Open: func(tb testing.TB, o ocrtest.Options) ocrtest.Subject {
			tb.Helper()
			p, children := MustOpenEngine(tb, workerpool.Options{
				Worker: worker, Workers: o.Workers, Queue: o.Queue, Deadline: o.Deadline, Wait: time.Minute,
			})
			s := subject(p)
			s.Kill = func() { children.killAll() }
			return s
		},
		Language: "en",
		Page:     func(i int) ([]byte, string) { return pages[i%len(words)], words[i%len(words)] },
		Broken:   []byte("GIF89a is none of the formats"),
		Slow:     slow,
		Short:    5 * time.Second,
		Long:     time.Minute,
	})
}

// killAll kills every process of the pool and says how many there were: while a replacement starts, more than workers.
func (r *roster) killAll() (killed int) {
	r.pids.Range(func(pid, _ any) bool {
		if syscall.Kill(pid.(int), syscall.SIGKILL) == nil {
			killed++
		}
		r.pids.Delete(pid)
		return true
	})
	return killed
}

func TestPool_Recognize_sixtyPagesWhileChildrenAreKilled(t *testing.T) {
	t.Parallel()
	p, children := MustOpenEngine(t, workerpool.Options{Worker: MustBuildWorker(t), Workers: 2, Queue: 60, MaxPages: 5})
	const pages, kills = 60, 3
	page := make([][]byte, len(words))
	for i, word := range words {
		page[i] = mustEncode(t, ocrtest.Page("A "+word))
	}
	var wg sync.WaitGroup
	results := make(chan error, pages)
	done := make(chan struct{}, pages)
	for i := range pages {
		wg.Go(func() {
			doc, err := p.Recognize(context.Background(), ocr.Request{Image: page[i%len(words)], Language: "en"})
			if err == nil && doc.Text() != "A "+words[i%len(words)] {
				err = fmt.Errorf("read %q on the page of the %s", doc.Text(), words[i%len(words)])
				t.Error(err)
			}
			results <- err
			done <- struct{}{}
		})
	}
	killed := 0
	for range kills {
		for range pages / (kills + 1) {
			<-done
		}
		killed += children.killAll()
	}
	wg.Wait()
	close(results)
	lost := 0
	for err := range results {
		if err != nil {
			lost++
		}
	}
	require.LessOrEqual(t, lost, killed, "a killed child costs the page it was reading, no more")
	require.Positive(t, p.Stats().Retired)
}
