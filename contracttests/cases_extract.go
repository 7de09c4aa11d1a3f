package contracttests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/language"
)

func extractCases() []Case {
	paid := func(n int64, c Case) Case {
		c.Operation, c.Status, c.Extractions, c.Points = "extract", 200, n, n*cost
		c.Needs = append([]string{needKey(KeyOK)}, c.Needs...)
		return c
	}
	return []Case{
		paid(1, Case{
			Name: "extract/200/least-request", Check: do(leastRequest),
			Explanation: "The URL of an image is all that a request needs: the language is then en, nothing is enhanced, and no document is sent.",
		}),
		paid(3, Case{
			Name: "extract/200/defaults-spelled-out", Check: do(defaultsSpelledOut),
			Explanation: "A request that spells out the defaults gets what one gets that leaves them out.",
		}),
		paid(2, Case{
			Name: "extract/200/two-images", Check: do(twoImages),
			Explanation: "Two pages have two texts: an answer belongs to the image of its request.",
		}),
		paid(3, Case{
			Name: "extract/200/faint-page", Check: do(faintPage), Needs: []string{needImage(ImageFaint)},
			Explanation: "The confidence of a page follows that of its words.",
		}),
		paid(1, Case{
			Name: "extract/200/slow-image", Check: do(slowImage), Needs: []string{needImage(ImageSlow)},
			Explanation: "The processing time is told in milliseconds.",
		}),
		paid(2, Case{
			Name: "extract/200/blank-page", Check: do(blankPage),
			Explanation: "A blank page is a success with an empty text, and is charged.",
		}),
		paid(3, Case{
			Name: "extract/200/enhance", Check: do(enhance),
			Explanation: "The text is enhanced where that was asked for, and only there.",
		}),
		paid(2, Case{
			Name: "extract/200/enhancement-shows", Check: do(enhancementShows), Needs: []string{NeedEnhancement, needImage(ImageEnhance)},
			Explanation: "The enhancement changes the text of a difficult page.",
		}),
		paid(9, Case{
			Name: "extract/200/languages", Check: do(languages),
			Explanation: "The language that was used is told: the one asked for in any case of letters, or the one that a region falls back to.",
		}),
		paid(7, Case{
			Name: "extract/200/ways-to-write-it", Check: do(waysToWriteIt),
			Explanation: "The same JSON written in another way, sent in chunks, or with a wish for another type, is the same request.",
		}),
		paid(2, Case{
			Name: "extract/200/inline-image", Check: do(inlineImage),
			Explanation: "An image may stand inside the request as a data: URL, in which characters may be percent-encoded.",
		}),
		paid(2, Case{
			Name: "extract/200/reads-what-stands-there", Check: do(readsWhatStandsThere), Needs: []string{NeedReading},
			Explanation: "The text says what the image shows.",
		}),
		paid(8, Case{
			Name: "extract/200/at-once", Check: do(atOnce),
			Explanation: "Requests at the same time each get the answer to their own image, and each is charged once.",
		}),
		paid(6, Case{
			Name: "extract/200/accounts-at-once", Check: do(accountsAtOnce), Needs: []string{needKey(KeyRateLimited)},
			Explanation: "Accounts that call at the same time are each told their own points and their own window.",
		}),
	}
}

func leastRequest(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 1, 1)
	if err != nil {
		return err
	}
	if _, err := s.extract(ctx, a, job{image: ImagePrinted}); err != nil {
		return err
	}
	return nil
}

func defaultsSpelledOut(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 3, 3)
	if err != nil {
		return err
	}
	for _, j := range []job{
		{image: ImagePrinted}, {image: ImagePrinted, language: "en", enhance: &no, format: "json"}, {image: ImagePrinted, format: "text"},
	} {
		if _, err := s.extract(ctx, a, j); err != nil {
			return err
		}
	}
	return nil
}

func twoImages(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 2)
	if err != nil {
		return err
	}
	x, err := s.extract(ctx, a, job{image: ImagePrinted, format: "tsv"})
	if err != nil {
		return err
	}
	y, err := s.extract(ctx, a, job{image: ImageOther, format: "tsv"})
	if err != nil {
		return err
	}
	if x.JSON["text"] == y.JSON["text"] {
		return fail(y, "two different pages got the same text %q", y.JSON["text"])
	}
	return nil
}

func faintPage(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 3, 3)
	if err != nil {
		return err
	}
	x, err := s.extract(ctx, a, job{image: ImagePrinted, format: "alto"})
	if err != nil {
		return err
	}
	for _, format := range []string{"alto", "text"} {
		y, err := s.extract(ctx, a, job{image: ImageFaint, format: format})
		if err != nil {
			return err
		}
		one, other := s.certainty(ImagePrinted), s.certainty(ImageFaint)
		if x.JSON["confidence"] == y.JSON["confidence"] && max(one-other, other-one) > 0.05 {
			return fail(y, "the words of two pages have the mean confidences %.2f and %.2f, but both pages have %v", one, other, y.JSON["confidence"])
		}
	}
	return nil
}

// certainty is the mean confidence of the words of an image that was read with a document.
func (s *session) certainty(image string) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, r := range s.readings {
		if strings.HasPrefix(id, image+"\x00") && r.document != nil {
			return r.document.Confidence()
		}
	}
	return 0
}

func slowImage(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 1, 1)
	if err != nil {
		return err
	}
	x, err := s.extract(ctx, a, job{image: ImageSlow})
	if err != nil {
		return err
	}
	if took, ok := x.integer("processingTime"); ok && took < slowest {
		return fail(x, "the image takes at least %d ms, but processingTime is %d: it is told in milliseconds", slowest, took)
	}
	return nil
}

// slowest is how many milliseconds an image of the scenario slow takes at least.
const slowest = 100

func blankPage(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 2)
	if err != nil {
		return err
	}
	for _, j := range []job{{image: ImageBlank}, {image: ImageBlank, format: "alto"}} {
		if _, err := s.extract(ctx, a, j); err != nil {
			return err
		}
	}
	return nil
}

func enhance(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 3, 3)
	if err != nil {
		return err
	}
	for _, j := range []job{{image: ImagePrinted, enhance: &yes}, {image: ImagePrinted, enhance: &no}, {image: ImageOther, enhance: &yes, format: "alto"}} {
		if _, err := s.extract(ctx, a, j); err != nil {
			return err
		}
	}
	return nil
}

func enhancementShows(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 2)
	if err != nil {
		return err
	}
	plain, err := s.extract(ctx, a, job{image: ImageEnhance})
	if err != nil {
		return err
	}
	better, err := s.extract(ctx, a, job{image: ImageEnhance, enhance: &yes})
	if err != nil {
		return err
	}
	if plain.JSON["text"] == better.JSON["text"] {
		return fail(better, "the text is enhanced, but it is the same as without: %q", better.JSON["text"])
	}
	return nil
}

// tagsIn finds the language tags in the list that a sentence ends with: "supported: de, en" or "those are de, en and la".
// Words of the sentence may look like tags, so that of what stands before the first comma only the end counts.
func tagsIn(sentence string) (tags []string) {
	list := between.ReplaceAllString(sentence, ",")
	if i := strings.LastIndexAny(list, ":"); i >= 0 {
		list = list[i+1:]
	}
	for item := range strings.SplitSeq(list, ",") {
		words := strings.Fields(strings.Trim(strings.TrimSpace(item), `.;"'()[]`))
		if len(words) == 0 {
			continue
		}
		word := strings.Trim(words[len(words)-1], `.;"'()[]`)
		if _, err := language.Parse(word); err == nil && len(strings.SplitN(word, "-", 2)[0]) <= 3 {
			tags = append(tags, word)
		}
	}
	return tags
}

var between = regexp.MustCompile(`,? +(?:and|or) +`)

// askLanguages learns from details.language which languages the server lists. It costs one request and no points.
func (s *session) askLanguages(ctx context.Context, a *account) ([]string, error) {
	s.mu.Lock()
	known := slices.Clone(s.listed)
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	x, err := s.send(ctx, &request{account: a, job: &job{image: ImagePrinted, language: unsupported}, faults: []string{"language"}})
	if err != nil {
		return nil, err
	}
	details, _ := x.JSON["details"].(map[string]any)
	text, _ := details["language"].(string)
	if text == "" {
		text, _ = details["/language"].(string)
	}
	listed := tagsIn(text[:min(len(text), longestList)])
	if !slices.Contains(listed, "en") && !s.Minimal {
		return nil, fail(x, "details.language must list the languages that are supported, en among them: %q", text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = listed
	return listed, nil
}

// longestList is room for every language that there are models for, many times over.
const longestList = 64 << 10

// unsupported is a well-formed tag for a language that nobody prints: Klingon.
const unsupported = "tlh"

func languages(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 10, 9)
	if err != nil {
		return err
	}
	listed, err := s.askLanguages(ctx, a)
	if err != nil {
		return err
	}
	asked := []string{"en", "EN", "en-GB", "en-Latn-US"}
	for i := range min(4, len(listed)) {
		asked = append(asked, listed[(int(s.Seed%1000)+i*max(1, len(listed)/4))%len(listed)])
	}
	for _, l := range asked {
		if _, err := s.extract(ctx, a, job{image: ImagePrinted, language: l, format: "alto"}); err != nil {
			return err
		}
	}
	return nil
}

func waysToWriteIt(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 7, 7)
	if err != nil {
		return err
	}
	plain := job{image: ImagePrinted, language: "en", enhance: &no, format: "alto"}
	members := plain.members(s.Target)
	turned := slices.Clone(members)
	slices.Reverse(turned)
	for _, r := range []request{
		{body: write(members, "")},
		{body: write(turned, " \r\n\t")},
		{body: escaped(members)},
		{body: write(members, ""), header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}},
		{body: write(members, ""), header: http.Header{"Content-Type": {`Application/JSON;charset="UTF-8"`}}},
		{body: write(members, ""), chunked: true},
		{body: write(members, ""), header: http.Header{"Content-Type": {"application/json"}, "Accept": {"text/plain, image/png;q=0.5"}, "Accept-Encoding": {"gzip"}}},
	} {
		r.account, r.job = a, &plain
		if _, err := s.send(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}

// write is the JSON object of the members, with white space wherever it may stand.
func write(members []member, space string) []byte {
	var b bytes.Buffer
	b.WriteString(space + "{" + space)
	for i, m := range members {
		if i > 0 {
			b.WriteString(space + "," + space)
		}
		fmt.Fprintf(&b, "%s%s:%s%s", mustJSON(m.name), space, space, m.value)
	}
	b.WriteString(space + "}" + space)
	return b.Bytes()
}

// escaped writes each letter and digit of names and strings as an escape.
func escaped(members []member) []byte {
	escape := func(text []byte) []byte {
		if text[0] != '"' || len(text) > 2000 {
			return text
		}
		var b bytes.Buffer
		for _, c := range text {
			if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
				fmt.Fprintf(&b, `\u%04X`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.Bytes()
	}
	all := slices.Clone(members)
	for i := range all {
		all[i].value = escape(all[i].value)
	}
	text := write(all, "")
	for _, m := range members {
		text = bytes.Replace(text, mustJSON(m.name), escape(mustJSON(m.name)), 1)
	}
	return text
}

func inlineImage(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 2)
	if err != nil {
		return err
	}
	if _, err := s.extract(ctx, a, job{image: ownEscapedImage}); err != nil {
		return err
	}
	x, err := s.extract(ctx, a, job{image: ownImage, format: "alto"})
	if err != nil {
		return err
	}
	n, _ := x.JSON["confidence"].(json.Number)
	page, _ := n.Float64()
	if words := s.certainty(ownImage); words-page > surer {
		return fail(x, "the page is in clear print and its words have the mean confidence %.2f, but the page has %v", words, page)
	}
	return nil
}

// The suite's own printed page whatever the target's images are, and the same with its base64 percent-encoded.
const (
	ownImage        = "own"
	ownEscapedImage = "own-escaped"
)

func readsWhatStandsThere(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 2)
	if err != nil {
		return err
	}
	for scenario, want := range map[string]string{ImageKnown: KnownText, ownImage: KnownText} {
		x, err := s.extract(ctx, a, job{image: scenario})
		if err != nil {
			return err
		}
		text, _ := x.JSON["text"].(string)
		for word := range strings.FieldsSeq(strings.Trim(want, ".")) {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
				return fail(x, "the image shows %q in clear print, but the text is %q", want, shorten(text, 80))
			}
		}
	}
	return nil
}

func atOnce(ctx context.Context, s *session) error {
	images := []string{ImagePrinted, ImageOther, ImageBlank}
	if s.Images[ImageSlow] != "" { // while that one is read the others overlap for certain
		images = append([]string{ImageSlow}, images...)
	}
	a, err := s.account(ctx, KeyOK, 2*len(images), 2*len(images))
	if err != nil {
		return err
	}
	var requests []*request
	for i := range 2 * len(images) {
		requests = append(requests, &request{account: a, job: &job{image: images[i%len(images)]}})
	}
	exchanges, err := s.race(ctx, a, requests)
	if err != nil {
		return err
	}
	for _, x := range exchanges {
		if x.Status != http.StatusOK {
			return fail(x, "one of %d requests at the same time got %d; the account has points and requests for all", len(requests), x.Status)
		}
	}
	return nil
}

// accountsAtOnce lets two accounts call at the same time that differ in what they have left.
func accountsAtOnce(ctx context.Context, s *session) error {
	const each = 3
	pair, err := s.unlike(ctx, each)
	if err != nil {
		return err
	}
	var group errgroup.Group
	for _, a := range pair {
		var requests []*request
		for range each {
			requests = append(requests, &request{account: a, job: &job{image: s.overlapping()}})
		}
		group.Go(func() error {
			_, err := s.race(ctx, a, requests)
			return err
		})
	}
	return group.Wait()
}

// unlike are two accounts that can make so many extractions, and have neither points nor requests left in like number.
func (s *session) unlike(ctx context.Context, each int64) ([]*account, error) {
	var able []*account
	for _, scenario := range []string{KeyOK, KeyRateLimited} {
		for _, a := range s.candidates(scenario) {
			if err := s.open(ctx, a); err != nil {
				return nil, err
			}
			if a.points.left < each*cost || a.room() < each {
				continue
			}
			for _, b := range able {
				if max(a.points.left-b.points.left, b.points.left-a.points.left) > 2*each*cost && max(a.room()-b.room(), b.room()-a.room()) > 2*each {
					return []*account{a, b}, nil
				}
			}
			able = append(able, a)
		}
	}
	return nil, &skip{`it needs two accounts, such as those of "ok" and "ratelimited", with unlike numbers of points and requests left`}
}

// overlapping is the slowest image there is, so that requests at the same time overlap on the server.
func (s *session) overlapping() string {
	if s.Images[ImageSlow] != "" {
		return ImageSlow
	}
	return ImagePrinted
}
