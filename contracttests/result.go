package contracttests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"uncial/contracttests/internal/written"
)

// resultFields and recordFields are what a server that is not Minimal always sends.
var (
	resultFields = []string{"success", "text", "enhanced", "language", "confidence", "pointsUsed", "remainingPoints", "processingTime"}
	recordFields = []string{"success", "status", "plan", "pointsUsed", "pointsRemaining", "pointsTotal", "rateLimit", "rateLimitRemaining"}
)

func (s *session) checkAllFields(x *Exchange, names []string) (faults []string) {
	if s.Minimal {
		return nil
	}
	for _, name := range names {
		if _, ok := x.JSON[name]; !ok {
			faults = append(faults, fmt.Sprintf("the field %s is missing: this server always sends every field", name))
		}
	}
	return faults
}

// checkRecord holds a status record against itself; the model has compared it with what came before.
func (s *session) checkRecord(x *Exchange) (faults []string) {
	return s.checkAllFields(x, recordFields)
}

// reading is what an image was read as.
type reading struct {
	text, language string
	confidence     float64
	document       *written.Document // nil until a format carried one
}

// checkResult holds the result of an extraction against the job, against itself, and against what the same image was
// read as before.
func (s *session) checkResult(x *Exchange) []string {
	j := x.request.job
	if j == nil || x.JSON == nil {
		return nil
	}
	faults := s.checkAllFields(x, resultFields)
	r := reading{}
	r.text, _ = x.JSON["text"].(string)
	r.language, _ = x.JSON["language"].(string)
	if n, ok := x.JSON["confidence"].(json.Number); ok {
		r.confidence, _ = n.Float64()
	}
	faults = append(faults, checkLayout(r.text)...)
	faults = append(faults, s.checkLanguage(j, r.language)...)
	faults = append(faults, s.checkEnhanced(x, j)...)
	faults = append(faults, s.checkTime(x)...)
	if j.image == ImageBlank && (r.text != "" || r.confidence != 0) {
		faults = append(faults, fmt.Sprintf("a blank page has no text and the confidence 0, not %q and %v", shorten(r.text, 40), r.confidence))
	}
	if j.image != ImageBlank && j.image != ImageFaint && r.text == "" {
		faults = append(faults, "the page has print on it, but the text is empty")
	}
	doc, more := checkDocument(x, j, r)
	r.document = doc
	faults = append(faults, more...)
	faults = append(faults, s.checkChanges(x, j, r)...)
	return append(faults, s.checkAgain(j, r)...)
}

// checkLayout wants lines separated by line feeds and pages by form feeds, without white space that separates nothing.
func checkLayout(text string) []string {
	for p, page := range strings.Split(text, "\f") {
		for i, line := range strings.Split(page, "\n") {
			if line != strings.TrimFunc(line, unicode.IsSpace) {
				return []string{fmt.Sprintf("line %d of page %d has white space at an end: %q", i+1, p+1, shorten(line, 60))}
			}
		}
		if page != strings.Trim(page, "\n") {
			return []string{fmt.Sprintf("the text of page %d begins or ends with an empty line", p+1)}
		}
	}
	return nil
}

// checkLanguage wants the tag that was used: the one asked for, or what it falls back to.
func (s *session) checkLanguage(j *job, used string) []string {
	asked := j.language
	if asked == "" {
		asked = "en"
	}
	s.mu.Lock()
	listed := slices.Clone(s.listed)
	s.mu.Unlock()
	switch {
	case used == "":
		return nil
	case !serves(used, asked):
		return []string{fmt.Sprintf("the language is %q where %q was asked for", used, asked)}
	case len(listed) > 0 && !slices.Contains(listed, used):
		return []string{fmt.Sprintf("the language is %q, which is not one of those that the server lists: %s", used, strings.Join(listed, ", "))}
	}
	return nil
}

// serves says whether a tag is the one asked for or one that it falls back to (RFC 4647, section 3.4): the same
// language in the same script, without a region that was not asked for.
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

// script is the one that a tag names, or the one that its language is commonly written in.
func script(t language.Tag) language.Script {
	base, s, _ := t.Raw()
	if (s != language.Script{}) {
		return s
	}
	plain, err := language.Compose(base)
	if err != nil {
		return s
	}
	s, _ = plain.Script()
	return s
}

// longest is what no answer over HTTP takes, in milliseconds.
const longest = 10 * 60 * 1000

// checkTime wants a duration in milliseconds that fits into the time that the exchange took.
func (s *session) checkTime(x *Exchange) []string {
	took, ok := x.integer("processingTime")
	limit := x.Received.Sub(x.Sent).Milliseconds() + 1
	switch {
	case !ok:
	case !s.Simulated && took > limit:
		return []string{fmt.Sprintf("processingTime is %d ms, but the whole exchange took %d ms", took, limit)}
	case took > longest:
		return []string{fmt.Sprintf("processingTime is %d, which makes %d minutes", took, took/60_000)}
	}
	return nil
}

// checkDocument wants a document exactly where the format has one, and its text and language to be those of the answer.
func checkDocument(x *Exchange, j *job, r reading) (*written.Document, []string) {
	source, has := x.JSON["document"].(string)
	switch {
	case has && !j.carriesDocument():
		return nil, []string{fmt.Sprintf("there is a document, but the format %q has none", j.format)}
	case !has && j.carriesDocument():
		return nil, []string{fmt.Sprintf("the document is missing: it was asked for as %s", j.format)}
	case !has:
		return nil, nil
	}
	doc, err := written.Read(j.format, source)
	if err != nil {
		return nil, []string{fmt.Sprintf("the %s document: %s", j.format, err)}
	}
	if !written.SameText(doc.Text(), r.text) {
		return nil, []string{fmt.Sprintf("the %s document says %q where the text says %q", j.format, shorten(doc.Text(), 80), shorten(r.text, 80))}
	}
	if words := doc.Confidence(); r.confidence-words > surer {
		return doc, []string{fmt.Sprintf("the confidence is %v, but that of the words is %.2f on average: both estimate the share of characters that are right", r.confidence, words)}
	}
	for _, tag := range doc.Languages {
		if named, err := language.Parse(tag); err != nil || r.language != "" && !sameBase(named, r.language) {
			return doc, []string{fmt.Sprintf("the %s document names the language %q, the answer %q", j.format, tag, r.language)}
		}
	}
	return doc, nil
}

// surer is how much more certain a page may be than its words are on average. It may be less: writing that was not read
// at all has no words.
const surer = 0.15

func sameBase(t language.Tag, tag string) bool {
	other, err := language.Parse(tag)
	a, _ := t.Base()
	b, _ := other.Base()
	return err == nil && a == b
}

// readingID tells readings apart.
func readingID(image, language string) string { return image + "\x00" + language }

// checkAgain wants the same image to read the same, whatever the format. What an enhancement makes of it is left open.
func (s *session) checkAgain(j *job, r reading) []string {
	if j.enhances() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := readingID(j.image, r.language)
	before, known := s.readings[id]
	if !known {
		s.readings[id] = r
		return nil
	}
	var faults []string
	if r.text != before.text {
		faults = append(faults, fmt.Sprintf("the same image was read as %q before and as %q now", shorten(before.text, 60), shorten(r.text, 60)))
	}
	if r.confidence != before.confidence {
		faults = append(faults, fmt.Sprintf("the same image had the confidence %v before and has %v now", before.confidence, r.confidence))
	}
	if r.document != nil && before.document != nil {
		if d := written.Differs(before.document, r.document); d != "" {
			faults = append(faults, "two formats of the same reading disagree: "+d)
		}
	}
	if before.document == nil {
		before.document = r.document
		s.readings[id] = before
	}
	return faults
}
