package cases

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/model"
)

// longKey makes Idempotency-Keys of 255 characters that differ in the last one.
func longKey(last string) func(string) string {
	return func(base string) string { return base + strings.Repeat("-", 254-len(base)) + last }
}

// upperKey is the key named "a" in capitals.
func upperKey(base string) string { return strings.ToUpper(base + "a") }

// full is a request that spells out every field.
func full() ask { return read(printed).language("en").enhance(false).format("json") }

// idempotencyRows repeat requests. The stored replies are kept by model.Account, which requires a repeat to return the
// same JSON.
var idempotencyRows = []row{
	{
		// The last three requests try the stored answer with a wrong key and without one, and then again: a
		// refusal must not remove it.
		name: "extract/200/replay", points: 20,
		explanation: "A repeat with the same Idempotency-Key gets the stored answer, which alone has Idempotency-Replayed, and costs nothing, even after other calls; it still counts against the rate limit, and needs its API key.",
		asks: []ask{
			read(printed).format("hocr").keyed("a"), read(printed).format("hocr").keyed("a"), status(), read(other), read(printed).format("hocr").keyed("a"),
			read(printed).format("hocr").keyed("a").sentBy(nobody).auth("Bearer xo"), read(printed).format("hocr").keyed("a").sentBy(nobody),
			read(printed).format("hocr").keyed("a"),
		},
	}, {
		// One field differs at a time, so that a fingerprint that omits a field is found. The last request shows
		// that conflicts keep the stored answer.
		name: "extract/400/replay-of-another-request", points: 10,
		explanation: "The same Idempotency-Key with a different request, whichever field differs, gets a 400 that names the header; it has no Idempotency-Replayed.",
		asks: slices.Concat([]ask{full().keyed("a")}, confirmed(
			full().job(func(j *model.Job) { j.Image = other }).keyed("a"), full().language("de").keyed("a"), full().language("und").keyed("a"), full().enhance(true).keyed("a"), full().format("tsv").keyed("a"),
		), []ask{body(`{"imageUrl":7}`, "imageUrl").keyed("a"), full().keyed("a")}),
	}, {
		// Keys of 255 characters find truncated columns; "_", "%" and "*" find patterns in queries. The repeats at
		// the end find overwritten answers.
		name: "extract/200/replay-apart", points: 90, needs: []string{needKey(model.KeySpare)},
		explanation: "Idempotency-Keys are distinct if they differ in letter case, in their last character, or belong to different accounts: only a repeat has Idempotency-Replayed.",
		asks: []ask{
			read(printed).keyed("a"), read(other).keyedBy(upperKey), read(printed).keyedBy(longKey("1")), read(other).keyedBy(longKey("2")),
			read(other).keyed("a").sentBy(second), read(blank).keyedBy(longKey("_")), read(blank).format("text").keyedBy(longKey("%")),
			read(blank).format("tsv").keyedBy(longKey("*")), read(other).keyed("a").sentBy(second), read(printed).keyed("a"), status().sentBy(second),
		},
	}, {
		// Most servers build the stored answer anew for some formats, or store it before they have finished it.
		name: "extract/200/replay-formats", points: 10 * int64(2*len(documents.Formats)+4), asks: everyFormatTwice(),
		explanation: "A repeat gets the stored answer byte for byte, in every format and with enhancement.",
	}, {
		// This case finds fingerprints that cover headers or the connection, and answers that are stored with their headers.
		name: "extract/200/replay-negotiation", points: 10, extractions: maxNegotiated, build: negotiatedReplays,
		explanation: "A repeat gets the stored answer byte for byte, whatever its headers and its connection: only the request counts.",
	}, {
		// The stored answer may depend on the text that was read.
		name: "extract/200/replay-every-image", points: 10 * int64(len(replayedImages)), extractions: 2 * int64(len(replayedImages)), build: replaysOfImages,
		explanation: "A repeat gets the stored answer byte for byte, whatever the image shows.",
	}, {
		// This case finds fingerprints that treat two values as equal, such as the formats without a document.
		name: "extract/400/replay-of-another-value", points: 10 * (drawnFormats + drawnLanguages), extractions: drawnFormats*(int64(len(formats()))+1) + drawnLanguages*(maxCombined+1) + 1, check: checkConflicts,
		explanation: "The same Idempotency-Key with another format or language gets a 400, even if the answer is the same for both.",
	}, {
		name: "extract/400/replay-of-every-other-value", points: 10 * maxValues, extractions: maxConflicts, needs: []string{model.NeedThorough}, check: checkEveryConflict,
		explanation: "The same Idempotency-Key with another value of a field gets a 400, for every pair of values and up to 20 languages.",
	}, {
		// This case finds fingerprints that cover only a part of the URL, or ignore its letter case.
		name: "extract/400/replay-of-a-similar-request", points: 60, extractions: 34, build: similarURLs,
		explanation: "The same Idempotency-Key with the URL of another image gets a 400, however similar the two URLs are.",
	}, {
		// A failing request with another key costs nothing, and shows whether its key was taken for a used one.
		name: "extract/200/replay-similar-keys", points: 20, extractions: 60, build: similarRequests,
		explanation: "Idempotency-Keys are compared byte by byte: a key that differs anywhere, in any way, is another key.",
	}, {
		// This case finds small caches, and stores that other requests purge.
		name: "extract/200/replay-after-traffic", points: 20 + 10*otherReplies, extractions: otherReplies + 30, build: repliesAfterTraffic,
		explanation: "A stored answer outlives every other kind of request, and the answers that are stored after it.",
	}, {
		// The header belongs to the other operation only.
		name: "status/200/idempotency-key", points: 20, explanation: "GET /status ignores an Idempotency-Key: it always reports the present state.",
		asks: []ask{read(printed).keyed("a"), status().keyed("a"), read(other), status().keyed("a"), status().keyed("b"), invalid(), status().keyed("b"), read(printed).keyed("a")},
	}, {
		// Every kind of error comes first: an invalid request, one that fails while it runs, and those that never become an
		// extraction.
		name: "extract/200/errors-are-not-kept", points: 20, explanation: "After an error the Idempotency-Key is free again: the corrected request is carried out.",
		asks: []ask{
			invalid().keyed("a"), read(unfetchable).keyed("a"), read(printed).keyed("a"), read(printed).keyed("a"),
			read(printed).keyed("b").sentBy(nobody), read(printed).keyed("b").sentBy(nobody).auth("Bearer x$UNCIAL_KEY"), outsideContract("PUT", "/extract").keyed("b"), outsideContract("POST", "/nowhere").keyed("b"), status().keyed("b"),
			body(`{`, "body").keyed("b"), body("x", "Content-Type").header("Content-Type", "text/plain").keyed("b"), unreadable(unsupported).keyed("b"), read(notAnImage).keyed("b"), read(printed).keyed("b"), read(printed).keyed("b"),
		},
	}, {
		name: "extract/402/errors-are-not-kept", account: model.KeyEmpty, explanation: "After a 402 the Idempotency-Key is free again, for any request.",
		asks: []ask{read(printed).keyed("a"), read(other).keyed("a"), read(printed).format("tsv").keyed("a"), unreadable(unsupported).keyed("a"), read(printed).keyed("a")},
	}, {
		// Of four equal requests one runs and three wait. A blank page with the same key is then a conflict.
		name: "extract/200/replay-at-once", points: 10, atOnce: 4,
		explanation: "A repeat waits while the first request runs: concurrent ones get one answer, all but one with Idempotency-Replayed, and are charged once.",
		asks:        append(slices.Repeat([]ask{read(model.Overlapping).keyed("a")}, 4), status(), read(model.Overlapping).keyed("a"), read(blank).keyed("a")),
	}, {
		// A server that stores the fingerprint only with the answer would let the second request wait, or run it.
		name: "extract/400/replay-of-another-request-at-once", points: 10 * triesAtOnce, extractions: 3 * triesAtOnce, needs: []string{needImage(model.ImageSlow)}, check: checkConflictAtOnce,
		explanation: "A different request with the Idempotency-Key of a running one gets a 400 at once, like one sent later.",
	}, {
		// The waiting requests must not be refused with 402 while the first one holds the last points.
		name: "extract/200/replay-at-once-without-points", account: model.KeyLow, points: 10, atOnce: 4,
		explanation: "A repeat waits for the first request even if the points suffice only for one.",
		asks:        append(slices.Repeat([]ask{read(model.Overlapping).keyed("a")}, 4), status(), read(printed)),
	}, {
		// The third request has another key and shows that the points are gone.
		name: "extract/200/replay-without-points", account: model.KeyLow, points: 10, explanation: "A repeat costs nothing, so it is answered even without points.",
		asks: []ask{read(printed).keyed("a"), read(printed).keyed("a"), read(printed).keyed("b")},
	},
}

// triesAtOnce is the number of attempts to send a request while another one runs: on a busy machine the other may have ended.
const triesAtOnce = 5

// checkConflictAtOnce sends a request, waits until it runs, and sends a different one with its Idempotency-Key.
func checkConflictAtOnce(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 3*triesAtOnce, triesAtOnce)
	if err != nil {
		return err
	}
	for range triesAtOnce {
		if wasAtOnce, err := s.conflictAtOnce(ctx, a); err != nil || wasAtOnce {
			return err
		}
	}
	return &skip{"requests ended before another could be sent: the machine is busy"}
}

// conflictAtOnce is one try of checkConflictAtOnce. wasAtOnce is false if the first request had been answered before the second
// was sent.
func (s *session) conflictAtOnce(ctx context.Context, a *model.Account) (wasAtOnce bool, err error) {
	c := &senders{map[who]*model.Account{first: a}, s.idempotencyKey()}
	slow, conflict := s.request(read(model.ImageSlow).keyed("a"), c), s.request(read(blank).keyed("a"), c)
	slow.Concurrent, conflict.Concurrent = true, true
	if err := s.paceAll(ctx, a, 3); err != nil {
		return false, err
	}
	var x *model.Exchange
	var errSlow error
	var running sync.WaitGroup
	running.Go(func() { x, errSlow = s.send(ctx, slow) })
	err = s.untilUsed(ctx, a, a.Points.Used+model.Cost, "the points of a running extraction count as used")
	y, errConflict := s.send(ctx, conflict)
	running.Wait()
	if err := errors.Join(errSlow, err, errConflict); err != nil {
		return false, err
	}
	if problems := expect.Conflict.Check(y); len(problems) > 0 {
		return true, &failure{y, problems}
	}
	if x.Status != http.StatusOK {
		return true, fail(x, "the answer must be 200, not %d: a different request with its Idempotency-Key does not affect it", x.Status)
	}
	if z, problem := a.Absorb([]*model.Exchange{x, y}); problem != "" {
		return true, fail(z, "%s", problem)
	}
	_, err = s.send(ctx, s.request(read(model.ImageSlow).keyed("a"), c))
	return y.Sent.Before(x.Received), err
}

// everyFormatTwice repeats a request in each format, verbatim and enhanced. The stored answer is built at another time.
func everyFormatTwice() (asks []ask) {
	for _, format := range append([]string{"", "text"}, documents.Formats...) {
		for _, enhance := range []bool{false, true} {
			q := read(printed).format(format).enhance(enhance).keyed(fmt.Sprint(format, enhance))
			asks = append(asks, q, q)
		}
	}
	return asks
}

// maxNegotiated is at least as many as the requests that negotiated makes.
const maxNegotiated = 20

// negotiatedReplays stores an answer and repeats its request under every negotiation.
func negotiatedReplays(*session) []ask {
	kept := read(printed).format("hocr").keyed("a")
	return append([]ask{kept}, negotiated(kept, false)...)
}

// replayedImages are images that differ in what an answer says of them, and a format for each.
var replayedImages = []struct{ image, format string }{
	{blank, ""},
	{blank, "pdf"},
	{other, "page"},
	{model.ImagePages, "page"},
	{model.ImagePages, ""},
	{model.ImageWeak, ""},
	{model.ImageFaint, "tsv"},
	{model.ImageBroken, "alto"},
	{model.ImageEnhance, "json"},
	{model.OwnImage, "text"},
	{model.ImageSigns, "tsv"},
	{model.ImageSigns, "alto"},
	{model.ImageLong, "pdf"},
	{model.ImageLong, "hocr"},
	{model.ImageTenPages, "page"},
	{model.ImageTenPages, "alto"},
	{model.ImageTenPages, "tsv"},
	{model.ImageFaded, "page"},
}

// replaysOfImages asks twice for each image whose answer has something that a stored copy could lose: pages, formats, edits, a
// language that was found.
func replaysOfImages(s *session) (asks []ask) {
	for i, r := range replayedImages {
		if s.ImageURL(r.image) == "" {
			continue
		}
		q := read(r.image).format(r.format).enhance(r.image == model.ImageEnhance).keyed(fmt.Sprint(i))
		if i%2 == 0 {
			q = q.job(func(j *model.Job) { j.Language = "und" })
		}
		asks = append(asks, q, q)
	}
	return asks
}

// similarURLs stores the answer to an image and asks for others with its Idempotency-Key, which must be refused before they are
// fetched.
func similarURLs(s *session) []ask {
	asks := []ask{read(model.OwnImage).keyed("a")}
	scheme, data, _ := strings.Cut(s.ImageURL(model.OwnImage), ",")
	file, _ := base64.StdEncoding.DecodeString(data) // the suite has made it
	changed := func(at int) []byte {
		other := slices.Clone(file)
		other[at] ^= 1
		return other
	}
	for i, other := range [][]byte{append(slices.Clone(file), 0), file[:len(file)-1], changed(len(file) - 1), changed(len(file) / 2), changed(8)} {
		asks = append(asks, ask{Request: model.Request{Job: &model.Job{Image: fmt.Sprint("similar ", i), URL: scheme + "," + base64.StdEncoding.EncodeToString(other)}}}.keyed("a"))
	}
	asks = append(asks, read(model.OwnImage).keyed("a"))
	// Readers skip what follows the end of a PNG. Fingerprints may cover only the beginning of a long body.
	for _, size := range []int{16 << 10, 100 << 10, 1200 << 10} {
		name := fmt.Sprint("long-", size)
		as := func(name string, data []byte) ask {
			return ask{Request: model.Request{Job: &model.Job{Image: name, URL: scheme + "," + base64.StdEncoding.EncodeToString(data), Format: "json", Unknown: true}}}
		}
		data := slices.Concat(file, make([]byte, size))
		long := as(name, data).keyed(name)
		data[len(data)-1] = 1
		asks = append(asks, long, long.format("tsv"), long.language("de"), long.enhance(true), as(name+"-other", slices.Clone(data)).keyed(name), long)
	}
	url := s.ImageURL(printed)
	if !strings.HasPrefix(url, "http") {
		return asks
	}
	asks = append(asks, read(printed).keyed("b"))
	head, name := url[:strings.LastIndexByte(url, '/')+1], url[strings.LastIndexByte(url, '/')+1:]
	for i, url := range []string{url + "?page=2", url + "2", head + swapCase(name)} {
		asks = append(asks, ask{Request: model.Request{Job: &model.Job{Image: fmt.Sprint("address ", i), URL: url}}}.keyed("b"))
	}
	return append(asks, read(printed).keyed("b"))
}

// sharedParts are numbers of characters, from the first on, in which two long keys agree.
var sharedParts = []int{30, 32, 36, 40, 48, 50, 60, 64, 80, 100, 120, 127, 128, 150, 191, 200, 250, 253, 254}

// similarRequests use keys that are similar to a used one. Their image cannot be fetched, so that they cost nothing; a key that
// is taken for the used one is a conflict instead.
func similarRequests(*session) []ask {
	long := func(base string) string { return base + strings.Repeat("-", 255-len(base)) }
	asks := []ask{read(printed).keyedBy(long)}
	for _, n := range sharedParts {
		asks = append(asks, read(unfetchable).keyedBy(func(base string) string {
			return long(base)[:max(n, len(base))] + strings.Repeat("~", 255-max(n, len(base)))
		}))
	}
	short := func(base string) string { return base + "a-b_c.d01" }
	asks = append(asks, read(printed).keyedBy(short))
	for _, f := range []func(k string) string{
		strings.ToUpper, swapCase, func(k string) string { return `"` + k + `"` }, func(k string) string { return "'" + k + "'" }, func(k string) string { return k + ",x" }, func(k string) string { return k + ";x" }, func(k string) string { return k + "/x" },
		func(k string) string { return k + ":x" }, func(k string) string { return k + "?x" }, func(k string) string { return k + "#x" }, func(k string) string { return k + "=" }, func(k string) string { return "0" + k }, func(k string) string { return "00" + k },
		func(k string) string { return k[:len(k)-1] }, func(k string) string { return k + "x" }, func(k string) string { return k[1:] }, func(k string) string { return k[:len(k)-1] + "2" }, func(k string) string { return k + "*" }, func(k string) string { return k + "%20" },
		replacing("-", ""), replacing("_", ""), replacing(".", ""), replacing("a", "%61"), replacing("-", "_"), replacing("_", "%"), replacing("-", `\-`), replacing("b_c", "c_b"), replacing("d01", "01d"), replacing("01", "10"), replacing("01", "1"), backwards,
	} {
		asks = append(asks, read(unfetchable).keyedBy(func(base string) string { return f(short(base)) }))
	}
	// The used keys are as they were.
	return append(asks, read(printed).keyedBy(long), read(printed).keyedBy(short))
}

// backwards writes a string from its end. ASCII is enough here.
func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// How many other answers are stored before a repeat: few on servers whose extractions cost time and points.
const (
	otherReplies = 60
	fewReplies   = 3
)

// repliesAfterTraffic stores an answer, sends every other kind of request, stores more answers, and repeats all of it.
func repliesAfterTraffic(s *session) []ask {
	put := outsideContract(http.MethodPut, "/extract")
	kept := read(printed).keyed("kept")
	asks := []ask{
		kept, status(), kept, invalid(), kept, read(unfetchable), kept, read(blank), kept, put, kept, get("/nowhere"), kept, read(other).keyed("kept").wrong("Idempotency-Key"), kept, read(printed).sentBy(nobody), kept, read(unfetchable).keyed("free"), kept,
	}
	n := fewReplies
	if s.IsThorough() {
		n = otherReplies
	}
	for i := range n {
		asks = append(asks, read(blank).keyed(fmt.Sprint("other", i)))
	}
	return append(asks, kept, read(blank).keyed("other0"))
}
