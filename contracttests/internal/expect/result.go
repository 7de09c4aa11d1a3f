package expect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// The fields that a server always sends unless its target is Minimal.
var (
	resultFields = []string{"success", "text", "enhanced", "language", "confidence", "pointsUsed", "remainingPoints", "processingTime"}
	recordFields = []string{"success", "status", "plan", "pointsUsed", "pointsRemaining", "pointsTotal", "rateLimit", "rateLimitRemaining"}
)

// Limits for results. Neither depends on a server or its hardware.
const (
	// maxProcessing is longer than any answer over HTTP takes, in milliseconds.
	maxProcessing = 10 * 60 * 1000
	// maxConfidenceExcess is the most by which the confidence of a page may exceed the share of correct characters that its words
	// allow. It may be any amount lower, because unread writing has no words.
	maxConfidenceExcess = 0.05
	// MaxConfidenceLoss is the most by which the confidence of a page of clear print, which was read as a whole, may be lower than
	// the least share of correct characters that its words allow.
	MaxConfidenceLoss = 0.05
)

// reading is the text of an image and what belongs to it, without what differs from request to request.
type reading struct {
	text, language string
	confidence     float64
	document       *documents.Document // nil until a format carried one
	readers        []string            // the models that read each line of the document
	about          map[string]any      // the members of the answer
}

// isBlank reports whether no page has a text.
func (r reading) isBlank() bool { return strings.Trim(r.text, "\f") == "" }

// Readings remembers the reading of each image, so that results can be compared. It is safe for concurrent use.
type Readings struct {
	mu     sync.Mutex
	byID   map[string]reading
	listed []string
	exact  bool
}

// SetExact says that the server implements the version of the contract that the suite was built with.
func (s *Readings) SetExact(exact bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exact = exact
}

func (s *Readings) isExact() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exact
}

// readingID identifies the readings of a job: the same image in another language is another reading. used is the language of
// the answer, "" if it does not say. Pages of one image may be in several languages, which und finds for each.
func readingID(j *model.Job, r reading) string {
	used := cmp.Or(r.language, j.Language)
	if isMixed(j, r) {
		used = "und"
	}
	return j.Image + "\x00" + used
}

// isMixed reports whether a reading may be in several languages: und finds that of each page.
func isMixed(j *model.Job, r reading) bool {
	return strings.EqualFold(j.Language, "und") && strings.Contains(r.text, "\f")
}

// Languages are the languages that the server lists, nil until SetLanguages was called.
func (s *Readings) Languages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listed)
}

// SetLanguages says which languages the server lists as supported.
func (s *Readings) SetLanguages(tags []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = tags
}

// CorrectAtLeast returns the least share of correct characters of an image in any language, given the confidences of its words.
// It returns 0 if no reading of it had a document: only documents state the confidence of each word.
func (s *Readings) CorrectAtLeast(image string) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, r := range s.byID {
		if strings.HasPrefix(id, image+"\x00") && r.document != nil {
			least, _ := documents.CorrectBounds(r.document.Words())
			return least
		}
	}
	return 0
}

// CheckRecord returns a problem for each field that is missing from a status record. A target with Minimal may leave fields
// out.
func CheckRecord(x *model.Exchange) []string { return missingFields(x, recordFields) }

// missingFields returns the missing fields of an answer, unless its target may omit them.
func missingFields(x *model.Exchange, names []string) (problems []string) {
	for _, name := range names {
		if _, ok := x.JSON[name]; !ok && !x.Target.Minimal {
			problems = append(problems, fmt.Sprintf("the field %s is missing: this server always sends every field", name))
		}
	}
	return problems
}

// CheckResult compares the result of an extraction with its job, with itself, and with earlier readings of the image.
func (s *Readings) CheckResult(x *model.Exchange) []string {
	j := x.Request.Job
	if j == nil || x.JSON == nil {
		return nil
	}
	r := reading{text: x.Text("text"), language: x.Text("language"), about: x.JSON}
	if n, ok := x.JSON["confidence"].(json.Number); ok {
		r.confidence, _ = n.Float64()
	}
	// The scenarios promise what is on a page.
	blank := j.Image == model.ImageBlank
	problems := slices.Concat(missingFields(x, resultFields), checkLayout(r.text), s.checkLanguage(j, r), checkEnhanced(x, j), checkTime(x))
	if blank && (r.text != "" || r.confidence != 0) {
		problems = append(problems, fmt.Sprintf("a blank page must have no text and confidence 0; got %q and %v", model.Shorten(r.text, 40), r.confidence))
	}
	// A faint page may be read as empty.
	if !blank && !j.Unknown && j.Image != model.ImageFaint && r.text == "" {
		problems = append(problems, "the text of a printed page is empty")
	}
	problems = append(problems, checkImage(x, j, r)...)
	doc, more := checkDocument(x, j, r)
	r.document = doc
	r.readers = readersOfLines(x, j, r)
	for _, problem := range []string{s.checkReader(x, j, r), s.checkWeakList(x, j, r.text), checkWeak(x, r.text, doc)} {
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	return slices.Concat(problems, more, s.checkChanges(x, j, r), s.compare(x, j, r))
}

// maxWrong is the share of characters that may be read wrongly in an image of clear print.
const maxWrong = 0.12

// checkImage compares the text with what is written in the image, if the suite knows that.
func checkImage(x *model.Exchange, j *model.Job, r reading) []string {
	own, ok := x.Target.OwnOf(j)
	if !ok || own.Text == "" {
		return nil
	}
	got, want := []rune(strings.ToLower(strings.Join(strings.Fields(r.text), " "))), []rune(strings.ToLower(own.Text))
	if wrong := distance(got, want); float64(wrong) > maxWrong*float64(len(want)) {
		return []string{fmt.Sprintf("the image shows %q in clear print, but the text is %q", own.Text, model.Shorten(r.text, 80))}
	}
	return nil
}

// distance returns the number of characters to change, add or remove (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// checkLayout requires lines separated by line feeds and pages by form feeds, without white space at their ends: clients
// split texts at these characters without trimming.
func checkLayout(text string) []string {
	for p, page := range strings.Split(text, "\f") {
		for i, line := range strings.Split(page, "\n") {
			if line != strings.TrimFunc(line, unicode.IsSpace) {
				return []string{fmt.Sprintf("line %d of page %d begins or ends with white space: %q", i+1, p+1, model.Shorten(line, 60))}
			}
		}
		if page != strings.Trim(page, "\n") {
			return []string{fmt.Sprintf("the text of page %d begins or ends with an empty line", p+1)}
		}
	}
	return nil
}

// checkLanguage requires the tag that was used: the requested one, or its fallback. A request for und is answered with the
// language of the text, and with und if there is no text.
func (s *Readings) checkLanguage(j *model.Job, r reading) []string {
	asked, used := cmp.Or(j.Language, "en"), r.language
	isOpen := strings.EqualFold(asked, "und")
	listed := s.Languages()
	switch {
	case used == "":
		return nil
	case isOpen && used == "und" && !r.isBlank():
		return []string{`the language is "und", but the answer has a text: it must name the detected language`}
	case isOpen && used != "und" && r.isBlank():
		return []string{fmt.Sprintf(`the language is %q, but no text was found; expected "und"`, used)}
	case isOpen && len(listed) == 0:
		return nil
	case !isOpen && !serves(used, asked):
		return []string{fmt.Sprintf("the language is %q, but %q was requested", used, asked)}
	case len(listed) > 0 && !slices.Contains(listed, used):
		return []string{fmt.Sprintf("the language is %q, which the server does not list as supported: %s", used, strings.Join(listed, ", "))}
	}
	return nil
}

// serves reports whether a tag is the requested one or its fallback (RFC 4647, section 3.4): the same language in the same
// script, without a region that was not requested.
func serves(used, asked string) bool {
	u, errU := language.Parse(used)
	a, errA := language.Parse(asked)
	if errU != nil || errA != nil {
		return false
	}
	ub, _, ur := u.Raw()
	ab, _, ar := a.Raw()
	return ub == ab && script(u) == script(a) && (ur == ar || ur == language.Region{})
}

// script returns the script that a tag names, or the usual one of its language.
func script(t language.Tag) language.Script {
	base, s, _ := t.Raw()
	if (s != language.Script{}) {
		return s
	}
	bare, err := language.Compose(base)
	if err != nil {
		return s
	}
	s, _ = bare.Script()
	return s
}

// checkTime requires milliseconds that fit into the duration of the exchange. A stored answer has those of the first request,
// which may have begun earlier.
func checkTime(x *model.Exchange) []string {
	took, ok := x.Int("processingTime")
	limit := x.Received.Sub(x.Sent).Milliseconds() + 1
	switch {
	case !ok:
	// Simulated servers return the processing time of a fixture.
	case !x.Target.Simulated && !x.IsReplayed() && took > limit:
		return []string{fmt.Sprintf("processingTime is %d ms, but the whole exchange took %d ms", took, limit)}
	case took > maxProcessing:
		return []string{fmt.Sprintf("processingTime is %d ms, which is %d minutes", took, took/60_000)}
	}
	return nil
}

// checkDocument requires a document exactly if the format has one, with the text and the language of the answer. It
// returns the document if it could be read, so that later answers can be compared with it.
func checkDocument(x *model.Exchange, j *model.Job, r reading) (*documents.Document, []string) {
	source, has := x.JSON["document"].(string)
	switch {
	case has && !j.CarriesDocument():
		return nil, []string{fmt.Sprintf("there is a document, but the format %q has none", j.Format)}
	case !has && j.CarriesDocument():
		return nil, []string{fmt.Sprintf("the %s document is missing", j.Format)}
	case !has:
		return nil, nil
	}
	if j.Format == "pdf" {
		if err := documents.CheckPDF(source, r.text); err != nil {
			return nil, []string{fmt.Sprintf("the PDF: %s", err)}
		}
		if tag := documents.LanguageOf(source); tag != "" && !sameBase(tag, cmp.Or(r.language, tag)) {
			return nil, []string{fmt.Sprintf("the PDF names the language %q, the answer %q", tag, r.language)}
		}
		return nil, nil
	}
	doc, err := documents.Read(j.Format, source)
	if err != nil {
		return nil, []string{fmt.Sprintf("the %s document: %s", j.Format, err)}
	}
	if !documents.SameText(doc.Text(), r.text) {
		return nil, []string{fmt.Sprintf("the %s document contains %q, but the text is %q", j.Format, model.Shorten(doc.Text(), 80), model.Shorten(r.text, 80))}
	}
	if own, ok := x.Target.OwnOf(j); ok {
		if problem := compareOwn(doc, own); problem != "" {
			return doc, []string{fmt.Sprintf("the %s document says that %s", j.Format, problem)}
		}
	}
	if _, most := documents.CorrectBounds(doc.Words()); r.confidence-most > maxConfidenceExcess {
		return doc, []string{fmt.Sprintf("the confidence is %v, but the words allow at most %.2f", r.confidence, most)}
	}
	for _, tag := range doc.Languages {
		if isMixed(j, r) {
			break
		}
		if !sameBase(tag, cmp.Or(r.language, tag)) {
			return doc, []string{fmt.Sprintf("the %s document names the language %q, the answer %q", j.Format, tag, r.language)}
		}
	}
	return doc, nil
}

// compareOwn requires a document to have the size of the suite's own image and its words where their ink is. Misread words are
// left out: checkImage limits their number.
func compareOwn(doc *documents.Document, own model.Own) string {
	if b := doc.Pages[0].Box; b.Right != own.Width || b.Bottom != own.Height {
		return fmt.Sprintf("the page has %d x %d pixels; the upright image has %d x %d", b.Right, b.Bottom, own.Width, own.Height)
	}
	for _, w := range doc.Words() {
		i := slices.IndexFunc(own.Words, func(o model.OwnWord) bool { return o.Text == w.Text })
		if i < 0 {
			continue
		}
		r := own.Words[i].Ink
		ink := documents.Box{Left: r.Min.X, Top: r.Min.Y, Right: r.Max.X, Bottom: r.Max.Y}
		if !w.Box.ContainsCenter(ink) || !ink.ContainsCenter(w.Box) {
			return fmt.Sprintf("the word %q is at %v; its ink is at %v of the upright image", w.Text, w.Box, ink)
		}
	}
	return ""
}

// sameBase reports whether two tags are of the same language, whatever their script and region. Formats write tags in
// different ways: eng, en, en-Latn. Invalid tags match nothing.
func sameBase(a, b string) bool {
	s, errA := language.Parse(a)
	t, errB := language.Parse(b)
	x, _ := s.Base()
	y, _ := t.Base()
	return errA == nil && errB == nil && x == y
}

// compare requires the same image to be read the same, whatever the format. Enhanced readings may vary, because a language
// model may answer differently. The first verbatim reading in a language is kept for the rest of the run.
func (s *Readings) compare(x *model.Exchange, j *model.Job, r reading) (problems []string) {
	if j.Enhances() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]reading{}
	}
	id := readingID(j, r)
	before, known := s.byID[id]
	if !known {
		s.byID[id] = r
		return nil
	}
	if r.text != before.text {
		problems = append(problems, fmt.Sprintf("the same image was read as %q before and as %q now", model.Shorten(before.text, 60), model.Shorten(r.text, 60)))
	}
	if r.confidence != before.confidence {
		problems = append(problems, fmt.Sprintf("the same image had the confidence %v before and has %v now", before.confidence, r.confidence))
	}
	problems = append(problems, compareAbout(before.about, r.about)...)
	if j.Format == "pdf" && before.document != nil {
		if d := documents.ComparePDF(x.Text("document"), before.document); d != "" {
			problems = append(problems, "two formats of the same reading disagree: "+d)
		}
	}
	// The first document of an image is kept; every other format is compared with it.
	if len(r.readers) > 0 && s.exact { // mu is held
		problems = append(problems, compareReaders(before.readers, r.readers)...)
		before.readers = r.readers
		s.byID[id] = before
	}
	if before.document == nil {
		before.document = r.document
		s.byID[id] = before
	} else if r.document != nil {
		if d := documents.Differs(before.document, r.document); d != "" {
			problems = append(problems, "two formats of the same reading disagree: "+d)
		}
	}
	return problems
}
