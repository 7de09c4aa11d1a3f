package proofread_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/proofread"
	"uncial/internal/document"
)

// MustModel starts a server that passes the body of each request to handle, and returns a client of it.
func MustModel(tb testing.TB, handle func(w http.ResponseWriter, body string)) *proofread.Model {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		handle(w, string(body))
	}))
	tb.Cleanup(server.Close)
	m, err := proofread.New(proofread.Config{URL: server.URL, Model: "scripted", Timeout: 2 * time.Second})
	require.NoError(tb, err)
	return m
}

// content returns a handler that answers with a completion of the given text.
func content(tb testing.TB, text string) func(http.ResponseWriter, string) {
	tb.Helper()
	answer, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}}}})
	require.NoError(tb, err)
	return func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}
}

// reading returns a document with one line, in which every word except the second is doubtful.
func reading() *document.Document {
	line := document.Line{}
	for i, text := range []string{"eſtoit", "grand", "bonnne,", "1547", "Rornans", "hõneur", "rnaiſon", "vniuers"} {
		box := document.Box{X: 100 * i, W: 90, H: 20}
		line.Words = append(line.Words, document.Word{Text: text, Confidence: 0.5, Box: box})
		line.Box = line.Box.Union(box)
	}
	line.Words[1].Confidence = 0.97
	page := document.Page{Width: 1000, Height: 100, Blocks: []document.Block{{Box: line.Box, Lines: []document.Line{line}}}}
	return &document.Document{Language: "fr", Enhanced: true, Pages: []document.Page{page}}
}

func TestModel_Improve(t *testing.T) {
	t.Parallel()
	// The prompt numbers eſtoit 1, bonnne, 2, hõneur 3, rnaiſon 4 and vniuers 5.
	for _, c := range []struct{ why, answer, want string }{
		{"accepts a correction of similar shape", `{"word":4,"before":"rnaiſon","after":"maiſon"}`, "maiſon"},
		{"refuses a modern spelling", `{"word":1,"before":"eſtoit","after":"était"}`, ""},
		{"refuses a spelling modernized in one letter", `{"word":1,"before":"eſtoit","after":"eſtait"}`, ""},
		{"refuses round s for long s", `{"word":1,"before":"eſtoit","after":"estoit"}`, ""},
		{"refuses u for v", `{"word":5,"before":"vniuers","after":"univers"}`, ""},
		{"refuses an expanded abbreviation", `{"word":3,"before":"hõneur","after":"honneur"}`, ""},
		{"refuses to drop a mark", `{"word":3,"before":"hõneur","after":"honeur"}`, ""},
		{"refuses another word", `{"word":4,"before":"rnaiſon","after":"château"}`, ""},
		{"refuses an added word", `{"word":4,"before":"rnaiſon","after":"maiſon blanche"}`, ""},
		{"refuses to delete a word", `{"word":4,"before":"rnaiſon","after":""}`, ""},
		{"refuses changed punctuation", `{"word":2,"before":"bonnne,","after":"bonme."}`, ""},
		{"refuses a number for a word", `{"word":4,"before":"rnaiſon","after":"1548"}`, ""},
		{"ignores a word that was not numbered", `{"word":9,"before":"1547","after":"1541"}`, ""},
		{"ignores a negative word number", `{"word":-1,"before":"1547","after":"1541"}`, ""},
		{"ignores a confident word", `{"word":2,"before":"grand","after":"grant"}`, ""},
		{"ignores a correction of a word that was not read", `{"word":4,"before":"maifon","after":"maiſon"}`, ""},
		{"refuses an invisible character", `{"word":4,"before":"rnaiſon","after":"mai\u200bſon"}`, ""},
		{"accepts only the first of two corrections of one word", `{"word":4,"before":"rnaiſon","after":"maiſon"},{"word":4,"before":"maiſon","after":"maifon"}`, "maiſon"},
		{"refuses an answer that repeats itself", repeated(`{"word":4,"before":"rnaiſon","after":"maiſon"}`, 50), "error"},
		{"refuses another letter with a mark", `{"word":4,"before":"rnaiſon","after":"mai\u0301son"}`, ""},
		{"accepts an empty list", ``, ""},
	} {
		doc := reading()
		err := MustModel(t, content(t, `{"corrections":[`+c.answer+`]}`)).Improve(t.Context(), nil, doc)
		switch c.want {
		case "error":
			require.Error(t, err, c.why)
			require.Equal(t, reading(), doc, c.why)
		case "":
			require.NoError(t, err, c.why)
			require.Equal(t, reading().Text(), doc.Text(), c.why)
			require.Empty(t, doc.Edits, c.why)
		default:
			require.NoError(t, err, c.why)
			require.Equal(t, c.want, doc.Pages[0].Blocks[0].Lines[0].Words[6].Text, c.why)
			require.Equal(t, []document.Edit{{
				Box: document.Box{X: 600, W: 90, H: 20}, Before: "rnaiſon", After: c.want, Rule: "language-model", Confidence: 0.5,
			}}, doc.Edits, c.why)
		}
	}
}

func TestModel_Improve_knownWords(t *testing.T) {
	t.Parallel()
	doc := reading()
	doc.Pages[0].Blocks[0].Lines[0].Words[6] = document.Word{Text: "heretics", Confidence: 0.5, Known: true}
	require.NoError(t, MustModel(t, content(t, `{"corrections":[{"word":4,"before":"heretics","after":"beretics"}]}`)).Improve(t.Context(), nil, doc))
	require.Contains(t, doc.Text(), "heretics")
	require.Empty(t, doc.Edits)
}

func TestModel_Improve_earlierEdits(t *testing.T) {
	t.Parallel()
	box := document.Box{X: 600, W: 90, H: 20}
	for read, want := range map[string][]document.Edit{
		"rnaifon": {{Box: box, Before: "rnaifon", After: "maiſon", Rule: "language-model", Confidence: 0.5}},
		"maiſon":  {},
	} {
		doc := reading()
		doc.Edits = []document.Edit{{Box: box, Before: read, After: "rnaiſon", Rule: "vote", Confidence: 0.5}}
		require.NoError(t, MustModel(t, content(t, `{"corrections":[{"word":4,"before":"rnaiſon","after":"maiſon"}]}`)).Improve(t.Context(), nil, doc))
		require.Equal(t, want, doc.Edits, read)
	}
}

func repeated(s string, n int) string {
	out := s
	for range n {
		out += "," + s
	}
	return out
}

func TestModel_Improve_failures(t *testing.T) {
	t.Parallel()
	for why, handle := range map[string]func(http.ResponseWriter, string){
		"text around JSON":      content(t, "Certainly! Here is the corrected text: …"),
		"JSON of another shape": content(t, `{"corrections":"maiſon"}`),
		"no completion":         func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(`{"choices":[]}`)) },
		"not JSON":              func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(`<html>`)) },
		"an error":              func(w http.ResponseWriter, _ string) { http.Error(w, "overloaded", http.StatusBadRequest) },
		"no answer":             func(_ http.ResponseWriter, _ string) { time.Sleep(3 * time.Second) },
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			doc := reading()
			require.Error(t, MustModel(t, handle).Improve(t.Context(), nil, doc))
			require.Equal(t, reading(), doc)
		})
	}
}

func TestModel_Improve_composes(t *testing.T) {
	t.Parallel()
	doc := reading()
	word := &doc.Pages[0].Blocks[0].Lines[0].Words[6]
	word.Text = "rnédecin"
	answer := content(t, `{"corrections":[{"word":4,"before":"rnédecin","after":"me\u0301decin"}]}`)
	require.NoError(t, MustModel(t, answer).Improve(t.Context(), nil, doc))
	require.Equal(t, "m\u00e9decin", word.Text)
	require.Equal(t, word.Text, doc.Edits[0].After)
}

func TestModel_Improve_limitsAnswers(t *testing.T) {
	t.Parallel()
	const answerBytes = 16 << 20
	blank := bytes.Repeat([]byte(" "), 1<<20)
	for name, status := range map[string]int{"answer": http.StatusOK, "error": http.StatusBadRequest} {
		t.Run("stops reading an endless "+name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			m := MustModel(t, func(w http.ResponseWriter, _ string) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				for sent < answerBytes {
					n, err := w.Write(blank)
					if sent += n; err != nil {
						return
					}
				}
			})
			doc := reading()
			require.ErrorContains(t, m.Improve(t.Context(), nil, doc), "exceeds 1048576 bytes")
			require.Equal(t, reading(), doc)
		})
	}
	t.Run("counts the bytes of a compressed answer after decompression", func(t *testing.T) {
		t.Parallel()
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		for range answerBytes >> 20 {
			_, _ = z.Write(blank)
		}
		require.NoError(t, z.Close())
		m := MustModel(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		})
		require.ErrorContains(t, m.Improve(t.Context(), nil, reading()), "exceeds 1048576 bytes")
	})
}

func TestModel_Improve_redirects(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var followed atomic.Bool
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
		m := MustModel(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(status)
		})
		require.ErrorContains(t, m.Improve(t.Context(), nil, reading()), "redirects")
		elsewhere.Close()
		require.False(t, followed.Load(), status)
	}
}

func TestModel_Improve_deadline(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	answer := content(t, `{"corrections":[]}`)
	m := MustModel(t, func(w http.ResponseWriter, body string) {
		asked.Add(1)
		time.Sleep(300 * time.Millisecond)
		answer(w, body)
	})
	doc := reading()
	for range 9 {
		doc.Pages = append(doc.Pages, reading().Pages[0])
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.ErrorIs(t, m.Improve(ctx, nil, doc), context.DeadlineExceeded)
	require.NoError(t, ctx.Err())
	require.Less(t, asked.Load(), int32(5))
}

func TestModel_Improve_prompt(t *testing.T) {
	t.Parallel()
	var asked string
	answer := content(t, `{"corrections":[]}`)
	m := MustModel(t, func(w http.ResponseWriter, body string) { asked = body; answer(w, body) })
	require.NoError(t, m.Improve(t.Context(), []byte("\x89PNG\r\n\x1a\n"), reading()))
	require.Contains(t, asked, "data:image/png;base64,")
	require.Contains(t, asked, "⟨1⟩eſtoit grand ⟨2⟩bonnne, 1547 Rornans ⟨3⟩hõneur ⟨4⟩rnaiſon ⟨5⟩vniuers")
	require.Contains(t, asked, "json_schema")

	asked = ""
	require.NoError(t, m.Improve(t.Context(), []byte("II*\x00"), reading()))
	require.NotContains(t, asked, "base64", "a TIFF is not sent")

	asked = ""
	sure := reading()
	for i := range sure.Pages[0].Blocks[0].Lines[0].Words {
		sure.Pages[0].Blocks[0].Lines[0].Words[i].Confidence = 0.99
	}
	require.NoError(t, m.Improve(t.Context(), nil, sure))
	require.Empty(t, asked, "nothing is sent if no word is doubtful")
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, model, err string }{
		{"", "m", "invalid language model URL"},
		{"ftp://models.invalid", "m", "invalid language model URL"},
		{"http://models.invalid/v1", "", "name is missing"},
	} {
		_, err := proofread.New(proofread.Config{URL: c.url, Model: c.model})
		require.ErrorContains(t, err, c.err)
	}
}
