package pipe

import (
	"errors"
	"slices"

	"uncial/internal/document"
)

// takePreviews moves the previews out of the document and returns them, one after the other. Images travel apart from the
// header, so that they are not decoded from base64, and have a limit of their own. The caller's document does not change.
func (a *Answer) takePreviews() (previews []byte) {
	if a.Document == nil || !slices.ContainsFunc(a.Document.Pages, func(p document.Page) bool { return p.Preview != nil }) {
		return nil
	}
	d := *a.Document
	d.Pages = slices.Clone(d.Pages)
	for i := range d.Pages {
		p := &d.Pages[i]
		a.Previews = append(a.Previews, len(p.Preview))
		previews = append(previews, p.Preview...)
		p.Preview = nil
	}
	a.Document = &d
	return previews
}

// placePreviews is the inverse of takePreviews.
func (a *Answer) placePreviews(previews []byte) error {
	if len(a.Previews) == 0 && len(previews) == 0 {
		return nil
	}
	if a.Document == nil || len(a.Previews) != len(a.Document.Pages) {
		return errors.New("pipe: expected one length of a preview for each page")
	}
	for i, n := range a.Previews {
		if n < 0 || n > len(previews) {
			return errors.New("pipe: the previews are shorter than announced")
		}
		if n > 0 {
			a.Document.Pages[i].Preview = previews[:n:n]
		}
		previews = previews[n:]
	}
	a.Previews = nil
	if len(previews) > 0 {
		return errors.New("pipe: the previews are longer than announced")
	}
	return nil
}
