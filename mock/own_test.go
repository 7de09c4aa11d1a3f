package mock_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func mustFixtures(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// mustOwn is a mock with a folder of fixtures.
func mustOwn(tb testing.TB, dir string) *mock.Mock {
	tb.Helper()
	own, err := mock.LoadFixtures(dir)
	require.NoError(tb, err)
	return mock.New(mock.Options{Fixtures: own})
}

// onePixel is a valid PNG.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

func TestMock_OwnFixtures(t *testing.T) {
	t.Parallel()
	pixel, err := base64.StdEncoding.DecodeString(onePixel)
	require.NoError(t, err)
	dir := mustFixtures(t, map[string]string{
		"register.txt": "Arma   virumque\ncano,\n\nTroiæ qui~quis~vote\fprimus", "letter.xml": `<alto><Layout><Page WIDTH="640" HEIGHT="480"><PrintSpace><TextBlock><TextLine><String HPOS="10" VPOS="20" WIDTH="30" HEIGHT="9" CONTENT="Ledit" WC="0.5"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>`,
		"fixtures.json": fmt.Sprintf(`{"fixtures":[{"url":"https://images.example.org/register/*","file":"register.txt","language":"la"},
			{"sha256":"%x","file":"letter.xml"},{"url":"*","file":"letter.xml","language":"fr"}]}`, sha256.Sum256(pixel)),
	})
	m := mustOwn(t, dir)
	ask := func(imageURL, rest string) answer {
		return do(t, m, 200, extractionAt("", "ocr_test_ok_own", `{"imageUrl":"`+imageURL+`"`+rest+`}`))
	}
	const register = "https://images.example.org/register/7.jpg"
	a := ask(register, `,"language":"la"`)
	assert.Equal(t, "Arma virumque\ncano,\n\nTroiæ qui\fprimus", *a.Text)
	assert.Equal(t, "la", a.Language)
	assert.InDelta(t, 0.9, a.Confidence, 0.1)
	assert.Equal(t, "la", ask(register, `,"language":"und"`).Language, "the language of the manifest")
	assert.Equal(t, *a.Text, *ask(register, `,"language":"und"`).Text)
	b := ask(register, `,"language":"la","enhance":true,"format":"page"`)
	assert.Contains(t, *b.Text, "Troiæ quis")
	assert.Equal(t, "vote", b.Edits[0]["rule"])
	assert.Equal(t, 2, strings.Count(b.Document, "<PcGts"))
	assert.NotContains(t, *ask(register, "").Text, "Arma", "the fixture is for requests in Latin")

	inline := ask("data:image/png;base64,"+onePixel, `,"format":"tsv","language":"de"`)
	assert.Equal(t, "Ledit", *inline.Text)
	assert.InDelta(t, 0.8077, inline.Confidence, 0)
	assert.Contains(t, inline.Document, "10\t20\t30\t9\t50.000000\tLedit")
	assert.Equal(t, "Ledit", *ask("https://elsewhere.example.org/", `,"language":"fr"`).Text)
	assert.NotEqual(t, "Ledit", *ask("http://mock.invalid/printed", `,"language":"fr"`).Text, "scenarios stay what they are")
	minimal := do(t, m, 200, extractionAt("", "ocr_test_ok_own", `{"imageUrl":"https://elsewhere.example.org/","language":"fr","enhance":true}`, "Prefer", "example=minimal, seed=3"))
	require.JSONEq(t, `{"success":true,"text":"Ledit","confidence":0.8077,"pointsUsed":10}`, string(minimal.raw))
	require.Equal(t, "example=minimal", minimal.header.Get("Preference-Applied"), "a seed does not affect a fixture")
}

func TestMock_OwnFixtures_addressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	m := mustOwn(t, mustFixtures(t, map[string]string{
		"a.txt":         "Arma",
		"fixtures.json": `{"fixtures":[{"url":"*","file":"a.txt"},{"url":"http://10.0.0.5:8182/page.jpg","file":"a.txt"}]}`,
	}))
	a := do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://10.0.0.5:8182/page.jpg"}`))
	assert.Equal(t, "Arma", *a.Text, "the manifest names it: it may be recorded from a service with --fetch-allow")
	do(t, m, 400, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://10.0.0.5:8182/other.jpg"}`))
	do(t, m, 400, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://127.0.0.1/"}`))
}

func TestMock_OwnFixtures_LargeText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("word ", 100)+"\n", 100)
	dir := mustFixtures(t, map[string]string{"a.txt": long, "fixtures.json": `{"fixtures":[{"url":"*","file":"a.txt"}]}`})
	a := do(t, mustOwn(t, dir), 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"https://a.example/","format":"alto"}`))
	require.Len(t, strings.Fields(*a.Text), 10_000, "the page grows with its text")
	require.Contains(t, string(a.raw), `"processingTime":60000,`, "the service takes at most a minute")
	dir = mustFixtures(t, map[string]string{"a.txt": strings.Repeat("word ", 1000), "fixtures.json": `{"fixtures":[{"url":"*","file":"a.txt"}]}`})
	_, err := mock.LoadFixtures(dir)
	require.ErrorContains(t, err, "a.txt: page 1: the text is too large for a page of 32767 pixels a side")
}

// TestCommand_Fixtures runs the program with a good folder, twice, and with a bad one.
func TestCommand_Fixtures(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	dir := mustFixtures(t, map[string]string{"a.txt": "Arma virumque cano", "fixtures.json": `{"fixtures":[{"url":"*","file":"a.txt"}]}`})
	var bodies []string
	for range 2 {
		p := MustStart(t, "--fixtures", dir)
		x := receive(&testClient, extractionAt(p.base, "ocr_test_ok", `{"imageUrl":"https://a.example/","format":"hocr"}`))
		require.NoError(t, x.err)
		bodies = append(bodies, string(x.body))
	}
	require.Contains(t, bodies[0], "Arma virumque cano")
	require.Equal(t, bodies[0], bodies[1])

	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("\xff"), 0o600))
	empty := t.TempDir()
	for _, c := range []struct{ dir, want string }{
		{dir, "uncial-mock: error: --fixtures: fixtures.json: fixture 1: a.txt: line 1 is not UTF-8\n"},
		{"/nowhere", "--fixtures: /nowhere: no such file or directory\n"},
		{empty, "--fixtures: " + empty + " has no fixtures.json, the list of its fixtures"},
	} {
		out, err := exec.CommandContext(t.Context(), path, "--fixtures", c.dir).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), c.want)
	}
}

// TestMock_OwnFixtures_Deterministic shows that the order of requests does not matter.
func TestMock_OwnFixtures_Deterministic(t *testing.T) {
	t.Parallel()
	dir := mustFixtures(t, map[string]string{"a.txt": "Arma", "b.txt": "cano", "fixtures.json": `{"fixtures":[{"url":"*a","file":"a.txt"},{"url":"*b","file":"b.txt"}]}`})
	read := func(images ...string) map[string]string {
		m, texts := mustOwn(t, dir), map[string]string{}
		for _, image := range images {
			texts[image] = *do(t, m, 200, extractionAt("", "ocr_test_ok_"+image, `{"imageUrl":"https://x.example/`+image+`"}`)).Text
		}
		return texts
	}
	require.Equal(t, read("a", "b"), read("b", "a"))
	text, err := json.Marshal(read("a", "b"))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"Arma","b":"cano"}`, string(text))
}
