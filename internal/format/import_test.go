package format_test

import (
	"encoding/xml"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
	"uncial/internal/format/formattest"
)

// These tests read our files by the rules of other programs' importers: kraken (parse_alto and parse_page in kraken/lib/xml.py)
// and eScriptorium (AltoParser and PagexmlParser in apps/imports/parsers.py).

// imported is what an importer makes of a line.
type imported struct {
	baseline, mask [][2]int
	text           string
}

type altoFile struct {
	SchemaLocation string   `xml:"schemaLocation,attr"`
	FileName       string   `xml:"Description>sourceImageInformation>fileName"`
	Unit           string   `xml:"Description>MeasurementUnit"`
	Lines          []altoTL `xml:"Layout>Page>PrintSpace>TextBlock>TextLine"`
}

type altoTL struct {
	Baseline string `xml:"BASELINE,attr"`
	Polygon  struct {
		Points string `xml:"POINTS,attr"`
	} `xml:"Shape>Polygon"`
	Parts []struct {
		XMLName xml.Name
		Content string `xml:"CONTENT,attr"`
	} `xml:",any"`
}

type pageFile struct {
	SchemaLocation string `xml:"schemaLocation,attr"`
	Page           struct {
		Name  string   `xml:"imageFilename,attr"`
		Lines []pageTL `xml:"TextRegion>TextLine"`
	}
}

type pageTL struct {
	Coords struct {
		Points string `xml:"points,attr"`
	}
	Baseline struct {
		Points string `xml:"points,attr"`
	}
	Words []string `xml:"Word>TextEquiv>Unicode"`
	Text  string   `xml:"TextEquiv>Unicode"`
}

// coordinates reads "x1 y1 x2 y2": eScriptorium splits ALTO's points at spaces and takes each part as a number.
func coordinates(t *testing.T, points string) (all [][2]int) {
	t.Helper()
	fields := strings.Split(points, " ")
	require.Zero(t, len(fields)%2, points)
	for i := 0; i < len(fields); i += 2 {
		all = append(all, [2]int{mustInt(t, fields[i]), mustInt(t, fields[i+1])})
	}
	return all
}

// commas reads "x1,y1 x2,y2" of integers, as both importers read PAGE-XML.
func commas(t *testing.T, points string) (all [][2]int) {
	t.Helper()
	for point := range strings.SplitSeq(points, " ") {
		x, y, ok := strings.Cut(point, ",")
		require.True(t, ok, points)
		all = append(all, [2]int{mustInt(t, x), mustInt(t, y)})
	}
	return all
}

func mustInt(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

// importable has a line with a baseline, and one whose baseline is not known.
func importable() *document.Document {
	line := func(y int, baseline []document.Point) document.Line {
		return document.Line{
			Box: document.Box{X: 10, Y: y, W: 200, H: 40}, Baseline: baseline,
			Words: []document.Word{
				{Box: document.Box{X: 10, Y: y, W: 90, H: 40}, Text: "Whan", Confidence: 0.9},
				{Box: document.Box{X: 110, Y: y, W: 100, H: 40}, Text: "that", Confidence: 0.9},
			},
		}
	}
	return &document.Document{Language: "enm", Pages: []document.Page{{Width: 500, Height: 500, Blocks: []document.Block{
		document.BlockOf([]document.Line{line(20, []document.Point{{X: 10, Y: 50}, {X: 210, Y: 54}}), line(80, nil)}),
	}}}}
}

var wantImported = []imported{
	{[][2]int{{10, 50}, {210, 54}}, [][2]int{{10, 20}, {210, 20}, {210, 60}, {10, 60}}, "Whan that"},
	{[][2]int{{10, 120}, {210, 120}}, [][2]int{{10, 80}, {210, 80}, {210, 120}, {10, 120}}, "Whan that"},
}

func TestWrite_ALTOIsImported(t *testing.T) {
	t.Parallel()
	written := MustWrite(t, "alto", importable())
	formattest.RequireValid(t, "alto", written)
	var file altoFile
	require.NoError(t, xml.Unmarshal([]byte(written), &file))
	require.NotEmpty(t, file.FileName, "both match files with images by name")
	require.Equal(t, "pixel", file.Unit)
	require.Contains(t, file.SchemaLocation, " http", "eScriptorium refuses files without a schema location")
	var got []imported
	for _, l := range file.Lines {
		text := ""
		for _, part := range l.Parts { // kraken joins String and SP; eScriptorium puts a space between Strings
			switch part.XMLName.Local {
			case "String":
				text += part.Content
			case "SP":
				text += " "
			}
		}
		got = append(got, imported{coordinates(t, l.Baseline), coordinates(t, l.Polygon.Points), text})
	}
	require.Equal(t, wantImported, got)
}

func TestWrite_PAGEIsImported(t *testing.T) {
	t.Parallel()
	written := MustWrite(t, "page", importable())
	formattest.RequireValid(t, "page", written)
	var file pageFile
	require.NoError(t, xml.Unmarshal([]byte(written), &file))
	require.NotEmpty(t, file.Page.Name)
	require.Contains(t, file.SchemaLocation, " http")
	var got []imported
	for _, l := range file.Page.Lines {
		require.Equal(t, l.Text, strings.Join(l.Words, " "), "kraken takes the text of the line, eScriptorium that of its words")
		got = append(got, imported{commas(t, l.Baseline.Points), commas(t, l.Coords.Points), l.Text})
	}
	require.Equal(t, wantImported, got)
}
