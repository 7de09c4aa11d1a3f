package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/pagefile"
	"uncial/internal/strictjson"
)

// Answer is the body of a recorded answer. remainingPoints belongs to the account, not to the page, and is the only value that
// may change.
type Answer struct {
	before, after []byte // around the value of remainingPoints; after is nil if there is none
	Result        gen.ExtractionResult
}

// Body returns the recorded bytes, in which remaining replaces the recorded value of remainingPoints.
func (a *Answer) Body(remaining int64) []byte {
	if a.after == nil {
		return a.before
	}
	return slices.Concat(a.before, strconv.AppendInt(nil, remaining, 10), a.after)
}

// Recorded returns the answer that was recorded for a request of this format and enhancement, nil if there is none. Base and
// the documents of the fixture serve other requests.
func (f *Fixture) Recorded(format gen.Format, enhance bool) *Answer {
	return f.recorded[request{format, enhance}]
}

// Base returns an answer that was recorded for the same reading in any format, or nil. It has everything but the document.
func (f *Fixture) Base(enhance bool) *gen.ExtractionResult {
	for _, format := range formats {
		if a := f.recorded[request{format, enhance}]; a != nil {
			return &a.Result
		}
	}
	return nil
}

// formats are the formats of openapi.yaml, first those that the others can be made from.
var formats = []gen.Format{gen.Alto, gen.Page, gen.JSON, gen.Text, gen.Hocr, gen.Tsv, gen.Pdf}

// readAnswers reads the recorded answers of an entry and makes the documents that the other formats are written from.
func (l *loader) readAnswers(f *Fixture, e Entry) error {
	f.recorded = map[request]*Answer{}
	for _, r := range e.Answers {
		if !gen.Format(r.Format).Valid() {
			return fmt.Errorf("%s: unknown format %q; choose json, text, hocr, alto, page, tsv or pdf", r.File, r.Format)
		}
		source, err := l.read(r.File)
		if err != nil {
			return err
		}
		a, err := NewAnswer(source, e.Language, gen.Format(r.Format), r.Enhance)
		if err != nil {
			return fmt.Errorf("%s: %w", r.File, err)
		}
		key := request{gen.Format(r.Format), r.Enhance}
		if f.recorded[key] != nil {
			return fmt.Errorf("%s: there is another answer in the format %s with enhance=%t", r.File, r.Format, r.Enhance)
		}
		f.recorded[key] = a
	}
	var err error
	if f.verbatim, err = l.reading(f, false); err != nil {
		return fmt.Errorf("the answers for %s: %w", e.Language, err)
	}
	if f.enhanced, err = l.reading(f, true); err != nil {
		return fmt.Errorf("the enhanced answers for %s: %w", e.Language, err)
	}
	return nil
}

// reading makes the document of the verbatim or of the enhanced answers. Without an enhanced answer the verbatim text is also
// the enhanced one; without a verbatim answer nothing is known about the text before its corrections.
func (l *loader) reading(f *Fixture, enhance bool) (*document.Document, error) {
	base := f.Base(enhance)
	if base == nil {
		if !enhance {
			return nil, errors.New("an answer without enhance is missing; record it too")
		}
		doc := *f.verbatim
		doc.Enhanced, doc.Edits = true, nil
		return &doc, nil
	}
	for format, a := range f.answers(enhance) {
		if a.Result.Text != base.Text || a.Result.Confidence != base.Confidence {
			return nil, fmt.Errorf("the answer in the format %s differs from the others in text or confidence", format)
		}
	}
	doc, err := l.documentOfAnswers(f, base, enhance)
	if err != nil {
		return nil, err
	}
	doc.Enhanced, doc.Confidence = enhance, base.Confidence
	doc.Edits = contract.Edits(base)
	return doc, nil
}

// answers are the recorded answers of one reading.
func (f *Fixture) answers(enhance bool) map[gen.Format]*Answer {
	all := map[gen.Format]*Answer{}
	for key, a := range f.recorded {
		if key.enhance == enhance {
			all[key.format] = a
		}
	}
	return all
}

// documentOfAnswers takes the boxes of the words from ALTO or PAGE-XML or, if only the text is known, lays it out.
func (l *loader) documentOfAnswers(f *Fixture, base *gen.ExtractionResult, enhance bool) (*document.Document, error) {
	all := f.answers(enhance)
	for _, format := range []gen.Format{gen.Alto, gen.Page} {
		if a := all[format]; a != nil {
			pages, err := pagefile.Read([]byte(*a.Result.Document))
			if err != nil {
				return nil, fmt.Errorf("the %s document: %w", format, err)
			}
			return documentOf(pages, nil, enhance), nil
		}
	}
	if all[gen.Hocr] != nil || all[gen.Tsv] != nil || all[gen.Pdf] != nil {
		return nil, errors.New("hocr, tsv and pdf need an answer in alto or page, from which the other formats are made")
	}
	doc, err := l.layOut(base.Text, false, false)
	if err != nil {
		return nil, err
	}
	for i := range doc.Pages {
		doc.Pages[i].Confidence = base.Confidence
		for b := range doc.Pages[i].Blocks {
			for _, line := range doc.Pages[i].Blocks[b].Lines {
				for w := range line.Words {
					word := &line.Words[w]
					word.Confidence = document.ConfidenceOf(word.Text, base.Confidence) // each as good as the whole page
				}
			}
		}
	}
	return doc, nil
}

// NewAnswer checks the body of an answer with status 200 against the contract and the request that it belongs to.
func NewAnswer(body []byte, language string, format gen.Format, enhance bool) (*Answer, error) {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	schema, err := resultSchema()
	if err != nil {
		return nil, err
	}
	if err := schema.VisitJSON(value); err != nil {
		return nil, fmt.Errorf("breaks the contract: %s", schemaProblem(err))
	}
	a := &Answer{before: body}
	if err := json.Unmarshal(body, &a.Result); err != nil {
		return nil, fmt.Errorf("breaks the contract: %w", strictjson.Explain(err))
	}
	if err := a.check(language, format, enhance); err != nil {
		return nil, fmt.Errorf("breaks the contract: %w", err)
	}
	return a, a.split(body)
}

// resultSchema is the schema of an extraction in openapi.yaml.
var resultSchema = sync.OnceValues(func() (*openapi3.Schema, error) {
	doc, err := gen.GetSpec()
	if err != nil {
		return nil, err
	}
	return doc.Components.Schemas["ExtractionResult"].Value, nil
})

// schemaProblem describes the first problem of a value, in one line.
func schemaProblem(err error) string {
	if e, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		return strings.TrimPrefix(strings.Join(e.JSONPointer(), "/")+": ", ": ") + e.Reason
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// lineEnds matches white space at the beginning or end of a line or page.
var lineEnds = regexp.MustCompile(`[ \t]\n|\n[ \t]|^[ \t\n]|[ \t\n]$|\n\f|\f\n`)

// check compares the answer with its request and with itself.
func (a *Answer) check(language string, format gen.Format, enhance bool) error {
	r := a.Result
	carries := format != gen.JSON && format != gen.Text
	switch {
	case r.Language != nil && *r.Language != language:
		return fmt.Errorf("language is %q, but the fixture is for %q", *r.Language, language)
	case r.Enhanced != nil && *r.Enhanced != enhance:
		return fmt.Errorf("enhanced is %t, but the fixture says %t", *r.Enhanced, enhance)
	case r.Edits != nil && !enhance:
		return errors.New("there are edits, but enhanced is not true")
	case carries && r.Document == nil:
		return fmt.Errorf("the document in the format %s is missing", format)
	case !carries && r.Document != nil:
		return fmt.Errorf("there is a document, but the format is %s", format)
	case lineEnds.MatchString(r.Text):
		return errors.New("text has white space at the end or beginning of a line or page")
	}
	if err := checkText(r.Text); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	if format != gen.Alto && format != gen.Page {
		return nil
	}
	pages, err := pagefile.Read([]byte(*r.Document))
	if err != nil {
		return fmt.Errorf("document: %w", err)
	}
	if got := documentOf(pages, nil, enhance).Text(); words(got) != words(r.Text) {
		return errors.New("the text of the document differs from the field text")
	}
	return nil
}

// words returns the part of a text that a document must share: its words, line by line and page by page.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "\n")
}

// split finds the value of remainingPoints among the bytes of the answer.
func (a *Answer) split(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if name == "remainingPoints" {
			end := decoder.InputOffset()
			a.before, a.after = body[:end-int64(len(value))], body[end:]
		}
	}
	if _, err := decoder.Token(); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the JSON object")
	}
	return nil
}
