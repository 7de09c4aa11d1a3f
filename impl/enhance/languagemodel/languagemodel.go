// Package languagemodel corrects documents by asking a language model behind an API like OpenAI's. It runs beside the
// service, not in the workers, which have no network.
package languagemodel

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	"golang.org/x/text/unicode/norm"

	"uncial/impl/enhance"
	"uncial/internal/document"
)

const (
	// doubted is the confidence below which a word is shown to the language model as one that may be wrong. Others
	// cannot be changed, whatever it answers.
	doubted = 0.9
	// mostDoubted is how many words of a page are shown as doubtful at most, the least sure ones.
	mostDoubted = 300
	// mostChanged is the share of the words shown that may be changed. An answer that changes more was not read off
	// the page, and is dropped as a whole.
	mostChanged = 0.6
	// largestImage is the size in bytes up to which the page's image is sent along.
	largestImage = 8 << 20
	// longestAnswer bounds the answer, in tokens, and largestAnswer in bytes, whatever the server makes of it.
	longestAnswer, largestAnswer = 8192, 1 << 20
	// DefaultTimeout bounds the wait for a page.
	DefaultTimeout = 30 * time.Second
	// patience is the share of the caller's own time that all pages together may take: the rest is for answering with the
	// offline reading where the model stalls.
	patience = 0.75
)

// Config says which language model is asked.
type Config struct {
	URL     string        // of the API, such as https://api.openai.com/v1
	Model   string        // its name there
	Key     string        // empty where the server wants none
	Timeout time.Duration // for a page; 0 is DefaultTimeout
}

// Model corrects documents by asking a language model behind an API like OpenAI's. It is given the image and
// the reading with the doubtful words numbered, and answers with corrections of those. A correction is taken only if
// the word was doubtful, is no number and no name, and can have been misread for the correction by its shape; nothing
// is ever added or left out. It is safe for concurrent use.
type Model struct {
	client  openai.Client
	model   string
	timeout time.Duration
}

// New checks the configuration. It connects to nothing.
func New(c Config) (*Model, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the URL of the language model is %q; want one such as https://api.openai.com/v1", c.URL)
	}
	if c.Model == "" {
		return nil, errors.New("the language model needs a name")
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	key := c.Key
	if key == "" {
		key = "none" // the client insists on one
	}
	return &Model{
		client: openai.NewClient(option.WithBaseURL(c.URL), option.WithAPIKey(key), option.WithMaxRetries(1),
			option.WithHTTPClient(&http.Client{Transport: bounded{http.DefaultTransport}, CheckRedirect: refuseRedirect})),
		model:   c.Model,
		timeout: c.Timeout,
	}, nil
}

// refuseRedirect keeps pages from going anywhere but where the operator said.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("the server redirects; name the address it redirects to")
}

// bounded cuts answers that are longer than any that was asked for.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, largestAnswer)
	}
	return res, err
}

// Improve corrects the document in place and adds to its edits. image is the file that it was read from. When the model
// fails, stalls or answers rubbish, the error says so and the document stays as it was, with a quarter of the time that
// ctx leaves still to come.
func (m *Model) Improve(ctx context.Context, image []byte, doc *document.Document) error {
	if end, ok := ctx.Deadline(); ok {
		within, cancel := context.WithTimeout(ctx, time.Duration(patience*float64(time.Until(end))))
		defer cancel()
		ctx = within
	}
	var accepted []correction
	for i := range doc.Pages {
		picture := image
		if len(doc.Pages) > 1 {
			picture = nil // the file holds more than this page
		}
		found, err := m.page(ctx, picture, doc, i)
		if err != nil {
			return fmt.Errorf("language model, page %d: %w", i+1, err)
		}
		accepted = append(accepted, found...)
	}
	for _, c := range accepted {
		c.record(doc)
		c.word.Text = c.after
	}
	enhance.InOrder(doc)
	return nil
}

// correction is one that passed the guards.
type correction struct {
	page  int
	word  *document.Word
	after string
}

// record adds the edit. A word that was changed before has one already, which then tells of both changes: of the word as
// it was read and as it stands.
func (c correction) record(doc *document.Document) {
	e := enhance.NewEdit(c.page, []document.Word{*c.word}, c.after, enhance.RuleModel, c.word.Confidence)
	i := slices.IndexFunc(doc.Edits, func(old document.Edit) bool { return old.Page == e.Page && old.Box == e.Box && old.After == e.Before })
	if i < 0 {
		doc.Edits = append(doc.Edits, e)
		return
	}
	e.Before = doc.Edits[i].Before
	if doc.Edits[i] = e; e.Before == e.After {
		doc.Edits = slices.Delete(doc.Edits, i, i+1)
	}
}

func (m *Model) page(ctx context.Context, image []byte, doc *document.Document, page int) ([]correction, error) {
	shown := doubtfulWords(&doc.Pages[page])
	if len(shown) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	answer, err := m.ask(ctx, image, doc.Language, numbered(&doc.Pages[page], shown))
	if err != nil {
		return nil, err
	}
	return guard(page, shown, answer)
}

// answered is one correction as the model gives it.
type answered struct {
	Word   int    `json:"word"` // from 1
	Before string `json:"before"`
	After  string `json:"after"`
}

const instructions = `You proofread the reading of a historical document against its image. Doubtful words are numbered like ⟨7⟩word.
Correct only numbered words, and only where the image shows other letters than were read. Keep the spelling of the document:
long s, old accents, u for v, i for j and signs of abbreviation stay as printed. Never modernise, translate, complete or add a
word, and leave names and numbers alone. Answer with the corrections only; an empty list is a good answer.`

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

func (m *Model) ask(ctx context.Context, image []byte, language, text string) ([]answered, error) {
	parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("Language: " + language + "\n\n" + text)}
	if kind := http.DetectContentType(image); len(image) <= largestImage && slices.Contains([]string{"image/jpeg", "image/png", "image/webp"}, kind) {
		data := "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(image)
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: data}))
	}
	completion, err := m.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:               m.model,
		MaxCompletionTokens: openai.Int(longestAnswer),
		Messages:            []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(instructions), openai.UserMessage(parts)},
		ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "corrections", Strict: openai.Bool(true), Schema: answerSchema},
		}},
	})
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, fmt.Errorf("the answer has more than %d bytes", largestAnswer)
	}
	if err != nil {
		return nil, err
	}
	if len(completion.Choices) == 0 {
		return nil, errors.New("the answer is empty")
	}
	var answer struct {
		Corrections []answered `json:"corrections"`
	}
	if err := json.Unmarshal([]byte(completion.Choices[0].Message.Content), &answer); err != nil {
		return nil, errors.New("the answer is not the JSON that was asked for")
	}
	return answer.Corrections, nil
}

// doubtfulWords are the words that the model may correct, in reading order: those that no word list has.
func doubtfulWords(p *document.Page) []*document.Word {
	var shown []*document.Word
	for i := range p.Blocks {
		for j := range p.Blocks[i].Lines {
			words := p.Blocks[i].Lines[j].Words
			for k := range words {
				if words[k].Confidence < doubted && !words[k].Known && enhance.MayChange(words[k].Text) {
					shown = append(shown, &words[k])
				}
			}
		}
	}
	if len(shown) <= mostDoubted {
		return shown
	}
	limit := make([]float64, len(shown))
	for i, w := range shown {
		limit[i] = w.Confidence
	}
	slices.Sort(limit)
	return slices.DeleteFunc(shown, func(w *document.Word) bool { return w.Confidence >= limit[mostDoubted] })
}

// numbered is the text of a page with numbers before the words that are shown as doubtful.
func numbered(p *document.Page, shown []*document.Word) string {
	number := make(map[*document.Word]int, len(shown))
	for i, w := range shown {
		number[w] = i + 1
	}
	var text strings.Builder
	for i := range p.Blocks {
		for j := range p.Blocks[i].Lines {
			words := p.Blocks[i].Lines[j].Words
			for k := range words {
				if n := number[&words[k]]; n > 0 {
					fmt.Fprintf(&text, "⟨%d⟩", n)
				}
				text.WriteString(words[k].Text + " ")
			}
			text.WriteByte('\n')
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// guard takes from an answer what may be believed.
func guard(page int, shown []*document.Word, answer []answered) ([]correction, error) {
	if float64(len(answer)) > max(mostChanged*float64(len(shown)), 3) {
		return nil, errors.New("the answer changes too many words to have been read off the page")
	}
	seen := map[int]bool{}
	var accepted []correction
	for _, a := range answer {
		if a.Word < 1 || a.Word > len(shown) || seen[a.Word] {
			continue
		}
		seen[a.Word] = true
		a.After = norm.NFC.String(a.After)
		if word := shown[a.Word-1]; a.Before == word.Text && enhance.Believable(word.Text, a.After) {
			accepted = append(accepted, correction{page, word, a.After})
		}
	}
	return accepted, nil
}
