// Package documenttest generates documents for property tests. Start with Valid, for what must survive normalizing and
// writing unchanged, and Any, for what a faulty recognizer might return. Only tests import it.
//
// Documents are small, at most three pages of three blocks of three lines of four words, so that rapid reduces a failing one
// quickly.
package documenttest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"uncial/internal/document"
)

// nasty has parts of words that writers may get wrong: markup, quotes, combining marks, both directions and characters
// beyond the basic plane.
var nasty = []string{
	"<", ">", "&", `"`, "'", "]]>", "<!--", "-->", "&amp;", "&#0;", "<?xml", "</span>", "%", `\`, ";", ",", "-",
	"a", "ſ", "é", "e\u0301", "\u0338", "\u0300\u0323", "ﬁ", "æ", "Ω", "ἄ", "א", "ש", "ك", "لا", "日", "𐍈", "𝔘", "😀", "\u200D", "\u202E",
}

// forbidden has what no word may contain: control characters, noncharacters, invalid UTF-8, white space, soft hyphens, byte
// order marks.
var forbidden = []string{"\x00", "\x01", "\x0B", "\x1B", "\x7F", "\u0085", "\uFFFE", "\uFFFF", "\U0001FFFF", "\uFDD0", "\xff", "\xed\xa0\x80", " ", "\t", "\n", "\r", "\u2028", "\u00AD", "\uFEFF"}

// Valid generates documents that keep every promise of the document model.
func Valid() *rapid.Generator[*document.Document] {
	return rapid.Custom(func(t *rapid.T) *document.Document {
		doc := &document.Document{
			Language:   rapid.SampledFrom([]string{"en", "de-Latf", "frm", "grc", "he", "x-klingon"}).Draw(t, "language"),
			Confidence: confidence(t),
			Models: []document.Model{
				{Name: "eng", Digest: "sha256:" + strings.Repeat("0", 64)}, {Name: "hands", Digest: "sha256:" + strings.Repeat("f", 64)},
			},
		}
		for range rapid.IntRange(1, 3).Draw(t, "pages") {
			doc.Pages = append(doc.Pages, validPage(t))
		}
		return doc
	})
}

// validPage draws a page of up to 3,000 pixels a side, which may be blank. As the document model requires, no block and no
// line is empty, and boxes contain their parts.
func validPage(t *rapid.T) document.Page {
	p := document.Page{
		Width:    rapid.IntRange(1, 3000).Draw(t, "width"),
		Height:   rapid.IntRange(1, 3000).Draw(t, "height"),
		DPI:      rapid.SampledFrom([]int{0, 72, 300}).Draw(t, "dpi"),
		Rotation: rapid.SampledFrom([]int{0, 90, 180, 270}).Draw(t, "rotation"),
		Blocks:   []document.Block{},

		Confidence: confidence(t),
	}
	for range rapid.IntRange(0, 3).Draw(t, "blocks") {
		var b document.Block
		for range rapid.IntRange(1, 3).Draw(t, "lines") {
			b.Lines = append(b.Lines, validLine(t, p.Width, p.Height))
			b.Box = b.Box.Union(b.Lines[len(b.Lines)-1].Box)
		}
		p.Blocks = append(p.Blocks, b)
	}
	for range rapid.IntRange(0, 2).Draw(t, "doubts") {
		p.Doubts = append(p.Doubts, document.Doubt{
			Box: boxInside(t, p.Width, p.Height), Confidence: confidence(t), Characters: rapid.IntRange(1, 99).Draw(t, "characters"),
			Reason: rapid.SampledFrom([]document.Reason{document.UnreadInk, document.DoubtfulOrder}).Draw(t, "reason"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "graphics") {
		p.Graphics = append(p.Graphics, document.Graphic{
			Box: boxInside(t, p.Width, p.Height), Kind: rapid.SampledFrom([]document.GraphicKind{document.Illustration, document.Music}).Draw(t, "kind"),
		})
	}
	return p
}

// validLine draws a line on a page of that size. Its baseline is nil or has two or three points from left to right, all
// inside the box of the line.
func validLine(t *rapid.T, width, height int) document.Line {
	l := document.Line{Handwritten: rapid.Bool().Draw(t, "handwritten")}
	for range rapid.IntRange(1, 4).Draw(t, "words") {
		w := document.Word{
			Box: boxInside(t, width, height), Text: validWord(t), Confidence: confidence(t),
			Model: rapid.SampledFrom([]string{"", "eng", "eng+hands", "unlisted"}).Draw(t, "model"),
		}
		for range rapid.IntRange(0, document.MaxAlternatives).Draw(t, "alternatives") {
			w.Alternatives = append(w.Alternatives, document.Alternative{Text: validWord(t), Confidence: confidence(t)})
		}
		l.Words = append(l.Words, w)
		l.Box = l.Box.Union(w.Box)
	}
	for range rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "points") {
		l.Baseline = append(l.Baseline, document.Point{
			X: rapid.IntRange(l.Box.X, l.Box.X+l.Box.W).Draw(t, "x"), Y: rapid.IntRange(l.Box.Y, l.Box.Y+l.Box.H).Draw(t, "y"),
		})
	}
	slices.SortStableFunc(l.Baseline, func(p, q document.Point) int { return cmp.Compare(p.X, q.X) })
	return l
}

// boxInside draws a box of at least one pixel that does not leave the page.
func boxInside(t *rapid.T, width, height int) document.Box {
	x, y := rapid.IntRange(0, width-1).Draw(t, "x"), rapid.IntRange(0, height-1).Draw(t, "y")
	return document.Box{X: x, Y: y, W: rapid.IntRange(1, width-x).Draw(t, "w"), H: rapid.IntRange(1, height-y).Draw(t, "h")}
}

func concatenate(parts []string) string { return strings.Join(parts, "") }

// confidence draws from 0 to 1, both included.
func confidence(t *rapid.T) float64 { return rapid.Float64Range(0, 1).Draw(t, "confidence") }

// validWord draws letters, marks, punctuation and digits of any script, or up to five nasty parts. NFC may merge parts, as
// "e" and a combining accent, so it comes last.
func validWord(t *rapid.T) string {
	word := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Letter, unicode.Mark, unicode.Punct, unicode.Number), 1, 8, -1),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(nasty), 1, 5), concatenate),
	).Draw(t, "word")
	return norm.NFC.String(word)
}

// Any generates documents that may break every promise: boxes off the page, empty parts, forbidden characters.
func Any() *rapid.Generator[*document.Document] {
	return rapid.Custom(func(t *rapid.T) *document.Document {
		number := rapid.OneOf(rapid.IntRange(-50, 200), rapid.SampledFrom([]int{0, math.MaxInt32, math.MinInt32}))
		box := rapid.Custom(func(t *rapid.T) document.Box {
			return document.Box{X: number.Draw(t, "x"), Y: number.Draw(t, "y"), W: number.Draw(t, "w"), H: number.Draw(t, "h")}
		})
		conf := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 2}))
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom(append(forbidden, nasty...)), 0, 6),
			concatenate))
		word := rapid.Custom(func(t *rapid.T) document.Word {
			return document.Word{Box: box.Draw(t, "box"), Text: text.Draw(t, "text"), Confidence: conf.Draw(t, "confidence")}
		})
		line := rapid.Custom(func(t *rapid.T) document.Line {
			points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) document.Point {
				return document.Point{X: number.Draw(t, "x"), Y: number.Draw(t, "y")}
			}), 0, 3)
			return document.Line{Box: box.Draw(t, "box"), Baseline: points.Draw(t, "baseline"), Words: rapid.SliceOfN(word, 0, 4).Draw(t, "words")}
		})
		block := rapid.Custom(func(t *rapid.T) document.Block {
			return document.Block{Box: box.Draw(t, "box"), Lines: rapid.SliceOfN(line, 0, 3).Draw(t, "lines")}
		})
		graphic := rapid.Custom(func(t *rapid.T) document.Graphic {
			return document.Graphic{Box: box.Draw(t, "box"), Kind: document.GraphicKind(rapid.SampledFrom([]string{"", "map", "music"}).Draw(t, "kind"))}
		})
		page := rapid.Custom(func(t *rapid.T) document.Page {
			return document.Page{
				Width: number.Draw(t, "width"), Height: number.Draw(t, "height"), DPI: number.Draw(t, "dpi"),
				Blocks: rapid.SliceOfN(block, 0, 3).Draw(t, "blocks"), Graphics: rapid.SliceOfN(graphic, 0, 2).Draw(t, "graphics"),
			}
		})
		edit := rapid.Custom(func(t *rapid.T) document.Edit {
			return document.Edit{
				Page: rapid.OneOf(number, rapid.IntRange(0, 2)).Draw(t, "page"), Box: box.Draw(t, "box"),
				Before: text.Draw(t, "before"), After: text.Draw(t, "after"), Confidence: conf.Draw(t, "confidence"),
			}
		})
		return &document.Document{
			Pages: rapid.SliceOfN(page, 1, 3).Draw(t, "pages"), Edits: rapid.SliceOfN(edit, 0, 2).Draw(t, "edits"),
			Language: rapid.SampledFrom([]string{"", "en", "en_US", "not a tag", "\x00"}).Draw(t, "language"), Confidence: conf.Draw(t, "confidence"),
		}
	})
}
