package neural_test

import (
	"bufio"
	"encoding/json"
	"image"
	"image/draw"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/accuracy"
)

// Environment variables of TestRecognizer_ReadsTheSameOnEveryProcessor.
const (
	linesEnv = "UNCIAL_LINES" // a folder of lines as impl/ocr/neural/training describes; drawn lines if not set
	textsEnv = "UNCIAL_TEXTS" // a JSON file with the texts that another processor read in the drawn lines
)

// transcribed is the image of a line and its text.
type transcribed struct {
	strip *image.Gray
	text  string
}

// drawnLines returns lines in the joined hand that ocrtest draws.
func drawnLines() []transcribed {
	var lines []transcribed
	for i, text := range []string{"le maire et les habitants", "de la ville de paris", "une lettre pour vous", "nous avons vu la mer"} {
		g := ocrtest.BlankPage(800, 48)
		end := ocrtest.Write(g, 12, 14, func(float64) float64 { return 33 }, text, uint64(i)) // #nosec G115 -- counts lines
		lines = append(lines, transcribed{g.SubImage(image.Rect(0, 0, end+12, 48)).(*image.Gray), text})
	}
	return lines
}

// mustLines returns the lines of a folder: lines.u8 with their ink and lines.jsonl with their widths and texts.
func mustLines(tb testing.TB, folder string) []transcribed {
	tb.Helper()
	ink, err := os.ReadFile(filepath.Join(folder, "lines.u8"))
	require.NoError(tb, err)
	file, err := os.Open(filepath.Join(folder, "lines.jsonl"))
	require.NoError(tb, err)
	defer file.Close() //nolint:errcheck // only read
	var lines []transcribed
	rows := bufio.NewScanner(file)
	for rows.Scan() {
		var row struct {
			Offset int    `json:"offset"`
			Width  int    `json:"width"`
			Text   string `json:"text"`
		}
		require.NoError(tb, json.Unmarshal(rows.Bytes(), &row))
		strip := image.NewGray(image.Rect(0, 0, row.Width, 48))
		for i, v := range ink[row.Offset:][:len(strip.Pix)] {
			strip.Pix[i] = 255 - v
		}
		lines = append(lines, transcribed{strip, row.Text})
	}
	require.NoError(tb, rows.Err())
	return lines
}

// mustShipped returns a recognizer for each instruction set of this processor, with the models that ship.
func mustShipped(tb testing.TB) map[string]*neural.Recognizer {
	tb.Helper()
	network, characters := own.HandsFiles()
	m, err := neural.Load(network)
	require.NoError(tb, err)
	l, err := neural.LoadLanguage(characters)
	require.NoError(tb, err)
	return neural.Recognizers(m, l)
}

func textsOf(r *neural.Recognizer, lines []transcribed) []string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		var words []string
		for _, w := range r.Read(l.strip) {
			words = append(words, w.Text)
		}
		texts[i] = strings.Join(words, " ")
	}
	return texts
}

func foldedCER(lines []transcribed, texts []string) float64 {
	var sum accuracy.Rate
	for i, l := range lines {
		sum = sum.Plus(accuracy.Compare(l.text, texts[i]).FoldedCER)
	}
	return sum.Value()
}

// TestRecognizer_ReadsTheSameOnEveryProcessor compares the instruction sets of this processor with the plain kernels, using the
// models that ship: make kernel-check LINES=dir.
func TestRecognizer_ReadsTheSameOnEveryProcessor(t *testing.T) {
	t.Parallel()
	lines := drawnLines()
	if folder := os.Getenv(linesEnv); folder != "" {
		lines = mustLines(t, folder)
	}
	sets := mustShipped(t)
	plain := textsOf(sets["plain"], lines)
	t.Logf("%d lines, CER %.5f", len(lines), foldedCER(lines, plain))
	for name, r := range sets {
		require.Equal(t, plain, textsOf(r, lines), "%s and plain", name)
	}
	if file := os.Getenv(textsEnv); file != "" {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var others []string
		require.NoError(t, json.Unmarshal(data, &others))
		require.Equal(t, others, plain, "another processor")
		t.Log("another processor reads the same")
	}
}

func TestRecognizer_ReadsDrawnLines(t *testing.T) {
	t.Parallel()
	lines := drawnLines()
	require.Less(t, foldedCER(lines, textsOf(mustShipped(t)["plain"], lines)), 0.2, "the drawn lines are legible")
}

// TestBuild_arm64 builds the tests for arm64 and runs those of the arithmetic, including a comparison with the texts that this
// processor reads. It needs Debian's gcc-aarch64-linux-gnu and qemu-user-static. If one is missing, it does nothing, except
// that it fails in CI.
func TestBuild_arm64(t *testing.T) {
	t.Parallel()
	compiler, missing := exec.LookPath("aarch64-linux-gnu-gcc")
	emulator, alsoMissing := exec.LookPath("qemu-aarch64-static")
	if missing != nil || alsoMissing != nil {
		require.Empty(t, os.Getenv("CI"), "install gcc-aarch64-linux-gnu and qemu-user-static")
		return
	}
	texts, err := json.Marshal(textsOf(mustShipped(t)["plain"], drawnLines()))
	require.NoError(t, err)
	file, program := filepath.Join(t.TempDir(), "texts.json"), filepath.Join(t.TempDir(), "neural.test")
	require.NoError(t, os.WriteFile(file, texts, 0o600))
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-ldflags=-linkmode=external -extldflags=-static", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=1", "CC="+compiler, "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.CommandContext(t.Context(), emulator, program, "-test.v", "-test.run=^TestRecognizer_|^TestFinder_Maps$")
	run.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, linesEnv+"=") }), textsEnv+"="+file)
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "another processor reads the same")
}

// BenchmarkRecognizer_Read reads a drawn line of 48 x 600 pixels with the shipped network and without a character model.
func BenchmarkRecognizer_Read(b *testing.B) {
	network, _ := own.HandsFiles()
	m, err := neural.Load(network)
	require.NoError(b, err)
	line := drawnLines()[0].strip
	strip := image.NewGray(image.Rect(0, 0, 600, 48))
	draw.Draw(strip, strip.Rect, line, line.Rect.Min, draw.Src)
	for name, r := range neural.Recognizers(m, nil) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r.Read(strip)
			}
		})
	}
}

// BenchmarkLoad loads the shipped networks, and prepares their weights for the kernels of this processor.
func BenchmarkLoad(b *testing.B) {
	hands, _ := own.HandsFiles()
	for name, file := range map[string][]byte{"hands": hands, "print": own.PrintNetworks()[own.Print]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m, err := neural.Load(file)
				require.NoError(b, err)
				neural.NewRecognizer(m, nil)
			}
		})
	}
}
