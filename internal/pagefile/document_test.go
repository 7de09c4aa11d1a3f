package pagefile_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
	"uncial/internal/format"
	"uncial/internal/pagefile"
)

// TestReadDocument writes documents as PAGE-XML, reads them, and writes both in every format: the files must be the same.
func TestReadDocument(t *testing.T) {
	t.Parallel()
	meta := format.Meta{Image: "page.jpg", Created: time.Unix(0, 0), Version: "1.2.3"}
	rapid.Check(t, func(t *rapid.T) {
		doc := documenttest.Valid().Draw(t, "document")
		doc.MarkBroken(func(string) bool { return true })
		roundConfidences(doc)
		dropLowerEdges(doc)
		written, err := format.Write("page", doc, meta)
		require.NoError(t, err)
		read, err := pagefile.ReadDocument([]byte(written))
		require.NoError(t, err)
		for _, name := range []string{"text", "hocr", "alto", "page", "tsv"} {
			want, err := format.Write(name, doc, meta)
			require.NoError(t, err)
			got, err := format.Write(name, read, meta)
			require.NoError(t, err)
			require.Equal(t, want, got, name)
		}
	})
}

// roundConfidences keeps four decimals, as PAGE-XML does: other formats would round what was rounded before.
func roundConfidences(doc *document.Document) {
	round := func(c *float64) { *c = math.Round(*c*10_000) / 10_000 }
	for i := range doc.Pages {
		page := &doc.Pages[i]
		round(&page.Confidence)
		for j := range page.Blocks {
			for k := range page.Blocks[j].Lines {
				for l := range page.Blocks[j].Lines[k].Words {
					word := &page.Blocks[j].Lines[k].Words[l]
					round(&word.Confidence)
					for m := range word.Alternatives {
						round(&word.Alternatives[m].Confidence)
					}
				}
			}
		}
	}
}

// dropLowerEdges removes baselines that equal the lower edge of their line: they stand for baselines that are not known.
func dropLowerEdges(doc *document.Document) {
	for i := range doc.Pages {
		for j := range doc.Pages[i].Blocks {
			for k := range doc.Pages[i].Blocks[j].Lines {
				line := &doc.Pages[i].Blocks[j].Lines[k]
				bottom := line.Box.Y + line.Box.H
				if slices.Equal(line.Baseline, []document.Point{{X: line.Box.X, Y: bottom}, {X: line.Box.X + line.Box.W, Y: bottom}}) {
					line.Baseline = nil
				}
			}
		}
	}
}

func TestReadDocument_Alternatives(t *testing.T) {
	t.Parallel()
	box := document.Box{X: 1, Y: 1, W: 50, H: 10}
	word := document.Word{Box: box, Text: "what", Confidence: 0.5, Alternatives: []document.Alternative{{Text: "when", Confidence: 0.3}, {Text: "whit", Confidence: 0.2}}}
	doc := &document.Document{Language: "en", Pages: []document.Page{{
		Width: 100, Height: 100, Blocks: []document.Block{document.BlockOf([]document.Line{{Box: box, Words: []document.Word{word}}})},
	}}}
	written, err := format.Write("page", doc, format.Meta{})
	require.NoError(t, err)
	read, err := pagefile.ReadDocument([]byte(written))
	require.NoError(t, err)
	assert.Equal(t, doc.Normalized(), read)
	_, err = pagefile.ReadDocument([]byte(strings.Replace(written, `index="1" conf="0.3"`, `index="1" conf="3"`, 1)))
	require.ErrorContains(t, err, "conf")
}

func TestReadDocument_Wholes(t *testing.T) {
	t.Parallel()
	line := func(y int, word string) document.Line {
		box := document.Box{X: 1, Y: y, W: 50, H: 10}
		return document.Line{Box: box, Words: []document.Word{{Box: box, Text: word, Confidence: 0.5, Model: "a+b"}}}
	}
	doc := &document.Document{
		Language: "en", Models: []document.Model{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Pages: []document.Page{{Width: 100, Height: 100, Rotation: 270, DPI: 300, Blocks: []document.Block{document.BlockOf([]document.Line{
			line(1, "begin-"), line(20, "ning"),
		})}}},
	}
	doc.MarkBroken(func(string) bool { return true })
	written, err := format.Write("page", doc, format.Meta{})
	require.NoError(t, err)
	read, err := pagefile.ReadDocument([]byte(written))
	require.NoError(t, err)
	assert.Equal(t, doc.Normalized(), read)
}

func TestReadDocument_RefusesOtherFiles(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"an ALTO file":             `<alto><Layout><Page WIDTH="9" HEIGHT="9"/></Layout></alto>`,
		"a region without text":    `<PcGts><Metadata/><Page imageWidth="9" imageHeight="9"><TextRegion id="r"/></Page></PcGts>`,
		"a wrong confidence":       `<PcGts><Metadata/><Page imageWidth="9" imageHeight="9" conf="2"/></PcGts>`,
		"a METS without any page":  `<mets/>`,
		"a file that is not XML":   `uncial`,
		"a page without its sizes": `<PcGts><Metadata/><Page/></PcGts>`,
	} {
		_, err := pagefile.ReadDocument([]byte(source))
		require.Error(t, err, name)
	}
	_, err := pagefile.ReadDocument([]byte(`<PcGts><Page imageWidth="9" imageHeight="9"/></PcGts>`))
	require.NoError(t, err, "a page without metadata is read")
}
