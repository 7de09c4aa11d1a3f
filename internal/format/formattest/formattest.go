// Package formattest checks ALTO, PAGE-XML and METS files against the published schemas, which are in package schema. It is for
// tests only, and needs xmllint (Debian package libxml2-utils). For PDFs it needs qpdf, ghostscript and poppler-utils. Start
// with RequireValid.
package formattest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"uncial/internal/format/schema"
)

// timeout is for one run of xmllint over all files.
const timeout = time.Minute

// pcGts matches one page of a PAGE document. xmllint has no schema for the METS around several pages.
var pcGts = regexp.MustCompile(`(?s)<PcGts .*?</PcGts>`)

// RequireValid fails the test unless every document is valid in the format, "alto", "page" or "mets". A PAGE document of
// several pages holds one PcGts element per page, wrapped in METS; each of them is checked. The message of a failure is that of
// xmllint, with the number of the document and of its page in the file name, both from 0.
func RequireValid(tb testing.TB, format string, documents ...string) {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.CopyFS(dir, schema.Files); err != nil {
		tb.Fatal(err)
	}
	name := map[string]string{"alto": "alto-4-4.xsd", "page": "page-2019-07-15.xsd", "mets": "mets-1-12-1.xsd"}[format]
	arguments := []string{"--nonet", "--noout", "--schema", filepath.Join(dir, name)}
	for i, document := range documents {
		parts := []string{document}
		if format == "page" {
			if parts = pcGts.FindAllString(document, -1); len(parts) == 0 {
				tb.Fatalf("document %d has no PcGts element", i)
			}
		}
		for j, part := range parts {
			file := filepath.Join(dir, fmt.Sprintf("%d-%d.xml", i, j))
			if err := os.WriteFile(file, []byte(part), 0o600); err != nil {
				tb.Fatal(err)
			}
			arguments = append(arguments, file)
		}
	}
	ctx, cancel := context.WithTimeout(tb.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xmllint", arguments...) //nolint:gosec // files of the test
	cmd.Env = append(os.Environ(), "XML_CATALOG_FILES="+filepath.Join(dir, "catalog.xml"))
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("xmllint (Debian package libxml2-utils): %v\n%.4000s", err, out)
	}
}
