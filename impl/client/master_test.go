package client_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/client/picture"
	"uncial/impl/client/source/sourcetest"
	"uncial/internal/document"
	"uncial/internal/format"
)

// bounds is a service that reads one word, and finds an illustration in the same place: the box around the dark pixels of the
// image.
func bounds(content string) gen.ExtractResponseObject {
	if !strings.HasPrefix(content, "\x89PNG") {
		content = jpegStart + content
	}
	img, err := picture.Decode([]byte(content), 0, 0)
	if err != nil {
		return invalid(err.Error())
	}
	dark := image.Rectangle{}
	size := img.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			var shade uint8
			switch pixels := img.(type) {
			case *image.Gray:
				shade = pixels.GrayAt(x, y).Y
			case *image.RGBA:
				shade = pixels.RGBAAt(x, y).G
			}
			if shade < 128 {
				dark = dark.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	box := document.Box{X: dark.Min.X, Y: dark.Min.Y, W: dark.Dx(), H: dark.Dy()}
	doc := &document.Document{Language: "en", Pages: []document.Page{{
		Width: size.Dx(), Height: size.Dy(), Graphics: []document.Graphic{{Box: box, Kind: document.Illustration}},
		Blocks: []document.Block{document.BlockOf([]document.Line{{Box: box, Words: []document.Word{{Box: box, Text: "word", Confidence: 0.5}}}})},
	}}}
	written, err := format.Write("page", doc, format.Meta{})
	if err != nil {
		return invalid(err.Error())
	}
	weak := []gen.WeakPlace{{Page: 1, Confidence: 0.5, Reason: "low-confidence", Box: gen.Box{X: int64(box.X), Y: int64(box.Y), Width: int64(box.W), Height: int64(box.H)}}}
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: gen.Extraction{
		Success: true, Text: "word", Confidence: 0.5, PointsUsed: 10, Document: &written, Weak: &weak,
	}}}
}

// altoWord matches the word of an ALTO file, altoGraphic its illustration, and altoPage its page.
var (
	altoWord    = regexp.MustCompile(`<String [^>]*HPOS="(\d+)" VPOS="(\d+)" WIDTH="(\d+)" HEIGHT="(\d+)"`)
	altoGraphic = regexp.MustCompile(`<Illustration [^>]*HPOS="(\d+)" VPOS="(\d+)" WIDTH="(\d+)" HEIGHT="(\d+)"`)
	altoPage    = regexp.MustCompile(`<Page [^>]*WIDTH="(\d+)" HEIGHT="(\d+)"`)
)

func numbers(tb testing.TB, pattern *regexp.Regexp, text string) (all []int) {
	tb.Helper()
	match := pattern.FindStringSubmatch(text)
	require.NotNil(tb, match, text)
	for _, digits := range match[1:] {
		n, err := strconv.Atoi(digits)
		require.NoError(tb, err)
		all = append(all, n)
	}
	return all
}

// TestExtractCmd_Run_Masters reads one rectangle from a small image, from a JPEG 2000 of it, and from a TIFF that is too wide
// for the service: the boxes are those of the master within a pixel.
func TestExtractCmd_Run_Masters(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, bounds)
	dir := t.TempDir()
	page := image.NewGray(image.Rect(0, 0, 2000, 50))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, image.Rect(201, 13, 620, 37), image.NewUniform(color.Gray{}), image.Point{}, draw.Src)
	small := sourcetest.Write(t, dir, "small.png", sourcetest.PNG(t, page))
	vips := func(args ...string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "vips", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	jp2, large := filepath.Join(dir, "master.jp2"), filepath.Join(dir, "large.tif")
	vips("jp2ksave", small, jp2, "--lossless")
	vips("zoom", small, filepath.Join(dir, "large.v"), "20", "20")
	vips("tiffsave", filepath.Join(dir, "large.v"), large, "--compression", "deflate")
	for path, scale := range map[string]int{small: 1, jp2: 1, large: 20} {
		stdout, stderr, status := extract(t.Context(), t, url, "--format=alto", "--out", filepath.Join(dir, "out"), path, "--report", filepath.Join(dir, "report.json"))
		require.Zero(t, status, stderr)
		assert.Empty(t, stdout)
		alto := mustRead(t, filepath.Join(dir, "out"), strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".alto.xml")
		assert.Equal(t, []int{2000 * scale, 50 * scale}, numbers(t, altoPage, alto), path)
		box := numbers(t, altoWord, alto)
		edges := []int{box[0], box[1], box[0] + box[2], box[1] + box[3]}
		for i, want := range []int{201, 13, 620, 37} {
			assert.InDelta(t, want*scale, edges[i], 1, "%s: %s", path, alto)
		}
		assert.Equal(t, box, numbers(t, altoGraphic, alto), path)
		assert.Contains(t, alto, "<fileName>"+filepath.Base(path)+"</fileName>")
		var made struct {
			Pages []struct {
				Weak []struct {
					Box struct{ X, Y, Width, Height int }
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(mustRead(t, dir, "report.json")), &made))
		assert.InDelta(t, 201*scale, made.Pages[0].Weak[0].Box.X, 1)
		assert.InDelta(t, 24*scale, made.Pages[0].Weak[0].Box.Height, 1)
	}
	stdout, _, status := extract(t.Context(), t, url, "--format=alto", large)
	assert.Zero(t, status)
	assert.InDelta(t, 4020, numbers(t, altoWord, stdout)[0], 1, "on standard output too")
}

func TestExtractCmd_Run_Report(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, func(content string) gen.ExtractResponseObject {
		if content == "bad.jpg" {
			return invalid("imageUrl: <b>no image</b>")
		}
		return bounds(content)
	})
	dir := t.TempDir()
	page := image.NewGray(image.Rect(0, 0, 300, 200))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, image.Rect(50, 60, 150, 80), image.NewUniform(color.Gray{}), image.Point{}, draw.Src)
	good := sourcetest.Write(t, dir, "good.png", sourcetest.PNG(t, page))
	bad := mustFiles(t, "bad.jpg")[0]
	for _, name := range []string{"report.json", "report.html"} {
		_, _, status := extract(t.Context(), t, url, good, bad, "missing.jpg", "--out", filepath.Join(dir, "out"), "--report", filepath.Join(dir, name))
		assert.Equal(t, 1, status)
	}
	var made struct {
		Summary string
		States  map[string]int
		Pages   []struct {
			Source, State, Reason string
			Confidence            *float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(mustRead(t, dir, "report.json")), &made))
	assert.Equal(t, map[string]int{"read": 1, "failed": 1, "absent": 1}, made.States)
	require.Len(t, made.Pages, 3)
	assert.Equal(t, []string{bad, "failed", "the service returned 400: imageUrl: <b>no image</b>"}, []string{made.Pages[0].Source, made.Pages[0].State, made.Pages[0].Reason})
	assert.Equal(t, "absent", made.Pages[1].State)
	assert.InDelta(t, 0.5, *made.Pages[2].Confidence, 0)

	html := mustRead(t, dir, "report.html")
	assert.Contains(t, html, "imageUrl: &lt;b&gt;no image&lt;/b&gt;")
	assert.Equal(t, 2, strings.Count(html, "data:image/jpeg;base64,"), "the page and its weak place")
	assert.Contains(t, html, "50.0 %: words that are likely to be misread")
}

// TestExtractCmd_Run_StandardOutput reads pages of a PDF and of a TIFF without a journal, in order.
func TestExtractCmd_Run_StandardOutput(t *testing.T) {
	t.Parallel()
	f, url := mustFake(t, nil)
	var sheets []sourcetest.Sheet
	for i := range 4 {
		sheets = append(sheets, sourcetest.Sheet{JPEG: sourcetest.JPEG(t, sourcetest.Gray(40, 30, i)), DPI: 72})
	}
	book := sourcetest.Write(t, t.TempDir(), "book.pdf", sourcetest.PDF(t, sheets...))
	stdout, stderr, status := extract(t.Context(), t, url, "--json", book)
	assert.Zero(t, status, stderr)
	assert.Empty(t, stderr)
	for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		assert.True(t, strings.HasPrefix(line, fmt.Sprintf(`{"image":"%s#page=%d"`, book, i+1)), line[:80])
	}
	require.Len(t, f.requests, 4)
	assert.NotContains(t, stdout, "uncial-extract-", "no name of a temporary file")
}
