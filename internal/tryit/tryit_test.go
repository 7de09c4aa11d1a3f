package tryit_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/format/formattest"
	"uncial/internal/language/name"
	"uncial/internal/request"
	"uncial/internal/tryit"
)

// reading returns a reading of one word with a preview of that many bytes.
func reading(preview int) *tryit.Reading {
	box := document.Box{X: 10, Y: 20, W: 100, H: 40}
	page := document.Page{
		Width: 800, Height: 600, Preview: make([]byte, preview),
		Blocks: []document.Block{{Box: box, Lines: []document.Line{{Box: box, Words: []document.Word{{Box: box, Text: "<Aprille>", Confidence: 0.856}}}}}},
	}
	remaining, took := int64(290), int64(1240)
	return &tryit.Reading{
		Request:  contract.Request{ImageURL: "https://images.example.org/a%20b/page-001.tif?sig=secret", Language: "enm", Format: gen.JSON},
		Answer:   gen.ExtractionResult{Success: true, Text: "<Aprille>", PointsUsed: 10, RemainingPoints: &remaining, ProcessingTime: &took},
		Document: &document.Document{Language: "enm", Pages: []document.Page{page}},
	}
}

func mustRender(t *testing.T, r *tryit.Reading) string {
	t.Helper()
	var html strings.Builder
	require.NoError(t, r.Render(&html, tryit.Place{Base: "/x/1", URL: "https://ocr.example.org"}))
	return html.String()
}

func TestExtract(t *testing.T) {
	t.Parallel()
	api := func(answer func(w http.ResponseWriter, r *http.Request)) http.Handler {
		return http.HandlerFunc(answer)
	}
	post := func() *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/docs/try", strings.NewReader("{}"))
		r.Header.Set("Idempotency-Key", "k")
		return r
	}
	t.Run("keeps what the server has read, without an inline image", func(t *testing.T) {
		t.Parallel()
		got, _, err := tryit.Extract(api(func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, tryit.ExtractPath, r.URL.Path)
			assert.Empty(t, r.Header.Get("Idempotency-Key"), "a replay would have no document")
			assert.True(t, tryit.Wanted(r.Context()))
			kept := reading(1)
			kept.Request.ImageURL = "cid:1"
			tryit.Keep(request.WithImages(r.Context(), map[string][]byte{"cid:1": []byte("\x89PNG\r\n\x1a\n")}), *kept)
			_ = json.NewEncoder(w).Encode(kept.Answer)
		}), post())
		require.NoError(t, err)
		require.Equal(t, "<Aprille>", got.Answer.Text)
		require.Empty(t, got.Request.ImageURL)
		require.Equal(t, "image/png", got.MediaType)
	})
	t.Run("returns what the API refuses with", func(t *testing.T) {
		t.Parallel()
		got, answer, err := tryit.Extract(api(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte("slower"))
		}), post())
		require.NoError(t, err)
		require.Nil(t, got)
		require.Equal(t, []string{"429", "3", "slower"}, []string{fmt.Sprint(answer.Status), answer.Header().Get("Retry-After"), string(answer.Body)})
	})
	t.Run("fails if the server kept nothing", func(t *testing.T) {
		t.Parallel()
		_, _, err := tryit.Extract(api(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }), post())
		require.ErrorContains(t, err, "without keeping a document")
	})
	require.False(t, tryit.Wanted(t.Context()), "an ordinary extraction makes no previews")
}

func TestShelf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	newShelf := func() (*tryit.Shelf[string], *time.Time) {
		clock := now
		return tryit.NewShelf[string](func() time.Time { return clock }), &clock
	}
	t.Run("shows a reading to its owner only, until it is dropped", func(t *testing.T) {
		t.Parallel()
		s, _ := newShelf()
		r := reading(1)
		id := s.Add("a", r)
		require.Same(t, r, s.Find("a", id))
		require.Nil(t, s.Find("b", id))
		require.Nil(t, s.Find("a", "other"))
		s.Drop(func(owner string) bool { return owner == "b" })
		require.NotNil(t, s.Find("a", id))
		s.Drop(func(owner string) bool { return owner == "a" })
		require.Nil(t, s.Find("a", id))
	})
	t.Run("forgets after half an hour", func(t *testing.T) {
		t.Parallel()
		s, clock := newShelf()
		id := s.Add("a", reading(1))
		*clock = now.Add(30*time.Minute - 1)
		require.NotNil(t, s.Find("a", id))
		*clock = now.Add(30 * time.Minute)
		require.Nil(t, s.Find("a", id))
	})
	t.Run("holds five readings of an owner", func(t *testing.T) {
		t.Parallel()
		s, _ := newShelf()
		other, first := s.Add("b", reading(1)), s.Add("a", reading(1))
		second := s.Add("a", reading(1))
		for range 4 {
			s.Add("a", reading(1))
		}
		require.Nil(t, s.Find("a", first))
		require.NotNil(t, s.Find("a", second))
		require.NotNil(t, s.Find("b", other))
	})
	t.Run("holds 128 MiB", func(t *testing.T) {
		t.Parallel()
		s, _ := newShelf()
		var ids []string
		for i := range 5 {
			ids = append(ids, s.Add(fmt.Sprint(i), reading(30<<20)))
		}
		require.Nil(t, s.Find("0", ids[0]))
		require.NotNil(t, s.Find("1", ids[1]))
		require.NotNil(t, s.Find("4", ids[4]))
	})
}

func TestShelf_FreesMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := tryit.NewShelf[string](time.Now)
		r := reading(1)
		held := weak.Make(r)
		s.Add("a", r)
		runtime.GC()
		require.NotNil(t, held.Value())
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		runtime.GC()
		require.Nil(t, held.Value(), "although the shelf is no longer used")
		runtime.KeepAlive(s)
	})
}

func TestReading_ServePart(t *testing.T) {
	t.Parallel()
	doc, err := gen.GetSpec()
	require.NoError(t, err)
	for _, name := range doc.Components.Schemas["Format"].Value.Enum {
		t.Run("serves every format of the contract: "+name.(string), func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			r := reading(1)
			r.Document.Pages[0].Preview = nil // a PDF would need a real one
			require.True(t, r.ServePart(w, name.(string)))
			require.Regexp(t, `^attachment; filename=page-001\.[a-z.]+$`, w.Header().Get("Content-Disposition"))
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "sandbox")
			require.NotContains(t, w.Body.String(), "sig=secret")
			if name == "pdf" {
				require.Equal(t, "Aprille", strings.Trim(strings.TrimSpace(formattest.PDFText(t, w.Body.Bytes())), "<>"))
				return
			}
			require.Contains(t, w.Body.String(), "Aprille")
		})
	}
	w := httptest.NewRecorder()
	require.True(t, reading(7).ServePart(w, "1.jpg"))
	require.Equal(t, "image/jpeg", w.Header().Get("Content-Type"))
	require.Len(t, w.Body.Bytes(), 7)
	for _, part := range []string{"0.jpg", "2.jpg", "x.jpg", ".jpg", "docx", ""} {
		require.False(t, reading(1).ServePart(httptest.NewRecorder(), part), part)
	}
}

func TestReading_Render(t *testing.T) {
	t.Parallel()
	html := mustRender(t, reading(1))
	require.Contains(t, html, "10 points charged</strong>, 290 left")
	require.Contains(t, html, "Read in 1.2 s")
	require.Contains(t, html, `viewBox="0 0 800 600"`)
	require.Contains(t, html, `href="/x/1/1.jpg"`)
	require.Contains(t, html, `<rect class="box class-sure" data-word="p1-w1" x="10" y="20" width="100" height="40"><title>&lt;Aprille&gt;, 85 %</title>`)
	require.Contains(t, html, `id="p1-w1" data-word="p1-w1" title="85 %">&lt;Aprille&gt;</span>`)
	require.NotContains(t, html, "Corrections")
	require.NotRegexp(t, ` style=| on[a-z]+=`, html, "the policy forbids inline styles and scripts")

	fixture := reading(0)
	fixture.IsFixture, fixture.Document.Pages[0].Preview = true, nil
	fixture.Document.Enhanced = true
	fixture.Document.Edits = []document.Edit{{Before: "A<", After: "B", Rule: "vote", Confidence: 0.7}}
	html = mustRender(t, fixture)
	require.Contains(t, html, "Not your image")
	require.Contains(t, html, `textLength="100"`)
	require.NotContains(t, html, "<image")
	require.Contains(t, html, "<del>A&lt;</del></td><td><ins>B</ins></td><td>vote</td><td>1</td><td>70 %</td>")

	weak, misread := reading(1), "Aprille"
	weak.Answer.Weak = &[]gen.WeakPlace{
		{Page: 1, Box: gen.Box{X: 10, Y: 20, Width: 30, Height: 40}, Reason: "unread-ink"},
		{Page: 1, Confidence: 0.557, Reason: "low-confidence", Text: &misread},
		{Page: 2, Reason: "unread-ink"},
		{Page: 1, Reason: "of-later-versions"},
	}
	html = mustRender(t, weak)
	require.Contains(t, html, `<rect class="weak" data-word="p1-k1" x="10" y="20" width="30" height="40"><title>writing that was not read</title>`)
	require.Contains(t, html, `data-word="p1-k1"><td>writing that was not read</td><td dir="auto">nothing</td>`)
	require.Contains(t, html, `data-word="p1-k2"><td>probably misread</td><td dir="auto">Aprille</td><td>55 %</td>`)
	require.Contains(t, html, `data-word="p1-k3"><td>of-later-versions</td>`)
	require.NotContains(t, html, "p1-k4", "places of other pages")

	blank := reading(0)
	blank.Answer.Text, blank.Document.Pages[0].Blocks = "", nil
	require.Contains(t, mustRender(t, blank), "The page is blank")
}

func TestForm_HTML(t *testing.T) {
	t.Parallel()
	html, err := tryit.Form{Action: "/docs/try", WithKey: true, Languages: tryit.Choices([]string{"en", "de-Latf"}, name.Of), Language: "en"}.HTML()
	require.NoError(t, err)
	require.Contains(t, html, `<option value="en" selected>English (en)</option><option value="de-Latf">German (Fraktur) (de-Latf)</option>`)
	require.Contains(t, html, "Read the image for 10 points")
	secret := regexp.MustCompile(`<input id="try-key"[^>]*>`).FindString(string(html))
	require.Contains(t, secret, `autocomplete="off"`)
	require.NotContains(t, secret, "name=", "nothing may submit the key")
}

// Every sample is run against a server, as it stands on the page.
func TestReading_Samples(t *testing.T) {
	t.Parallel()
	image := []byte("it's an image")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got gen.ExtractionRequest
		err := json.NewDecoder(r.Body).Decode(&got)
		text := got.ImageURL
		if raw, ok := strings.CutPrefix(text, "data:image/png;base64,"); ok {
			decoded, _ := base64.StdEncoding.DecodeString(raw)
			text = string(decoded)
		}
		if err != nil || r.Header.Get("Authorization") != "Bearer ocr_live_x" || got.Enhance == nil || !*got.Enhance || *got.Language != "enm" {
			text = "not what was asked for"
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"text": text})
	}))
	t.Cleanup(srv.Close)
	web := reading(1)
	web.Request.ImageURL, web.Request.Enhance = `https://images.example.org/it's"$HOME<ä>.png`, true
	inline := reading(1)
	inline.Request.ImageURL, inline.Request.Enhance, inline.MediaType = "", true, "image/png"
	commands := map[string][]string{
		"curl": {"bash", "sample"}, "Python": {"python3", "sample"}, "Go": {"go", "run", "sample.go"}, "TypeScript": {"node", "sample.mjs"},
	}
	for name, c := range map[string]struct {
		reading *tryit.Reading
		want    string
	}{"an image on the web": {web, web.Request.ImageURL}, "an image file": {inline, string(image)}} {
		for _, key := range []string{"", "ocr_live_x"} {
			samples, err := c.reading.Samples(srv.URL, key)
			require.NoError(t, err)
			require.Len(t, samples, len(commands))
			for _, s := range samples {
				t.Run(fmt.Sprintf("%s, %s, key %q", s.Language, name, key), func(t *testing.T) {
					t.Parallel()
					dir, command := t.TempDir(), commands[s.Language]
					require.NoError(t, os.WriteFile(filepath.Join(dir, command[len(command)-1]), []byte(s.Code), 0o600))
					require.NoError(t, os.WriteFile(filepath.Join(dir, "page.png"), image, 0o600))
					cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
					cmd.Dir, cmd.Env = dir, append(os.Environ(), "UNCIAL_KEY=ocr_live_x")
					out, err := cmd.CombinedOutput()
					require.NoError(t, err, "%s\n%s", out, s.Code)
					require.Contains(t, string(out), strings.TrimSpace(asPrinted(s.Language, c.want)), s.Code)
				})
			}
		}
	}
}

// asPrinted returns the text as a sample prints it: curl prints the whole JSON.
func asPrinted(language, text string) string {
	if language != "curl" {
		return text
	}
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

func TestAnswer_Explain(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":"Too many requests.","message":"the limit is 10 extractions per minute; try again in 7 seconds"}`:                  "Too many requests. The limit is 10 extractions per minute; try again in 7 seconds.",
		`{"error":"The image could not be fetched or read.","message":"imageUrl: it is empty","details":{"imageUrl":"it is empty"}}`: "The image could not be fetched or read. Image: it is empty.",
		`{"error":"The request is not valid.","message":"…","details":{"language":"choose en.","format":"choose text"}}`:             "The request is not valid. format: choose text. Language: choose en.",
		"no JSON":          "",
		`{"success":true}`: "",
	} {
		a := &tryit.Answer{Status: http.StatusBadRequest, Body: []byte(body)}
		require.Equal(t, want, a.Explain(), body)
	}
}
