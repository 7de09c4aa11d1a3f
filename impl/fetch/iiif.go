package fetch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"uncial/internal/contract"
)

// maxInfoBytes bounds an info.json, which has a few KiB in practice. A larger JSON file is refused before it is parsed, since
// parsing can take many times its size in memory.
const maxInfoBytes = 1 << 20

// info is the content of a IIIF Image API info.json, in version 1.1, 2 or 3 (iiif.io/api/image). Only what the choice of a
// size needs is kept; tiles are ignored, because the whole image is fetched.
type info struct {
	version int    // 1, 2 or 3
	base    string // URI of the image, without a slash at the end
	full    size
	limit   size // largest width and height that the server delivers
	area    int  // largest number of pixels that the server delivers
	// scales reports whether the server scales to sizes that it does not list.
	scales bool
	listed []size
}

// size is in pixels.
type size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// limits are in the profile in version 2 and at the top level in version 3; 0 means no limit.
type limits struct {
	MaxWidth  int `json:"maxWidth"`
	MaxHeight int `json:"maxHeight"`
	MaxArea   int `json:"maxArea"`
}

// isJSON reports whether a body looks like a JSON object: it begins with a brace, which no image format does. The
// Content-Type is not used, because many servers send a wrong one.
func isJSON(body []byte) bool {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

// parseInfo parses an info.json. It ignores fields that it does not know, and listed sizes that are not plausible. Errors:
// *Error.
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
		return nil, failed(contract.FetchNotAnImage, "the server sent JSON other than a IIIF info.json; give the URL of an image")
	}
	version, err := versionOf(texts(wire.Context), wire.Protocol)
	if err != nil {
		return nil, err
	}
	level, features, limit := profile(wire.Profile)
	scaling := "sizeByW"
	if version == 3 {
		limit, features, scaling = wire.limits, wire.ExtraFeatures, "sizeByWh"
	}
	parsed := &info{
		version: version,
		base:    strings.TrimSuffix(cmp.Or(wire.ID, wire.OldID), "/"),
		full:    wire.size,
		// A maxWidth without maxHeight limits both sides (Image API 3.0, section 5.3).
		limit:  size{orUnlimited(limit.MaxWidth), orUnlimited(cmp.Or(limit.MaxHeight, limit.MaxWidth))},
		area:   orUnlimited(limit.MaxArea),
		scales: level > 0 || slices.Contains(features, scaling),
	}
	if !parsed.full.isPlausible() {
		return nil, failed(contract.FetchNotAnImage, "the IIIF info.json has no usable width and height")
	}
	for _, s := range wire.Sizes {
		if s.isPlausible() {
			parsed.listed = append(parsed.listed, s)
		}
	}
	return parsed, nil
}

// orUnlimited returns the limit, or math.MaxInt if it is not set.
func orUnlimited(limit int) int {
	if limit > 0 {
		return limit
	}
	return math.MaxInt
}

// isPlausible reports whether both sides are positive and fit into 32 bits, so their product fits into 64.
func (s size) isPlausible() bool {
	return s.Width > 0 && s.Height > 0 && s.Width <= math.MaxInt32 && s.Height <= math.MaxInt32
}

// versionOf returns the version of the Image API that the @context names. Errors: *Error, which explains the usual
// mistakes: a manifest (Presentation API), an unsupported version, or JSON that is not IIIF.
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
		return 0, failed(contract.FetchNotAnImage, "the URL is that of a IIIF manifest; give the info.json of one of its images")
	case strings.Contains(protocol, "iiif.io/api/image"), strings.Contains(about, "iiif.io/api/image/"):
		return 0, failed(contract.FetchNotAnImage, "unsupported version of the IIIF Image API; versions 1.1, 2 and 3 are supported")
	}
	return 0, failed(contract.FetchNotAnImage, "the server sent JSON other than a IIIF info.json; give the URL of an image")
}

// profile parses the profile: the name or URI of a compliance level, or a list of names and of objects with additional
// features (Image API 2.1, section 5.3). level is 1 for the levels 1 and 2, both of which include scaling, else 0.
func profile(raw json.RawMessage) (level int, features []string, limit limits) {
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
			limit = limits{
				cmp.Or(extra.MaxWidth, limit.MaxWidth),
				cmp.Or(extra.MaxHeight, limit.MaxHeight),
				cmp.Or(extra.MaxArea, limit.MaxArea),
			}
		}
	}
	return level, features, limit
}

// texts returns the strings of a JSON value that is a string or a list. It ignores other elements.
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
