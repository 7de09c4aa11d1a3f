package client_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/gen"
	"uncial/impl/client/source/sourcetest"
)

// TestExtractCmd_Run_Status checks the exit statuses of the manual.
func TestExtractCmd_Run_Status(t *testing.T) {
	t.Parallel()
	_, url := mustFake(t, func(text string) gen.ExtractResponseObject {
		if text != "good.jpg" {
			return invalid("imageUrl: no image")
		}
		return nil
	})
	bad, empty := mustFiles(t, "1.jpg", "2.jpg", "3.jpg", "4.jpg"), t.TempDir()
	good, missing := mustFiles(t, "good.jpg")[0], filepath.Join(empty, "missing.jpg")
	text := sourcetest.Write(t, t.TempDir(), "notes.jpg", []byte("no image"))
	broken := sourcetest.Write(t, t.TempDir(), "broken.pdf", []byte("%PDF-1.7\nnothing"))
	for name, c := range map[string]struct {
		args   []string
		status int
	}{
		"every page read":               {[]string{good}, 0},
		"no page read":                  {bad, 1},
		"a missing file":                {[]string{missing}, 1},
		"a file that is not an image":   {[]string{text}, 1},
		"a folder without images":       {[]string{empty}, 2},
		"an unreadable PDF":             {[]string{broken}, 2},
		"only sources without pages":    {[]string{empty, broken}, 2},
		"another source without pages":  {[]string{good, empty}, 1},
		"a URL with an unknown scheme":  {[]string{"ftp://images.example.org/1.jpg"}, 2},
		"an empty argument":             {[]string{""}, 2},
		"an argument besides good ones": {[]string{good, ""}, 1},
	} {
		_, stderr, status := extract(t.Context(), t, url, c.args...)
		assert.Equal(t, c.status, status, "%s: %s", name, stderr)
	}
}
