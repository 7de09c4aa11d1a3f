package pagefile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
	"uncial/internal/format"
	"uncial/internal/pagefile"
)

// TestRead_whatTheWritersWrite reads documents back that internal/format wrote.
func TestRead_whatTheWritersWrite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"alto", "page"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				doc := documenttest.Valid().Draw(t, "document")
				text, err := format.Write(name, doc, format.Meta{})
				require.NoError(t, err)
				pages, err := pagefile.Read([]byte(text))
				require.NoError(t, err, text)
				got := &document.Document{Pages: pages}
				require.Equal(t, doc.Text(), got.Text())
				require.Len(t, pages, len(doc.Pages))
				for i, p := range pages {
					require.Equal(t, doc.Pages[i].Width, p.Width)
					requireWords(t, &doc.Pages[i], &p)
				}
			})
		})
	}
}

func requireWords(t *rapid.T, want, got *document.Page) {
	var a, b []document.Word
	for w := range document.Words(want.Blocks) {
		a = append(a, *w)
	}
	for w := range document.Words(got.Blocks) {
		b = append(b, *w)
	}
	require.Len(t, b, len(a))
	for i := range a {
		require.Equal(t, a[i].Box, b[i].Box)
		require.InDelta(t, a[i].Confidence, b[i].Confidence, 0.0001)
	}
}

const altoHead = `<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v2#"><Description><MeasurementUnit>pixel</MeasurementUnit></Description><Layout><Page WIDTH="1000" HEIGHT="500.4">`

func alto(content string) string { return altoHead + content + `</Page></Layout></alto>` }

const pageHead = `<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2013-07-15"><Page imageWidth="1000" imageHeight="500">`

func page(content string) string { return pageHead + content + `</Page></PcGts>` }

func region(id, content string) string {
	return fmt.Sprintf(`<TextRegion id="%s"><Coords points="0,0 1000,0 1000,500 0,500"/>%s</TextRegion>`, id, content)
}

func line(text string) string {
	return fmt.Sprintf(`<TextLine id="l"><Coords points="0,10 400,10 400,50 0,50"/><Baseline points="0,45 400,45"/><TextEquiv><Unicode>%s</Unicode></TextEquiv></TextLine>`, text)
}

// TestRead_otherTools reads what transcription tools write: whole lines without words, margins, composed blocks, hyphens,
// reading orders, alternatives.
func TestRead_otherTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, text string }{
		"a whole line in one String": {alto(`<PrintSpace><TextBlock><TextLine HPOS="10" VPOS="20" WIDTH="300" HEIGHT="40"><String CONTENT="Arma virumque  cano"/></TextLine></TextBlock></PrintSpace>`), "Arma virumque cano"},
		"a polygon instead of a box": {alto(`<PrintSpace><TextBlock><TextLine><Shape><Polygon POINTS="10 20 310 20 310 60 10 60"/></Shape><String CONTENT="cano"/></TextLine></TextBlock></PrintSpace>`), "cano"},
		"composed blocks and margins": {alto(`<TopMargin><TextBlock><TextLine><String HPOS="1" VPOS="1" WIDTH="9" HEIGHT="9" CONTENT="12"/></TextLine></TextBlock></TopMargin>
			<PrintSpace><ComposedBlock><TextBlock><TextLine><String HPOS="1" VPOS="20" WIDTH="9" HEIGHT="9" CONTENT="a"/></TextLine></TextBlock></ComposedBlock></PrintSpace>`), "12\n\na"},
		"a hyphen":                        {alto(`<PrintSpace><TextBlock><TextLine><String HPOS="1" VPOS="20" WIDTH="9" HEIGHT="9" CONTENT="virum"/><HYP CONTENT="-"/></TextLine></TextBlock></PrintSpace>`), "virum-"},
		"an empty line and a blank block": {alto(`<PrintSpace><TextBlock><TextLine HPOS="1" VPOS="1" WIDTH="9" HEIGHT="9"/></TextBlock><TextBlock/></PrintSpace>`), ""},
		"lines without words":             {page(region("r1", line("Arma virumque")+line("cano"))), "Arma virumque\ncano"},
		"a reading order":                 {page(`<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="1" regionRef="r1"/><RegionRefIndexed index="0" regionRef="r2"/></OrderedGroup></ReadingOrder>` + region("r1", line("second")) + region("r2", line("first")) + region("r3", line("last"))), "first\n\nsecond\n\nlast"},
		"alternatives":                    {page(region("r1", `<TextLine id="l"><Coords points="0,10 400,10 400,50"/><TextEquiv index="1"><Unicode>worse</Unicode></TextEquiv><TextEquiv index="0"><Unicode>better</Unicode></TextEquiv></TextLine>`)), "better"},
		"nested regions":                  {page(region("r1", region("r2", line("inner")))), "inner"},
		"a decomposed letter":             {page(region("r1", line("e\u0301te"))), "éte"},
		"a blank page":                    {page(""), ""},
	} {
		t.Run("reads "+name, func(t *testing.T) {
			t.Parallel()
			pages, err := pagefile.Read([]byte(c.source))
			require.NoError(t, err)
			doc := &document.Document{Pages: pages}
			assert.Equal(t, c.text, doc.Text())
			for w := range document.Words(pages[0].Blocks) {
				assert.Positive(t, w.Box.W)
				assert.LessOrEqual(t, w.Box.X+w.Box.W, 400)
			}
		})
	}
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	str := func(attributes string) string {
		return alto(`<PrintSpace><TextBlock><TextLine><String ID="s1" ` + attributes + `/></TextLine></TextBlock></PrintSpace>`)
	}
	for name, c := range map[string]struct{ source, want string }{
		"text":                     {"Arma virumque cano", "not well-formed XML"},
		"half a file":              {altoHead, "not well-formed XML"},
		"another encoding":         {`<?xml version="1.0" encoding="ISO-8859-1"?><alto/>`, "ISO-8859-1"},
		"another vocabulary":       {`<html/>`, "the root element is <html>"},
		"no page":                  {`<alto><Layout/></alto>`, "there is no page"},
		"tenths of millimetres":    {strings.Replace(str(""), "pixel", "mm10", 1), `MeasurementUnit must be pixel, not "mm10"`},
		"a page without a size":    {strings.Replace(alto(""), `WIDTH="1000"`, "", 1), `Page: WIDTH must be a number of pixels, not ""`},
		"a page that is too large": {strings.Replace(alto(""), `WIDTH="1000"`, `WIDTH="40000"`, 1), "WIDTH must be a number of pixels"},
		"a page without height":    {strings.Replace(alto(""), `500.4`, `0`, 1), "must be at least 1"},
		"a word off the page":      {str(`HPOS="990" VPOS="1" WIDTH="20" HEIGHT="9" CONTENT="a"`), `String "s1": its box 990,1 20x9 is empty or not on the page of 1000x500 pixels`},
		"a word without width":     {str(`HPOS="90" VPOS="1" WIDTH="0" HEIGHT="9" CONTENT="a"`), "is empty or not on the page"},
		"a word without a place":   {str(`CONTENT="a"`), `TextLine: HPOS must be a number`},
		"a confidence in percent":  {str(`HPOS="9" VPOS="1" WIDTH="2" HEIGHT="9" WC="97" CONTENT="a"`), `WC must be from 0 to 1, not "97"`},
		"a confidence that is NaN": {str(`HPOS="9" VPOS="1" WIDTH="2" HEIGHT="9" WC="NaN" CONTENT="a"`), `WC must be from 0 to 1`},
		"a replacement character":  {str("HPOS=\"9\" VPOS=\"1\" WIDTH=\"2\" HEIGHT=\"9\" CONTENT=\"a\uFFFD\""), "characters that no answer may contain"},
		"a noncharacter":           {page(region("r", line("a\uFDD0b"))), "characters that no answer may contain"},
		"a region without lines":   {page(region("r", `<TextEquiv><Unicode>text</Unicode></TextEquiv>`)), `TextRegion "r": has text, but no TextLine`},
		"a line without Coords":    {page(region("r", `<TextLine id="x"><TextEquiv><Unicode>a</Unicode></TextEquiv></TextLine>`)), `TextLine "x": has no Coords`},
		"invalid points":           {page(region("r", strings.Replace(line("a"), "0,10 400,10", "0,10 400", 1))), "is not a list of points"},
		"an invalid baseline":      {page(region("r", strings.Replace(line("a"), "0,45 400,45", "0,x", 1))), "Baseline: \"0,x\" is not a list of points"},
		"endless nesting":          {strings.Repeat("<alto>", 20_000), "not well-formed XML"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := pagefile.Read([]byte(c.source))
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(alto(`<PrintSpace><TextBlock><TextLine BASELINE="1,2 3,4"><String HPOS="1" VPOS="20" WIDTH="9" HEIGHT="9" CONTENT="virum"/></TextLine></TextBlock></PrintSpace>`)))
	f.Add([]byte(page(region("r1", line("Arma virumque")))))
	f.Fuzz(func(t *testing.T, source []byte) {
		pages, err := pagefile.Read(source)
		if err != nil {
			return
		}
		doc := &document.Document{Pages: pages, Language: "en"}
		for _, name := range []string{"alto", "page", "hocr", "tsv"} {
			if _, err := format.Write(name, doc, format.Meta{}); err != nil {
				t.Fatal(err)
			}
		}
		if doc.Text() != doc.Normalized().Text() {
			t.Fatal("the text changes when it is written")
		}
	})
}
