package pipe

import (
	"errors"
	"slices"

	"uncial/impl/ocr"
	"uncial/internal/document"
)

// imagesPerPage is the maximum number of images of a page of a document.
const imagesPerPage = 2

// images returns pointers to the images of a document, page after page. Images are sent in the payload instead of the header,
// so that they need no base64, have their own limit, and count in the memory of the request.
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

// ImageBytes returns the memory of a document's images in bytes. d may be nil.
func ImageBytes(d *document.Document) (n int) {
	if d == nil {
		return 0
	}
	for _, image := range images(d) {
		n += cap(*image)
	}
	return n
}

// takeImages moves the images from the document to the payload, which it returns, and their lengths to a.Images. It replaces
// a.Document by a copy, so that the caller's document does not change.
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
