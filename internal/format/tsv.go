package format

import (
	"fmt"
	"strings"

	"uncial/internal/document"
)

// writeTSV writes a header line and Tesseract's twelve columns. Level 1 is a page, 2 a block, 3 a paragraph (one per
// block), 4 a line, 5 a word. Elements are numbered from 1 in their parent; the numbers of lower levels are 0. conf is
// 0..100 for words and -1 for the others. Names, order and level of the columns are those of Tesseract 5, whose readers
// must not notice a difference. Fields are not quoted, because a word contains neither tabs nor line feeds.
func writeTSV(doc *document.Document, _ Meta) string {
	var b strings.Builder
	b.WriteString("level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n")
	row := func(level, page, block, paragraph, line, word int, box document.Box, conf, text string) {
		fmt.Fprintf(&b, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n",
			level, page, block, paragraph, line, word, box.X, box.Y, box.W, box.H, conf, text)
	}
	for p := range doc.Pages {
		page := &doc.Pages[p]
		row(1, p+1, 0, 0, 0, 0, document.Box{W: page.Width, H: page.Height}, "-1", "")
		for i := range page.Blocks {
			block := &page.Blocks[i]
			row(2, p+1, i+1, 0, 0, 0, block.Box, "-1", "")
			row(3, p+1, i+1, 1, 0, 0, block.Box, "-1", "")
			for j := range block.Lines {
				line := &block.Lines[j]
				row(4, p+1, i+1, 1, j+1, 0, line.Box, "-1", "")
				for k, w := range line.Words {
					row(5, p+1, i+1, 1, j+1, k+1, w.Box, fmt.Sprintf("%f", 100*w.Confidence), w.Text)
				}
			}
		}
	}
	return b.String()
}
