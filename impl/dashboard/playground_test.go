package dashboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/tryit"
)

// readText is what the API of the tests reads from every image.
const readText = "Aprille-of-the-victim"

// fakeAPI answers an extraction with readText, and refuses images that contain "refuse". It fails if the request states a
// length that it does not have: the API sizes its buffers by it, and takes minutes for a large image if they are too small.
func fakeAPI(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.ContentLength >= 0 && r.ContentLength != int64(len(body)) {
		http.Error(w, "wrong length", http.StatusInternalServerError)
		return
	}
	var asked gen.ExtractionRequest
	if err := json.Unmarshal(body, &asked); err != nil || strings.Contains(asked.ImageURL, "refuse") {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":"Too many <requests>.","message":"try again in 7 seconds"}`)
		return
	}
	if strings.Contains(asked.ImageURL, "capped") {
		w.WriteHeader(http.StatusPaymentRequired)
		_, _ = io.WriteString(w, `{"error":"Not enough points.","message":"cap of the key","remainingPoints":3,"limitedBy":"key"}`)
		return
	}
	box := document.Box{X: 1, Y: 1, W: 50, H: 20}
	page := document.Page{Width: 100, Height: 100, Preview: []byte("JPEG"), Blocks: []document.Block{{Box: box, Lines: []document.Line{{
		Box: box, Words: []document.Word{{Box: box, Text: readText, Confidence: 0.5}},
	}}}}}
	tryit.Keep(r.Context(), tryit.Reading{
		Request:  contract.Request{ImageURL: asked.ImageURL, Language: *asked.Language},
		Document: &document.Document{Language: *asked.Language, Pages: []document.Page{page}},
	})
	_ = json.NewEncoder(w).Encode(gen.ExtractionResult{Success: true, Text: readText, PointsUsed: 10})
}

// read sends the form of the playground.
func (b *browser) read(image string) page {
	b.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("image", "page.png")
	require.NoError(b, err)
	_, err = io.WriteString(file, image)
	require.NoError(b, err)
	require.NoError(b, form.WriteField("imageUrl", ""))
	require.NoError(b, form.WriteField("language", "de"))
	require.NoError(b, form.Close())
	return b.readForm(&body, form.FormDataContentType())
}

func (b *browser) readForm(body io.Reader, contentType string) page {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://127.0.0.1:8080/dashboard/playground", body)
	r.Header.Set("Content-Type", contentType)
	return b.follow(b.send(r, "/playground"))
}

// reading is the ID of the reading that a page shows.
func (p page) reading() string {
	if found := regexp.MustCompile(`data-base="/dashboard/playground/(\w+)"`).FindStringSubmatch(p.body); found != nil {
		return found[1]
	}
	return ""
}

func TestDashboard_Playground(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	owner := s.signUp("owner@example.org", "Reading room")

	t.Run("shows a reading, its picture and its formats in the session that made it", func(t *testing.T) {
		t.Parallel()
		p := owner.read("image")
		require.Equal(t, 200, p.status)
		require.Contains(t, p.body, readText)
		require.Contains(t, p.body, `<option value="de" selected>`, "the next image probably has the same language")
		require.Equal(t, "JPEG", owner.get("/playground/"+p.reading()+"/1.jpg").body)
		require.Equal(t, readText, owner.get("/playground/"+p.reading()+"/text").body)
		require.Equal(t, 404, owner.get("/playground/"+p.reading()+"/docx").status)

		elsewhere := s.browser()
		elsewhere.post("/sign-in", "email", "owner@example.org", "password", password)
		require.Equal(t, 404, elsewhere.get("/playground/"+p.reading()).status, "readings belong to the session")
		require.Contains(t, elsewhere.get("/playground/"+p.reading()).body, "30 minutes")
	})
	t.Run("shows what the API refuses, with the form unchanged", func(t *testing.T) {
		t.Parallel()
		p := owner.readForm(formWith(t, "imageUrl", "https://refuse.example.org/", "language", "en"))
		require.Equal(t, 429, p.status)
		require.Equal(t, "7", p.header.Get("Retry-After"))
		require.Contains(t, p.body, "Too many &lt;requests&gt;. Try again in 7 seconds. Nothing was charged.")
		require.Contains(t, p.body, `value="https://refuse.example.org/"`)
	})
	t.Run("calls its cap its own", func(t *testing.T) {
		t.Parallel()
		p := owner.readForm(formWith(t, "imageUrl", "https://capped.example.org/", "language", "en"))
		require.Equal(t, 402, p.status)
		require.Contains(t, p.body, "Only 3 points are left under the playground&#39;s monthly cap.")
		require.NotContains(t, p.body, "cap of the key")
	})
	t.Run("explains a form without an image, and one of another kind", func(t *testing.T) {
		t.Parallel()
		p := owner.readForm(formWith(t, "language", "en"))
		require.Equal(t, 400, p.status)
		require.Contains(t, p.body, "Choose an image, or enter its address. Nothing was charged.")
		require.Equal(t, 400, owner.post("/playground", "imageUrl", "https://images.example.org/").status)
	})
}

func TestDashboard_Playground_Cap(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	t.Run("lets owners change the cap", func(t *testing.T) {
		t.Parallel()
		owner := s.signUp("owner@example.org", "Reading room")
		account := s.accountOf("owner@example.org")
		require.Contains(t, owner.post("/playground/cap", "cap", "50").text(), "may still spend 50 points")
		limit, err := s.Ledger.PlaygroundCap(t.Context(), account)
		require.NoError(t, err)
		require.EqualValues(t, 50, *limit)
		for _, wrong := range []string{"-1", "1.5", "many", "9999999999999999"} {
			require.Equal(t, 400, owner.post("/playground/cap", "cap", wrong).status, wrong)
		}
		owner.post("/playground/cap", "cap", "")
		limit, err = s.Ledger.PlaygroundCap(t.Context(), account)
		require.NoError(t, err)
		require.Nil(t, limit)
	})
	t.Run("shows the default cap before the first reading", func(t *testing.T) {
		t.Parallel()
		other := s.signUp("pro@example.org", "Large archive")
		_, err := s.Ledger.ChangePlan(t.Context(), s.accountOf("pro@example.org"), "pro")
		require.NoError(t, err)
		require.Contains(t, other.get("/playground").text(), "may still spend 1,000 points")
	})
	t.Run("refuses a suspended account", func(t *testing.T) {
		t.Parallel()
		other := s.signUp("suspended@example.org", "Suspended")
		require.NoError(t, s.Accounts.Suspend(t.Context(), s.accountOf("suspended@example.org")))
		require.Equal(t, 403, other.read("image").status)
	})
}

// formWith encodes fields, which come in pairs, as a form with files.
func formWith(t *testing.T, fields ...string) (body io.Reader, contentType string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(t, form.WriteField(fields[i], fields[i+1]))
	}
	require.NoError(t, form.Close())
	return &b, form.FormDataContentType()
}

// slowBody is the body of a form that stops arriving. net/http cancels the request when its deadline ends it.
type slowBody struct {
	io.Reader
	cancel context.CancelFunc
}

func (s slowBody) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		s.cancel()
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

func TestDashboard_Playground_Slow(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	form, contentType := formWith(t, "image", "the beginning of an image")
	whole, err := io.ReadAll(form)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1:8080/dashboard/playground",
		slowBody{bytes.NewReader(whole[:len(whole)/2]), cancel})
	r.Header.Set("Content-Type", contentType)
	p := b.send(r, "/playground")
	require.Equal(t, 400, p.status)
	require.Contains(t, p.text(), "The image arrived too slowly")
}
