package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// maxInfoBytes is the size of a info.json, which is a few KiB in practice.
const maxInfoBytes = 1 << 20

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
