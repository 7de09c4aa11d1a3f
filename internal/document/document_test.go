package document_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
)

func words(texts ...string) []document.Word {
	var ws []document.Word
	for _, text := range texts {
		ws = append(ws, document.Word{Text: text})
	}
	return ws
}

func TestDocument_Text(t *testing.T) {
	t.Parallel()
	column := document.Block{Lines: []document.Line{{Words: words("Whan", "that")}, {Words: words("Aprille")}}}
	note := document.Block{Lines: []document.Line{{Words: words("fol.", "1")}}}
	for _, c := range []struct {
		name, want string
		pages      []document.Page
	}{
		{"a blank page has no text", "", []document.Page{{}}},
		{"words, lines and blocks are separated", "Whan that\nAprille\n\nfol. 1", []document.Page{{Blocks: []document.Block{column, note}}}},
		{"pages are joined by a form feed", "fol. 1\fWhan that\nAprille", []document.Page{{Blocks: []document.Block{note}}, {Blocks: []document.Block{column}}}},
		{"a blank page between others adds a form feed", "fol. 1\f\ffol. 1", []document.Page{{Blocks: []document.Block{note}}, {}, {Blocks: []document.Block{note}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, (&document.Document{Pages: c.pages}).Text())
		})
	}
}

func TestBox_Union(t *testing.T) {
	t.Parallel()
	a, b := document.Box{X: 10, Y: 10, W: 5, H: 5}, document.Box{X: 0, Y: 12, W: 2, H: 20}
	require.Equal(t, document.Box{X: 0, Y: 10, W: 15, H: 22}, a.Union(b))
	require.Equal(t, a, a.Union(document.Box{X: 100, Y: 100}), "boxes without area are ignored")
	require.Equal(t, a, document.Box{X: 100, W: 4}.Union(a), "as receiver too")
	rapid.Check(t, func(t *rapid.T) {
		a, b := box(t), box(t)
		u := a.Union(b)
		require.Equal(t, u, b.Union(a), "order does not matter")
		require.True(t, holds(u, a) && holds(u, b), "%v holds %v and %v", u, a, b)
		require.Equal(t, u, u.Union(a), "a contained box changes nothing")
	})
}

func TestBox_Clip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		box, want document.Box
	}{
		{"keeps a box on the page", document.Box{X: 1, Y: 2, W: 3, H: 4}, document.Box{X: 1, Y: 2, W: 3, H: 4}},
		{"cuts the edges", document.Box{X: -5, Y: 45, W: 20, H: 20}, document.Box{X: 0, Y: 45, W: 15, H: 5}},
		{"moves a box outside to the nearest pixel", document.Box{X: 200, Y: -80, W: 9, H: 9}, document.Box{X: 99, Y: 0, W: 1, H: 1}},
		{"gives a box without area one pixel", document.Box{X: 7, Y: 7}, document.Box{X: 7, Y: 7, W: 1, H: 1}},
	} {
		require.Equal(t, c.want, c.box.Clip(100, 50), c.name)
	}
}

func TestDocument_Normalized(t *testing.T) {
	t.Parallel()
	doc := &document.Document{
		Confidence: 1.5,
		Pages: []document.Page{{Width: 100, Height: 50, Blocks: []document.Block{
			{Box: document.Box{X: 90, Y: 40, W: 100, H: 5}, Lines: []document.Line{
				{Words: []document.Word{
					{Box: document.Box{X: -3, Y: 2, W: 10, H: 5}, Text: "e\u0301t \x00e\xffz", Confidence: -1, Alternatives: []document.Alternative{{Text: "other"}}},
					{Text: "\x00\uFFFF"},
					{Box: document.Box{X: 8, Y: 2, W: 4, H: 5}, Text: "\ufeffbe\u00ad"},
				}},
				{Words: words(" ")},
			}},
			{Lines: []document.Line{{}}},
		}}},
		Edits: []document.Edit{{Page: 0, Box: document.Box{X: 99, W: 9, H: 9}, Before: " to\u00a0\u2003da\x00y\t\x00 ", After: "to-day"}, {Page: 1}},
	}
	before := doc.Text()
	n := doc.Normalized()
	require.Equal(t, "ét e\uFFFDz be-", n.Text(), "composed, split at the space, without control characters, with a visible hyphen")
	require.Equal(t, before, doc.Text(), "the original is unchanged")
	require.Len(t, n.Pages[0].Blocks, 1, "empty lines and blocks are dropped")
	block := n.Pages[0].Blocks[0]
	require.Equal(t, document.Box{X: 0, Y: 2, W: 100, H: 43}, block.Box, "the block contains its own box and its lines, on the page")
	require.Equal(t, document.Box{X: 0, Y: 2, W: 7, H: 5}, block.Lines[0].Words[1].Box, "parts of a split word share its box")
	require.Zero(t, block.Lines[0].Words[0].Confidence)
	require.Nil(t, block.Lines[0].Words[0].Alternatives, "other readings of a split word are not those of its parts")
	require.InDelta(t, 1, n.Confidence, 0)
	require.Equal(t, []document.Edit{{Box: document.Box{X: 99, W: 1, H: 9}, Before: "to day", After: "to-day"}}, n.Edits, "an edit on a missing page is dropped")
}

func TestDocument_Normalized_Baseline(t *testing.T) {
	t.Parallel()
	word := document.Word{Text: "ledit", Box: document.Box{X: 100, Y: 200, W: 300, H: 50}}
	for name, c := range map[string]struct{ baseline, want []document.Point }{
		"keeps points in the box":         {[]document.Point{{X: 100, Y: 240}, {X: 250, Y: 235}, {X: 400, Y: 240}}, []document.Point{{X: 100, Y: 240}, {X: 250, Y: 235}, {X: 400, Y: 240}}},
		"cuts the ends outside the box":   {[]document.Point{{X: 0, Y: 230}, {X: 200, Y: 240}, {X: 600, Y: 220}}, []document.Point{{X: 100, Y: 235}, {X: 200, Y: 240}, {X: 400, Y: 230}}},
		"cuts a line across at both ends": {[]document.Point{{X: 0, Y: 210}, {X: 500, Y: 260}}, []document.Point{{X: 100, Y: 220}, {X: 400, Y: 250}}},
		"moves points below to the edge":  {[]document.Point{{X: 100, Y: 255}, {X: 400, Y: 245}}, []document.Point{{X: 100, Y: 250}, {X: 400, Y: 245}}},
		"drops a baseline elsewhere":      {[]document.Point{{X: 500, Y: 230}, {X: 600, Y: 230}}, nil},
		"drops a single point":            {[]document.Point{{X: 200, Y: 230}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := document.Line{Baseline: c.baseline, Words: []document.Word{word}}
			doc := &document.Document{Pages: []document.Page{{Width: 1000, Height: 500, Blocks: []document.Block{{Lines: []document.Line{line}}}}}}
			require.Equal(t, c.want, doc.Normalized().Pages[0].Blocks[0].Lines[0].Baseline)
		})
	}
}

func TestDocument_Normalized_ValidDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := documenttest.Valid().Draw(t, "document")
		require.Equal(t, doc, doc.Normalized())
	})
}

func TestDocument_Normalized_AnyDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := documenttest.Any().Draw(t, "document").Normalized()
		require.Equal(t, n, n.Normalized(), "a second time changes nothing")
		for _, p := range n.Pages {
			sheet := document.Box{W: p.Width, H: p.Height}
			require.True(t, p.Width >= 1 && p.Height >= 1 && p.DPI >= 0)
			for _, g := range p.Graphics {
				require.True(t, g.Kind.IsKnown() && holds(sheet, g.Box), "%v holds %v", sheet, g)
			}
			for _, b := range p.Blocks {
				require.True(t, holds(sheet, b.Box), "%v holds %v", sheet, b.Box)
				require.NotEmpty(t, b.Lines)
				for _, l := range b.Lines {
					require.True(t, holds(b.Box, l.Box))
					require.NotEmpty(t, l.Words)
					requireBaseline(t, l)
					for _, w := range l.Words {
						require.True(t, holds(l.Box, w.Box))
						requireWord(t, w)
					}
				}
			}
		}
	})
}

func TestWordText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "éte", document.WordText(" e\u0301t\xff\u00a0e\uFFFD\x00\uFDD0\n"))
	rapid.Check(t, func(t *rapid.T) {
		text := document.WordText(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text"))
		if text == "" {
			return
		}
		page := document.Page{Width: 9, Height: 9, Blocks: []document.Block{{Lines: []document.Line{{Words: []document.Word{{Text: text}}}}}}}
		n := (&document.Document{Pages: []document.Page{page}}).Normalized()
		require.Equal(t, text, n.Text(), "one word, unchanged by Normalized")
	})
}

func requireBaseline(t *rapid.T, l document.Line) {
	require.NotEqual(t, 1, len(l.Baseline))
	for i, p := range l.Baseline {
		require.True(t, p.X >= l.Box.X && p.X <= l.Box.X+l.Box.W && p.Y >= l.Box.Y && p.Y <= l.Box.Y+l.Box.H, "%v in %v", p, l.Box)
		require.True(t, i == 0 || l.Baseline[i-1].X <= p.X, "from left to right")
	}
}

func requireWord(t *rapid.T, w document.Word) {
	require.NotEmpty(t, w.Text)
	require.True(t, utf8.ValidString(w.Text) && norm.NFC.IsNormalString(w.Text), "%q", w.Text)
	require.False(t, strings.ContainsFunc(w.Text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), "%q", w.Text)
	require.True(t, w.Confidence >= 0 && w.Confidence <= 1)
	require.Positive(t, w.Box.W*w.Box.H)
}

func box(t *rapid.T) document.Box {
	number := rapid.IntRange(1, 1000)
	return document.Box{X: number.Draw(t, "x"), Y: number.Draw(t, "y"), W: number.Draw(t, "w"), H: number.Draw(t, "h")}
}

func holds(outer, inner document.Box) bool {
	return inner.X >= outer.X && inner.Y >= outer.Y && inner.X+inner.W <= outer.X+outer.W && inner.Y+inner.H <= outer.Y+outer.H
}
