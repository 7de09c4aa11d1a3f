package tryit

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
	"uncial/internal/text"
)

var (
	//go:embed reading.html
	readingHTML string
	//go:embed form.html
	formHTML string
	//go:embed tryit.css
	css string
	//go:embed examples.js
	examplesJS string
	//go:embed tryit.js
	tryJS string
)

// Assets has tryit.css, examples.js and tryit.js, for pages that link to them. The scripts are needed in this order.
//
//go:embed tryit.css examples.js tryit.js
var Assets embed.FS

// CSS is the style of forms and readings. It uses the custom properties of the page around it: --ink, --quiet, --line, --wash,
// --paper, --red, --green, --amber, --mono and --sans.
func CSS() string { return css }

// Script adds copy buttons to examples, and to forms and readings what works only with scripts. It must run at the end of
// the page.
func Script() string { return examplesJS + tryJS }

var (
	readingTemplate = parsed("reading", readingHTML)
	formTemplate    = parsed("form", formHTML)
)

// parsed returns a function that parses a template when it is first needed, which keeps an idle mock small.
func parsed(name, text string) func() *template.Template {
	return sync.OnceValue(func() *template.Template { return template.Must(template.New(name).Parse(text)) })
}

// Place says where a reading is shown.
type Place struct {
	// Base is the path under which ServePart is reached, without a slash at the end.
	Base string
	// URL is the public address of the server, for the samples.
	URL string
	// Key is written out in the samples; see Reading.samples.
	Key string
	// WithKey means that only requests with the key that the reader pasted get the parts, so the script must fetch them.
	WithKey bool
}

// Render writes the reading as a fragment of HTML: the pages, what to check, the downloads and samples of calls. Errors: those
// of w.
func (r *Reading) Render(w io.Writer, p Place) error {
	calls, err := r.samples(p.URL, p.Key)
	if err != nil {
		return err
	}
	v := readingView{Reading: r, Place: p, Calls: calls, Downloads: downloads, Classes: classes}
	for i := range r.Document.Pages {
		l := newPageView(i, &r.Document.Pages[i])
		l.Weak = r.weak(l.Number)
		v.Pages = append(v.Pages, l)
	}
	return readingTemplate().Execute(w, v)
}

type readingView struct {
	*Reading
	Place
	Pages     []pageView
	Calls     []sample
	Downloads []download
	Classes   []class
}

// IsBlank reports whether nothing was read.
func (v readingView) IsBlank() bool { return v.Answer.Text == "" }

// Percent returns a fraction in whole percent. A doubt is never rounded away: 99.7 % is 99.
func (readingView) Percent(fraction float64) int { return percent(fraction) }

// percent returns a fraction as whole percent, rounded down, so that only 1 becomes 100. The small addend keeps 0.29 from
// becoming 28.
func percent(fraction float64) int { return int(math.Floor(fraction*100 + 1e-9)) }

// PageNumber returns the number of a page from its index.
func (readingView) PageNumber(index int) int { return index + 1 }

// Seconds returns the processing time in seconds, with one decimal.
func (v readingView) Seconds() string {
	if v.Answer.ProcessingTime == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(*v.Answer.ProcessingTime)/1000)
}

// Remaining returns the points that are left, or "" if the answer does not say.
func (v readingView) Remaining() string {
	if v.Answer.RemainingPoints == nil {
		return ""
	}
	return text.Number(*v.Answer.RemainingPoints)
}

// pageView is a page with its words.
type pageView struct {
	*document.Page
	Number int
	Blocks [][]row
	Weak   []weakPlace
}

// row is a line of words. Its box and baseline place the words of a page that has no picture.
type row struct{ Words []word }

// word is a word with its place and colour.
type word struct {
	document.Word
	ID       string
	Class    string
	Percent  int
	Baseline int // where a drawn word stands
	Size     int // of the letters of a drawn word
}

// newPageView prepares page i, from 0.
func newPageView(i int, p *document.Page) pageView {
	l := pageView{Page: p, Number: i + 1}
	n := 0
	for _, b := range p.Blocks {
		var rows []row
		for _, line := range b.Lines {
			var r row
			for _, w := range line.Words {
				n++
				r.Words = append(r.Words, word{
					Word: w, ID: fmt.Sprintf("p%d-w%d", i+1, n), Class: classOf(w.Confidence), Percent: percent(w.Confidence),
					Baseline: w.Box.Y + w.Box.H*4/5, Size: w.Box.H * 9 / 10,
				})
			}
			rows = append(rows, r)
		}
		l.Blocks = append(l.Blocks, rows)
	}
	return l
}

// class is a range of confidence with a colour and a kind of line, so that colour is never the only sign.
type class struct {
	Class, Label string
	minimum      float64
}

// classes, most confident first. Words below 0.7 should be checked, and most of those below 0.3 are wrong.
var classes = []class{
	{"sure", "70 % and more", 0.7},
	{"check", "30 to 69 %", 0.3},
	{"doubt", "below 30 %", 0},
}

// classOf returns the class of a confidence.
func classOf(confidence float64) string {
	for _, b := range classes {
		if confidence >= b.minimum {
			return b.Class
		}
	}
	return classes[len(classes)-1].Class
}

// Form is the form that sends an image.
type Form struct {
	// Action is the path that it posts to.
	Action string
	// WithKey adds a field for a key, which the script sends as a bearer token and keeps in memory only. Without it the form
	// works without scripts.
	WithKey bool
	// Key and ImageURL fill in the fields.
	Key, ImageURL string
	// Languages are the choices, and Language the chosen one.
	Languages []Choice
	Language  string
	Enhance   bool
	// Problem is shown above the form, "" for none.
	Problem string
}

// Choice is a language tag with its English name.
type Choice struct{ Tag, Name string }

// Choices returns a choice for each tag, sorted by the names that the function gives.
func Choices(tags []string, name func(tag string) string) []Choice {
	list := make([]Choice, len(tags))
	for i, tag := range tags {
		list[i] = Choice{tag, name(tag)}
	}
	slices.SortFunc(list, func(a, b Choice) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Tag, b.Tag)) })
	return list
}

// Price is what sending the form costs, in points.
func (Form) Price() int64 { return contract.Price }

// MaxBytes is the largest image.
func (Form) MaxBytes() int64 { return imagefile.MaxBytes }

// HTML returns the form as a fragment of HTML, with the values of f filled in.
func (f Form) HTML() (template.HTML, error) {
	var b strings.Builder
	err := formTemplate().Execute(&b, f)
	return template.HTML(b.String()), err //nolint:gosec // html/template has escaped it
}
