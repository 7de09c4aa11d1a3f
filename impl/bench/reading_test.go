//go:build bench

package bench

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"uncial/impl/app/apptest"
	"uncial/impl/ocr"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/accuracy"
	"uncial/internal/language"
)

// page is a printed page, and the languages that it is read with.
type page struct {
	id, file string
	image    []byte
	tag      string // for the service
	models   string // for tesseract: the model of the language, and those of the other languages on the page
}

// mustPages returns the printed pages of the folder that UNCIAL_PAGES names, or of the rendered ones.
func mustPages(tb testing.TB, pool *workerpool.Pool) []page {
	tb.Helper()
	folder := ocrtest.MustPages(tb)
	tags, err := pool.Languages(tb.Context())
	require.NoError(tb, err)
	dir := tb.TempDir()
	var pages []page
	for _, p := range folder.Pages {
		if p.Kind != "printed" {
			continue
		}
		data, _, err := folder.Load(p)
		require.NoError(tb, err)
		tag, err := language.Match(p.Language, tags)
		require.NoError(tb, err)
		file := filepath.Join(dir, strconv.Itoa(len(pages))+filepath.Ext(p.Image))
		require.NoError(tb, os.WriteFile(file, data, 0o600))
		pages = append(pages, page{p.ID, file, data, tag, packs(p)})
	}
	require.NotEmpty(tb, pages, "the folder has no printed pages")
	return pages
}

// packs returns the models for tesseract's command line, the best that Debian has for the languages of a page.
func packs(p accuracy.Page) string {
	pack := map[string]string{
		"en": "eng", "de": "deu", "de-Latf": "frk", "fr": "fra", "frm": "frm", "la": "lat", "it": "ita", "es": "spa", "nl": "nld", "pt": "por", "grc": "grc", "enm": "enm",
	}
	var names []string
	for _, tag := range append([]string{p.Language}, p.AlsoIn...) {
		if name := pack[tag]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "eng"
	}
	return strings.Join(names, "+")
}

// mustPool starts real workers.
func mustPool(tb testing.TB, o workerpool.Options) *workerpool.Pool {
	tb.Helper()
	o.Worker = apptest.Binary(tb, "./impl/cmd/uncial-worker")
	if o.Deadline == 0 {
		o.Deadline = 10 * time.Minute // so that a slow machine changes nothing
	}
	pool, err := workerpool.New(tb.Context(), o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, pool.Close()) })
	return pool
}

// workers returns the IDs of the processes that run the worker program of these tests.
func workers(tb testing.TB) []int {
	tb.Helper()
	program := apptest.Binary(tb, "./impl/cmd/uncial-worker")
	entries, err := os.ReadDir("/proc")
	require.NoError(tb, err)
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if name, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe")); err == nil && name == program {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitWorkers waits until n workers run: all but the first start in the background.
func awaitWorkers(tb testing.TB, n int) {
	tb.Helper()
	require.Eventually(tb, func() bool { return len(workers(tb)) >= n }, time.Minute, 50*time.Millisecond)
}

// workersTime returns the processor time that all workers have used.
func workersTime(tb testing.TB) (sum time.Duration) {
	tb.Helper()
	for _, pid := range workers(tb) {
		sum += processTime(tb, pid)
	}
	return sum
}

func mustRead(tb testing.TB, pool *workerpool.Pool, tag string, image []byte) {
	tb.Helper()
	_, err := pool.Recognize(tb.Context(), ocr.Request{Image: image, Language: tag})
	require.NoError(tb, err)
}

// tesseract reads a file with Tesseract's own program, with one thread.
func tesseract(tb testing.TB, file, models string, more ...string) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "tesseract", append([]string{file, "-", "-l", models}, more...)...)
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	out, err := cmd.CombinedOutput()
	require.NoError(tb, err, "%s", out)
}

// benchPrint compares the processor time of every printed page with Tesseract's own program.
func benchPrint(tb testing.TB, results *table) {
	tb.Helper()
	pool := mustPool(tb, workerpool.Options{Workers: 1, MaxPages: 1000})
	pages := mustPages(tb, pool)
	mustRead(tb, pool, pages[0].tag, pages[0].image) // in a service, the workers have loaded their models
	var ours, theirs []time.Duration
	for _, p := range pages {
		before := workersTime(tb)
		mustRead(tb, pool, p.tag, p.image)
		ours = append(ours, workersTime(tb)-before)
		theirs = append(theirs, cpuOf(tb, func() { tesseract(tb, p.file, p.models) }))
	}
	results.add(tb, figure{
		what:  fmt.Sprintf("processor time of %d printed pages in a worker against tesseract with one thread, all together", len(pages)),
		value: total(ours).Seconds() / total(theirs).Seconds(), goal: 1,
	})
	results.add(tb, medianOf(ratios(ours, theirs), figure{what: "the same, page by page", goal: 1}))
}

// benchLines compares the processor time of images of one line with Tesseract's own program.
func benchLines(tb testing.TB, results *table) {
	tb.Helper()
	pool := mustPool(tb, workerpool.Options{Workers: 1, MaxPages: 1000})
	dir := tb.TempDir()
	var ours, theirs []time.Duration
	for i := range 12 {
		data := ocrtest.MustPNG(tb, ocrtest.Page(fmt.Sprintf("Line %d of the register was written out in full", i)))
		file := filepath.Join(dir, "line.png")
		require.NoError(tb, os.WriteFile(file, data, 0o600))
		before := workersTime(tb)
		mustRead(tb, pool, "en", data)
		ours = append(ours, workersTime(tb)-before)
		theirs = append(theirs, cpuOf(tb, func() { tesseract(tb, file, "eng", "--psm", "7") }))
	}
	results.add(tb, medianOf(ratios(ours, theirs), figure{
		what: "processor time of an image of one line in a worker against tesseract with --psm 7", goal: 0.2,
	}))
}

// benchBooks compares the time of eight clean book pages, with twice as many requests at a time as there are cores, with
// Tesseract's own program.
func benchBooks(tb testing.TB, results *table) {
	tb.Helper()
	pool := mustPool(tb, workerpool.Options{MaxPages: 1000})
	pages := bookPages(mustPages(tb, pool))
	cores := pool.Load().Workers
	awaitWorkers(tb, cores)
	var names []string
	for _, p := range pages {
		names = append(names, p.file)
	}
	const rounds = 3
	var ours, theirs, ourCPU, theirCPU []time.Duration
	for range rounds {
		before := workersTime(tb)
		ours = append(ours, timeOf(func() { readAll(tb, pool, pages, 2*cores) }))
		ourCPU = append(ourCPU, workersTime(tb)-before)
		theirCPU = append(theirCPU, cpuOf(tb, func() { theirs = append(theirs, timeOf(func() { xargs(tb, names, pages[0].models, cores) })) }))
	}
	what := fmt.Sprintf("%d book pages, %d requests at once with %d workers, against xargs -P %d tesseract with one thread", len(pages), 2*cores, cores, cores)
	results.add(tb, medianOf(ratios(ours, theirs), figure{what: "time of " + what, goal: 1}))
	results.add(tb, medianOf(ratios(ourCPU, theirCPU), figure{what: "processor time of the same", goal: 1}))
}

// bookPages returns eight clean pages in one language: those of the collection of English books, or of the folder's first
// language, repeated if there are fewer.
func bookPages(pages []page) []page {
	clean := slices.DeleteFunc(slices.Clone(pages), func(p page) bool { return !strings.HasPrefix(p.id, "oldbooks-en") })
	if len(clean) == 0 {
		clean = slices.DeleteFunc(slices.Clone(pages), func(p page) bool { return p.tag != pages[0].tag })
	}
	var eight []page
	for len(eight) < 8 {
		eight = append(eight, clean[len(eight)%len(clean)])
	}
	return eight
}

// readAll reads the pages, atOnce of them at a time.
func readAll(tb testing.TB, pool *workerpool.Pool, pages []page, atOnce int) {
	tb.Helper()
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, p := range pages {
		group.Go(func() error {
			_, err := pool.Recognize(tb.Context(), ocr.Request{Image: p.image, Language: p.tag})
			return err
		})
	}
	require.NoError(tb, group.Wait())
}

// xargs runs Tesseract's own program on the files, atOnce of them at a time, as a user would.
func xargs(tb testing.TB, files []string, models string, atOnce int) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "xargs", "-P", strconv.Itoa(atOnce), "-I{}", "tesseract", "{}", "-", "-l", models)
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	require.NoError(tb, err, "%s", out)
}

// denseColumn returns a page with one column of small print.
var denseColumn = sync.OnceValue(func() *image.Gray {
	var lines []string
	for i := range 36 {
		lines = append(lines, fmt.Sprintf("%d the register of the parish was kept by the clerk who", i+100))
	}
	return ocrtest.Page(lines...)
})

// densePage returns a page with two such columns.
var densePage = sync.OnceValue(func() *image.Gray {
	column := denseColumn()
	gutter := 120
	size := column.Rect.Size()
	sheet := ocrtest.BlankPage(2*size.X+gutter, size.Y)
	for y := range size.Y {
		for i := range 2 {
			copy(sheet.Pix[y*sheet.Stride+i*(size.X+gutter):], column.Pix[y*column.Stride:y*column.Stride+size.X])
		}
	}
	return sheet
})

// benchDensePage compares the time of one dense page, while a second worker is idle, with Tesseract's own program.
func benchDensePage(tb testing.TB, results *table) {
	tb.Helper()
	pool := mustPool(tb, workerpool.Options{Workers: 2, MaxPages: 1000})
	awaitWorkers(tb, 2)
	for _, c := range []struct {
		what string
		page *image.Gray
	}{
		{"one column", denseColumn()},
		{"two columns", densePage()},
	} {
		data := ocrtest.MustPNG(tb, c.page)
		file := filepath.Join(tb.TempDir(), "dense.png")
		require.NoError(tb, os.WriteFile(file, data, 0o600))
		for range 2 {
			mustRead(tb, pool, "en", data) // both workers load their models
		}
		var ours, theirs []time.Duration
		for range 5 {
			ours = append(ours, timeOf(func() { mustRead(tb, pool, "en", data) }))
			theirs = append(theirs, timeOf(func() { tesseract(tb, file, "eng") }))
		}
		results.add(tb, medianOf(ratios(ours, theirs), figure{
			what: "time of one dense page of print with two workers, one of them idle, against tesseract with one thread, " + c.what, goal: 0.65,
		}))
	}
}

// benchLargePage measures which share of the deadline a dense page of 50 megapixels takes, in processor time.
func benchLargePage(tb testing.TB, results *table) {
	tb.Helper()
	const width, height, deadline = 7070, 7072, 60.0
	pool := mustPool(tb, workerpool.Options{Workers: 1})
	var data bytes.Buffer
	require.NoError(tb, png.Encode(&data, tiled(densePage(), width, height)))
	before := workersTime(tb)
	mustRead(tb, pool, "en", data.Bytes())
	used := (workersTime(tb) - before).Seconds()
	results.add(tb, figure{
		what:  fmt.Sprintf("processor time of a dense page of 50 megapixels, %.0f s, as a share of the deadline of %.0f s", used, deadline),
		value: used / deadline, goal: 0.3,
	})
}

// tiled returns a page of the given size that is filled with copies of a smaller one.
func tiled(tile *image.Gray, width, height int) *image.Gray {
	sheet := ocrtest.BlankPage(width, height)
	size := tile.Rect.Size()
	for y := range height {
		for x := 0; x < width; x += size.X {
			copy(sheet.Pix[y*sheet.Stride+x:(y+1)*sheet.Stride], tile.Pix[y%size.Y*tile.Stride:][:size.X])
		}
	}
	return sheet
}

// benchMemory measures the memory of a worker after 500 pages in five languages in turn. One in twelve is a printed page of the
// folder; the others are small, so that the 500 take minutes and not an hour.
func benchMemory(tb testing.TB, results *table) {
	tb.Helper()
	const pages, perScan = 500, 12
	pool := mustPool(tb, workerpool.Options{Workers: 1, MaxPages: 10 * pages})
	scans := mustPages(tb, pool)
	small := ocrtest.MustPNG(tb, imaging.Resize(ocrtest.Page("Anno domini 1874", "Paris Roma Berlin London", "centum et mille"), 700, 200))
	tags := []string{"en", "de", "fr", "la", "it"}
	for i := range pages {
		if i%perScan == 0 {
			scan := scans[i/perScan%len(scans)]
			mustRead(tb, pool, scan.tag, scan.image)
			continue
		}
		mustRead(tb, pool, tags[i%len(tags)], small)
	}
	pid := workers(tb)[0]
	results.add(tb, figure{
		what: fmt.Sprintf("memory of a worker after %d pages in %d languages in turn, one in %d a page of the folder; %.0f MB of it are programs and libraries, %.0f MB at the most were in use",
			pages, len(tags), perScan, memoryOf(tb, pid, "RssFile"), memoryOf(tb, pid, "VmHWM")),
		value: memoryOf(tb, pid, "VmRSS"), goal: 200, unit: " MB",
	})
}

// memoryOf returns a figure from /proc/PID/status, in megabytes: VmRSS is the memory that the process occupies, VmHWM the
// maximum so far, and RssFile the part of VmRSS that holds contents of files; see proc(5).
func memoryOf(tb testing.TB, pid int, name string) float64 {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(tb, err)
	_, after, found := strings.Cut(string(text), name+":")
	require.True(tb, found)
	kilobytes, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
	require.NoError(tb, err)
	return kilobytes / 1024
}
