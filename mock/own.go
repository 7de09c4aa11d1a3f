package mock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/request"
	"uncial/mock/folder"
)

// LoadFixtures reads a folder of your own pages for Options.Fixtures; README.md describes its layout. The error names each
// file that breaks the contract, with the reason.
func LoadFixtures(dir string) (*folder.Folder, error) {
	return folder.Load(dir, folder.Options{Languages: languages(), ReservedHost: imageHost, LayOut: layOutText})
}

// layOutText is a folder.LayOut. The page grows with its text.
func layOutText(text string, marked, enhance bool) (document.Page, []document.Edit, error) {
	f := Fixture{Kind: printed}
	var block [][]fixtureWord
	for line := range strings.Lines(text + "\n\n") {
		words := parseWords(line)
		if !marked {
			words = plainWords(line)
		}
		switch {
		case len(words) > 0:
			block = append(block, words)
		case block != nil:
			f.blocks = append(f.blocks, block)
			block = nil
		}
	}
	page, edits := f.layOut(enhance, 1)
	for _, b := range page.Blocks {
		page.Width = max(page.Width, b.Box.X+b.Box.W+marginLeft)
		page.Height = max(page.Height, b.Box.Y+b.Box.H+marginTop)
	}
	if page.Width > imagefile.MaxSide || page.Height > imagefile.MaxSide {
		return page, nil, fmt.Errorf("the text is too large for a page of %d pixels a side, which holds about 300 lines of about 900 characters", imagefile.MaxSide)
	}
	return page, edits, nil
}

// plainWords splits a line into words without interpreting any character.
func plainWords(line string) []fixtureWord {
	var words []fixtureWord
	for word := range strings.FieldsSeq(line) {
		words = append(words, fixtureWord{read: word, right: word})
	}
	return words
}

// ownFixture returns the fixture of the user's folder for an image, or nil.
func (s *server) ownFixture(ctx context.Context, r contract.Request) *folder.Fixture {
	if s.fixtures == nil {
		return nil
	}
	image, _ := request.InlineImage(ctx, r.ImageURL)
	return s.fixtures.Find(r.ImageURL, image, r.Language)
}

// ownReading is the reading of a fixture of the user's folder. Recorded values stay unchanged.
func (e *extraction) ownReading() (*reading, error) {
	doc := e.own.Document(e.Language, e.Enhance)
	sum := sha256.Sum256([]byte(doc.Text()))
	models := []document.Model{{Name: fixtureModel, Digest: "sha256:" + hex.EncodeToString(sum[:])}}
	if base := e.own.Base(e.Enhance); base != nil && base.Reader != nil {
		models = nil
		for _, m := range base.Reader.Models {
			models = append(models, document.Model{Name: m.Name, Digest: m.Digest})
		}
	}
	r := &reading{doc: readBy(doc, models)}
	if base := e.own.Base(e.Enhance); base != nil {
		r.result = *base
		r.result.Document = nil
		return r, nil
	}
	var err error
	r.result, err = contract.NewResult(contract.Request{Format: gen.JSON}, r.doc, format.Meta{Version: mockVersion})
	return r, err
}

// readBy returns a copy of a document whose words were read by the models. A document without words has none.
func readBy(doc *document.Document, models []document.Model) *document.Document {
	var names []string
	for _, m := range models {
		names = append(names, m.Name)
	}
	doc, words := doc.Normalized(), 0
	for i := range doc.Pages {
		for w := range document.Words(doc.Pages[i].Blocks) {
			w.Model = strings.Join(names, "+")
			words++
		}
	}
	if words > 0 {
		doc.Models = models
	}
	doc.MarkBroken(nil) // the mock has no word list
	return doc
}

// recordedAnswer is an answer with status 200 whose bytes were recorded.
type recordedAnswer []byte

var _ gen.ExtractResponseObject = recordedAnswer(nil)

// VisitExtractResponse writes the recorded bytes unchanged.
func (a recordedAnswer) VisitExtractResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(a)
	return err
}
