package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
)

// MustDir makes a folder with an empty model for each name. languages is the content of languages.txt, if not empty.
func MustDir(tb testing.TB, languages string, names ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, name := range names {
		mustWrite(tb, filepath.Join(dir, name+".traineddata"), "")
	}
	if languages != "" {
		mustWrite(tb, filepath.Join(dir, "languages.txt"), languages)
	}
	return dir
}

func mustWrite(tb testing.TB, path, content string) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
}

func MustFind(tb testing.TB, dirs ...string) *models.Set {
	tb.Helper()
	s, err := models.Find(dirs...)
	require.NoError(tb, err)
	return s
}

func TestTags(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(models.Tags()), 150)
	for _, tag := range models.Tags() {
		parsed, err := language.Parse(tag)
		require.NoError(t, err, tag)
		require.Equal(t, tag, parsed.String(), "tags are canonical")
		require.NotEmpty(t, models.Names(tag), tag)
	}
	require.Nil(t, models.Names("tlh"))
}

func TestFind(t *testing.T) {
	t.Parallel()
	t.Run("finds only the shipped models if there is no folder, and offers no languages", func(t *testing.T) {
		t.Parallel()
		s := MustFind(t)
		require.Equal(t, []string{own.EarlyPrint}, s.Names())
		require.Empty(t, s.Languages())
		m, ok := s.Model(own.EarlyPrint)
		require.True(t, ok)
		require.Empty(t, m.Dir)
		require.Greater(t, len(m.Data), 1<<20)
	})
	t.Run("offers the languages of installed packs", func(t *testing.T) {
		t.Parallel()
		dir := MustDir(t, "", "eng", "osd", "script/Fraktur", "unknown", "old/deu")
		for _, other := range []string{"configs/pdf", "pdf.ttf", "lat"} {
			mustWrite(t, filepath.Join(dir, other), "")
		}
		s := MustFind(t, dir)
		require.Equal(t, []string{"Fraktur", own.EarlyPrint, "eng", "osd", "unknown"}, s.Names())
		require.Equal(t, []string{"de-Latf", "en", "und-Latf"}, s.Languages())
		m, _ := s.Model("Fraktur")
		require.Equal(t, models.Model{Name: "Fraktur", Dir: filepath.Join(dir, "script")}, m)
		require.Nil(t, s.For("de"))
	})
	t.Run("puts the best of several models first", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []string{"frk", "Fraktur"}, MustFind(t, MustDir(t, "", "Fraktur", "frk")).For("de-Latf"))
	})
	t.Run("prefers the first folder to the second, and both to the shipped models", func(t *testing.T) {
		t.Parallel()
		first, second := MustDir(t, "", "eng", "early_print"), MustDir(t, "", "eng", "deu")
		s := MustFind(t, first, second)
		for name, dir := range map[string]string{"eng": first, "early_print": first, "deu": second} {
			m, ok := s.Model(name)
			require.True(t, ok)
			require.Equal(t, models.Model{Name: name, Dir: dir}, m)
		}
	})
	t.Run("prefers the models of languages.txt to those of the catalogue", func(t *testing.T) {
		t.Parallel()
		s := MustFind(t, MustDir(t, "", "eng", "deu"), MustDir(t, "# ours\n\nmy_types en de-latf  enm # both\n", "my_types"))
		require.Equal(t, []string{"de", "de-Latf", "en", "enm"}, s.Languages())
		require.Equal(t, []string{"my_types", "eng"}, s.For("en"))
		require.Equal(t, []string{"my_types"}, s.For("de-Latf"))
	})
}

func TestFind_Errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ dir, want string }{
		"a model without a tag":   {MustDir(t, "a\n", "a"), "expected the name of a model and at least one tag"},
		"an invalid tag":          {MustDir(t, "a not_a_tag!\n", "a"), `invalid language tag "not_a_tag!"`},
		"an undetermined tag":     {MustDir(t, "a und\n", "a"), `invalid language tag "und"`},
		"a missing model":         {MustDir(t, "a en\nb en\n", "a"), "line 2: the folder has no file b.traineddata"},
		"an invalid model name":   {MustDir(t, "", "a+b"), "invalid model name"},
		"a missing folder":        {filepath.Join(t.TempDir(), "absent"), "no such file or directory"},
		"a line that is too long": {MustDir(t, strings.Repeat("a", 1<<17), "a"), "token too long"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := models.Find(c.dir)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestCheckFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, content, want string }{
		"an empty folder":             {"", "", " has no *.traineddata and no *.uhm"},
		"a folder of other files":     {"notes.txt", "", " has no *.traineddata and no *.uhm"},
		"a file that is no model":     {"deu.traineddata", "deu", "deu.traineddata: the traineddata file is shorter than four bytes; install it again or remove it"},
		"a name that joins models":    {"a+b.uhm", "", "a+b.uhm: invalid model name"},
		"a mapping of missing models": {"languages.txt", "a en", "the folder has no file a.traineddata"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if c.file != "" {
				mustWrite(t, filepath.Join(dir, c.file), c.content)
			}
			err := models.CheckFolder(dir)
			require.ErrorContains(t, err, c.want)
			require.True(t, strings.HasPrefix(err.Error(), dir), "%v", err)
		})
	}
	for _, file := range []string{"ours.uhm", "script/ours.uhm"} { // the worker checks what is in the file
		dir := t.TempDir()
		mustWrite(t, filepath.Join(dir, file), "")
		require.NoError(t, models.CheckFolder(dir))
	}
}

func TestDirs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TESSDATA_PREFIX", dir)
	require.Equal(t, dir, models.Dirs()[0])
	t.Setenv("TESSDATA_PREFIX", filepath.Join(dir, "absent"))
	require.NotContains(t, models.Dirs(), filepath.Join(dir, "absent"))
}

func TestSet_HandwritingModels(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	for _, path := range []string{first + "/ours.uhm", second + "/ours.uhm", second + "/theirs.uhm", second + "/notes.txt"} {
		mustWrite(t, path, "")
	}
	require.Equal(t, []models.HandwritingModel{{Name: "ours", Path: first + "/ours.uhm"}, {Name: "theirs", Path: second + "/theirs.uhm"}}, MustFind(t, first, second).HandwritingModels())
	require.Empty(t, MustFind(t).HandwritingModels())
}
