package groundtruth

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"uncial/internal/text"
)

// errOther means that a file is XML of another kind.
var errOther = errors.New("neither PAGE nor ALTO")

// parse reads a transcription. Page.Image is the name that it states; the lines are returned separately, because some of them
// may be unusable.
func parse(data []byte) (Page, []Line, error) {
	root, err := rootOf(data)
	if err != nil {
		return Page{}, nil, err
	}
	parseLines := map[string]func([]byte) (Page, []Line, error){"PcGts": parsePAGE, "alto": parseALTO}[root]
	if parseLines == nil {
		return Page{}, nil, errOther
	}
	page, lines, err := parseLines(data)
	for i := range lines {
		lines[i].Text = text.WithoutEntities(lines[i].Text)
	}
	return page, lines, err
}

// rootOf returns the name of the root element, which tells ALTO from PAGE-XML.
func rootOf(data []byte) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err != nil {
			return "", fmt.Errorf("it is not XML: %w", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// pageLine is a TextLine of PAGE-XML (2019-07-15), with the parts that training needs.
type pageLine struct {
	Coords struct {
		Points string `xml:"points,attr"`
	} `xml:"Coords"`
	Baseline struct {
		Points string `xml:"points,attr"`
	} `xml:"Baseline"`
	Texts []textEquiv `xml:"TextEquiv"`
}

// textEquiv is one of the readings of a line. The lowest index is the transcription.
type textEquiv struct {
	Index   int    `xml:"index,attr"`
	Unicode string `xml:"Unicode"`
}

// parsePAGE takes the first text of each line, by its index; texts of words and glyphs are not read.
func parsePAGE(data []byte) (Page, []Line, error) {
	var (
		page  Page
		lines []Line
	)
	err := walk(data, func(d *xml.Decoder, start xml.StartElement) error {
		switch start.Name.Local {
		case "Page":
			page.Image = attribute(start, "imageFilename")
			page.Width, page.Height = size(start, "imageWidth", "imageHeight")
		case "TextLine":
			var l pageLine
			if err := d.DecodeElement(&l, &start); err != nil {
				return err
			}
			line := Line{Baseline: leftToRight(points(l.Baseline.Points)), Polygon: points(l.Coords.Points)}
			if len(l.Texts) > 0 {
				first := slices.MinFunc(l.Texts, func(a, b textEquiv) int { return cmp.Compare(a.Index, b.Index) })
				line.Text = strings.TrimSpace(first.Unicode)
			}
			lines = append(lines, line)
		}
		return tooMany(lines)
	})
	return page, lines, err
}

// altoLine is a TextLine of ALTO 4. Parts are words, spaces and hyphens in their order.
type altoLine struct {
	Baseline string `xml:"BASELINE,attr"`
	Polygon  struct {
		Points string `xml:"POINTS,attr"`
	} `xml:"Shape>Polygon"`
	Parts []altoPart `xml:",any"`
}

type altoPart struct {
	XMLName xml.Name
	Content string `xml:"CONTENT,attr"`
}

// parseALTO reads an ALTO file of any version: the name and size of the image, and the lines in the order of the file.
// Coordinates stay in the unit of the file. Errors: those of XML, and too many lines.
func parseALTO(data []byte) (Page, []Line, error) {
	var (
		page  Page
		lines []Line
	)
	err := walk(data, func(d *xml.Decoder, start xml.StartElement) error {
		switch start.Name.Local {
		case "fileName":
			var name string
			if err := d.DecodeElement(&name, &start); err != nil {
				return err
			}
			page.Image = cmp.Or(page.Image, strings.TrimSpace(name))
		case "Page":
			page.Width, page.Height = size(start, "WIDTH", "HEIGHT")
		case "TextLine":
			var l altoLine
			if err := d.DecodeElement(&l, &start); err != nil {
				return err
			}
			lines = append(lines, Line{altoText(l.Parts), leftToRight(points(l.Baseline)), points(l.Polygon.Points)})
		}
		return tooMany(lines)
	})
	return page, lines, err
}

// altoText joins the words of a line. eScriptorium writes a whole line as one String.
func altoText(parts []altoPart) string {
	var words []string
	for _, p := range parts {
		switch {
		case p.XMLName.Local == "String" && p.Content != "":
			words = append(words, p.Content)
		case p.XMLName.Local == "HYP" && len(words) > 0:
			words[len(words)-1] += p.Content
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// walk calls visit for each element that no earlier call has consumed.
func walk(data []byte, visit func(*xml.Decoder, xml.StartElement) error) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("it is not XML: %w", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := visit(d, start); err != nil {
				return err
			}
		}
	}
}

// tooMany bounds the memory that a hostile transcription takes.
func tooMany(lines []Line) error {
	if len(lines) > maxLines {
		return fmt.Errorf("it has more than %d lines", maxLines)
	}
	return nil
}

// attribute returns an attribute by its local name, "" if it is absent. Namespaces do not matter here.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// maxCoordinate is the largest absolute value of a coordinate: far above that of any image, and far below any that could make
// sums overflow.
const maxCoordinate = 1e6

// number reads a coordinate or a length. ok is false for anything else, such as NaN, an infinite number or a huge one.
func number(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(v) <= maxCoordinate) { // also refuses NaN
		return 0, false
	}
	return v, true
}

// size returns the width and height that the element of a page states, or 0 for one that it does not state.
func size(page xml.StartElement, width, height string) (w, h float64) {
	w, _ = number(attribute(page, width))
	h, _ = number(attribute(page, height))
	return w, h
}

// points reads "x,y x,y", the form of PAGE, and "x y x y", which ALTO permits too. A malformed list has no points.
func points(text string) []Point {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	if len(fields)%2 != 0 {
		return nil
	}
	out := make([]Point, 0, len(fields)/2)
	for i := 0; i < len(fields); i += 2 {
		x, okX := number(fields[i])
		y, okY := number(fields[i+1])
		if !okX || !okY {
			return nil
		}
		out = append(out, Point{x, y})
	}
	return out
}

// leftToRight sorts the points of a baseline: some tools write them from right to left.
func leftToRight(p []Point) []Point {
	slices.SortStableFunc(p, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return p
}
