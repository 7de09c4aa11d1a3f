package documents

import (
	"fmt"
	"regexp"
	"strings"
)

// Steps is what a document in ALTO, PAGE-XML or hOCR says about how it was made.
type Steps struct {
	Models map[string]string // name and digest of the model of each step that read text, by the id of the step
	Lines  [][]string        // the steps that read each line, in the order of the file
}

// modelSettings find the name and the digest of a model among the settings of a step in ALTO.
var modelSettings = regexp.MustCompile(`\bmodel=(.+?) digest=(sha256:[0-9a-f]{64})\b`)

// readBy finds the steps of a line in the attribute custom of PAGE-XML.
var readBy = regexp.MustCompile(`\breadBy \{steps:([^;}]*);\}`)

// modelMeta finds the name and the digest of a model in a meta element of hOCR; xModels finds the models of a line.
var (
	modelMeta = regexp.MustCompile(`^uncial\.(model\d+)$`)
	xModels   = regexp.MustCompile(`; x_models ([^;]*)`)
)

// ReadSteps reads the steps of a document in one of the formats alto, page and hocr. The error names a line that refers to a
// step that does not exist.
func ReadSteps(format, text string) (Steps, error) {
	r := stepsRead.get(format, text, func() stepsResult {
		s, err := readSteps(format, text)
		return stepsResult{s, err}
	})
	return r.steps, r.err
}

type stepsResult struct {
	steps Steps
	err   error
}

var stepsRead memory[stepsResult]

// readSteps reads which models a document names, and for each line which of them have read it. Errors: text that is not XML, a
// line that names a step which the document does not describe.
func readSteps(format, text string) (Steps, error) {
	root, err := parseXML(text)
	if err != nil {
		return Steps{}, err
	}
	s := Steps{Models: map[string]string{}}
	known := map[string]bool{}
	switch format {
	case "alto":
		s.readALTO(root, known)
	case "page":
		s.readPAGE(root, known)
	default:
		s.readHOCR(root, known)
	}
	for i, line := range s.Lines {
		for _, id := range line {
			if !known[id] {
				return s, fmt.Errorf("line %d refers to the step %q, which the document does not describe", i+1, id)
			}
		}
	}
	return s, nil
}

// readALTO reads Processing elements and the PROCESSINGREFS of lines (ALTO 4.4).
func (s *Steps) readALTO(root *node, known map[string]bool) {
	for _, step := range root.all(named("Processing")) {
		id := step.attr["ID"]
		known[id] = true
		if settings := step.first("processingStepSettings"); settings != nil {
			if m := modelSettings.FindStringSubmatch(settings.text); m != nil {
				s.Models[id] = m[1] + " " + m[2]
			}
		}
	}
	for _, line := range root.all(named("TextLine")) {
		s.Lines = append(s.Lines, strings.Fields(line.attr["PROCESSINGREFS"]))
	}
}

// readPAGE reads the items of Metadata, and the custom attribute of lines: the schema has no place for steps there.
func (s *Steps) readPAGE(root *node, known map[string]bool) {
	for _, step := range root.all(named("MetadataItem")) {
		if step.attr["type"] != "processingStep" {
			continue
		}
		id := step.attr["name"]
		known[id] = true
		labels := map[string]string{}
		for _, l := range step.all(named("Label")) {
			labels[l.attr["type"]] = l.attr["value"]
		}
		if labels["digest"] != "" {
			s.Models[id] = labels["model"] + " " + labels["digest"]
		}
	}
	for _, line := range root.all(named("TextLine")) {
		var steps []string
		if m := readBy.FindStringSubmatch(line.attr["custom"]); m != nil {
			steps = strings.Fields(m[1])
		}
		s.Lines = append(s.Lines, steps)
	}
}

// readHOCR reads our own meta elements, and the property of lines that names them.
func (s *Steps) readHOCR(root *node, known map[string]bool) {
	for _, meta := range root.all(named("meta")) {
		if m := modelMeta.FindStringSubmatch(meta.attr["name"]); m != nil {
			known[m[1]], s.Models[m[1]] = true, meta.attr["content"]
		}
	}
	for _, span := range root.all(named("span")) {
		if span.attr["class"] != "ocr_line" {
			continue
		}
		var steps []string
		if m := xModels.FindStringSubmatch(span.attr["title"]); m != nil {
			steps = strings.Fields(m[1])
		}
		s.Lines = append(s.Lines, steps)
	}
}
