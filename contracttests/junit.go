package contracttests

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// The elements of a JUnit file that its many readers agree on. There is no standard: some readers want totals on both
// levels, most group cases by class, and the message of a failure must be one line.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		junitTotals
		Suite junitSuite `xml:"testsuite"`
	}
	junitTotals struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"` // in seconds
	}
	junitSuite struct {
		junitTotals
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitOutcome `xml:"failure"`
		Error   *junitOutcome `xml:"error"`
		Skipped *junitOutcome `xml:"skipped"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as a JUnit file, which CI systems read. A run that failed or was not completed becomes a
// case with an error.
func (r Report) WriteJUnit(w io.Writer) error {
	suite := junitSuite{
		junitTotals: junitTotals{Name: "uncial-contract", Failures: r.Count(Failed), Errors: r.Count(Errored), Skipped: r.Count(Skipped), Time: seconds(r.Duration)},
		Timestamp:   r.Started.UTC().Format("2006-01-02T15:04:05"),
		Properties:  []junitProperty{{"base-url", r.BaseURL}, {"seed", fmt.Sprint(r.Seed)}, {"points", fmt.Sprint(r.Points)}},
	}
	for _, result := range r.Results {
		suite.Cases = append(suite.Cases, junitOf(result))
	}
	if r.Problem != "" {
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{Class: "contract", Name: "run", Time: "0", Error: &junitOutcome{Message: clean(r.Problem), Type: "could not run"}})
	}
	// The case of a failed run counts, so that readers that ignore errors see a test more than expected.
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{junitTotals: suite.junitTotals, Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitOf describes a case. The class is the first part of its name, by which most readers group cases.
func junitOf(r Result) junitCase {
	area, _, _ := strings.Cut(r.Case, "/")
	c := junitCase{Class: "contract." + area, Name: r.Case, Time: seconds(r.Duration)}
	switch r.Outcome {
	case Failed:
		c.Failure = &junitOutcome{Message: clean(r.Reason), Type: "contract", Text: clean(strings.Join([]string{r.Explanation, r.Reason, r.Curl, r.Answer}, "\n"))}
	case Errored:
		c.Error = &junitOutcome{Message: clean(r.Reason), Type: "connection"}
	case Skipped:
		c.Skipped = &junitOutcome{Message: clean(r.Reason)}
	}
	return c
}

// seconds is the form of times in JUnit files.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// clean replaces characters that XML 1.0 forbids (section 2.2).
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 {
			return r
		}
		return '?'
	}, s)
}
