package source

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"uncial/impl/fetch"
	"uncial/internal/address"
	"uncial/internal/contract"
)

// errGone means that the image does not exist: its server says so, or the canvas is empty.
var errGone = errors.New("")

// goneError is an error that IsAbsent recognizes.
type goneError struct{ error }

func (goneError) Is(target error) bool { return target == errGone }

// isURL reports whether an argument begins with a scheme that the service accepts. Anything else, such as C:\scan.jpg, is taken
// for a file name.
func isURL(s string) bool {
	for _, scheme := range []string{"http://", "https://", "data:"} {
		if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// otherScheme matches a URL with any scheme.
var otherScheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*:)//`)

// shown returns an argument as messages name it: without the content of a data: URL, and "" in quotes.
func shown(s string) string {
	if s == "" {
		return `""`
	}
	if head, _, inline := strings.Cut(s, ","); inline && len(s) >= 5 && strings.EqualFold(s[:5], "data:") {
		return head + ",..."
	}
	return s
}

// manifestPath matches the paths that libraries give to manifests and collections: .../manifest, .../manifest.json,
// .../presentation/v2/b18035723, .../manifests/drs:48309543, .../collection/top.json.
var manifestPath = regexp.MustCompile(`(?i)/(?:[a-z]*manifests?|collections?|presentation)(?:/|\.json$|$)|\.json$`)

// isManifestURL reports whether a URL is that of a manifest or collection. It judges by the path alone, because an image, which
// the service fetches, need not be reachable from here.
func isManifestURL(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Opaque == "" && manifestPath.MatchString(u.Path) && !strings.HasSuffix(u.Path, "/info.json") &&
		!iiifImage.MatchString(u.Path) && !imageName.MatchString(u.Path)
}

var imageName = regexp.MustCompile(`(?i)\.(?:jpe?g|png|tiff?|bmp|webp|jp2)$`)

// iiifImage matches the path of a IIIF image (Image API 2 and 3, section 4): region, size, rotation, quality and format.
var iiifImage = regexp.MustCompile(`/(?:full|square|(?:pct:)?[0-9.,]+)/[^/]+/!?[0-9.]+/(?:default|native|color|gray|bitonal)\.[a-z0-9]+$`)

// iiifHost returns the host of a IIIF image, "" for any other URL.
func iiifHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || !strings.HasSuffix(u.Path, "/info.json") && !iiifImage.MatchString(u.Path) {
		return ""
	}
	return strings.ToLower(u.Host)
}

// urlName returns the last meaningful segment of a URL's path, at most 100 characters: letters, digits and "._-" only, so
// that it is a valid file name everywhere.
func urlName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return "image"
	}
	last := path.Base(strings.TrimSuffix(u.Path, "/info.json")) // IIIF: the segment before it is the identifier of the image
	if last == "/" || last == "." {
		return "image"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, last)
	return name[:min(len(name), 100)]
}

// webPage is an image at a URL, or inside a data: URL.
type webPage struct {
	url         string
	web         func(ctx context.Context, url string) *fetch.Fetcher
	waiting     func(url string, failed error, pause time.Duration) // may be nil
	isFetchHere bool                                                // else the service fetches
}

// lookupTimeout bounds the search for the addresses of a host.
const lookupTimeout = 10 * time.Second

// argumentFetcher returns the fetcher for a URL of the command line: Web if its host is on the user's network or the URL has a
// port; otherwise Linked, because a public server may redirect to that network.
func (r *Reader) argumentFetcher(ctx context.Context, raw string) *fetch.Fetcher {
	u, err := url.Parse(raw)
	if err != nil || u.Port() != "" {
		return r.Web
	}
	bounded, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(bounded, "ip", u.Hostname())
	isPrivate := func(a netip.Addr) bool { return !address.IsPublic(a.Unmap()) }
	if err == nil && slices.ContainsFunc(found, isPrivate) {
		return r.Web
	}
	return r.Linked // also for a name that was not found: it may be found, and public, in a moment
}

// linkFetcher returns the fetcher for a URL that a manifest names.
func (r *Reader) linkFetcher(context.Context, string) *fetch.Fetcher { return r.Linked }

// webPage returns the page at a URL. web returns the fetcher for it. A data: URL is named by its digest in the journal, because
// it may be as long as the image.
func (r *Reader) webPage(raw string, web func(ctx context.Context, url string) *fetch.Fetcher) *Page {
	page := &Page{Position: raw, Locator: raw, Source: shown(raw), Stem: stem(urlName(raw)), Label: urlName(raw), Host: iiifHost(raw)}
	from := &webPage{url: raw, web: web, waiting: r.Waiting}
	if from.isInline() {
		page.Position, page.Stem, page.Label = "data:", "image", "image"
		page.Locator = "data:" + from.digest()
	} else {
		from.isFetchHere = r.FetchHere
	}
	page.origin = from
	return page
}

func (p *webPage) isInline() bool { return len(p.url) >= 5 && strings.EqualFold(p.url[:5], "data:") }

// content is the URL: to find out whether the image has changed, it would have to be fetched. A data: URL has its digest.
func (p *webPage) content(context.Context) (string, error) {
	if p.isInline() {
		return p.digest(), nil
	}
	return "url:" + p.url, nil
}

// digest identifies a data: URL, which may be as long as the image.
func (p *webPage) digest() string {
	sum := sha256.Sum256([]byte(p.url))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// load returns the URL, which the service fetches, or with FetchHere a file in folder with what this program has fetched.
func (p *webPage) load(ctx context.Context, folder string) (*Image, error) {
	if !p.isFetchHere {
		return &Image{URL: p.url}, nil
	}
	body, err := p.fetch(ctx)
	if err != nil {
		return nil, err
	}
	fetched := filepath.Join(folder, "fetched")
	if err := os.WriteFile(fetched, body, 0o600); err != nil {
		return nil, err
	}
	image, err := (&filePage{file: &file{path: fetched}}).load(ctx, folder)
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("the image disappeared from the folder for temporary files")
	}
	return image, err
}

// fetch reads the image from its server, and waits if the server asks clients to.
func (p *webPage) fetch(ctx context.Context) ([]byte, error) {
	body, err := retryFetch(ctx, p.url, p.waiting, func() ([]byte, error) { return p.web(ctx, p.url).Fetch(ctx, p.url) })
	return body, explainRefused(err)
}

// picture returns the image for the report about a volume, from where the page was read.
func (p *webPage) picture(ctx context.Context, folder string) ([]byte, error) {
	switch {
	case p.isInline():
		return p.decoded()
	case p.isFetchHere:
		return readPicture(p.load(ctx, folder))
	}
	return p.fetch(ctx)
}

// decoded returns the image of a data: URL that the service has accepted, which therefore is in base64.
func (p *webPage) decoded() ([]byte, error) {
	_, data, _ := strings.Cut(p.url, ",")
	image, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, errors.New("the data: URL is not in base64")
	}
	return image, nil
}

// explainRefused says what to do about an address that is not public.
func explainRefused(err error) error {
	var failed *fetch.Error
	if errors.As(err, &failed) && failed.Reason == contract.FetchRefusedAddress {
		return fmt.Errorf("%w; use --fetch-allow to permit this address", err)
	}
	return err
}

const (
	// fetchTries is the maximum number of requests for a URL. If its server asks clients to wait, the command does.
	fetchTries = 5
	// fetchPause is the pause after the first failure, unless the server states one; it doubles with each further failure.
	fetchPause = time.Second
)

// retryFetch repeats a fetch that fails temporarily, because of the network or because the server asks clients to wait. It
// calls waiting, which may be nil, before each pause.
func retryFetch(ctx context.Context, url string, waiting func(url string, failed error, pause time.Duration), once func() ([]byte, error)) ([]byte, error) {
	pause := fetchPause
	for try := 1; ; try++ {
		body, err := once()
		var failed *fetch.Error
		switch {
		case err == nil || !errors.As(err, &failed):
			return body, err
		case failed.Reason == contract.FetchNotFound:
			return nil, goneError{err}
		case !failed.Reason.IsRetryable() || try == fetchTries:
			return nil, err
		}
		wait := max(pause, failed.RetryAfter)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return nil, fmt.Errorf("%w; the time limit leaves no time to wait %v and retry", err, wait)
		}
		if waiting != nil {
			waiting(url, err, wait)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		pause *= 2
	}
}
