package proofread

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"uncial/internal/document"
	"uncial/internal/text"
)

// proposal is a correction that the model proposes.
type proposal struct {
	Word   int    `json:"word"` // the word's number in the prompt, from 1
	Before string `json:"before"`
	After  string `json:"after"`
}

// instructions ask for as little as possible, because whatever the model invents must be detected and refused afterwards; see
// believe.go.
const instructions = `You proofread the reading of a historical document against its image. Doubtful words are numbered like ⟨7⟩word.
Correct only numbered words, and only where the image shows other letters than were read. Keep the spelling of the document:
long s, old accents, u for v, i for j and abbreviation marks stay as printed. Never modernise, translate, complete or add a
word, and leave names and numbers alone. Answer with the corrections only; an empty list is a good answer.`

// answerSchema makes the model answer with a list and without prose, if the server supports JSON schemas.
var answerSchema = map[string]any{
	"type": "object", "additionalProperties": false, "required": []string{"corrections"},
	"properties": map[string]any{"corrections": map[string]any{"type": "array", "items": map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"word", "before", "after"},
		"properties": map[string]any{
			"word":   map[string]any{"type": "integer", "description": "the number of the word"},
			"before": map[string]any{"type": "string", "description": "the word as it was read"},
			"after":  map[string]any{"type": "string", "description": "the word as the image shows it"},
		},
	}}},
}

// ask sends one page and returns the corrections that the model proposes. image is the encoded image of the page, or nil; it is
// sent only if it is a JPEG, PNG or WebP of at most maxImageBytes.
func (m *Model) ask(ctx context.Context, image []byte, language, page string) ([]proposal, error) {
	parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("Language: " + language + "\n\n" + page)}
	if kind := http.DetectContentType(image); len(image) <= maxImageBytes && slices.Contains([]string{"image/jpeg", "image/png", "image/webp"}, kind) {
		data := "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(image)
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: data}))
	}
	completion, err := m.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:               m.model,
		MaxCompletionTokens: openai.Int(maxAnswerTokens),
		Messages:            []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(instructions), openai.UserMessage(parts)},
		ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "corrections", Strict: openai.Bool(true), Schema: answerSchema},
		}},
	})
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, fmt.Errorf("the answer exceeds %d bytes", maxAnswerBytes)
	}
	if err != nil {
		return nil, err
	}
	if len(completion.Choices) == 0 {
		return nil, errors.New("the answer is empty")
	}
	var answer struct {
		Corrections []proposal `json:"corrections"`
	}
	if err := json.Unmarshal([]byte(completion.Choices[0].Message.Content), &answer); err != nil {
		return nil, errors.New("the answer is not the requested JSON")
	}
	return answer.Corrections, nil
}

// doubtfulWords returns the words that the model may correct, in reading order: those of low confidence that are in no word
// list. If they are more than maxShownWords, it returns the least confident ones.
func doubtfulWords(p *document.Page) []*document.Word {
	var shown []*document.Word
	for w := range document.Words(p.Blocks) {
		if w.CorrectShare() < maxShownShare && !w.Known && text.MayCorrect(w.Text) {
			shown = append(shown, w)
		}
	}
	if len(shown) <= maxShownWords {
		return shown
	}
	confidences := make([]float64, len(shown))
	for i, w := range shown {
		confidences[i] = w.Confidence
	}
	slices.Sort(confidences)
	return slices.DeleteFunc(shown, func(w *document.Word) bool { return w.Confidence >= confidences[maxShownWords] })
}

// numbered returns the text of a page with a number, from 1, before each of the doubtful words in shown.
func numbered(p *document.Page, shown []*document.Word) string {
	number := make(map[*document.Word]int, len(shown))
	for i, w := range shown {
		number[w] = i + 1
	}
	var b strings.Builder
	for i := range p.Blocks {
		for line := range document.Lines(p.Blocks[i : i+1]) {
			for j := range line.Words {
				if n := number[&line.Words[j]]; n > 0 {
					fmt.Fprintf(&b, "⟨%d⟩", n)
				}
				b.WriteString(line.Words[j].Text + " ")
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.String()
}
