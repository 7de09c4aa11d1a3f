package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"uncial/impl/ocr"
)

// maxInfoBytes is the size of a info.json, which is a few KiB in practice.
const maxInfoBytes = 1 << 20

// maxChoices bounds how many sizes of a IIIF image are tried before it is too large.
const maxChoices = 3

// info is what a IIIF Image API info.json says of an image, in version 1.1, 2 or 3.
type info struct {
	version int
	base    string // URI of the image
	full    size
	limit   size // what the server delivers at most, for each side
	area    int  // and in pixels
	// scales is true when the server scales to sizes that it does not list.
	scales bool
	listed []size
}

type size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// limits are those that a profile of version 2 or an info.json of version 3 may set.
type limits struct {
	MaxWidth  int `json:"maxWidth"`
	MaxHeight int `json:"maxHeight"`
	MaxArea   int `json:"maxArea"`
}

// isJSON says whether a body is a JSON object, which no image is.
func isJSON(body []byte) bool {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

// parseInfo reads an info.json. Errors: *ocr.ImageError.
func parseInfo(body []byte) (*info, error) {
	var wire struct {
		size
		limits
		Context       json.RawMessage `json:"@context"`
		Protocol      string          `json:"protocol"`
		ID            string          `json:"id"`
		OldID         string          `json:"@id"`
		Profile       json.RawMessage `json:"profile"`
		Sizes         []size          `json:"sizes"`
		ExtraFeatures []string        `json:"extraFeatures"`
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if len(body) > maxInfoBytes || json.Unmarshal(body, &wire) != nil {
		return nil, blame("the server sent JSON that is no IIIF info.json; the URL of an image is needed")
	}
	version, err := versionOf(texts(wire.Context), wire.Protocol)
	if err != nil {
		return nil, err
	}
	level, features, most := profile(wire.Profile)
	scaling := "sizeByW"
	if version == 3 {
		most, features, scaling = wire.limits, wire.ExtraFeatures, "sizeByWh"
	}
	described := &info{
		version: version,
		base:    strings.TrimSuffix(cmp.Or(wire.ID, wire.OldID), "/"),
		full:    wire.size,
		// A width without a height bounds both sides.
		limit:  size{unlessSet(most.MaxWidth), unlessSet(cmp.Or(most.MaxHeight, most.MaxWidth))},
		area:   unlessSet(most.MaxArea),
		scales: level > 0 || slices.Contains(features, scaling),
	}
	if !described.full.plausible() {
		return nil, blame("the IIIF info.json has no usable width and height")
	}
	for _, s := range wire.Sizes {
		if s.plausible() {
			described.listed = append(described.listed, s)
		}
	}
	return described, nil
}

func unlessSet(limit int) int {
	if limit > 0 {
		return limit
	}
	return math.MaxInt
}

func (s size) plausible() bool {
	return s.Width > 0 && s.Height > 0 && s.Width <= math.MaxInt32 && s.Height <= math.MaxInt32
}

// versionOf tells the version of the Image API by the @context, and what else the JSON may be.
func versionOf(contexts []string, protocol string) (int, error) {
	about := strings.Join(contexts, " ")
	switch {
	case strings.Contains(about, "iiif.io/api/image/3/"):
		return 3, nil
	case strings.Contains(about, "iiif.io/api/image/2/"):
		return 2, nil
	case strings.Contains(about, "/iiif/image-api/1.1/"), strings.Contains(about, "iiif.io/api/image/1/"):
		return 1, nil
	case strings.Contains(about, "iiif.io/api/presentation/"):
		return 0, blame("this is a IIIF manifest; give the info.json of one of its images")
	case strings.Contains(protocol, "iiif.io/api/image"), strings.Contains(about, "iiif.io/api/image/"):
		return 0, blame("this version of the IIIF Image API is not known; 1.1, 2 and 3 are")
	}
	return 0, blame("the server sent JSON that is no IIIF info.json; the URL of an image is needed")
}

// profile reads the profile: a name or URI of the level, or a list of such and of objects with what is supported
// beyond it.
func profile(raw json.RawMessage) (level int, features []string, most limits) {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		parts = []json.RawMessage{raw}
	}
	for _, name := range texts(raw) {
		if strings.Contains(name, "level1") || strings.Contains(name, "level2") {
			level = 1
		}
	}
	for _, part := range parts {
		var extra struct {
			limits
			Supports []string `json:"supports"`
		}
		if json.Unmarshal(part, &extra) == nil {
			features = append(features, extra.Supports...)
			most = limits{
				cmp.Or(extra.MaxWidth, most.MaxWidth),
				cmp.Or(extra.MaxHeight, most.MaxHeight),
				cmp.Or(extra.MaxArea, most.MaxArea),
			}
		}
	}
	return level, features, most
}

// texts are the strings in a JSON value that is a string or a list with strings in it.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []any
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	var found []string
	for _, value := range many {
		if text, ok := value.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// imageURLs are the addresses of the whole image, the largest that may be read first. An info.json that came over https
// keeps to https, as many name themselves by their old http address.
func (i *info) imageURLs(from *url.URL) ([]*url.URL, error) {
	base, err := parseURL(i.base)
	if err != nil || strings.ContainsAny(i.base, "?#") {
		return nil, blame("the IIIF info.json has no usable id; an http or https URL is needed")
	}
	if from.Scheme == "https" {
		base.Scheme = "https"
	}
	sizes := i.sizes()
	if len(sizes) == 0 {
		return nil, blame("the IIIF image has more than %d megapixels or %d pixels a side, and the server offers no smaller one",
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
			return nil, blame("the IIIF info.json has no usable id; an http or https URL is needed")
		}
		found = append(found, u)
	}
	return found, nil
}

// sizes are size parameters, the largest that the server and our limits permit first, then smaller ones for an image
// that has too many bytes.
func (i *info) sizes() []string {
	var parameters []string
	offered := i.full.within(i.limit, i.area)
	readable := offered.within(size{ocr.MaxSide, ocr.MaxSide}, ocr.MaxPixels)
	if offered == readable {
		parameters = append(parameters, i.whole(offered))
	}
	if i.scales {
		next := readable
		if next == offered {
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

// whole is the parameter for the largest image that the server delivers, which is offered.
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

// scaled is the canonical parameter for a size other than the full one.
func (i *info) scaled(s size) string {
	if i.version == 3 {
		return fmt.Sprintf("%d,%d", s.Width, s.Height)
	}
	return fmt.Sprintf("%d,", s.Width)
}

func (s size) half() size { return size{s.Width / 2, s.Height / 2} }

// within is the size scaled down, if it must be, to a largest width, height and area.
func (s size) within(most size, area int) size {
	width, height := float64(s.Width), float64(s.Height)
	scale := min(1, float64(most.Width)/width, float64(most.Height)/height)
	if width*scale*height*scale > float64(area) {
		// The server rounds the height, so that it may add half a row.
		scale = math.Sqrt(max(1, float64(area)-width*scale/2) / (width * height))
	}
	if scale == 1 {
		return s
	}
	return size{max(1, int(width*scale)), max(1, int(height*scale))}
}
