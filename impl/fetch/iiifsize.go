package fetch

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"uncial/impl/ocr"
	"uncial/internal/contract"
)

// maxChoices bounds how many sizes of a IIIF image are tried. Each has half the width of the one before, so the third
// has a sixteenth of the pixels of the first.
const maxChoices = 3

// imageURLs returns the URLs of the whole image, the largest readable size first. If the info.json came over https, the
// image is fetched over https too, because many servers still give their old http address as id. The guard applies to these
// URLs as to any other. Errors: *Error.
func (i *info) imageURLs(from *url.URL) ([]*url.URL, error) {
	base, err := parseURL(i.base)
	if err != nil || strings.ContainsAny(i.base, "?#") {
		return nil, failed(contract.FetchNotAnImage, "the IIIF info.json has no valid id; expected an http or https URL")
	}
	if from.Scheme == "https" {
		base.Scheme = "https"
	}
	sizes := i.sizes()
	if len(sizes) == 0 {
		return nil, failed(contract.FetchTooLarge, "the IIIF image is larger than %d megapixels or %d pixels per side, and the server offers no smaller one",
			ocr.MaxPixels/1_000_000, ocr.MaxSide)
	}
	quality := "default"
	if i.version == 1 {
		quality = "native"
	}
	var found []*url.URL
	for _, parameter := range sizes {
		u, err := url.Parse(fmt.Sprintf("%s/full/%s/0/%s.jpg", base, parameter, quality))
		if err != nil {
			return nil, failed(contract.FetchNotAnImage, "the IIIF info.json has no valid id; expected an http or https URL")
		}
		found = append(found, u)
	}
	return found, nil
}

// sizes returns the size parameters of the URLs, at most maxChoices: first the largest size within the limits of the server
// and of this service, then smaller ones in case the image has too many bytes.
func (i *info) sizes() []string {
	var parameters []string
	offered := i.full.within(i.limit, i.area)
	readable := offered.within(size{ocr.MaxSide, ocr.MaxSide}, ocr.MaxPixels)
	if offered == readable {
		parameters = append(parameters, i.whole(offered))
	}
	if i.scales {
		next := readable
		if next == offered { // already in parameters, as the whole image
			next = next.half()
		}
		for ; len(parameters) < maxChoices && next.Width > 0 && next.Height > 0; next = next.half() {
			parameters = append(parameters, i.scaled(next))
		}
		return parameters
	}
	smaller := slices.SortedFunc(slices.Values(i.listed), func(a, b size) int { return cmp.Compare(b.Width, a.Width) })
	for _, next := range smaller {
		if len(parameters) < maxChoices && next.Width <= readable.Width && next.Height <= readable.Height && next != offered {
			parameters = append(parameters, i.scaled(next))
		}
	}
	return parameters
}

// whole returns the size parameter for the largest image that the server delivers; offered is its size. Version 3 has "max"
// for it, and version 2 has "full" unless limits apply.
func (i *info) whole(offered size) string {
	switch {
	case i.version == 3:
		return "max"
	case offered == i.full:
		return "full"
	case i.scales:
		return i.scaled(offered)
	}
	return "max"
}

// scaled returns the canonical size parameter for a size other than the full one: "w,h" in version 3, "w," before.
func (i *info) scaled(s size) string {
	if i.version == 3 {
		return fmt.Sprintf("%d,%d", s.Width, s.Height)
	}
	return fmt.Sprintf("%d,", s.Width)
}

// half returns half the width and height, rounded down: a quarter of the pixels.
func (s size) half() size { return size{s.Width / 2, s.Height / 2} }

// within returns the size, scaled down if it exceeds the width or height of limit, or the area in pixels. The aspect ratio
// stays the same.
func (s size) within(limit size, area int) size {
	width, height := float64(s.Width), float64(s.Height)
	scale := min(1, float64(limit.Width)/width, float64(limit.Height)/height)
	if width*scale*height*scale > float64(area) {
		// The server rounds the height and may add half a row.
		scale = math.Sqrt(max(1, float64(area)-width*scale/2) / (width * height))
	}
	if scale == 1 {
		return s
	}
	return size{max(1, int(width*scale)), max(1, int(height*scale))}
}
