package contract

import (
	"encoding/base64"
	"math"

	"uncial/gen"
	"uncial/internal/document"
	"uncial/internal/format"
)

// NewResult maps a recognized document to the answer of the request. Edits appear only with an enhanced document, the
// field "document" only with a format that has one. The caller adds RemainingPoints and ProcessingTime.
func NewResult(r Request, doc *document.Document, meta format.Meta) (gen.ExtractionResult, error) {
	result := gen.ExtractionResult{
		Success: true, Text: doc.Text(), Enhanced: &doc.Enhanced, Language: &doc.Language,
		Confidence: roundConfidence(doc.Confidence), PointsUsed: Price,
	}
	result.Reader = newReader(doc, meta.Version)
	result.Weak = newWeak(doc)
	if doc.Enhanced {
		result.Edits = newEdits(doc.Edits)
	}
	if r.Format == gen.JSON || r.Format == gen.Text {
		return result, nil
	}
	meta.Image = format.ImageName(r.ImageURL)
	written, err := format.Write(string(r.Format), doc, meta)
	if err != nil {
		return result, err
	}
	if r.Format == gen.Pdf {
		written = base64.StdEncoding.EncodeToString([]byte(written))
	}
	result.Document = &written
	return result, nil
}

// newReader says what made the text. The version is left out if it is unknown.
func newReader(doc *document.Document, version string) *gen.Reader {
	reader := gen.Reader{Software: format.Software(), Models: make([]gen.ReaderModel, len(doc.Models))} // never nil: a blank page has []
	if version != "" {
		reader.Version = &version
	}
	for i, m := range doc.Models {
		reader.Models[i] = gen.ReaderModel{Name: m.Name, Digest: m.Digest}
	}
	return &reader
}

// newEdits converts corrections. Pages count from 1 in the contract and from 0 in documents.
func newEdits(edits []document.Edit) *[]gen.Edit {
	all := make([]gen.Edit, len(edits)) // never nil: an enhancement that changed nothing answers []
	for i, e := range edits {
		all[i] = gen.Edit{
			Page: int64(e.Page) + 1, Before: e.Before, After: e.After, Rule: e.Rule, Confidence: roundConfidence(e.Confidence),
			Box: newBox(e.Box),
		}
	}
	return &all
}

// Edits is the reverse of newEdits: it returns the edits of an answer as those of a document, whose pages count from 0; nil if
// the answer has none.
func Edits(r *gen.ExtractionResult) (edits []document.Edit) {
	if r.Edits == nil {
		return nil
	}
	for _, e := range *r.Edits {
		edits = append(edits, document.Edit{
			Page: int(e.Page) - 1, Before: e.Before, After: e.After, Rule: e.Rule, Confidence: e.Confidence,
			Box: document.Box{X: int(e.Box.X), Y: int(e.Box.Y), W: int(e.Box.Width), H: int(e.Box.Height)},
		})
	}
	return edits
}

// newWeak converts the weak places of a document. Pages count from 1 in the contract and from 0 in documents.
func newWeak(doc *document.Document) *[]gen.WeakPlace {
	places := doc.Weak()
	all := make([]gen.WeakPlace, len(places)) // never nil: a reading without weak places has []
	for i, w := range places {
		all[i] = gen.WeakPlace{Page: int64(w.Page) + 1, Box: newBox(w.Box), Confidence: roundConfidence(w.Confidence), Reason: string(w.Reason)}
		if w.Text != "" {
			all[i].Text = &w.Text
		}
		if turned := int64(doc.Pages[w.Page].Rotation); turned != 0 {
			all[i].Rotation = &turned
		}
	}
	return &all
}

// newBox converts a box. Both forms count pixels of the upright page from its upper left corner.
func newBox(b document.Box) gen.Box {
	return gen.Box{X: int64(b.X), Y: int64(b.Y), Width: int64(b.W), Height: int64(b.H)}
}

// roundConfidence keeps four decimals, as the written formats do: more would pretend a precision that no estimate has.
func roundConfidence(confidence float64) float64 {
	return math.Round(min(max(confidence, 0), 1)*10_000) / 10_000
}

// Points is the state of an account's points in the current month. Used and Remaining add up to Total.
type Points struct{ Used, Remaining, Total int64 }

// NewStatus is the status record of an active key, with all fields.
func NewStatus(plan string, p Points, w Window) gen.StatusRecord {
	success, status := gen.StatusRecordSuccessTrue, gen.Active
	return gen.StatusRecord{
		Success: &success, Status: &status, Plan: plan,
		PointsUsed: p.Used, PointsRemaining: p.Remaining, PointsTotal: &p.Total,
		RateLimit:          &gen.RateLimit{Limit: w.Limit, Remaining: w.Remaining, Reset: w.Reset.Unix()},
		RateLimitRemaining: &w.Remaining,
	}
}
