// Command generate draws the pages in impl/ocr/ocrtest/testdata/pages, which tests use if no real pages are available.
// Texts, fonts and drawings are the project's own or come with Go, so the pages may be distributed with it. The same version of
// Go draws the same files. Run it with `go generate ./impl/ocr/ocrtest`.
package main

import (
	"encoding/json"
	"flag"
	"image"
	"image/jpeg"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr/ocrtest"
	"uncial/internal/accuracy"
)

// page describes a page to draw.
type page struct {
	collection, name string // together the ID; the name is also that of the files
	language         string // BCP 47
	font             []byte // the content of a TrueType file; nil for handwriting
	text             string // the ground truth, with the page's line breaks
}

// pages has clean print in three languages, a typescript and handwriting. The hand of package ocrtest lacks capitals, k, w and
// z, so its text does too. Names of collections begin with "rendered", which distinguishes these pages from real ones.
var pages = []page{
	{"rendered-print", "letter", "en", goregular.TTF, `My dear brother, the ship came in
this morning with the evening tide,
and with it your parcel of books.
The harbour master kept it for an hour
because the seal was broken, but nothing
was missing except the string.
I have read the first volume already
and shall begin the second tonight.
Our mother sends her love and asks
whether the winter was hard in the north.`},
	{"rendered-print", "inventaire", "fr", goitalic.TTF, `Inventaire des meubles trouvés
dans la maison du notaire, dressé
le troisième jour de septembre.
Une table de chêne avec deux bancs,
un coffre fermé à clef, une armoire
où l'on a trouvé du linge et des lettres.
Au premier étage, un lit garni
de rideaux verts et trois chaises.`},
	{"rendered-print", "bericht", "de", goregular.TTF, `Bericht über die Ausstellung der Stadt
im Frühjahr des vergangenen Jahres.
Die Säle waren jeden Tag gut besucht,
und viele Gäste kamen auch von weither.
Besonders gefielen die großen Bilder
der Brücken und der alten Gärten.`},
	{"rendered-typescript", "minutes", "en", gomono.TTF, `MINUTES of the meeting held on
Tuesday, the fourth of March.
Present: the chairman, the
treasurer and nine members.
The report was read and agreed.
The next meeting will be held
in the library at seven o'clock.`},
	{"rendered-hand", "lettre", "fr", nil, `mon cher ami je suis arrivé
hier au soir dans notre maison
la route était longue et triste
les enfants sont en bonne santé
et le petit jardin est tout vert
nous attendons ton retour avant
la fin du mois et tu trouveras
du bon vin sur notre table
mille amitiés de nous tous`},
}

// main takes the folder as a flag, so that the pages can also be drawn elsewhere and compared.
func main() {
	out := flag.String("out", "testdata/pages", "folder to write")
	flag.Parse()
	if err := run(*out); err != nil {
		log.Fatal(err)
	}
}

// run draws all pages and writes their index, in the form that accuracy.OpenFolder reads. The position of a page in the list is
// its seed, so a new page belongs at the end.
func run(out string) error {
	// Tests that need a certain page name its ID, such as rendered-hand/lettre.
	var index []accuracy.Page
	for i, p := range pages {
		entry, err := write(out, p, uint64(i))
		if err != nil {
			return err
		}
		index = append(index, entry)
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "index.json"), append(text, '\n'), 0o600)
}

// write draws one page, writes the image and the ground truth, and returns the page's entry in the index. The seed decides
// the grain, and the irregularities of the handwriting.
func write(out string, p page, seed uint64) (accuracy.Page, error) {
	entry := accuracy.Page{
		ID: p.collection + "/" + p.name, Collection: p.collection, Language: p.language, Kind: "printed",
		Image: p.name + ".jpg", GroundTruth: p.name + ".gt.txt",
	}
	// Print has 12 points at 300 dots per inch; the handwriting has an x-height of 30 pixels.
	lines := strings.Split(p.text, "\n")
	// Kind is the true kind of the page, not the result of detecting handwriting.
	var img *image.Gray
	if p.font != nil {
		img = ocrtest.PageIn(p.font, 12, lines...)
	} else {
		entry.Kind = "handwritten"
		img = handwriting(lines, seed)
	}
	// The second number only separates this sequence from that of the handwriting.
	scan(img, rand.New(rand.NewPCG(seed, 7)))
	if err := os.MkdirAll(out, 0o750); err != nil {
		return entry, err
	}
	if err := os.WriteFile(filepath.Join(out, entry.GroundTruth), []byte(p.text+"\n"), 0o600); err != nil {
		return entry, err
	}
	f, err := os.Create(filepath.Join(out, entry.Image))
	if err != nil {
		return entry, err
	}
	// Quality 60 keeps the files in the repository small.
	if err := jpeg.Encode(f, img, &jpeg.Options{Quality: 60}); err != nil {
		return entry, err
	}
	return entry, f.Close()
}

// handwriting writes the lines on slightly wavy baselines. Each line has its own seed, so that equal letters look different.
func handwriting(lines []string, seed uint64) *image.Gray {
	// In pixels; pitch is the distance between baselines.
	const width, top, pitch, xHeight = 1600, 200, 130, 30
	img := ocrtest.BlankPage(width, top+pitch*len(lines))
	for i, line := range lines {
		y := float64(top + pitch*i)
		base := func(x float64) float64 { return y + 4*math.Sin(x/300+float64(i)) }
		ocrtest.Write(img, 120, xHeight, base, line, seed+uint64(i))
	}
	return img
}

// scan makes a drawing look like a scan, in place: with paper that is darker on one side, faded ink, and grain. None of the
// three must make the reading less accurate.
func scan(img *image.Gray, random *rand.Rand) {
	// From 240 on the left to 210 on the right; the ink takes away 80 % of the light, and the grain has a deviation of 3 grey
	// levels.
	for i, v := range img.Pix {
		x := float64(i%img.Stride) / float64(img.Stride)
		paper := 240 - 30*x
		ink := 1 - float64(v)/255
		img.Pix[i] = uint8(min(max(paper*(1-0.8*ink)+3*random.NormFloat64(), 0), 255))
	}
}
