package groundtruth_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/groundtruth"
)

const pageXML = `<?xml version="1.0"?>
<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page imageFilename="C:\scans\One.JPG" imageWidth="400" imageHeight="200">
<TextRegion id="r"><TextLine id="a"><Coords points="10,20 210,20 210,60 10,60"/><Baseline points="210,50 10,50"/>
<Word id="w"><Coords points="0,0 1,0 1,1"/><TextEquiv><Unicode>one</Unicode></TextEquiv></Word>
<TextEquiv index="1"><Unicode>second choice</Unicode></TextEquiv><TextEquiv index="0"><Unicode> first choice </Unicode></TextEquiv></TextLine>
<TextLine id="b"><Coords points="10,80 210,80 210,120"/><Baseline points="10,110 210,110"/><TextEquiv><Unicode></Unicode></TextEquiv></TextLine>
<TextEquiv><Unicode>text of the region</Unicode></TextEquiv></TextRegion></Page></PcGts>`

const altoXML = `<?xml version="1.0"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description><sourceImageInformation><fileName>two.png</fileName></sourceImageInformation></Description>
<Layout><Page WIDTH="300" HEIGHT="100"><PrintSpace><TextBlock><TextLine BASELINE="10 40 110 44">
<Shape><Polygon POINTS="10 10 110 14 110 54 10 50"/></Shape><String CONTENT="zwei"/><SP/><String CONTENT="&amp;amp;Wor"/><HYP CONTENT="-"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>`

// MustFolder writes files into a new folder.
func MustFolder(tb testing.TB, files map[string]string) string {
	tb.Helper()
	folder := tb.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	}
	return folder
}

func TestFind(t *testing.T) {
	t.Parallel()
	folder := MustFolder(t, map[string]string{
		"page/1.xml": pageXML, "images/one.jpg": "an image", "2.xml": altoXML, "two.png": "an image",
		"mets.xml": "<mets/>", "broken.xml": "<PcGts><Page", "3.xml": `<alto><Layout><Page WIDTH="1" HEIGHT="1"/></Layout></alto>`,
	})
	pages, skipped, err := groundtruth.Find(folder)
	require.NoError(t, err)
	require.Equal(t, []groundtruth.Page{
		{
			XML: filepath.Join(folder, "2.xml"), Image: filepath.Join(folder, "two.png"), Width: 300, Height: 100,
			Lines: []groundtruth.Line{{
				Text: "zwei &Wor-", Baseline: []groundtruth.Point{{10, 40}, {110, 44}},
				Polygon: []groundtruth.Point{{10, 10}, {110, 14}, {110, 54}, {10, 50}},
			}},
		},
		{
			XML: filepath.Join(folder, "page/1.xml"), Image: filepath.Join(folder, "images/one.jpg"), Width: 400, Height: 200,
			Lines: []groundtruth.Line{{
				Text: "first choice", Baseline: []groundtruth.Point{{10, 50}, {210, 50}},
				Polygon: []groundtruth.Point{{10, 20}, {210, 20}, {210, 60}, {10, 60}},
			}},
		},
	}, pages)
	reasons := map[string]string{}
	for _, s := range skipped {
		reasons[filepath.Base(s.Path)] = s.Reason
	}
	require.Equal(t, "no line has text, a baseline and a polygon", reasons["3.xml"])
	require.Equal(t, "lines without text, baseline or polygon: 1", reasons["1.xml"])
	require.Contains(t, reasons["broken.xml"], "it is not XML")
	require.NotContains(t, reasons, "mets.xml")
}

// altoNaming returns a page in ALTO that names an image.
func altoNaming(image string) string { return strings.Replace(altoXML, "two.png", image, 1) }

func TestFind_Documents(t *testing.T) {
	t.Parallel()
	t.Run("takes the image of the same document", func(t *testing.T) {
		t.Parallel()
		folder := MustFolder(t, map[string]string{
			"A/0001.jpg": "an image", "A/thumbs/0001.jpg": "an image", "A/page/0001.xml": altoNaming("0001.jpg"),
			"B/0001.jpg": "an image", "B/page/0001.xml": altoNaming("0001.jpg"),
			"C/images/0001.png": "an image", "C/page/0001.xml": altoNaming("other.jpg"),
			"D/0001.JPG": "an image", "D/0001.xml": altoNaming("0001.jpg"),
		})
		pages, skipped, err := groundtruth.Find(folder)
		require.NoError(t, err)
		require.Empty(t, skipped)
		var images []string
		for _, p := range pages {
			images = append(images, strings.TrimPrefix(p.Image, folder+"/"))
		}
		require.Equal(t, []string{"A/0001.jpg", "B/0001.jpg", "C/images/0001.png", "D/0001.JPG"}, images)
	})
	t.Run("refuses to choose among images of the same name", func(t *testing.T) {
		t.Parallel()
		folder := MustFolder(t, map[string]string{"A/0001.jpg": "x", "B/0001.jpg": "x", "page/0001.xml": altoNaming("0001.jpg")})
		_, _, err := groundtruth.Find(folder)
		require.ErrorIs(t, err, groundtruth.ErrNoPages)
		require.ErrorContains(t, err, "two images could be its image \"0001.jpg\": "+folder+"/A/0001.jpg and "+folder+"/B/0001.jpg; remove one")
	})
}

func TestFind_Numbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, wrong, want string }{
		"a width":            {`WIDTH="300"`, `WIDTH="NaN"`, ""},
		"a baseline":         {`BASELINE="10 40 110 44"`, `BASELINE="10 40 Inf 44"`, "no line has text, a baseline and a polygon"},
		"a polygon":          {`10 10 110 14`, `10 NaN 110 14`, "no line has text, a baseline and a polygon"},
		"a point far away":   {`10 10 110 14`, `10 -1e300 110 14`, "no line has text, a baseline and a polygon"},
		"a height of 1e300":  {`HEIGHT="100"`, `HEIGHT="1e300"`, ""},
		"a height below one": {`HEIGHT="100"`, `HEIGHT="-Inf"`, ""},
	} {
		t.Run("ignores "+name+" that is not a number of pixels", func(t *testing.T) {
			t.Parallel()
			pages, _, err := groundtruth.Find(MustFolder(t, map[string]string{"2.xml": strings.Replace(altoXML, c.old, c.wrong, 1), "two.png": "an image"}))
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Zero(t, pages[0].Width*pages[0].Height)
		})
	}
}

func TestFind_Errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"an empty folder":              {nil, "it has no .xml files; export PAGE or ALTO with images"},
		"transcriptions without image": {map[string]string{"1.xml": pageXML}, "it has no images"},
		"images of other pages":        {map[string]string{"1.xml": pageXML, "other.jpg": "x"}, `its image "One.JPG" is not in the folder`},
		"other XML":                    {map[string]string{"1.xml": "<TEI/>", "other.jpg": "x"}, "neither PAGE nor ALTO"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, _, err := groundtruth.Find(MustFolder(t, c.files))
			require.ErrorIs(t, err, groundtruth.ErrNoPages)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, _, err := groundtruth.Find(filepath.Join(t.TempDir(), "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestLine_Heights(t *testing.T) {
	t.Parallel()
	base := []groundtruth.Point{{0, 50}, {200, 50}}
	t.Run("measures a band", func(t *testing.T) {
		t.Parallel()
		up, down, ok := groundtruth.Line{Baseline: base, Polygon: []groundtruth.Point{{0, 20}, {200, 20}, {200, 60}, {0, 60}}}.Heights()
		require.True(t, ok)
		require.InDelta(t, 30, up, 0.01)
		require.InDelta(t, 10, down, 0.01)
	})
	t.Run("ignores a single flourish", func(t *testing.T) {
		t.Parallel()
		up, _, ok := groundtruth.Line{Baseline: base, Polygon: []groundtruth.Point{{0, 20}, {100, 20}, {101, -90}, {110, -90}, {111, 20}, {200, 20}, {200, 60}, {0, 60}}}.Heights()
		require.True(t, ok)
		require.InDelta(t, 30, up, 0.5)
	})
	t.Run("refuses a polygon that is a point", func(t *testing.T) {
		t.Parallel()
		_, _, ok := groundtruth.Line{Baseline: base, Polygon: []groundtruth.Point{{5, 5}, {6, 6}, {7, 5}}}.Heights()
		require.False(t, ok)
	})
}
