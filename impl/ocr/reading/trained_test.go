package reading_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// mustModel writes the shipped model as a model for other languages.
func mustModel(tb testing.TB, dir, name, languages string) {
	tb.Helper()
	network, _ := own.HandsFiles()
	n := 8 + binary.LittleEndian.Uint64(network)
	var header map[string]json.RawMessage
	require.NoError(tb, json.Unmarshal(network[8:n], &header))
	var meta map[string]string
	require.NoError(tb, json.Unmarshal(header["__metadata__"], &meta))
	meta["languages"] = languages
	var err error
	header["__metadata__"], err = json.Marshal(meta)
	require.NoError(tb, err)
	text, err := json.Marshal(header)
	require.NoError(tb, err)
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	file = append(append(file, text...), network[n:]...)
	require.NoError(tb, os.WriteFile(filepath.Join(dir, name+".uhm"), file, 0o600))
}

func TestEngines_HandwritingModelsFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustModel(t, dir, "notaries", "fr la")
	mustModel(t, dir, "kurrent", "de-Latf")
	mustModel(t, dir, "letters", "en")
	set, err := models.Find(dir)
	require.NoError(t, err)
	engines := reading.NewEngines(set, 1)
	t.Cleanup(engines.Close)
	require.Equal(t, []string{own.Hands}, engines.HandwritingModelsFor("fr"), "nothing is loaded yet")
	require.NoError(t, engines.LoadHandwritingModels())
	for tag, want := range map[string][]string{
		"fr": {own.Hands, "notaries"}, "fr-CA": {own.Hands, "notaries"}, "la": {own.Hands, "notaries"}, "de": {own.Hands, "kurrent"}, "en": {own.Hands, "letters"}, "it": {own.Hands}, "und-Latn": {own.Hands},
	} {
		require.Equal(t, want, engines.HandwritingModelsFor(tag), tag)
	}
	require.Equal(t, []string{"fr", "la"}, engines.HandwritingModels()["notaries"].Languages)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.uhm"), []byte("not a model"), 0o600))
	set, err = models.Find(dir)
	require.NoError(t, err)
	err = reading.NewEngines(set, 1).LoadHandwritingModels()
	require.ErrorIs(t, err, neural.ErrModel)
	require.ErrorContains(t, err, "broken.uhm")

	dir = t.TempDir()
	mustModel(t, dir, "ours", "fr ../x")
	set, err = models.Find(dir)
	require.NoError(t, err)
	require.ErrorContains(t, reading.NewEngines(set, 1).LoadHandwritingModels(), `ours.uhm: not a usable model: "../x" is not a BCP 47 tag`)

	for _, name := range []string{own.Hands, own.Print, own.Greek, own.Iberian, "eng"} {
		dir = t.TempDir()
		mustModel(t, dir, name, "fr")
		set, err = models.Find(append([]string{dir}, models.Dirs()...)...)
		require.NoError(t, err)
		require.ErrorContains(t, reading.NewEngines(set, 1).LoadHandwritingModels(), name+".uhm has the name of a model that is installed already")
	}
}

func TestEngines_ModelsOf_trained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustModel(t, dir, "notaries", "fr")
	set, err := models.Find(append([]string{dir}, models.Dirs()...)...)
	require.NoError(t, err)
	engines := reading.NewEngines(set, 1)
	t.Cleanup(engines.Close)
	require.NoError(t, engines.LoadHandwritingModels())
	line := document.Line{Words: []document.Word{{Text: "un", Model: "eng"}, {Text: "deux", Model: "notaries"}}}
	found := engines.ModelsOf(&document.Document{Pages: []document.Page{{Blocks: []document.Block{{Lines: []document.Line{line}}}}}})
	require.Len(t, found, 2)
	require.Equal(t, document.Model{Name: "notaries", Digest: "sha256:" + engines.HandwritingModels()["notaries"].Digest}, found[1])
}
