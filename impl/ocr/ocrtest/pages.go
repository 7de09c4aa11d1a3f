package ocrtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/accuracy"
)

// Where tests find pages with ground truth.
const (
	// pagesEnv names a folder of real pages: index.json, images and ground truth, as accuracy.OpenFolder expects them.
	pagesEnv = "UNCIAL_PAGES"
	// requireEnv, set to 1, makes tests fail if pagesEnv is not set.
	requireEnv = "UNCIAL_REQUIRE_PAGES"
	// renderedPages is used if pagesEnv is not set. The command in folder generate draws them.
	renderedPages = "impl/ocr/ocrtest/testdata/pages"
)

//go:generate go run ./generate -out testdata/pages

// MustPages opens the folder that UNCIAL_PAGES names, or else the rendered pages. The folder is closed when the test ends.
func MustPages(tb testing.TB) *accuracy.Folder {
	tb.Helper()
	dir := os.Getenv(pagesEnv)
	if dir == "" {
		require.NotEqualf(tb, "1", os.Getenv(requireEnv), "%s=1, but %s does not name a folder of real pages", requireEnv, pagesEnv)
		dir = filepath.Join(moduleRoot(tb), renderedPages)
	}
	folder, err := accuracy.OpenFolder(dir)
	require.NoErrorf(tb, err, "%s", pagesEnv)
	tb.Cleanup(func() { require.NoError(tb, folder.Close()) })
	return folder
}

// MustPage returns the page with the first of the ids that the folder has, with its image file and ground truth. A test names a
// real page first and then a rendered one, so that it works with both folders.
func MustPage(tb testing.TB, folder *accuracy.Folder, ids ...string) (page accuracy.Page, image []byte, truth string) {
	tb.Helper()
	for _, id := range ids {
		if i := slices.IndexFunc(folder.Pages, func(p accuracy.Page) bool { return p.ID == id }); i >= 0 {
			image, truth, err := folder.Load(folder.Pages[i])
			require.NoError(tb, err)
			return folder.Pages[i], image, truth
		}
	}
	tb.Fatalf("the folder of pages does not have any of %q", ids)
	return page, nil, ""
}

// moduleRoot returns the folder of go.mod, above the package under test.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	require.NoError(tb, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		require.NotEqual(tb, dir, parent, "the test does not run inside the module")
		dir = parent
	}
}
