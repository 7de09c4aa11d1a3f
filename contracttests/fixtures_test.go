package contracttests_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/realservice"
	"uncial/gen"
	"uncial/mock"
	"uncial/mock/recorder"
)

// asManyPoints is a key of the mock whose account has as many points as the one that records.
const asManyPoints = "ocr_test_archive_replay"

// mustWriteImages writes pages of print as files.
func mustWriteImages(tb testing.TB, texts ...string) (paths []string) {
	tb.Helper()
	dir := tb.TempDir()
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("page-%02d.png", i+1))
		require.NoError(tb, os.WriteFile(path, contracttests.PagePNG(text), 0o600))
		paths = append(paths, path)
	}
	return paths
}

// tap is a server that remembers the bodies of its answers.
type tap struct {
	behind http.Handler
	bodies [][]byte
}

func (s *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	s.behind.ServeHTTP(answer, r)
	s.bodies = append(s.bodies, answer.Body.Bytes())
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// mustRecord records answers of the real service and returns the folder, and the bodies as they were sent.
func mustRecord(tb testing.TB, enhance bool, formats []gen.Format, images ...string) (dir string, bodies [][]byte) {
	tb.Helper()
	service := MustService(tb, nil)
	keys := realservice.MustKeys(tb, realservice.Accounts{Registry: service.Data().Accounts}, time.Millisecond)
	tapped := &tap{behind: forwardTo("http://" + service.Addr())}
	r := &recorder.Recorder{
		From: MustServe(tb, tapped), Key: keys[contracttests.KeyOK][0], Dir: tb.TempDir(), Language: "en", Languages: mock.Languages(),
		Formats: formats, Enhance: enhance,
		Progress: func(image, what string, err error) { assert.NoError(tb, err, "%s %s", image, what) },
	}
	s, err := r.Record(tb.Context(), images)
	require.NoError(tb, err)
	require.Zero(tb, s.Failed)
	return r.Dir, tapped.bodies
}

// forwardTo passes requests on to another server.
func forwardTo(base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.Path, r.Body)
		if err != nil {
			panic(err)
		}
		out.Header = r.Header
		res, err := http.DefaultClient.Do(out)
		if err != nil {
			panic(err)
		}
		defer func() { _ = res.Body.Close() }()
		maps.Copy(w.Header(), res.Header)
		w.WriteHeader(res.StatusCode)
		_, _ = io.Copy(w, res.Body)
	})
}

// replay asks a mock for the recorded images and returns the bodies of its answers.
func replay(tb testing.TB, base, key string, format gen.Format, images []string) (bodies [][]byte) {
	tb.Helper()
	for _, path := range images {
		content, err := os.ReadFile(path)
		require.NoError(tb, err)
		body, err := json.Marshal(map[string]any{"imageUrl": "data:image/png;base64," + base64.StdEncoding.EncodeToString(content), "format": format})
		require.NoError(tb, err)
		r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, base+"/api/v1/extract", strings.NewReader(string(body)))
		require.NoError(tb, err)
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		require.NoError(tb, err)
		answer, err := io.ReadAll(res.Body)
		require.NoError(tb, err)
		require.NoError(tb, res.Body.Close())
		require.Equal(tb, 200, res.StatusCode, "%s", answer)
		bodies = append(bodies, answer)
	}
	return bodies
}

func mustMockWith(tb testing.TB, dir string) string {
	tb.Helper()
	own, err := mock.LoadFixtures(dir)
	require.NoError(tb, err)
	return MustServe(tb, mock.New(mock.Options{Fixtures: own}))
}

// TestFixtures_replayTenAnswers records ten answers of the real service. A mock replays them byte for byte to an account
// that has as many points, and does so again after a restart. Other formats agree with what was recorded.
func TestFixtures_replayTenAnswers(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 10 {
		texts = append(texts, fmt.Sprintf("Page %d of the register.", i+1))
	}
	images := mustWriteImages(t, texts...)
	dir, recorded := mustRecord(t, false, []gen.Format{gen.Alto}, images...)
	require.Len(t, recorded, 10)
	for range 2 {
		for i, body := range replay(t, mustMockWith(t, dir), asManyPoints, gen.Alto, images) { // each mock is a new one
			require.Equal(t, string(recorded[i]), string(body))
		}
	}
	asTSV := replay(t, mustMockWith(t, dir), asManyPoints, gen.Tsv, images)
	for i := range recorded {
		var a, b gen.ExtractionResult
		require.NoError(t, json.Unmarshal(recorded[i], &a))
		require.NoError(t, json.Unmarshal(asTSV[i], &b))
		assert.Equal(t, a.Text, b.Text)
		assert.InDelta(t, a.Confidence, b.Confidence, 0)
		assert.True(t, strings.HasPrefix(*b.Document, "level\t"))
	}
}

// TestFixtures_theSuitePasses runs the suite against mocks with fixtures of every kind, among them recordings of the suite's
// own images.
func TestFixtures_theSuitePasses(t *testing.T) {
	t.Parallel()
	own := mustWriteImages(t, contracttests.KnownText, "Another page, another text.")
	recorded, _ := mustRecord(t, true, []gen.Format{gen.Page, gen.JSON}, own...)
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, content := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		}
		return dir
	}
	for name, dir := range map[string]string{
		"recorded answers": recorded,
		"a text for every address": write(map[string]string{
			"a.txt": "Arma uirumque~virumque~u-v cano\n\nTroiæ\fqui primus", "fixtures.json": `{"fixtures":[{"url":"*","file":"a.txt"}]}`,
		}),
		"a blank page for every address": write(map[string]string{"a.txt": "", "fixtures.json": `{"fixtures":[{"url":"*","file":"a.txt"}]}`}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := contracttests.Check(t.Context(), MustTarget(t, mustMockWith(t, dir)))
			require.NoError(t, report.Err())
			require.Greater(t, report.Count(contracttests.Passed), 75)
		})
	}
}
