package models_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
)

// MustDir makes a directory of files, each of which holds its own path.
func MustDir(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

func MustFind(tb testing.TB, dirs ...string) *models.Set {
	tb.Helper()
	s, err := models.Find(dirs...)
	require.NoError(tb, err)
	return s
}

func TestTags_are_canonical(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(models.Tags()), 150)
	for _, tag := range models.Tags() {
		parsed, err := language.Parse(tag)
		require.NoError(t, err, tag)
		require.Equal(t, tag, parsed.String())
		require.NotEmpty(t, models.Names(tag), tag)
	}
	require.Nil(t, models.Names("tlh"))
}

func TestFind(t *testing.T) {
	t.Parallel()
	ours := []string{own.EarlyPrint, own.HandFrench}
	t.Run("no directory leaves the program's own models, which offer no language alone", func(t *testing.T) {
		t.Parallel()
		s := MustFind(t)
		require.Equal(t, ours, s.Names())
		require.Empty(t, s.Languages())
		m, ok := s.Model(own.EarlyPrint)
		require.True(t, ok)
		require.Empty(t, m.Dir)
		require.Greater(t, len(m.Data), 1<<20)
	})
	t.Run("installed packs offer their languages", func(t *testing.T) {
		t.Parallel()
		dir := MustDir(t, map[string]string{
			"eng.traineddata": "", "osd.traineddata": "", "script/Fraktur.traineddata": "", "unknown.traineddata": "",
			"configs/pdf": "", "pdf.ttf": "", "lat": "", "old/deu.traineddata": "",
		})
		s := MustFind(t, dir)
		require.Equal(t, []string{"Fraktur", own.EarlyPrint, "eng", own.HandFrench, "osd", "unknown"}, s.Names())
		require.Equal(t, []string{"de-Latf", "en", "und-Latf"}, s.Languages())
		m, _ := s.Model("Fraktur")
		require.Equal(t, models.Model{Name: "Fraktur", Dir: filepath.Join(dir, "script")}, m)
		require.Nil(t, s.For("de"))
	})
	t.Run("the best of several models comes first", func(t *testing.T) {
		t.Parallel()
		s := MustFind(t, MustDir(t, map[string]string{"Fraktur.traineddata": "", "frk.traineddata": ""}))
		require.Equal(t, []string{"frk", "Fraktur"}, s.For("de-Latf"))
	})
	t.Run("the first directory counts, the program's own last", func(t *testing.T) {
		t.Parallel()
		first := MustDir(t, map[string]string{"eng.traineddata": "", "early_print.traineddata": ""})
		second := MustDir(t, map[string]string{"eng.traineddata": "", "deu.traineddata": ""})
		s := MustFind(t, first, second)
		for name, dir := range map[string]string{"eng": first, "early_print": first, "deu": second} {
			m, ok := s.Model(name)
			require.True(t, ok)
			require.Equal(t, dir, m.Dir, name)
			require.Nil(t, m.Data, name)
		}
	})
	t.Run("languages.txt gives a model its tags and comes before the catalogue", func(t *testing.T) {
		t.Parallel()
		packs := MustDir(t, map[string]string{"eng.traineddata": "", "deu.traineddata": ""})
		mine := MustDir(t, map[string]string{
			"my_types.traineddata": "",
			"languages.txt":        "# ours\n\nmy_types en de-latf  enm # both\n",
		})
		s := MustFind(t, packs, mine)
		require.Equal(t, []string{"de", "de-Latf", "en", "enm"}, s.Languages())
		require.Equal(t, []string{"my_types", "eng"}, s.For("en"))
		require.Equal(t, []string{"my_types"}, s.For("de-Latf"))
	})
	for fault, dir := range map[string]string{
		"want the name of a model and at least one tag": MustDir(t, map[string]string{"a.traineddata": "", "languages.txt": "a\n"}),
		`"not_a_tag!" is not a BCP 47 tag`:              MustDir(t, map[string]string{"a.traineddata": "", "languages.txt": "a not_a_tag!\n"}),
		`"und" is not a BCP 47 tag`:                     MustDir(t, map[string]string{"a.traineddata": "", "languages.txt": "a und\n"}),
		"line 2: the directory holds no b.traineddata":  MustDir(t, map[string]string{"a.traineddata": "", "languages.txt": "a en\nb en\n"}),
		"letters, digits":                               MustDir(t, map[string]string{"a+b.traineddata": ""}),
		"no such file or directory":                     filepath.Join(t.TempDir(), "absent"),
	} {
		_, err := models.Find(dir)
		require.ErrorContains(t, err, fault)
	}
}

func TestDirs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TESSDATA_PREFIX", dir)
	require.Equal(t, dir, models.Dirs()[0])
	t.Setenv("TESSDATA_PREFIX", filepath.Join(dir, "absent"))
	require.NotContains(t, models.Dirs(), filepath.Join(dir, "absent"))
}
