package expect

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// models returns the models that a result names, with their digests, in its order. Its schema was checked before.
func models(x *model.Exchange) []string {
	var reader struct {
		Models []struct{ Name, Digest string }
	}
	_ = x.Member("reader", &reader)
	all := []string{}
	for _, m := range reader.Models {
		all = append(all, m.Name+" "+m.Digest)
	}
	return all
}

// checkReader requires a result of this version of the contract to say what made it, and its document to say the same. Servers
// of other versions may say nothing.
func (s *Readings) checkReader(x *model.Exchange, j *model.Job, r reading) string {
	if !s.isExact() || x.Target.Minimal {
		return ""
	}
	reader := x.Object("reader")
	switch {
	case reader == nil:
		return "reader must say what made the text"
	case describing.MatchString(fmt.Sprint(reader["software"])):
		return fmt.Sprintf("reader.software must be the name of the program, and nothing else: %v", reader["software"])
	case (len(models(x)) == 0) != r.isBlank():
		return fmt.Sprintf("reader.models must name the models that read words, and none for a blank page: %v", reader["models"])
	case !slices.Contains([]string{"alto", "page", "hocr"}, j.Format) || r.document == nil:
		return ""
	}
	steps, err := documents.ReadSteps(j.Format, x.Text("document"))
	if err != nil {
		return fmt.Sprintf("the %s document: %s", j.Format, err)
	}
	if got := slices.Sorted(maps.Values(steps.Models)); !slices.Equal(got, slices.Sorted(slices.Values(models(x)))) {
		return fmt.Sprintf("the %s document must describe the models of the reader, %v, not %v", j.Format, models(x), got)
	}
	for i, line := range steps.Lines {
		if !slices.ContainsFunc(line, func(id string) bool { return steps.Models[id] != "" }) {
			return fmt.Sprintf("line %d of the %s document does not say which model read it", i+1, j.Format)
		}
	}
	return checkModelOrder(models(x), steps)
}

// describing matches anything but a name in the name of a program: remarks, lists and versions, which have a member of their
// own.
var describing = regexp.MustCompile(`[(\[;,/=]|\d\.\d`)

// readersOfLines are the models that read each line of a document, nil if the document does not say.
func readersOfLines(x *model.Exchange, j *model.Job, r reading) (all []string) {
	if !slices.Contains([]string{"alto", "page", "hocr"}, j.Format) || r.document == nil {
		return nil
	}
	steps, err := documents.ReadSteps(j.Format, x.Text("document"))
	if err != nil {
		return nil // checkReader reports it
	}
	for _, line := range steps.Lines {
		var names []string
		for _, id := range line {
			if name := steps.Models[id]; name != "" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		all = append(all, strings.Join(slices.Compact(names), ", "))
	}
	return all
}

// compareReaders requires two formats of a reading to name the same models for each line.
func compareReaders(before, now []string) []string {
	if len(before) != len(now) {
		return nil
	}
	for i := range now {
		if before[i] != now[i] {
			return []string{fmt.Sprintf("two formats of the same reading disagree: line %d was read by %q in one and by %q in the other", i+1, before[i], now[i])}
		}
	}
	return nil
}

// checkModelOrder requires models to be in the order of their first word. Of several models of one line the order is not known.
func checkModelOrder(names []string, steps documents.Steps) string {
	last := 0
	for _, name := range names {
		first := slices.IndexFunc(steps.Lines, func(line []string) bool {
			return slices.ContainsFunc(line, func(id string) bool { return steps.Models[id] == name })
		})
		if first >= 0 && first < last {
			return fmt.Sprintf("the models of the reader must be in the order of their first word; %s read line %d", name, first+1)
		}
		last = max(last, first)
	}
	return ""
}

// compareAbout requires two verbatim readings of an image to say the same of how it was read and where that is weak.
func compareAbout(before, now map[string]any) (problems []string) {
	for _, name := range []string{"reader", "weak"} {
		a, hadIt := before[name]
		b, hasIt := now[name]
		if hadIt && hasIt && !reflect.DeepEqual(a, b) {
			problems = append(problems, fmt.Sprintf("the same page had the %s %s before and has %s now", name, shortJSON(a), shortJSON(b)))
		}
	}
	return problems
}

// shortJSON returns a value of an answer for a message.
func shortJSON(v any) string { return model.Shorten(strings.TrimSpace(string(model.MustJSON(v))), 100) }
