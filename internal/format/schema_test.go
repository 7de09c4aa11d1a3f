package format_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
)

// schemas is the folder of the published schemas; its README.md names their sources.
const schemas = "testdata/schemas"

func TestWrite_Schemas(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("xmllint")
	require.NoError(t, err, "apt-get install libxml2-utils")
	docs := []*document.Document{{Pages: []document.Page{{Width: 1, Height: 1}}}}
	for seed := range 60 {
		docs = append(docs, documenttest.Valid().Example(seed), documenttest.Any().Example(seed))
	}
	for format, schema := range map[string]string{"alto": "alto-4-4.xsd", "page": "page-2019-07-15.xsd"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var files []string
			for i, doc := range docs {
				for j, part := range parts(format, MustWrite(t, format, doc)) {
					file := filepath.Join(t.TempDir(), fmt.Sprintf("%d-%d.xml", i, j))
					require.NoError(t, os.WriteFile(file, []byte(part), 0o600))
					files = append(files, file)
				}
			}
			require.GreaterOrEqual(t, len(files), len(docs), "each page of PAGE-XML is a file")
			xmllint(t, schema, files)
		})
	}
}

var pcGts = regexp.MustCompile(`(?s)<PcGts .*?</PcGts>`)

// parts returns the XML documents in an answer: in PAGE-XML each PcGts, which METS may wrap.
func parts(format, answer string) []string {
	if format == "page" {
		return pcGts.FindAllString(answer, -1)
	}
	return []string{answer}
}

func xmllint(t *testing.T, schema string, files []string) {
	t.Helper()
	dir, err := filepath.Abs(schemas)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	arguments := append([]string{"--nonet", "--noout", "--schema", filepath.Join(dir, schema)}, files...)
	cmd := exec.CommandContext(ctx, "xmllint", arguments...)
	cmd.Env = append(os.Environ(), "XML_CATALOG_FILES="+filepath.Join(dir, "catalog.xml"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%.4000s", out)
}
