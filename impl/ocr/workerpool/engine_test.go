package workerpool_test

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/workerpool"
)

// MustOpenEngine opens a pool of the real engine in its sandbox.
func MustOpenEngine(tb testing.TB, o workerpool.Options) (*workerpool.Pool, *processes) {
	tb.Helper()
	ps := newProcesses()
	o.Logger = slog.New(ps)
	return mustNew(tb, o), ps
}

// words differ enough to be distinguished despite reading errors.
var words = []string{
	"house", "garden", "river", "mountain", "window", "bridge", "summer", "winter",
	"letter", "church", "market", "island", "forest", "silver", "orange", "soldier",
}

// pagesOf draws one page for each of the words.
func pagesOf(tb testing.TB, lines func(word string) []string) [][]byte {
	tb.Helper()
	pages := make([][]byte, len(words))
	for i, word := range words {
		pages[i] = ocrtest.MustPNG(tb, ocrtest.Page(lines(word)...))
	}
	return pages
}

// dense returns an image that takes the engine minutes to read: small print in five columns on 98 megapixels. Within its first
// seconds the engine reads nothing; after that, it would return a part of the text at a deadline.
func dense() image.Image {
	const side, pitch, column = 9900, 24, 1700
	line := ocrtest.PageIn(goregular.TTF, 4, strings.Join(slices.Concat(words, words), " "))
	img := ocrtest.BlankPage(side, side)
	for y := pitch; y+pitch < side; y += pitch {
		for x := pitch; x+column < side; x += column {
			draw.Draw(img, image.Rect(x, y, x+column-pitch, y+pitch), line, image.Pt(ocrtest.Left, ocrtest.Baseline-17), draw.Src)
		}
	}
	return img
}

func TestPool_Recognize_RealEngine(t *testing.T) {
	t.Parallel()
	worker := ocrtest.MustBuildWorker(t)
	slow := ocrtest.MustPNG(t, dense())
	pages := pagesOf(t, func(word string) []string {
		return []string{"This page is about the " + word, "and about nothing else."}
	})
	ocrtest.Run(t, ocrtest.Harness{
		Open: func(tb testing.TB, o ocrtest.Options) ocrtest.Subject {
			tb.Helper()
			p, ps := MustOpenEngine(tb, workerpool.Options{
				Worker: worker, Workers: o.Workers, Queue: o.Queue, Deadline: o.Deadline, Wait: time.Minute,
			})
			s := subject(p)
			s.Kill = func() { ps.killAll() }
			return s
		},
		Language: "en",
		Page:     func(i int) ([]byte, string) { return pages[i%len(words)], words[i%len(words)] },
		Broken:   []byte("GIF89a is not a supported format"),
		Slow:     slow,
		Short:    2 * time.Second,
		Long:     time.Minute,
	})
}

func TestPool_Recognize_KilledWorkers(t *testing.T) {
	t.Parallel()
	p, ps := MustOpenEngine(t, workerpool.Options{Worker: ocrtest.MustBuildWorker(t), Workers: 2, Queue: 60, MaxPages: 5})
	const images, kills = 60, 3
	pages := pagesOf(t, func(word string) []string { return []string{"A " + word} })
	var wg sync.WaitGroup
	results, done := make(chan error, images), make(chan struct{}, images)
	for i := range images {
		wg.Go(func() {
			doc, err := p.Recognize(context.Background(), ocr.Request{Image: pages[i%len(words)], Language: "en"})
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
		for range images / (kills + 1) {
			<-done
		}
		killed += ps.killAll()
	}
	wg.Wait()
	close(results)
	lost := 0
	for err := range results {
		if err != nil {
			lost++
		}
	}
	require.LessOrEqual(t, lost, killed, "a killed worker costs the page it was reading, and no other")
	require.Positive(t, p.Stats().Retired)
}
