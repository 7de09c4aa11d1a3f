package folder_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/document"
	"uncial/mock/folder"
)

// mustFolder writes files into a new folder.
func mustFolder(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// options lay out a text as a row of boxes, ten pixels apart, one for each word.
var options = folder.Options{
	Languages: []string{"de", "en"}, ReservedHost: "mock.invalid",
	LayOut: func(text string, marked, enhance bool) (document.Page, []document.Edit, error) {
		p := document.Page{Width: 1000, Height: 1000}
		var edits []document.Edit
		for i, field := range strings.Fields(text) {
			w := document.Word{Text: field, Confidence: 0.9, Box: document.Box{X: 10 * i, Y: 10, W: 9, H: 9}}
			if parts := strings.Split(field, "~"); marked && len(parts) == 3 {
				w.Text = parts[0]
				if enhance {
					w.Text = parts[1]
					edits = append(edits, document.Edit{Before: parts[0], After: parts[1], Rule: parts[2], Box: w.Box})
				}
			}
			p.Blocks = append(p.Blocks, document.Block{Box: w.Box, Lines: []document.Line{{Box: w.Box, Words: []document.Word{w}}}})
		}
		return p, edits, nil
	},
}

const (
	altoFile = `<alto><Layout><Page WIDTH="100" HEIGHT="100"><PrintSpace><TextBlock><TextLine><String HPOS="1" VPOS="2" WIDTH="30" HEIGHT="9" CONTENT="Arma" WC="0.5"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>`
	jsonFile = `{"success":true,"text":"Arma","enhanced":false,"language":"de","confidence":0.5,"pointsUsed":10,"remainingPoints": 170 ,"processingTime":9}`
)

// list is a manifest with these entries.
func list(entries ...string) string { return `{"fixtures": [` + strings.Join(entries, ",") + `]}` }

func TestFolder_Find(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("image"))
	dir := mustFolder(t, map[string]string{
		"a.txt": "first", "b.txt": "second", "c.txt": "third", "d.txt": "fourth", "e.xml": altoFile, "f.txt": "any", "g.txt": "",
		folder.ManifestName: list(
			`{"url":"https://a.test/*.jpg","file":"a.txt","language":"en"}`, `{"url":"https://a.test/page-*","file":"b.txt"}`,
			`{"url":"https://a.test/page-1.jpg","file":"c.txt","language":"de"}`, `{"url":"https://a.test/page-1.jpg","file":"d.txt"}`,
			`{"sha256":"`+strings.ToUpper(hex.EncodeToString(sum[:]))+`","file":"e.xml"}`, `{"url":"*blank*","file":"g.txt"}`, `{"url":"*","file":"f.txt","language":"de"}`,
		),
	})
	f, err := folder.Load(dir, options)
	require.NoError(t, err)
	for _, c := range []struct{ name, url, image, language, want string }{
		{"an address before a pattern", "https://a.test/page-1.jpg", "", "en", "fourth"},
		{"the language before any", "https://a.test/page-1.jpg", "", "de", "third"},
		{"the first pattern before later ones", "https://a.test/page-2.jpg", "", "en", "first"},
		{"a pattern of another language does not count", "https://a.test/page-2.jpg", "", "de", "second"},
		{"characters other than * stand for themselves", "https://axtest/page-2.jpg", "", "en", ""},
		{"a digest", "cid:1", "image", "en", "Arma"},
		{"a pattern is not for inline images", "cid:2", "another image", "de", ""},
		{"a blank page", "https://b.test/blank.png", "", "en", "-"},
		{"everything", "https://b.test/?x\ny", "", "de", "any"},
	} {
		var image []byte
		if c.image != "" {
			image = []byte(c.image)
		}
		x := f.Find(c.url, image, c.language)
		switch c.want {
		case "":
			assert.Nil(t, x, c.name)
		case "-":
			assert.Empty(t, x.Document(c.language, false).Text(), c.name)
		default:
			require.NotNil(t, x, c.name)
			assert.Equal(t, c.want, x.Document(c.language, false).Text(), c.name)
			assert.Equal(t, c.language, x.Document(c.language, true).Language)
			assert.True(t, x.Document(c.language, true).Enhanced)
		}
	}
	assert.Nil(t, (*folder.Folder)(nil).Find("https://a.test/", nil, "en"))
}

func TestLoad_marks(t *testing.T) {
	t.Parallel()
	dir := mustFolder(t, map[string]string{"a.txt": "\ufeffthe ſoul~soul~long-s of\r\n\fwit a~b", folder.ManifestName: list(`{"url":"*","file":"a.txt"}`)})
	f, err := folder.Load(dir, options)
	require.NoError(t, err)
	x := f.Find("https://a.test/", nil, "en")
	assert.Equal(t, "the\n\nſoul\n\nof\fwit\n\na~b", x.Document("en", false).Text())
	assert.Equal(t, "the\n\nsoul\n\nof\fwit\n\na~b", x.Document("en", true).Text())
	assert.Equal(t, "long-s", x.Document("en", true).Edits[0].Rule)
}

func TestAnswer_Body(t *testing.T) {
	t.Parallel()
	a, err := folder.NewAnswer([]byte(jsonFile), "de", gen.JSON, false)
	require.NoError(t, err)
	for left, want := range map[int64]string{170: jsonFile, 9990: strings.Replace(jsonFile, "170", "9990", 1)} {
		assert.Equal(t, want, string(a.Body(left)), "not only the values, but the bytes are those that were recorded")
	}
	minimal := `{"success":true,"text":"{\"remainingPoints\":1}","confidence":0.5,"pointsUsed":10}`
	a, err = folder.NewAnswer([]byte(minimal), "de", gen.JSON, false)
	require.NoError(t, err)
	assert.Equal(t, minimal, string(a.Body(9990)), "there is nothing to replace")
}

func TestLoad_recorded(t *testing.T) {
	t.Parallel()
	asALTO := strings.Replace(jsonFile, `"processingTime":9`, `"processingTime":12,"document":`+fmt.Sprintf("%q", altoFile), 1)
	better := strings.NewReplacer(`"enhanced":false`, `"enhanced":true,"edits":[{"page":1,"box":{"x":1,"y":2,"width":30,"height":9},"before":"Arma","after":"Arms","rule":"vote","confidence":0.5}]`, `"text":"Arma"`, `"text":"Arms"`, "170", "160").Replace(jsonFile)
	dir := mustFolder(t, map[string]string{
		"1.json": asALTO, "2.json": jsonFile, "3.json": better,
		folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[
			{"format":"alto","enhance":false,"file":"1.json"},{"format":"json","enhance":false,"file":"2.json"},{"format":"json","enhance":true,"file":"3.json"}]}`),
	})
	f, err := folder.Load(dir, options)
	require.NoError(t, err)
	x := f.Find("https://a.test/", nil, "de")
	require.Nil(t, f.Find("https://a.test/", nil, "en"), "it was recorded in another language")
	assert.Equal(t, asALTO, string(x.Recorded(gen.Alto, false).Body(170)))
	assert.Equal(t, better, string(x.Recorded(gen.JSON, true).Body(160)))
	assert.Nil(t, x.Recorded(gen.Tsv, false))
	assert.Equal(t, document.Box{X: 1, Y: 2, W: 30, H: 9}, x.Document("de", false).Pages[0].Blocks[0].Lines[0].Words[0].Box, "other formats are made from the ALTO")
	assert.Equal(t, "vote", x.Document("de", true).Edits[0].Rule)
	assert.Equal(t, "Arms", x.Document("de", true).Text())
}

// TestLoad_refuses shows that the mock never answers with something that the service could not have sent.
func TestLoad_refuses(t *testing.T) {
	t.Parallel()
	answer := func(replacements ...string) map[string]string {
		return map[string]string{"1.json": strings.NewReplacer(replacements...).Replace(jsonFile), folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[{"format":"json","file":"1.json"}]}`)}
	}
	entry := func(e string) map[string]string {
		return map[string]string{"a.txt": "Arma", "a.pdf": "", folder.ManifestName: list(e)}
	}
	text := func(content string) map[string]string {
		return map[string]string{"a.txt": content, folder.ManifestName: list(`{"url":"*","file":"a.txt"}`)}
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no manifest":                 {nil, ` has no fixtures.json, the list of its fixtures: {"fixtures": [{"url": "...", "file": "..."}]}; 'uncial-mock record' writes one`},
		"broken JSON":                 {map[string]string{folder.ManifestName: `{`}, "fixtures.json: expected {"},
		"a misspelled field":          {entry(`{"url":"*","fil":"a.txt"}`), `unknown field "fil"`},
		"a number for a string":       {entry(`{"url":7,"file":"a.txt"}`), "unexpected JSON number"},
		"neither url nor sha256":      {entry(`{"file":"a.txt"}`), `fixture 1: must have either "url" or "sha256"`},
		"both url and sha256":         {entry(`{"url":"*","sha256":"00","file":"a.txt"}`), `must have either "url" or "sha256"`},
		"an invalid digest":           {entry(`{"sha256":"00","file":"a.txt"}`), "must be 64 hexadecimal digits"},
		"a path instead of a URL":     {entry(`{"url":"/a.jpg","file":"a.txt"}`), "must begin with http://"},
		"a scenario of the mock":      {entry(`{"url":"http://mock.invalid/printed","file":"a.txt"}`), "the images of mock.invalid are scenarios"},
		"neither file nor answers":    {entry(`{"url":"*"}`), `must have either "file" or "answers"`},
		"an unsupported language":     {entry(`{"url":"*","file":"a.txt","language":"tlh"}`), `"tlh" is not supported; choose one of de, en`},
		"a missing file":              {entry(`{"url":"*","file":"b.txt"}`), "b.txt: no such file"},
		"a file elsewhere":            {entry(`{"url":"*","file":"../../../etc/passwd"}`), "path escapes"},
		"another kind of file":        {entry(`{"url":"*","file":"a.pdf"}`), "a.pdf: must end in .txt (text) or .xml"},
		"the same image twice":        {map[string]string{"a.txt": "", folder.ManifestName: list(`{"url":"https://a.test/","file":"a.txt"}`, `{"url":"https://a.test/","file":"a.txt"}`)}, "fixture 2: there is another fixture for https://a.test/"},
		"a text that is not UTF-8":    {text("Arma\n\xff"), "a.txt: line 2 is not UTF-8"},
		"a control character":         {text("Arma\n\nvir\x07um"), "a.txt: line 3 contains the character U+0007"},
		"a replacement character":     {text("Arm\uFFFD"), "contains the character U+FFFD"},
		"a mark without a rule":       {text("a~b~Not_a_rule"), `"a~b~Not_a_rule": expected MISREAD~CORRECT~RULE`},
		"a mark that changes nothing": {text("a~a~vote"), "expected MISREAD~CORRECT~RULE"},
		"broken XML":                  {map[string]string{"a.xml": "<alto", folder.ManifestName: list(`{"url":"*","file":"a.xml"}`)}, "a.xml: not well-formed XML"},
		"an answer without language":  {map[string]string{"1.json": jsonFile, folder.ManifestName: list(`{"url":"https://a.test/","answers":[{"format":"json","file":"1.json"}]}`)}, `"language" is required with "answers"`},
		"an unknown format":           {map[string]string{"1.json": jsonFile, folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[{"format":"docx","file":"1.json"}]}`)}, `1.json: unknown format "docx"`},
		"an enhanced answer alone":    {map[string]string{"1.json": strings.Replace(jsonFile, `"enhanced":false`, `"enhanced":true`, 1), folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[{"format":"json","enhance":true,"file":"1.json"}]}`)}, "an answer without enhance is missing"},
		"an answer without text":      {answer(`"text":"Arma",`, ""), `1.json: breaks the contract: text: property "text" is missing`},
		"another price":               {answer(`"pointsUsed":10`, `"pointsUsed":15`), "1.json: breaks the contract: pointsUsed: "},
		"a confidence beyond 1":       {answer(`0.5`, `1.5`), "breaks the contract: confidence: "},
		"a refusal":                   {answer(`"success":true`, `"success":false`), "breaks the contract: success: "},
		"another language":            {answer(`"de"`, `"en"`), `language is "en", but the fixture is for "de"`},
		"enhanced unasked":            {answer(`"enhanced":false`, `"enhanced":true`), "enhanced is true, but the fixture says false"},
		"edits without enhancement":   {answer(`"enhanced":false`, `"enhanced":false,"edits":[]`), "there are edits"},
		"a document unasked":          {answer(`"processingTime":9`, `"document":"x"`), "there is a document"},
		"an empty line at the end":    {answer(`"text":"Arma"`, `"text":"Arma\n"`), "white space"},
		"text after the JSON":         {answer(`"processingTime":9}`, `"processingTime":9} {}`), "is not JSON"},
		"ALTO with another text": {map[string]string{
			"1.json":            strings.NewReplacer(`"text":"Arma"`, `"text":"Cano"`, `"processingTime":9`, `"document":`+fmt.Sprintf("%q", altoFile)).Replace(jsonFile),
			folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[{"format":"alto","file":"1.json"}]}`),
		}, "the text of the document differs"},
		"hOCR alone": {map[string]string{
			"1.json":            strings.Replace(jsonFile, `"processingTime":9`, `"document":"<html/>"`, 1),
			folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[{"format":"hocr","file":"1.json"}]}`),
		}, "hocr, tsv and pdf need an answer in alto or page"},
		"a PDF alone": {map[string]string{
			"1.json":            strings.Replace(jsonFile, `"processingTime":9`, `"document":"JVBERi0="`, 1),
			folder.ManifestName: list(`{"url":"https://a.test/","language":"de","answers":[{"format":"pdf","file":"1.json"}]}`),
		}, "hocr, tsv and pdf need an answer in alto or page"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := folder.Load(mustFolder(t, c.files), options)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "folder.", "no Go types")
		})
	}
	pipe := mustFolder(t, map[string]string{folder.ManifestName: list(`{"url":"*","file":"a.txt"}`)})
	require.NoError(t, syscall.Mkfifo(filepath.Join(pipe, "a.txt"), 0o600))
	_, err := folder.Load(pipe, options)
	require.EqualError(t, err, "fixtures.json: fixture 1: a.txt: not a regular file", "it does not wait for a writer")
	_, err = folder.Load("/nowhere", options)
	require.EqualError(t, err, "/nowhere: no such file or directory")
}

func TestLoad_reportsSeveralFaults(t *testing.T) {
	t.Parallel()
	_, err := folder.Load(mustFolder(t, map[string]string{folder.ManifestName: list(`{"url":"x","file":"a"}`, `{"url":"y","file":"b"}`)}), options)
	require.ErrorContains(t, err, "fixture 1")
	require.ErrorContains(t, err, "fixture 2")
}
