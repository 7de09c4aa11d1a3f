package mock

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// The texts that image scenarios choose by name. They are not among Fixtures, because no other image has them.
const (
	brokenWord = "broken-word" // two words are divided at the ends of lines: one also occurs undivided, the other does not
	signs      = "signs"
	long       = "long"
	tenPages   = "ten-pages"
)

// specimens returns the pages of each text. The texts are part of the program, so an error in them panics.
var specimens = sync.OnceValue(func() map[string][]*Fixture {
	all := map[string][]*Fixture{}
	for name, pages := range map[string][]string{brokenWord: {dividedText}, signs: {signsText}, long: longTexts(1, longLines), tenPages: longTexts(10, longLines/4)} {
		for _, text := range pages {
			f, err := parseFixture(text)
			if err != nil {
				panic(fmt.Sprintf("%s: %v", name, err))
			}
			all[name] = append(all[name], &f)
		}
	}
	return all
})

const dividedText = `id: john-1611
kind: printed
author: The translators of King James
work: The Holy Bible, John 1
year: 1611

In the begin-
ning was the Word, and the
Word was with God, and the
Word was God. The same was in
the beginning with God. All things
were made by him, and with-
out him was not any thing made
that was made.
`

// signsText has what markup and tables must quote, words that look like numbers or settings, abbreviations with combining
// characters, and Gothic letters, which are beyond the basic plane.
const signsText = `id: signs
kind: printed
author: Wulfila, William Shakespeare and others
work: A specimen of signs
year: 1623

"Who's there?" «Nay,» & “answere” ‘me’: &c. &amp; ~
<i>Stand</i> </p> ]]> <!-- and --> vnfold; your\selfe \n %20
it's 'tis \"twice\" #1 $2 {x} [y] (z) *a* _b_ ^c| d=e; f:g

q̃ p̄ m̃ x̣ ꝑ ꝓ ſo ﬁ æ Œ ß ñ é ſt £5 §7 ¶ † № ½ — – …
𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿 𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼 ἐν ἀρχῇ ἦν ὁ λόγος
null true 0 -1 1e5 NaN 007 1,5 2.50 =1+1 +x @y
`

// The measures of long texts: as much as a sheet holds.
const (
	longLines    = 30
	longWidth    = 62 // characters
	blankPage    = 4  // of several pages, from 0
	nextPageFrom = 37 // words after the beginning of the page before
)

// longTexts returns n pages filled with words of the English fixtures. Each page begins at a different word. Handwriting and
// print alternate.
func longTexts(n, lines int) (pages []string) {
	var words []string
	for _, f := range byLanguage()["en"] {
		for _, b := range f.blocks {
			for _, line := range b {
				for _, w := range line {
					words = append(words, w.right)
				}
			}
		}
	}
	for p := range n {
		if p == blankPage {
			pages = append(pages, "id: blank\nkind: printed\n\n")
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "id: long\nkind: %s\n\n", []string{handwritten, printed}[p%2])
		at := p * nextPageFrom
		for range lines {
			line := ""
			for ; line == "" || utf8.RuneCountInString(line)+1+utf8.RuneCountInString(words[at%len(words)]) <= longWidth; at++ {
				line = strings.TrimPrefix(line+" "+words[at%len(words)], " ")
			}
			b.WriteString(line + "\n")
		}
		pages = append(pages, b.String())
	}
	return pages
}
