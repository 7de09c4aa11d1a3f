package cases

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/images"
	"uncial/contracttests/internal/model"
)

// addressRows send images by address, from a server of the run. Only the content of an image counts, not its address, declared
// type or form of transfer.
func addressRows() []row {
	needs := []string{model.NeedFetching}
	return []row{
		{
			name: "extract/200/image-formats-by-address", points: 60, extractions: 6, needs: needs, build: someAddresses,
			explanation: "JPEG, PNG, TIFF, BMP and WebP are fetched and read, whatever type their address or their server claims.",
		}, {
			name: "extract/200/every-image-by-address", points: 2400, extractions: 240, needs: append(needs, model.NeedThorough), build: everyAddress,
			explanation: "Every variant of every format is fetched and read, from one pixel to the limits, and in every form of address and transfer.",
		}, {
			name: "extract/200/every-form-of-address", points: 10 * int64(len(generate.Addresses())+1), extractions: int64(len(generate.Addresses()) + 1), needs: []string{model.NeedFixtures}, check: checkAddresses,
			explanation: "An image is read at every address that the contract permits: extension, query, port, letter case and escapes do not matter.",
		}, {
			name: "extract/400/every-other-file-by-address", extractions: 60, needs: needs, build: otherAddresses,
			explanation: "A fetched file of another format, a damaged file, and an image beyond a limit get a 400 that names imageUrl, and the points are released.",
		}, {
			name: "extract/400/every-fetch-reason", extractions: 40, needs: append(needs, model.NeedAllFields), build: failingAddresses, then: reasonsAreRight,
			explanation: "If the server of an image answers with anything else, fetch has the reason that the contract defines for that answer.",
		}, {
			// This case finds caches of images by address that all accounts share.
			name: "extract/400/image-that-is-gone", points: 10, extractions: 2, needs: needs, check: fetchesAgain,
			explanation: "Each request fetches its image again: an image that its server has removed gets a 400, even if it was read before.",
		},
	}
}

// checkAddresses asks a simulated server, which fetches nothing, for images at addresses of every form.
func checkAddresses(ctx context.Context, s *session) error {
	addresses := generate.Addresses()
	a, err := s.account(ctx, model.KeyOK, int64(len(addresses)), int64(len(addresses))+1)
	if err != nil {
		return err
	}
	at := func(i int, address string) ask {
		return ask{Request: model.Request{Job: &model.Job{Image: fmt.Sprint("form of address ", i), URL: address, Unknown: true}}}
	}
	const usual = "https://images.example.org/page-001.jpg" // of the examples in the contract
	if x, err := s.sendAs(ctx, a, at(-1, usual)); err != nil {
		if asFailure(err) != nil && x.Status == http.StatusBadRequest && !s.Promised {
			return &skip{"the target has no images at addresses of other hosts"}
		}
		return err
	}
	for i, address := range addresses {
		if _, err := s.sendAs(ctx, a, at(i, address)); err != nil {
			return explain(err, "the image is at %s", model.Shorten(address, 100))
		}
	}
	return nil
}

// serving is a form of address and of transfer: what follows the name of a file, and how the file is sent.
type serving struct {
	name, suffix string
	send         func(w http.ResponseWriter, r *http.Request, data []byte)
	number       int // tells the addresses of a file in different forms apart
}

// typed sends a file with a Content-Type; "" sends none.
func typed(media string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, data []byte) {
		w.Header()["Content-Type"] = nil // net/http would guess it
		if media != "" {
			w.Header().Set("Content-Type", media)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data) // the target may have left
	}
}

// servings are the forms in which servers of images have addresses and send files.
func servings() (all []serving) {
	for _, media := range []string{"", "image/png", "image/jpeg", "image/tiff", "IMAGE/WEBP", "image/x-ms-bmp", "image/png; charset=utf-8", "application/octet-stream", "binary/octet-stream", "text/plain", "text/html; charset=utf-8", "application/json", "image/vnd.example", "x"} {
		all = append(all, serving{name: "of the type " + strconv.Quote(media), suffix: ".img", send: typed(media)})
	}
	for _, suffix := range slices.Concat(generate.Extensions, generate.Queries, []string{"", "/", ".tif/full/max/0/default.jpg", ".png?x=/../y", "%20page.png", "%C3%A9.png", "/a+b.png", ";v=1.png", "/info", "~1.png", "/" + strings.Repeat("long", 200)}) {
		all = append(all, serving{name: "at *" + model.Shorten(suffix, 20), suffix: suffix, send: typed("application/octet-stream")})
	}
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		all = append(all, serving{name: fmt.Sprintf("behind a redirect with %d", status), send: func(w http.ResponseWriter, r *http.Request, data []byte) {
			if r.URL.RawQuery == "there" {
				typed("image/png")(w, r, data)
				return
			}
			w.Header().Set("Location", r.URL.EscapedPath()+"?there")
			w.WriteHeader(status)
		}})
	}
	all = append(all,
		serving{name: "without a length", suffix: ".png", send: func(w http.ResponseWriter, _ *http.Request, data []byte) {
			_ = http.NewResponseController(w).Flush() // net/http then sends chunks
			_, _ = w.Write(data)
		}},
		serving{name: "to the end of the connection", suffix: ".png", send: func(w http.ResponseWriter, _ *http.Request, data []byte) {
			connection, buffer, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer func() { _ = connection.Close() }()
			_, _ = buffer.WriteString("HTTP/1.0 200 OK\r\n\r\n")
			_, _ = buffer.Write(data)
			_ = buffer.Flush()
		}},
		serving{name: "to be saved", suffix: ".png", send: func(w http.ResponseWriter, r *http.Request, data []byte) {
			w.Header().Set("Content-Disposition", `attachment; filename="page.pdf"`)
			w.Header().Set("Vary", "Accept, Accept-Encoding")
			w.Header().Set("Etag", `"1"`)
			typed("image/png")(w, r, data)
		}},
	)
	for i := range all {
		all[i].number = i + 1 // 0 is for forms that only one case uses
	}
	return all
}

// readFromShelf puts a file on the shelf, and asks for it by its address there, in one form.
func (s *session) readFromShelf(name string, f images.File, form serving) ask {
	path := "/" + strings.Trim(strings.ReplaceAll(f.Name, ".", "-"), "/")
	path += fmt.Sprintf("-%d", form.number) + form.suffix
	handler := func(w http.ResponseWriter, r *http.Request) { form.send(w, r, f.Data) }
	url := s.shelf.put(path, handler)
	bare, _, _ := strings.Cut(path, "?")
	s.shelf.put(bare+"?there", handler) // of redirects
	return ask{Request: model.Request{Job: &model.Job{Image: name + " " + f.Name + " " + form.name, URL: url, Unknown: true}}}
}

// someAddresses are a file of each format, each in a different form, and the suite's own page, whose text is known.
func someAddresses(s *session) (asks []ask) {
	forms := servings()
	var files, used, all []string
	for i, format := range imageFormats {
		f, n := s.draw(format, i)
		form := forms[n%len(forms)]
		files, used = append(files, f.Name), append(used, form.name)
		asks = append(asks, s.readFromShelf("fetched", f, form))
	}
	for _, f := range forms {
		all = append(all, f.name)
	}
	s.choseFrom("forms of addresses", all, used)
	s.choseFrom("image files", namesOf(images.Valid()), files)
	own := turnedPages()
	a := s.readFromShelf("own", own.files[0], forms[0])
	a.Job.Own = &own.own
	return append(asks, a.format("alto"))
}

// fetchesAgain reads an image, takes it off the shelf, and asks for it again at the same address.
func fetchesAgain(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 2, 2)
	if err != nil {
		return err
	}
	const path = "/removed.png"
	f := images.Valid()[0]
	url := s.shelf.put(path, func(w http.ResponseWriter, r *http.Request) { typed("image/"+f.Format)(w, r, f.Data) })
	removed := ask{Request: model.Request{Job: &model.Job{Image: "removed", URL: url, Unknown: true}}}
	if _, err := s.sendAs(ctx, a, removed); err != nil {
		return err
	}
	s.shelf.put(path, answers(http.StatusNotFound))
	_, err = s.sendAs(ctx, a, removed.wrong("imageUrl"))
	return err
}

// everyAddress asks for every file once, and for every form once.
func everyAddress(s *session) (asks []ask) {
	for _, f := range images.Valid() {
		asks = append(asks, s.readFromShelf("fetched", f, serving{name: "as usual", suffix: "." + f.Format, send: typed("image/" + f.Format)}))
	}
	var used []string
	for i, form := range servings() {
		files := ofFormat(imageFormats[i%len(imageFormats)])
		asks, used = append(asks, s.readFromShelf("fetched", files[i%len(files)], form)), append(used, form.name)
	}
	s.choseFrom("forms of addresses", used, used)
	return asks
}

// otherAddresses asks for every file that must be refused, heavy ones only in a thorough run.
func otherAddresses(s *session) (asks []ask) {
	for _, f := range images.Invalid() {
		if f.Heavy && !s.IsThorough() {
			continue
		}
		asks = append(asks, s.readFromShelf("fetched", f, serving{name: "as an image", suffix: ".png", send: typed("image/png")}).wrong("imageUrl"))
	}
	return append(asks, status())
}

// failures are what servers answer instead of an image, by the reason that fetch must have.
var failures = map[string][]http.HandlerFunc{
	"not-found":    {answers(404), answers(410)},
	"forbidden":    {answers(401), answers(403), answers(407), answers(451)},
	"busy":         {answers(429), answers(503)}, // without Retry-After: a server may leave the host alone for that time
	"server-error": {answers(500), answers(502), answers(504)},
	"bad-answer":   {answers(400), answers(418), answers(505)},
	"not-an-image": {func(w http.ResponseWriter, r *http.Request) { typed("image/png")(w, r, []byte("no image at all")) }},
	"too-large": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(images.MaxBytes+1))
		_, _ = w.Write(images.Valid()[0].Data)
	}},
	"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.RequestURI, http.StatusFound) }},
	"incomplete": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(images.Valid()[0].Data)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}},
}

// answers sends a status and an error in words.
func answers(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, http.StatusText(status))
	}
}

// failingAddresses asks for every failure of a server, and for addresses without a server.
func failingAddresses(s *session) (asks []ask) {
	fails := func(reason string, i int, url string) {
		asks = append(asks, ask{Request: model.Request{Wrong: []string{"imageUrl"}, Job: &model.Job{Image: fmt.Sprint(reason, " ", i), URL: url, Unknown: true}}})
	}
	for _, reason := range slices.Sorted(maps.Keys(failures)) {
		for i, h := range failures[reason] {
			fails(reason, i, s.shelf.put(fmt.Sprintf("/%s-%d.png", reason, i), h))
		}
	}
	fails("no-address", 0, "https://contract.invalid/page.png") // RFC 6761, section 6.4
	fails("refused-address", 0, "http://169.254.169.254/page.png")
	if plain, ok := strings.CutPrefix(s.shelf.base, "http://"); ok {
		fails("tls", 0, "https://"+plain+"/page.png")
	}
	if s.ImagesURL == "" {
		fails("unreachable", 0, "http://"+s.shelf.closed+"/page.png")
	}
	return asks
}

// reasonsAreRight requires the reason that the name of each image begins with.
func reasonsAreRight(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	for _, y := range x {
		want, _, _ := strings.Cut(y.Request.Job.Image, " ")
		if fetch := y.Object("fetch"); fetch["reason"] != want {
			return fail(y, "fetch must have the reason %s; it is %v", want, fetch)
		}
	}
	return nil
}
