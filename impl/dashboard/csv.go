package dashboard

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// CSVCell returns a text that spreadsheets show and do not run: cells that start like a formula get an apostrophe (OWASP,
// CSV Injection).
func CSVCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// writeCSV answers with a file of this name. Every cell of text must come from CSVCell.
func (c *Call) writeCSV(name string, rows [][]string) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return err
	}
	h := c.W.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	_, err := c.W.Write(b.Bytes())
	return err
}
