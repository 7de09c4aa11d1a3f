package cases

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// readerRows check what a result says of the program and the models that made it. Servers of earlier versions say nothing.
var readerRows = []row{
	{
		// The formats find readers that depend on how the answer is written.
		name: "extract/200/reader", points: 40, needs: []string{model.NeedAllFields}, then: readersAreEqual,
		explanation: "The reader names the program and the models that read the page, in every format the same; nothing read a blank page.",
		asks:        []ask{read(printed), read(printed).format("alto"), read(printed).format("text"), read(blank)},
	}, {
		name: "extract/200/reader-in-alto", points: 20, needs: []string{model.NeedAllFields}, then: linesHaveReaders,
		explanation: "ALTO describes each model of the reader as Processing, and each line refers to those that read it.",
		asks:        []ask{read(printed).format("alto"), read(other).format("alto")},
	}, {
		name: "extract/200/reader-in-page", points: 20, needs: []string{model.NeedAllFields}, then: linesHaveReaders,
		explanation: "PAGE-XML describes each model of the reader as a MetadataItem, and each line refers to those that read it.",
		asks:        []ask{read(printed).format("page"), read(other).format("page")},
	}, {
		name: "extract/200/reader-in-hocr", points: 20, needs: []string{model.NeedAllFields}, then: linesHaveReaders,
		explanation: "hOCR describes each model of the reader in a meta element, and each line refers to those that read it.",
		asks:        []ask{read(printed).format("hocr"), read(other).format("hocr")},
	},
}

// digests returns the digests of the models of a reader, sorted.
func digests(x *model.Exchange) []string {
	var body struct {
		Reader struct {
			Models []struct {
				Digest string `json:"digest"`
			} `json:"models"`
		} `json:"reader"`
	}
	_ = json.Unmarshal(x.Body, &body) // the schema was checked before
	all := []string{}
	for _, m := range body.Reader.Models {
		all = append(all, m.Digest)
	}
	slices.Sort(all)
	return all
}

func readersAreEqual(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	last := len(x) - 1
	for i, y := range x {
		reader := y.Object("reader")
		switch {
		case reader == nil:
			return fail(y, "reader must say what made the text")
		case (len(digests(y)) == 0) != (i == last):
			return fail(y, "reader.models must name the models that read words, and none for a blank page: %v", reader["models"])
		case i < last && !reflect.DeepEqual(reader, x[0].Object("reader")):
			return fail(y, "the same page had the reader %v before and has %v now", x[0].Object("reader"), reader)
		case reader["version"] != x[0].Object("reader")["version"]:
			return fail(y, "reader.version was %v before and is %v now", x[0].Object("reader")["version"], reader["version"])
		}
	}
	return nil
}

func linesHaveReaders(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	for _, y := range x {
		format := y.Request.Job.Format
		steps, err := documents.ReadSteps(format, y.Text("document"))
		if err != nil {
			return fail(y, "the %s document: %s", format, err)
		}
		if got := slices.Sorted(maps.Values(steps.Models)); !slices.Equal(got, digests(y)) {
			return fail(y, "the %s document must describe the models of the reader, with digests %v, not %v", format, digests(y), got)
		}
		for i, line := range steps.Lines {
			if !slices.ContainsFunc(line, func(id string) bool { return steps.Models[id] != "" }) {
				return fail(y, "line %d of the %s document does not say which model read it", i+1, format)
			}
		}
	}
	return nil
}
