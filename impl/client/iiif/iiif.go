// Package iiif reads manifests and collections of the IIIF Presentation API, versions 2 and 3: which canvases there are, in
// which order, and which image shows each. It fetches nothing, and leaves the sizes of images to package fetch, which reads
// info.json. Start with Parse.
package iiif

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Document is a manifest, or a collection of manifests and collections.
type Document struct {
	ID, Label string
	// Canvases are the canvases of a manifest, in order; nil for a collection.
	Canvases []Canvas
	// Links are the URLs of the members of a collection, in order.
	Links []string
	// IsCollection reports whether the document is a collection.
	IsCollection bool
}

// Canvas is one page of a manifest.
type Canvas struct {
	ID, Label     string
	Width, Height int // 0 if the manifest does not say
	// Images are URLs of the image of the canvas: of its info.json if it has an image service, else of the image itself. There
	// is one, unless several images show a part of the canvas each; none if the canvas shows no image.
	Images []string
}

// errNotIIIF means that a file is JSON, but neither a manifest nor a collection.
var errNotIIIF = errors.New("not a IIIF manifest or collection (Presentation API 2 or 3)")

type object map[string]any

// Parse parses a manifest or a collection of the Presentation API 2 or 3. It fails for other JSON, and for text that is not
// JSON.
func Parse(body []byte) (*Document, error) {
	var root object
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), &root); err != nil {
		return nil, errNotIIIF
	}
	doc := &Document{ID: root.id(), Label: text(root["label"])}
	switch {
	case root.hasType("Manifest"):
		for _, canvas := range root.canvases() {
			doc.Canvases = append(doc.Canvases, parseCanvas(canvas))
		}
	case root.hasType("Collection"):
		doc.IsCollection = true
		// Version 2 has three lists, version 3 has one.
		for _, name := range []string{"manifests", "collections", "members", "items"} {
			for _, member := range objects(root[name]) {
				if id := member.id(); id != "" && (member.hasType("Manifest") || member.hasType("Collection")) {
					doc.Links = append(doc.Links, id)
				}
			}
		}
	default:
		return nil, errNotIIIF
	}
	return doc, nil
}

// canvases returns the canvases of a manifest: in version 2 those of its first sequence, because further sequences only order
// them differently.
func (o object) canvases() []object {
	if sequences := objects(o["sequences"]); len(sequences) > 0 {
		return objects(sequences[0]["canvases"])
	}
	var all []object
	for _, item := range objects(o["items"]) {
		if item.hasType("Canvas") {
			all = append(all, item)
		}
	}
	return all
}

// parseCanvas finds the images that are painted onto the canvas. Thumbnails, renderings and annotations of other kinds do
// not count.
func parseCanvas(canvas object) Canvas {
	c := Canvas{ID: canvas.id(), Label: text(canvas["label"]), Width: whole(canvas["width"]), Height: whole(canvas["height"])}
	annotations := objects(canvas["images"]) // version 2
	for _, page := range objects(canvas["items"]) {
		annotations = append(annotations, objects(page["items"])...)
	}
	var partial []string
	for _, annotation := range annotations {
		if !paints(annotation["motivation"]) {
			continue
		}
		image := imageOf(first(annotation, "resource", "body"))
		switch {
		case image == "":
		case isPartial(first(annotation, "on", "target")):
			partial = append(partial, image)
		case len(c.Images) == 0:
			c.Images = []string{image} // further images of the whole canvas are other views of it
		}
	}
	if len(c.Images) == 0 {
		c.Images = partial
	}
	return c
}

// paints reports whether an annotation is content of the canvas. Some manifests of version 2 leave the motivation out.
func paints(motivation any) bool {
	for _, m := range append(list(motivation), motivation) {
		if name, ok := m.(string); ok && strings.HasSuffix(name, "painting") {
			return true
		}
	}
	return motivation == nil
}

// isPartial reports whether the target of an annotation is a part of the canvas (a media fragment).
func isPartial(target any) bool {
	if o, ok := target.(map[string]any); ok {
		return o["selector"] != nil || isPartial(first(o, "full", "source"))
	}
	name, _ := target.(string)
	return strings.Contains(name, "#xywh=")
}

// imageOf returns the URL of the image that a body is: of the default of a choice, of the source of a specific resource, of the
// first image of a list. It is "" if the body is not an image.
func imageOf(body any) string {
	for _, element := range list(body) {
		if image := imageOf(element); image != "" {
			return image
		}
	}
	value, ok := body.(map[string]any)
	if !ok {
		return ""
	}
	o := object(value)
	switch {
	case o.hasType("Choice"):
		if image := imageOf(o["default"]); image != "" {
			return image
		}
		return imageOf(append(list(o["item"]), list(o["items"])...))
	case o.hasType("SpecificResource"):
		return imageOf(first(o, "full", "source"))
	case !o.hasType("Image"):
		return ""
	}
	for _, service := range append(objects(o["service"]), objects(o["services"])...) {
		if id := service.id(); id != "" && service.servesImages() {
			return strings.TrimSuffix(strings.TrimSuffix(id, "/info.json"), "/") + "/info.json"
		}
	}
	return o.id()
}

// servesImages reports whether a service is one for images, and not for authentication or search.
func (o object) servesImages() bool {
	for _, name := range []string{"@context", "type", "@type", "profile"} {
		for _, value := range append(list(o[name]), o[name]) {
			s, _ := value.(string)
			if strings.Contains(s, "/image") || strings.HasPrefix(s, "ImageService") || s == "level0" || s == "level1" || s == "level2" {
				return true
			}
		}
	}
	return false
}

// id returns the URI of the object: "@id" in version 2, "id" in version 3.
func (o object) id() string {
	id, _ := first(o, "id", "@id").(string)
	return id
}

// hasType reports whether the object has the type, which version 2 prefixes with a vocabulary: "sc:Manifest", "oa:Choice".
func (o object) hasType(name string) bool {
	for _, t := range append(list(o["type"]), list(o["@type"])...) {
		if s, _ := t.(string); s == name || strings.HasSuffix(s, ":"+name) {
			return true
		}
	}
	for _, t := range []any{o["type"], o["@type"]} {
		if s, _ := t.(string); s == name || strings.HasSuffix(s, ":"+name) {
			return true
		}
	}
	return false
}

func first(o map[string]any, names ...string) any {
	for _, name := range names {
		if value, ok := o[name]; ok {
			return value
		}
	}
	return nil
}

// list returns the elements of a JSON list, nil for any other value.
func list(value any) []any {
	all, _ := value.([]any)
	return all
}

// objects returns the objects of a value that is an object or a list.
func objects(value any) (found []object) {
	if one, ok := value.(map[string]any); ok {
		return []object{one}
	}
	for _, element := range list(value) {
		if o, ok := element.(map[string]any); ok {
			found = append(found, o)
		}
	}
	return found
}

// whole returns a value as a number of pixels, or 0 if it is not one.
func whole(value any) int {
	const maxWhole = 1 << 30
	if f, ok := value.(float64); ok && f >= 1 && f < maxWhole {
		return int(f)
	}
	return 0
}

// text returns a label: a string, an object with "@value", a list of either (version 2), or lists by language (version 3), of
// which it takes English or else the first in alphabetical order. Runs of white space become one space.
func text(label any) string {
	switch value := label.(type) {
	case string:
		return strings.Join(strings.Fields(value), " ")
	case []any:
		for _, element := range value {
			if s := text(element); s != "" {
				return s
			}
		}
	case map[string]any:
		if v, ok := value["@value"]; ok {
			return text(v)
		}
		best := ""
		for language := range value {
			if text(value[language]) != "" && (best == "" || language == "en" || language < best && best != "en") {
				best = language
			}
		}
		if best != "" {
			return text(value[best])
		}
	}
	return ""
}
