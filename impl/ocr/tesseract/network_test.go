package tesseract_test

import (
	"cmp"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/tesseract"
)

// Not parallel: it switches functions of the process.
func TestNetwork(t *testing.T) {
	known := tesseract.UseNetwork(true)
	defer tesseract.UseNetwork(known)
	require.Equal(t, tesseract.Version() == "5.3.0", known, "used with the version that was compared, and with no other")
	page := ocrtest.Page("The quick brown fox jumps", "over the lazy dog, 1874", "(and) rests; for a while.")
	for _, img := range []image.Image{page, page.SubImage(image.Rect(0, 60, 900, 130))} {
		for _, model := range []string{"eng", "eng+grc"} {
			e := MustOpen(t, model)
			tesseract.UseNetwork(known)
			before := tesseract.LayersComputed()
			quick := read(t, e, img)
			computed := tesseract.LayersComputed()
			require.Equal(t, known && runtime.GOARCH == "amd64", computed > before, "our functions were used")
			tesseract.UseNetwork(false)
			own := read(t, e, img)
			require.Equal(t, computed, tesseract.LayersComputed())
			require.Equal(t, own, quick, "text, boxes and confidences are those of Tesseract's own functions")
		}
	}
}

// The layout of the classes is known only for one version. With another version, Tesseract's own functions must do all the
// work.
func TestNetwork_OtherVersion(t *testing.T) {
	t.Parallel()
	out := runWith(t, "TestNetwork", `const char *TessVersion(void) { return "5.3.4"; }`)
	require.Contains(t, out, "--- PASS: TestNetwork")
}

// The search for paragraphs in the recognized text takes longer than any deadline if a page has tens of thousands of words.
func TestEngine_Recognize_FindsParagraphsBeforeText(t *testing.T) {
	t.Parallel()
	out := runWith(t, "TestEngine_Recognize", `
		#include <stdbool.h>
		#include <stdlib.h>
		void _ZN9tesseract11TessBaseAPI16DetectParagraphsEb(void *api, bool in_text) { if (in_text) abort(); }`)
	require.Contains(t, out, "--- PASS: TestEngine_Recognize")
}

// runWith runs a test again in a separate process, in which functions in C take precedence over those of the libraries, and
// returns its output. If the tests run in an emulator, UNCIAL_EMULATOR names it and CC the cross compiler.
func runWith(t *testing.T, test, functions string) string {
	t.Helper()
	dir := t.TempDir()
	source, library := filepath.Join(dir, "functions.c"), filepath.Join(dir, "functions.so")
	require.NoError(t, os.WriteFile(source, []byte(functions), 0o600))
	out, err := exec.CommandContext(t.Context(), cmp.Or(os.Getenv("CC"), "cc"), "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	command := append(strings.Fields(os.Getenv("UNCIAL_EMULATOR")), os.Args[0], "-test.run=^"+test+"$", "-test.v")
	again := exec.CommandContext(t.Context(), command[0], command[1:]...)
	again.Env = append(os.Environ(), "LD_PRELOAD="+library)
	out, err = again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
