package main

import (
	"encoding/json"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/internal/accuracy"
)

// mustFolder writes a folder of pages with one line of text each.
func mustFolder(tb testing.TB, texts ...string) *accuracy.Folder {
	tb.Helper()
	dir := tb.TempDir()
	var pages []accuracy.Page
	for i, text := range texts {
		name := string(rune('a' + i))
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name+".png"), ocrtest.MustPNG(tb, ocrtest.Page(text)), 0o600))
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600))
		pages = append(pages, accuracy.Page{ID: name, Collection: "c", Language: "en", Kind: "printed", Image: name + ".png", GroundTruth: name + ".txt"})
	}
	index, err := json.Marshal(pages)
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "index.json"), index, 0o600))
	folder, err := accuracy.OpenFolder(dir)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, folder.Close()) })
	return folder
}

func TestLoad(t *testing.T) {
	t.Parallel()
	folder := mustFolder(t, "One", "Two", "Three", "Four")
	folder.Pages[3].Kind = "handwritten"
	page := ocrtest.Page("One").Rect.Size()
	diagonal := int(math.Ceil(math.Hypot(float64(page.X), float64(page.Y))))
	for how, want := range map[string]struct {
		size  image.Point
		truth string
	}{
		"":         {page, "One"},
		"turn90":   {image.Pt(page.Y, page.X), "One"},
		"turn180":  {page, "One"},
		"facing":   {image.Pt(2*page.X, page.Y), "One\nTwo"},
		"mixed":    {image.Pt(2*page.X, page.Y), "One\nFour"},
		"columns":  {image.Pt(3*page.X+12, page.Y), "One\nTwo\nThree"},
		"half":     {page.Div(2), "One"},
		"shadow":   {page, "One"},
		"photo":    {page.Add(image.Pt(page.X/8*2, page.X/8*2)), "One"},
		"slant":    {image.Pt(diagonal, diagonal), "One"},
		"noise":    {image.Pt(page.X*900/page.Y, 900), "One"},
		"dither":   {page, "One"},
		"mirror":   {page, "One"},
		"negative": {page, "One"},
		"waves":    {page, "One"},
		"fold":     {page, "One"},
		"bleed":    {page, "One"},
		"fade":     {page, "One"},
		"edge":     {page, "One"},
		"middle":   {page, "One"},
	} {
		group := degradations[how].group(folder.Pages)[0]
		data, truth, err := load(folder, group, how, 3)
		require.NoError(t, err, how)
		require.Equal(t, want.truth, truth, how)
		img, err := firstImage(data)
		require.NoError(t, err, how)
		require.Equal(t, want.size, img.Rect.Size(), how)
		again, _, err := load(folder, group, how, 3)
		require.NoError(t, err, how)
		require.Equal(t, data, again, "%s is the same in every run", how)
	}
	require.Empty(t, degradations["columns"].group(folder.Pages[:2]), "two pages are too few for three columns")
}

func TestOptions_check_degrade(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, options{Jobs: 1, Degrade: "burnt"}.check(), "--degrade: unknown kind \"burnt\"; choose among bleed, columns, dither, edge")
}

func TestPrintAndHandwriting(t *testing.T) {
	t.Parallel()
	page := func(id, kind, language string) accuracy.Page {
		return accuracy.Page{ID: id, Kind: kind, Language: language}
	}
	var pairs [][2]string
	for _, g := range printAndHandwriting([]accuracy.Page{
		page("letter", "handwritten", "fr"), page("atlas", "printed", "fr"), page("novel", "printed", "fr"), page("form", "mixed", "fr"),
		page("diary", "handwritten", "fr"), page("charter", "handwritten", "la"), page("will", "handwritten", "fr"),
	}) {
		pairs = append(pairs, [2]string{g[0].ID, g[1].ID})
		require.Equal(t, "mixed", g[0].Kind)
	}
	require.Equal(t, [][2]string{{"atlas", "letter"}, {"diary", "novel"}, {"atlas", "will"}}, pairs)
}
