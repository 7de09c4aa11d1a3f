package format_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/internal/document"
	"uncial/internal/format/formattest"
)

// mixedPage has a printed line, a handwritten one and one that two models read.
func mixedPage() *document.Document {
	line := func(y int, models ...string) document.Line {
		l := document.Line{Box: document.Box{X: 10, Y: y, W: 80, H: 20}}
		for i, model := range models {
			l.Words = append(l.Words, document.Word{Box: document.Box{X: 10 + 40*i, Y: y, W: 30, H: 20}, Text: "word", Confidence: 1, Model: model})
		}
		return l
	}
	return &document.Document{
		Language: "de-Latf", Confidence: 1, Enhanced: true,
		Models: []document.Model{{Name: "deu_latf", Digest: "sha256:" + strings.Repeat("1", 64)}, {Name: "hands", Digest: "sha256:" + strings.Repeat("2", 64)}},
		Edits:  []document.Edit{{Rule: "vote"}, {Rule: "long-s"}, {Rule: "vote"}},
		Pages: []document.Page{{Width: 100, Height: 100, Blocks: []document.Block{
			document.BlockOf([]document.Line{line(0, "deu_latf", "deu_latf"), line(30, "hands"), line(60, "deu_latf+hands"), line(80, "")}),
		}}},
	}
}

func TestWrite_Steps_proofreading(t *testing.T) {
	t.Parallel()
	doc := mixedPage()
	doc.Proofreader = "a-language-model"
	doc.Edits = append(doc.Edits, document.Edit{Rule: document.Proofread})
	for format, parts := range map[string][]string{
		"alto": {"corrections=3 rules=long-s vote", `<Processing ID="proofreading">`, "model=a-language-model corrections=1 rules=language-model"},
		"page": {`name="enhancement"`, `name="proofreading"`, `<Label type="model" value="a-language-model"/>`},
	} {
		written := MustWrite(t, format, doc)
		for _, part := range parts {
			assert.Contains(t, written, part)
		}
		formattest.RequireValid(t, format, written)
	}
	doc.Proofreader, doc.Edits = "", nil
	assert.NotContains(t, MustWrite(t, "alto", doc), "proofreading")
}

func TestWrite_Steps(t *testing.T) {
	t.Parallel()
	for format, parts := range map[string][]string{
		"alto": {
			`<Processing ID="model1">`, "<processingDateTime>2026-01-15T11:00:00Z</processingDateTime>", "<softwareVersion>1.0.0</softwareVersion>",
			"<processingStepSettings>model=deu_latf digest=sha256:" + strings.Repeat("1", 64) + " language=de-Latf</processingStepSettings>",
			`<Processing ID="model2">`, `<Processing ID="enhancement">`, "corrections=3 rules=long-s vote",
			`ID="p1_b1_l1" HPOS="10" VPOS="0" WIDTH="80" HEIGHT="20" BASELINE="10 20 90 20" PROCESSINGREFS="model1"`, `PROCESSINGREFS="model2"`, `PROCESSINGREFS="model1 model2"`,
		},
		"page": {
			`<MetadataItem type="processingStep" name="model1" value="text recognition" date="2026-01-15T11:00:00Z">`, `<Label type="software" value="Uncial"/>`,
			`<Label type="digest" value="sha256:` + strings.Repeat("2", 64) + `"/>`, `name="enhancement"`, `<Label type="rules" value="long-s vote"/>`,
			`<TextLine id="p1_b1_l1" custom="readBy {steps:model1;}">`, `custom="readBy {steps:model1 model2;}"`, `<TextLine id="p1_b1_l4">`,
		},
		"hocr": {
			`<meta name="uncial.model1" content="deu_latf sha256:` + strings.Repeat("1", 64) + `"/>`,
			`<span class="ocr_line" id="p1_b1_l1" title="bbox 10 0 90 20; x_models model1">`, `x_models model1 model2"`, `id="p1_b1_l4" title="bbox 10 80 90 100">`,
		},
	} {
		written := MustWrite(t, format, mixedPage())
		for _, part := range parts {
			assert.Contains(t, written, part)
		}
		if format != "hocr" { // it has no schema
			formattest.RequireValid(t, format, written)
		}
	}
}
