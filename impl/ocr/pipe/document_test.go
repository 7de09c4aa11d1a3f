package pipe_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/pipe"
	"uncial/internal/document"
)

func TestConn_SendAnswer_InvalidDocument(t *testing.T) {
	t.Parallel()
	word := func(d *document.Document) *document.Word { return &d.Pages[0].Blocks[0].Lines[0].Words[0] }
	for name, damage := range map[string]func(*document.Document){
		"no pages":              func(d *document.Document) { d.Pages = nil },
		"eleven pages":          func(d *document.Document) { d.Pages = make([]document.Page, 11) },
		"no language":           func(d *document.Document) { d.Language = "" },
		"a confidence over one": func(d *document.Document) { d.Confidence = 1.01 },
		"a proofreader":         func(d *document.Document) { d.Proofreader = "a-language-model" },
		"a doubt off the page": func(d *document.Document) {
			d.Pages[0].Doubts = []document.Doubt{{Box: document.Box{X: -1, W: 9, H: 9}, Reason: document.UnreadInk, Characters: 1}}
		},
		"a doubt for another reason": func(d *document.Document) {
			d.Pages[0].Doubts = []document.Doubt{{Box: document.Box{W: 1, H: 1}, Reason: document.LowConfidence, Characters: 1}}
		},
		"a doubt without characters": func(d *document.Document) {
			d.Pages[0].Doubts = []document.Doubt{{Box: document.Box{W: 1, H: 1}, Reason: document.UnreadInk}}
		},
		"a graphic off the page": func(d *document.Document) {
			d.Pages[0].Graphics = []document.Graphic{{Box: document.Box{X: -1, W: 2, H: 2}, Kind: document.Music}}
		},
		"a graphic of another kind": func(d *document.Document) {
			d.Pages[0].Graphics = []document.Graphic{{Box: document.Box{W: 1, H: 1}, Kind: "map"}}
		},
		"too many graphics":                    func(d *document.Document) { d.Pages[0].Graphics = make([]document.Graphic, document.MaxGraphics+1) },
		"too many doubts":                      func(d *document.Document) { d.Pages[0].Doubts = make([]document.Doubt, document.MaxDoubts+1) },
		"a preview that is not a JPEG":         func(d *document.Document) { d.Pages[0].Preview = []byte("GIF89a") },
		"a preview that is too wide":           func(d *document.Document) { d.Pages[0].Preview = preview(t, document.MaxPreviewSide+1) },
		"a preview with too many bytes":        func(d *document.Document) { d.Pages[0].Preview = make([]byte, document.MaxPreviewBytes+1) },
		"a picture that no PDF can hold":       func(d *document.Document) { d.Pages[0].Picture = []byte("GIF89a") },
		"a picture with too many bytes":        func(d *document.Document) { d.Pages[0].Picture = make([]byte, document.MaxPictureBytes+1) },
		"an orientation that Exif lacks":       func(d *document.Document) { d.Pages[0].Orientation = 9 },
		"a page without width":                 func(d *document.Document) { d.Pages[0].Width = 0 },
		"a page that is too high":              func(d *document.Document) { d.Pages[0].Height = 1 << 20 },
		"a rotation by 45 degrees":             func(d *document.Document) { d.Pages[0].Rotation = 45 },
		"a negative resolution":                func(d *document.Document) { d.Pages[0].DPI = -1 },
		"a block without lines":                func(d *document.Document) { d.Pages[0].Blocks[0].Lines = nil },
		"a block outside the page":             func(d *document.Document) { d.Pages[0].Blocks[0].Box.W = 1 << 62 },
		"a line without words":                 func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Words = nil },
		"a line outside its block":             func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Box.X = 0 },
		"a baseline of one point":              func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Baseline = make([]document.Point, 1) },
		"a page's confidence over one":         func(d *document.Document) { d.Pages[0].Confidence = 1.01 },
		"a baseline outside its line":          func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Baseline[1].X = 32 },
		"a baseline above its line":            func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Baseline[0].Y = 1 },
		"a baseline that goes backwards":       func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Baseline[0].X = 31 },
		"a word outside its line":              func(d *document.Document) { word(d).Box.H = 11 },
		"a word without area":                  func(d *document.Document) { word(d).Box.W = 0 },
		"a word without text":                  func(d *document.Document) { word(d).Text = "" },
		"an alternative with a space":          func(d *document.Document) { word(d).Alternatives = []document.Alternative{{Text: "a b"}} },
		"an alternative's confidence over one": func(d *document.Document) { word(d).Alternatives = []document.Alternative{{Text: "a", Confidence: 2}} },
		"too many alternatives": func(d *document.Document) {
			word(d).Alternatives = slices.Repeat([]document.Alternative{{Text: "a"}}, 4)
		},
		"a word with a space":               func(d *document.Document) { word(d).Text = "a b" },
		"a word with a control character":   func(d *document.Document) { word(d).Text = "a\x00" },
		"a word that is not UTF-8":          func(d *document.Document) { word(d).Text = "\xff" },
		"a word's confidence below zero":    func(d *document.Document) { word(d).Confidence = -0.1 },
		"edits of an unenhanced document":   func(d *document.Document) { d.Edits = []document.Edit{{Rule: "vote", Box: word(d).Box}} },
		"an edit on a page that is missing": func(d *document.Document) { d.Enhanced, d.Edits = true, []document.Edit{{Page: 1, Rule: "vote"}} },
	} {
		d := doc()
		damage(d)
		var sent bytes.Buffer
		require.Error(t, pipe.New(nil, &sent).SendAnswer(pipe.Answer{ID: 1, Document: d}), name)
		require.Zero(t, sent.Len(), "%s: nothing must be sent, so that an error can still be sent", name)
	}
	blank := &document.Document{Pages: []document.Page{{Width: 1, Height: 1}}, Language: "en"}
	require.NoError(t, pipe.New(nil, io.Discard).SendAnswer(pipe.Answer{ID: 1, Document: blank}), "a blank page")
}
