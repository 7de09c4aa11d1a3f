package liar

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	everyAddress = "extract/200/every-image-by-address"
	otherAddress = "extract/400/every-other-file-by-address"
	everyReason  = "extract/400/every-fetch-reason"
)

// fetchedDefects treat images that the server fetches wrongly. They need a mock wrapped in Fetching.
func fetchedDefects() []row {
	named := func(suffixes ...string) func(i fetchedImage) bool {
		return func(i fetchedImage) bool {
			return slices.Contains(suffixes, filepath.Ext(i.url.Path))
		}
	}
	typed := func(holds func(media string) bool) func(i fetchedImage) bool {
		return func(i fetchedImage) bool { return holds(i.media) }
	}
	content := func(marks ...string) func(i fetchedImage) bool {
		return func(i fetchedImage) bool {
			return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(string(i.data[:min(len(i.data), 64)]), m) })
		}
	}
	return []row{
		{"keeps fetched images by their address", "extract/400/image-that-is-gone", func(honest server) server {
			var seen memory[bool]
			return func(c *call) *reply {
				url := c.field("imageUrl")
				if !c.isExtract() || !strings.HasPrefix(url, "http") {
					return honest(c)
				}
				known := false
				seen.use(url, func(read *bool) { known = *read })
				if known {
					c = c.withBody(edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/printed" }))
				}
				a := honest(c)
				seen.use(url, func(read *bool) { *read = *read || a.status == http.StatusOK })
				return a
			}
		}},
		{"refuses a fetched image by the extension of its address", everyAddress, refuseFetched(named(".gif", ".pdf", ".php"))},
		{"refuses a fetched image without an extension", everyAddress, refuseFetched(named(""))},
		{"refuses a fetched image of the type text/plain", everyAddress, refuseFetched(typed(func(m string) bool { return strings.HasPrefix(m, "text/") }))},
		{"refuses a fetched image of an unknown type", everyAddress, refuseFetched(typed(func(m string) bool { return m == "application/octet-stream" }))},
		{"refuses a fetched image without a type", everyAddress, refuseFetched(typed(func(m string) bool { return m == "" }))},
		{"refuses a fetched image without a length", everyAddress, refuseFetched(func(i fetchedImage) bool { return i.length < 0 })},
		{"refuses a fetched image of HTTP/1.0", everyAddress, refuseFetched(func(i fetchedImage) bool { return i.minor == 0 })},
		{"refuses a fetched image whose address has a query", everyAddress, refuseFetched(func(i fetchedImage) bool { return i.url.RawQuery != "" })},
		{"refuses a fetched image behind a redirect", everyAddress, refuseFetched(func(i fetchedImage) bool { return i.last.RawQuery == "there" })},
		{"refuses a fetched WebP without loss", everyAddress, refuseFetched(content("VP8L"))},
		{"refuses a fetched TIFF of Motorola order", everyAddress, refuseFetched(content("MM\x00*"))},
		{"refuses a fetched BMP", everyAddress, refuseFetched(content("BM"))},
		{"refuses a fetched image of more than 10 MiB", everyAddress, refuseFetched(func(i fetchedImage) bool { return len(i.data) > 10<<20 })},
		{"reads a fetched GIF", otherAddress, acceptFetched(content("GIF8"))},
		{"reads a fetched PDF", otherAddress, acceptFetched(content("%PDF"))},
		{"reads fetched HTML", otherAddress, acceptFetched(content("<html"))},
		{"takes a lack of permission for a lack of the image", everyReason, reasonInstead("forbidden", "not-found", false)},
		{"takes an image that is gone for one that may come back", everyReason, reasonInstead("not-found", "server-error", true)},
		{"takes an incomplete image for a damaged one", everyReason, reasonInstead("incomplete", "not-an-image", false)},
		{"gives up on a server that has failed", everyReason, reasonInstead("server-error", "bad-answer", false)},
	}
}

// fetchedImage is an image as its server sent it.
type fetchedImage struct {
	url, last *url.URL // as requested, and after redirects
	status    int      // 0 without an answer
	media     string
	length    int64 // -1 if its server did not say
	minor     int   // of the version of HTTP
	data      []byte
}

// onlyFetched changes requests whose image is at an address of this machine.
func onlyFetched(change func(c *call, i fetchedImage)) lie {
	return rewrite(func(c *call) {
		u := ofThisMachine(c)
		if u == nil {
			return
		}
		if image, err := fetch(u); err == nil && image.status == http.StatusOK {
			change(c, image)
		}
	})
}

// refuseFetched refuses a fetched image as if it were not an image.
func refuseFetched(holds func(i fetchedImage) bool) lie {
	return onlyFetched(func(c *call, i fetchedImage) {
		if holds(i) {
			c.body = edited(c.body, func(o object) { o["imageUrl"] = "data:image/png;base64,AAAA" })
		}
	})
}

// acceptFetched accepts a fetched file as if it were an image.
func acceptFetched(holds func(i fetchedImage) bool) lie {
	return onlyFetched(func(c *call, i fetchedImage) {
		if holds(i) {
			c.body = edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/printed" })
		}
	})
}

// reasonInstead names another reason of fetch.
func reasonInstead(reason, instead string, retryable bool) lie {
	return on(both(isExtraction, status(http.StatusBadRequest)), inside("fetch", func(f object) {
		if f["reason"] == reason {
			f["reason"], f["retryable"] = instead, retryable
			delete(f, "retryAfter")
			if retryable {
				f["retryAfter"] = 1
			}
		}
	}))
}

// Fetching returns an honest server that fetches images from this machine and passes them to the mock as data: URLs, because
// the mock fetches nothing.
func Fetching(honest http.Handler) http.Handler {
	return New(honest, Defect{lie: rewrite(func(c *call) {
		if strings.HasPrefix(c.field("imageUrl"), "https://contract.invalid/") {
			c.body = edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/fetch-no-address" })
		}
		u := ofThisMachine(c)
		if u == nil {
			return
		}
		image, err := fetch(u)
		passed := "data:;base64," + base64.StdEncoding.EncodeToString(image.data)
		if reason := image.failure(err); reason != "" {
			passed = "https://mock.invalid/fetch-" + reason
		}
		c.body = edited(c.body, func(o object) { o["imageUrl"] = passed })
	})})
}

// ofThisMachine is the address of an image, nil if it is not on this machine.
func ofThisMachine(c *call) *url.URL {
	u, err := url.Parse(c.field("imageUrl"))
	if !c.isExtract() || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() != "127.0.0.1" || u.Port() == "" {
		return nil
	}
	return u
}

// How images are fetched: their size, the time, and the redirects that are followed.
const (
	maxFetchedBytes = 20 << 20 // bytes
	fetchTimeout    = 20 * time.Second
	maxRedirects    = 5
)

var (
	errRedirects = errors.New("too many redirects")
	errTooLarge  = errors.New("too large")
)

var fetcher = &http.Client{Timeout: fetchTimeout, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	return nil
}}

// fetch gets an image. With an error, the image has what its server sent until then.
func fetch(u *url.URL) (fetchedImage, error) {
	res, err := fetcher.Get(u.String()) //nolint:noctx // the client has a timeout
	if err != nil {
		return fetchedImage{url: u}, err
	}
	defer func() { _ = res.Body.Close() }()
	image := fetchedImage{
		url: u, last: res.Request.URL, status: res.StatusCode, media: res.Header.Get("Content-Type"), length: res.ContentLength,
		minor: res.ProtoMinor,
	}
	if res.ContentLength > maxFetchedBytes {
		return image, errTooLarge
	}
	image.data, err = io.ReadAll(io.LimitReader(res.Body, maxFetchedBytes+1))
	if err == nil && len(image.data) > maxFetchedBytes {
		err = errTooLarge
	}
	return image, err
}

// failure is the reason for which an image could not be fetched, "" if there is none.
func (i fetchedImage) failure(err error) string {
	switch {
	case errors.Is(err, errRedirects):
		return "redirect"
	case errors.Is(err, errTooLarge):
		return "too-large"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "tls"
	case err != nil && i.status == 0:
		return "unreachable"
	case err != nil:
		return "incomplete"
	case i.status == http.StatusOK && bytes.HasPrefix(i.data, []byte("no image")):
		return "not-an-image"
	}
	return map[int]string{
		200: "", 404: "not-found", 410: "not-found", 401: "forbidden", 403: "forbidden", 407: "forbidden", 451: "forbidden", 429: "busy", 503: "busy",
		500: "server-error", 502: "server-error", 504: "server-error", 400: "bad-answer", 418: "bad-answer", 505: "bad-answer",
	}[i.status]
}
