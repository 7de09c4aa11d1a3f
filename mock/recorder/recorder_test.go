package recorder_test

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/mock"
	"uncial/mock/folder"
	"uncial/mock/recorder"
)

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// mustServe starts a service; asked counts its requests.
func mustServe(tb testing.TB, h http.Handler) (address string, asked *atomic.Int64) {
	tb.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		h.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	return server.URL, asked
}

// newRecorder records in German, as ALTO.
func newRecorder(from, dir string) *recorder.Recorder {
	return &recorder.Recorder{
		From: from, Key: "ocr_test_ok_record", Dir: dir, Language: "de-DE", Languages: mock.Languages(),
		Formats: []gen.Format{gen.Alto}, Pause: time.Millisecond,
	}
}

func mustImage(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "page 1.png")
	content, err := base64.StdEncoding.DecodeString(onePixel)
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(path, content, 0o600))
	return path
}

func requireCost(tb testing.TB, points int, r *recorder.Recorder, images []string) {
	tb.Helper()
	cost, err := r.Cost(images)
	require.NoError(tb, err)
	require.Equal(tb, points, cost)
}

func TestRecorder_Record(t *testing.T) {
	t.Parallel()
	address, asked := mustServe(t, mock.New(mock.Options{}))
	dir := filepath.Join(t.TempDir(), "new")
	images := []string{"http://images.example.org/a.jpg?page=1", "http://images.example.org/a.jpg?page=2", mustImage(t)}
	r := newRecorder(address, dir)
	r.Enhance, r.Formats = true, []gen.Format{gen.Alto, gen.JSON}
	require.NoError(t, r.Check(), "creates the folder")
	requireCost(t, 120, r, images)
	s, err := r.Record(t.Context(), images)
	require.NoError(t, err)
	require.Equal(t, recorder.Summary{Recorded: 12}, s)
	own, err := mock.LoadFixtures(dir)
	require.NoError(t, err)
	require.NotNil(t, own.Find(images[0], nil, "de"))

	r.Formats = append(r.Formats, gen.Text)
	requireCost(t, 60, r, append(images, "/nowhere.png")) // recorded answers and missing images cost nothing
	s, err = newRecorder(address, dir).Record(t.Context(), images)
	require.NoError(t, err)
	require.Equal(t, recorder.Summary{Known: 3}, s)
	require.EqualValues(t, 12, asked.Load(), "nothing is sent or paid for twice")
	again := newRecorder(address, dir)
	again.Again = true
	again.Language = "de"
	requireCost(t, 30, again, images)
	s, err = again.Record(t.Context(), images)
	require.NoError(t, err)
	require.Equal(t, 3, s.Recorded)
	_, err = mock.LoadFixtures(dir)
	require.NoError(t, err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 13, "12 answers and the list, no temporary file")
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(text), "ocr_test_ok_record", "the key is not written")
	}
}

// TestRecorder_Record_lostAnswers damages a third of the answers. Each is paid for once.
func TestRecorder_Record_lostAnswers(t *testing.T) {
	t.Parallel()
	immediate := mock.AllFaults()[:3]
	service := mock.New(mock.Options{FaultRate: 0.3, Faults: immediate, Seed: 4})
	address, asked := mustServe(t, service)
	var images []string
	for i := range 10 {
		images = append(images, "http://images.example.org/"+strings.Repeat("x", i))
	}
	s, err := newRecorder(address, t.TempDir()).Record(t.Context(), images)
	require.NoError(t, err)
	require.Equal(t, recorder.Summary{Recorded: 10}, s)
	require.Greater(t, asked.Load(), int64(10))
	w := httptest.NewRecorder()
	status := httptest.NewRequest(http.MethodPut, "/__mock/keys/ocr_test_ok_record", strings.NewReader("{}"))
	status.RemoteAddr, status.Host = "127.0.0.1:5", "127.0.0.1"
	service.ServeHTTP(w, status)
	require.Contains(t, w.Body.String(), `"balance":9900`)
}

func TestRecorder_Record_reportsWhatFailed(t *testing.T) {
	t.Parallel()
	address, _ := mustServe(t, mock.New(mock.Options{}))
	text := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(text, []byte("Arma"), 0o600))
	failures := map[string]string{}
	r := newRecorder(address, t.TempDir())
	r.Progress = func(image, _ string, err error) {
		if err != nil {
			failures[image] = err.Error()
		}
	}
	s, err := r.Record(t.Context(), []string{
		"http://mock.invalid/400", "http://mock.invalid/500", text, "missing.png", t.TempDir(), "http://a.example/*.jpg", "http://images.example.org/good",
	})
	require.NoError(t, err)
	assert.Equal(t, recorder.Summary{Recorded: 1, Failed: 6}, s)
	assert.Contains(t, failures["http://mock.invalid/400"], "the service returned 400: imageUrl: the server returned 404")
	assert.Contains(t, failures["http://mock.invalid/500"], "the service returned 500")
	assert.Contains(t, failures[text], "not an image")
	assert.Equal(t, "no such file", failures["missing.png"])
	assert.Contains(t, failures["http://a.example/*.jpg"], "* is a pattern")
}

func TestRecorder_Record_explainsMissingAnswers(t *testing.T) {
	t.Parallel()
	var failed error
	r := newRecorder("http://127.0.0.1:1", t.TempDir())
	r.Progress = func(_, _ string, err error) { failed = err }
	_, err := r.Record(t.Context(), []string{"http://images.example.org/1"})
	require.NoError(t, err)
	require.EqualError(t, failed, "nothing listens on 127.0.0.1:1 (connection refused); check the address, and that the server runs")
}

func TestRecorder_Record_stops(t *testing.T) {
	t.Parallel()
	images := []string{"http://images.example.org/1", "http://images.example.org/2", "http://images.example.org/3"}
	broken := func(body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
	}
	for name, c := range map[string]struct {
		service http.Handler
		key     string
		want    string
		summary recorder.Summary
	}{
		"when the key is refused":         {mock.New(mock.Options{}), "ocr_test_revoked", "the service returned 401", recorder.Summary{Failed: 1}},
		"when the points are used up":     {mock.New(mock.Options{}), "ocr_test_low", "the service returned 402", recorder.Summary{Recorded: 1, Failed: 1}},
		"at another server":               {http.NotFoundHandler(), "k", "the service returned 404: Not Found; check --from", recorder.Summary{Failed: 1}},
		"not for an empty answer":         {broken(`{}`), "k", "", recorder.Summary{Failed: 3}},
		"not for a shortened answer":      {broken(`{"success":true,"text":"","confidence":0,"pointsUsed":10}`), "k", "", recorder.Summary{Failed: 3}},
		"not for an answer that is wrong": {broken(`{"success":true,"text":"a","confidence":7,"pointsUsed":10}`), "k", "", recorder.Summary{Failed: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := mustServe(t, c.service)
			r := newRecorder(address, t.TempDir())
			r.Key = c.key
			if c.want == "" {
				r.Formats = []gen.Format{gen.JSON}
			}
			s, err := r.Record(t.Context(), images)
			assert.Equal(t, c.summary, s)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

func TestRecorder_Record_isInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	service := mock.New(mock.Options{})
	var n atomic.Int64
	address, _ := mustServe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 2 {
			_, _ = io.Copy(io.Discard, r.Body) // a server notices that its client hangs up only after the body
			cancel()
			<-r.Context().Done()
			return
		}
		service.ServeHTTP(w, r)
	}))
	dir := t.TempDir()
	images := []string{"http://images.example.org/1", "http://images.example.org/2"}
	s, err := newRecorder(address, dir).Record(ctx, images)
	require.EqualError(t, err, "interrupted; run the same command again to continue")
	require.Equal(t, recorder.Summary{Recorded: 1}, s)
	_, err = mock.LoadFixtures(dir)
	require.NoError(t, err, "the folder is whole")
	s, err = newRecorder(address, dir).Record(t.Context(), images)
	require.NoError(t, err)
	require.Equal(t, recorder.Summary{Recorded: 1, Known: 1}, s)
}

func TestRecorder_Check(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *recorder.Recorder)
		want   string
	}{
		"no address":          {func(r *recorder.Recorder) { r.From = "localhost" }, "--from: invalid service URL"},
		"a password":          {func(r *recorder.Recorder) { r.From = "http://a:b@c.test" }, "--from: invalid service URL"},
		"no key":              {func(r *recorder.Recorder) { r.Key = "" }, "the API key must be"},
		"a key with a space":  {func(r *recorder.Recorder) { r.Key = "a b" }, "the API key must be"},
		"an unknown language": {func(r *recorder.Recorder) { r.Language = "tlh" }, `--language: "tlh" is not supported`},
		"hOCR alone":          {func(r *recorder.Recorder) { r.Formats = []gen.Format{gen.Hocr} }, "--format: hocr, tsv and pdf need alto or page"},
		"a file for a folder": {func(r *recorder.Recorder) { r.Dir = "/dev/null/x" }, "--to: "},
	} {
		r := newRecorder("http://127.0.0.1:1", t.TempDir())
		c.change(r)
		_, err := r.Record(t.Context(), []string{"http://images.example.org/1"})
		require.ErrorContains(t, err, c.want, name)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, folder.ManifestName), []byte("{"), 0o600))
	_, err := newRecorder("http://127.0.0.1:1", dir).Record(t.Context(), []string{"http://images.example.org/1"})
	require.ErrorContains(t, err, "fixtures.json: expected", "a list that cannot be read is not overwritten")
}
