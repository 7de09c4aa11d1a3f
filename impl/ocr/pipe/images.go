package pipe

import (
	"errors"
	"slices"

	"uncial/impl/ocr"
	"uncial/internal/document"
)

// imagesPerPage is how many images a page of a document may have.
const imagesPerPage = 2

// images returns the images of a document, page after page. Images travel apart from the header, so that they are not decoded from
// base64, have a limit of their own, and count as memory of the request.
func images(d *document.Document) []*[]byte {
	all := make([]*[]byte, 0, len(d.Pages)*imagesPerPage)
	for i := range d.Pages {
		all = append(all, &d.Pages[i].Preview, &d.Pages[i].Picture)
	}
	return all
}

// maxImages returns the maximum size in bytes of all images in the answer to a request.
func maxImages(to Request) (n int) {
	if to.Preview {
		n += ocr.MaxPages * document.MaxPreviewBytes
	}
	if to.Picture {
		n += document.MaxPictureBytes
	}
	return n
}

// ImageBytes returns the memory that the images of a document occupy; 0 if it is nil.
func ImageBytes(d *document.Document) (n int) {
	if d == nil {
		return 0
	}
	for _, image := range images(d) {
		n += cap(*image)
	}
	return n
}

// takeImages moves the images out of the document and returns them, one after the other. The caller's document does not change.
func (a *Answer) takeImages() (payload []byte) {
	if a.Document == nil || !slices.ContainsFunc(images(a.Document), func(image *[]byte) bool { return *image != nil }) {
		return nil
	}
	d := *a.Document
	d.Pages = slices.Clone(d.Pages)
	for _, image := range images(&d) {
		a.Images = append(a.Images, len(*image))
		payload = append(payload, *image...)
		*image = nil
	}
	a.Document = &d
	return payload
}

// placeImages is the inverse of takeImages.
func (a *Answer) placeImages(payload []byte) error {
	if len(a.Images) == 0 && len(payload) == 0 {
		return nil
	}
	if a.Document == nil || len(a.Images) != len(a.Document.Pages)*imagesPerPage {
		return errors.New("pipe: expected one length for each image of each page")
	}
	for i, image := range images(a.Document) {
		n := a.Images[i]
		if n < 0 || n > len(payload) {
			return errors.New("pipe: the images are shorter than announced")
		}
		if n > 0 {
			*image = payload[:n:n]
		}
		payload = payload[n:]
	}
	a.Images = nil
	if len(payload) > 0 {
		return errors.New("pipe: the images are longer than announced")
	}
	return nil
}
