package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"uncial/impl/client/iiif"
	"uncial/impl/fetch"
	"uncial/impl/volume"
	"uncial/internal/contract"
)

const (
	// maxManifest bounds a manifest in bytes. Those of 2,000 pages have about 5 MiB.
	maxManifest = 64 << 20
	// maxManifests and maxCollections bound what a collection may lead to: how many manifests, and how many collections deep.
	maxManifests   = 1000
	maxCollections = 4
)

// manifest returns the pages of a manifest, or of all manifests of a collection. body is nil if it must be fetched from source.
func (r *Reader) manifest(ctx context.Context, source string, body []byte) (*iiif.Document, []*Page, error) {
	if body == nil {
		var err error
		if body, err = r.get(ctx, source, r.argumentFetcher); err != nil {
			return nil, nil, fmt.Errorf("cannot fetch the manifest: %w", err)
		}
	}
	doc, err := iiif.Parse(body)
	if err != nil {
		return nil, nil, err
	}
	manifests := []*iiif.Document{doc}
	if doc.IsCollection {
		c := collector{reader: r, seen: map[string]bool{source: true, doc.ID: true}}
		if err := c.collect(ctx, doc, 1); err != nil {
			return nil, nil, err
		}
		manifests = c.manifests
	}
	pages, images := r.canvasPages(manifests)
	switch {
	case len(manifests) == 0:
		return nil, nil, errors.New("the IIIF collection has no manifests")
	case images == 0 && doc.IsCollection:
		return nil, nil, errors.New("the manifests of the IIIF collection have no images")
	case images == 0:
		return nil, nil, errors.New("the IIIF manifest has no images")
	}
	return doc, pages, nil
}

// get returns a manifest or collection. web returns the fetcher for its URL. Temporary failures are retried within
// Reader.Timeout; errors say what the user can change.
func (r *Reader) get(ctx context.Context, url string, web func(ctx context.Context, url string) *fetch.Fetcher) ([]byte, error) {
	bounded, cancel := ctx, func() {}
	if r.Timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, r.Timeout)
	}
	defer cancel()
	body, err := retryFetch(bounded, url, r.Waiting, func() ([]byte, error) {
		body, err := web(bounded, url).Get(bounded, url)
		return body, aboutManifest(err)
	})
	var failed *fetch.Error
	switch {
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("it did not arrive within %v", r.Timeout)
	case errors.As(err, &failed) && failed.Reason == contract.FetchNotAnImage:
		return nil, errors.New("the server sent a web page, or nothing, instead of a manifest or collection")
	case errors.As(err, &failed) && failed.Reason == contract.FetchTooLarge:
		return nil, fmt.Errorf("it is larger than the limit of %d MiB", maxManifest>>20)
	}
	return body, err
}

// inManifestTerms changes the texts of package fetch, which are about images.
var inManifestTerms = strings.NewReplacer("the URL of an image", "the URL of a manifest or collection", "the image", "the manifest")

// aboutManifest returns the error of a fetch with a text about a manifest.
func aboutManifest(err error) error {
	failed, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return err
	}
	changed := *failed
	changed.Text = inManifestTerms.Replace(failed.Text)
	return &changed
}

// collector gathers the manifests of a collection.
type collector struct {
	reader    *Reader
	seen      map[string]bool // a collection may contain itself
	manifests []*iiif.Document
}

// collect fetches the members of a collection, one after the other.
func (c *collector) collect(ctx context.Context, collection *iiif.Document, depth int) error {
	if depth > maxCollections {
		return fmt.Errorf("the IIIF collection has more than %d levels; give a collection or manifest from a lower level", maxCollections)
	}
	for _, link := range collection.Links {
		if c.seen[link] {
			continue
		}
		c.seen[link] = true
		body, err := c.reader.get(ctx, link, c.reader.linkFetcher)
		if err != nil {
			return fmt.Errorf("%s: %w", link, explainRefused(err))
		}
		doc, err := iiif.Parse(body)
		if err != nil {
			return fmt.Errorf("%s: %w", link, err)
		}
		if doc.IsCollection {
			if err := c.collect(ctx, doc, depth+1); err != nil {
				return err
			}
			continue
		}
		if c.manifests = append(c.manifests, doc); len(c.manifests) > maxManifests {
			return fmt.Errorf("the IIIF collection has more than %d manifests; give those you need", maxManifests)
		}
	}
	return nil
}

// canvasPages returns a page for each image of each canvas, and how many images there are. A canvas without an image is a page
// that is absent.
func (r *Reader) canvasPages(manifests []*iiif.Document) (pages []*Page, images int) {
	const minDigits = 3
	for m, doc := range manifests {
		digits := max(minDigits, len(fmt.Sprint(len(doc.Canvases))))
		prefix := ""
		if len(manifests) > 1 {
			prefix = fmt.Sprintf("%0*d-", len(fmt.Sprint(len(manifests))), m+1)
		}
		for i, canvas := range doc.Canvases {
			id := cmp.Or(canvas.ID, fmt.Sprintf("%s#canvas=%d", doc.ID, i+1))
			base := Page{
				Position: id, Locator: id, Source: id, Label: canvas.Label, Stem: fmt.Sprintf("%s%0*d", prefix, digits, i+1),
				Canvas: volume.Canvas{ID: canvas.ID, Width: canvas.Width, Height: canvas.Height},
			}
			if base.Label == "" {
				base.Label = fmt.Sprint(i + 1)
			}
			if len(canvas.Images) == 0 {
				base.origin = broken{goneError{errors.New("the canvas shows no image")}}
				pages = append(pages, &base)
			}
			for k, image := range canvas.Images {
				page := base
				from := r.webPage(image, r.linkFetcher)
				page.origin, page.Source, page.Host = from.origin, from.Source, hostOf(image)
				if len(canvas.Images) > 1 {
					page.Stem = fmt.Sprintf("%s-%d", base.Stem, k+1)
					if k > 0 {
						page.Position = fmt.Sprintf("%s#image=%d", id, k+1)
						page.Locator = page.Position
					}
					page.Canvas = volume.Canvas{IsPartial: true} // annotations would be misplaced
				}
				pages = append(pages, &page)
				images++
			}
		}
	}
	return pages, images
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
