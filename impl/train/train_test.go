package train_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/neural/training"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/ocr/workerpool"
	"uncial/impl/train"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	os.Exit(m.Run())
}

const (
	pageWidth, lineGap, small = 1000, 110, 22 // pixels
	linesOfAPage              = 10
)

// MustExport returns a folder of pages in a drawn hand with their transcriptions in PAGE, as archives export them.
func MustExport(tb testing.TB, pages int, text func(page, line int) string) string {
	tb.Helper()
	folder := tb.TempDir()
	for p := range pages {
		sheet := ocrtest.BlankPage(pageWidth, lineGap*(linesOfAPage+1))
		var lines strings.Builder
		for l := range linesOfAPage {
			y := lineGap * (l + 1)
			end := ocrtest.Write(sheet, 60, small, func(float64) float64 { return float64(y) }, text(p, l), uint64(10*p+l))
			fmt.Fprintf(&lines, `<TextLine id="l%d"><Coords points="50,%d %d,%d %d,%d 50,%d"/><Baseline points="60,%d %d,%d"/><TextEquiv><Unicode>%s</Unicode></TextEquiv></TextLine>`,
				l, y-2*small, end+10, y-2*small, end+10, y+small, y+small, y, end, y, text(p, l))
		}
		name := fmt.Sprintf("page%d", p)
		mustWrite(tb, folder, name+".png", ocrtest.MustPNG(tb, sheet))
		mustWrite(tb, folder, name+".xml", fmt.Appendf(nil, `<PcGts><Page imageFilename="%s.png" imageWidth="%d" imageHeight="%d"><TextRegion id="r">%s</TextRegion></Page></PcGts>`,
			name, pageWidth, lineGap*(linesOfAPage+1), lines.String()))
	}
	return folder
}

func mustWrite(tb testing.TB, folder, name string, content []byte) {
	tb.Helper()
	require.NoError(tb, os.WriteFile(filepath.Join(folder, name), content, 0o600))
}

func mustRemove(tb testing.TB, path string) {
	tb.Helper()
	require.NoError(tb, os.Remove(path))
}

func words(page, line int) string {
	all := strings.Fields("une lettre du notaire au maire de la ville dont il attend une suite rapide et sans autre retard")
	n := 3*page + 2*line
	return strings.Join([]string{all[n%len(all)], all[(n+5)%len(all)], all[(n+9)%len(all)]}, " ")
}

// options returns options for a short training with a real worker.
func options(tb testing.TB, worker, folder string) train.Options {
	tb.Helper()
	return train.Options{
		GroundTruth: []string{folder}, Base: "hands", Out: filepath.Join(tb.TempDir(), "ours.uhm"), Languages: []string{"fr"},
		Minutes: 0.05, Passes: 1, Threads: 1, Progress: &bytes.Buffer{},
		Cutter: func(ctx context.Context) (train.Cutter, func() error, error) {
			pool, err := workerpool.New(ctx, workerpool.Options{Worker: worker, Workers: 1})
			if err != nil {
				return nil, nil, err
			}
			return pool, pool.Close, nil
		},
		Load: func(ctx context.Context, folder string) ([]string, error) {
			pool, err := workerpool.New(ctx, workerpool.Options{Worker: worker, Workers: 1, Models: []string{folder}})
			if err != nil {
				return nil, err
			}
			return pool.Hello().Languages, pool.Close()
		},
	}
}

func TestRun(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	worker := ocrtest.MustBuildWorker(t)
	o := options(t, worker, MustExport(t, 2, words))
	result, err := train.Run(t.Context(), o)
	require.NoError(t, err, o.Progress)
	require.Equal(t, 18, result.Lines, "one line in ten is held back")
	require.Contains(t, fmt.Sprint(o.Progress), "--ground-truth: 2 pages, 20 transcribed lines")
	require.NotContains(t, fmt.Sprint(o.Progress), "--language")

	m, err := neural.Open(result.Model)
	require.NoError(t, err)
	require.Contains(t, m.Info().Version, "ours ")
	page, err := os.ReadFile(result.Report)
	require.NoError(t, err)
	require.Contains(t, string(page), "on 18 lines of 2 pages")

	t.Run("refuses to replace the finished model", func(t *testing.T) {
		_, err := train.Run(t.Context(), o)
		require.EqualError(t, err, "--out: "+o.Out+" exists and would be replaced; remove it first, or choose another name")
		require.FileExists(t, o.Out)
	})
	t.Run("uses the lines that were cut", func(t *testing.T) {
		mustRemove(t, o.Out)
		again := o
		again.Cutter = func(context.Context) (train.Cutter, func() error, error) { return nil, nil, ocr.ErrBusy }
		again.Minutes = 0.1
		_, err := train.Run(t.Context(), again)
		require.NoError(t, err)
	})
	t.Run("starts anew from another base", func(t *testing.T) {
		other, progress := o, &bytes.Buffer{}
		other.Base, other.Progress = filepath.Join(t.TempDir(), "base.uhm"), progress
		model, err := os.ReadFile(result.Model)
		require.NoError(t, err)
		mustWrite(t, filepath.Dir(other.Base), "base.uhm", withoutVersion(t, model))
		mustRemove(t, o.Out)
		_, err = train.Run(t.Context(), other)
		require.NoError(t, err, progress)
		require.Contains(t, progress.String(), "state.pt was made from another base model; the training starts anew")
	})
	t.Run("saves its state when it is interrupted, and continues from there", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		long := o
		long.Out, long.Minutes, long.HeldBack = filepath.Join(t.TempDir(), "long.uhm"), 10, []string{MustExport(t, 1, words)}
		long.Progress = writerFunc(func(p []byte) {
			if bytes.Contains(p, []byte("% done")) {
				cancel()
			}
		})
		_, err := train.Run(ctx, long)
		require.ErrorIs(t, err, training.ErrInterrupted)
		require.FileExists(t, long.Out+".training/state.pt")
		require.NoFileExists(t, long.Out)
		long.Minutes, long.Progress = 0.01, &bytes.Buffer{} // the time that the first run took is over
		result, err := train.Run(t.Context(), long)
		require.NoError(t, err)
		require.Equal(t, 20, result.Lines, "no line of the ground truth is held back when other pages are")
	})
}

// withoutVersion removes the version from a model file, as other programs may write one.
func withoutVersion(tb testing.TB, model []byte) []byte {
	tb.Helper()
	end := 8 + binary.LittleEndian.Uint64(model)
	var header map[string]any
	require.NoError(tb, json.Unmarshal(model[8:end], &header))
	delete(header["__metadata__"].(map[string]any), "version")
	text, err := json.Marshal(header)
	require.NoError(tb, err)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, model[end:])
}

func TestRun_Base(t *testing.T) { //nolint:paralleltest // uses a worker
	worker, folder := ocrtest.MustBuildWorker(t), MustExport(t, 1, words)
	for name, c := range map[string]struct{ content, want string }{
		"a text":       {strings.Repeat("This is a text. ", 10), "its header is longer than the file or 1 MiB"},
		"a short file": {"short", "has 5 bytes, too few or too many for a model"},
	} {
		t.Run("refuses "+name+" before it cuts lines", func(t *testing.T) {
			o := options(t, worker, folder)
			o.Base = filepath.Join(t.TempDir(), "base.uhm")
			mustWrite(t, filepath.Dir(o.Base), "base.uhm", []byte(c.content))
			_, err := train.Run(t.Context(), o)
			require.ErrorContains(t, err, "a worker cannot load "+o.Base)
			require.ErrorContains(t, err, c.want)
			require.NoDirExists(t, o.Out+".training", "nothing is left behind")
			require.NotContains(t, fmt.Sprint(o.Progress), "Cutting lines")
		})
	}
}

func TestRun_Name(t *testing.T) { //nolint:paralleltest // uses a worker
	worker, folder := ocrtest.MustBuildWorker(t), MustExport(t, 1, words)
	for name, want := range map[string]string{
		"my model.uhm": "invalid model name", "hands.uhm": "has the name of a model that is installed already",
	} {
		t.Run("refuses "+name+" before it cuts lines", func(t *testing.T) {
			o := options(t, worker, folder)
			o.Out = filepath.Join(t.TempDir(), name)
			_, err := train.Run(t.Context(), o)
			require.ErrorContains(t, err, "under the name of "+o.Out)
			require.ErrorContains(t, err, want)
			require.NotContains(t, fmt.Sprint(o.Progress), "Cutting lines")
		})
	}
}

func TestRun_LanguageWithoutModel(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	o := quick(t, MustExport(t, 1, words), noError)
	o.Languages = []string{"fr-CA", "sl"}
	result, err := train.Run(t.Context(), o)
	require.NoError(t, err, o.Progress)
	require.Contains(t, fmt.Sprint(o.Progress), "--ground-truth: 1 page, 10 transcribed lines\n")
	page, err := os.ReadFile(result.Report)
	require.NoError(t, err)
	require.Contains(t, string(page), "on 9 lines of 1 page, in ")
	require.Contains(t, string(page), "in 1 line held back<")
	require.Contains(t, fmt.Sprint(o.Progress), "--language: this machine has no Tesseract model for sl;")
	require.NotContains(t, fmt.Sprint(o.Progress), "model for fr")
}

func TestRun_UnusableResult(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	o := quick(t, MustExport(t, 1, words), noError)
	o.Load = func(ctx context.Context, folder string) ([]string, error) {
		if filepath.Base(folder) == "base" {
			return loaded(ctx, folder)
		}
		return nil, neural.ErrModel
	}
	mustWrite(t, filepath.Dir(o.Out), filepath.Base(o.Out), []byte("an earlier model"))
	require.NoError(t, os.MkdirAll(o.Out+".training/made", 0o700), "an interrupted run may replace it")
	_, err := train.Run(t.Context(), o)
	require.ErrorIs(t, err, neural.ErrModel)
	require.ErrorContains(t, err, "the model that was trained cannot be loaded, so "+o.Out+" was not written")
	earlier, err := os.ReadFile(o.Out)
	require.NoError(t, err)
	require.Equal(t, "an earlier model", string(earlier))
}

func TestRun_FullDisk(t *testing.T) { //nolint:paralleltest // PyTorch needs the cores
	worker := ocrtest.MustBuildWorker(t)
	for name, c := range map[string]struct{ file, want string }{
		"the lines do not fit":   {"lines.u8", "lines.u8: no space left on device"},
		"the state does not fit": {"state.pt.part", "state.pt could not be written: No space left on device"},
	} {
		t.Run("names the file that cannot be written if "+name, func(t *testing.T) {
			o := options(t, worker, MustExport(t, 1, words))
			state := o.Out + ".training"
			require.NoError(t, os.Mkdir(state, 0o700))
			require.NoError(t, os.Symlink("/dev/full", filepath.Join(state, c.file)))
			_, err := train.Run(t.Context(), o)
			require.ErrorContains(t, err, c.want)
			require.NoFileExists(t, o.Out)
			require.NoFileExists(t, filepath.Join(state, "state.pt"))
		})
	}
}

func TestRun_TooFewLines(t *testing.T) { //nolint:paralleltest // uses a worker
	folder := MustExport(t, 1, func(page, line int) string {
		if line >= 3 {
			return ""
		}
		return words(page, line)
	})
	o := options(t, ocrtest.MustBuildWorker(t), folder)
	_, err := train.Run(t.Context(), o)
	require.ErrorContains(t, err, "--ground-truth: only 3 lines could be cut out of the images; training needs at least 10")
	require.NoDirExists(t, o.Out+".training", "nothing is left behind")
}

// writerFunc is a function that serves as an io.Writer.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	folder := MustExport(t, 1, words)
	blank := MustExport(t, 1, func(int, int) string { return " " })
	for name, c := range map[string]struct {
		change func(*train.Options)
		want   string
	}{
		"no folder":              {func(o *train.Options) { o.GroundTruth = nil }, "--ground-truth: give a folder"},
		"a page twice":           {func(o *train.Options) { o.HeldBack = o.GroundTruth }, "--held-back: " + folder + "/page0.png is also in the folders of --ground-truth"},
		"no page held back":      {func(o *train.Options) { o.HeldBack = []string{t.TempDir()} }, "--held-back: no transcribed page found"},
		"an empty folder":        {func(o *train.Options) { o.GroundTruth = []string{t.TempDir()} }, "it has no .xml files"},
		"lines without text":     {func(o *train.Options) { o.GroundTruth = []string{blank} }, "no line has text, a baseline and a polygon"},
		"another kind of output": {func(o *train.Options) { o.Out = "ours.traineddata" }, `--out: "ours.traineddata" must end in .uhm`},
		"a missing output":       {func(o *train.Options) { o.Out = "/absent/ours.uhm" }, "--out: the folder /absent does not exist"},
		"no language":            {func(o *train.Options) { o.Languages = nil }, "--language: give the languages"},
		"a wrong language":       {func(o *train.Options) { o.Languages = []string{"French"} }, `--language: "French" is not a canonical BCP 47 tag`},
		"no particular language": {func(o *train.Options) { o.Languages = []string{"und-Latn"} }, "--language: und does not name a language"},
		"too many threads":       {func(o *train.Options) { o.Threads = 100_000 }, "--threads: must be 1 to "},
		"a missing base":         {func(o *train.Options) { o.Base = "other" }, "--base: there is no file other"},
		"an overwritten base": {func(o *train.Options) {
			o.Base = o.Out
			mustWrite(t, filepath.Dir(o.Out), filepath.Base(o.Out), []byte("a model"))
		}, "ours.uhm is the model of --base, which would be overwritten"},
		"a file that another program wrote": {func(o *train.Options) {
			mustWrite(t, filepath.Dir(o.Out), filepath.Base(o.Out), []byte("mine"))
		}, "ours.uhm exists and would be replaced; remove it first, or choose another name"},
		"a model of a training that has ended": {func(o *train.Options) {
			mustWrite(t, filepath.Dir(o.Out), filepath.Base(o.Out), []byte("a model"))
			require.NoError(t, os.Mkdir(o.Out+".training", 0o700))
		}, "ours.uhm exists and would be replaced"},
		"an overwritten page": {func(o *train.Options) {
			mustWrite(t, filepath.Dir(o.Out), "ours.html", []byte("<title>Ours</title>"))
		}, "ours.html, which is not a report of this program; move the file or choose another --out"},
		"no time": {func(o *train.Options) { o.Minutes = 0 }, "must be greater than 0"},
		"an image of another size": {func(o *train.Options) {
			o.Load = loaded
			turned := MustExport(t, 1, words)
			mustWrite(t, turned, "page0.png", ocrtest.MustPNG(t, image.NewGray(image.Rect(0, 0, 300, 900))))
			o.GroundTruth, o.Cutter = []string{turned}, refusing
		}, "no line could be cut out of the images"},
	} {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "", folder)
			c.change(&o)
			_, err := train.Run(t.Context(), o)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// refuser is a Cutter that refuses every image as damaged.
type refuser struct{}

func (refuser) Cut(context.Context, []byte, *pipe.Cut) (*pipe.Strips, error) {
	return nil, &ocr.ImageError{Reason: "the image is damaged"}
}

func refusing(context.Context) (train.Cutter, func() error, error) {
	return refuser{}, func() error { return nil }, nil
}
