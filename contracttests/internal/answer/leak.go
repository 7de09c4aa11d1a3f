package answer

import (
	"bytes"
	"fmt"
	"net"
	"regexp"
	"strings"
)

// internals are signs of text that was written for the operators of a server, not for its callers. The marks cover several
// languages and libraries, because the suite also checks servers that are not ours. A mark that matches an honest answer is
// worse than a missing one: keep them narrow.
var internals = []struct {
	what string
	mark *regexp.Regexp
}{
	{"a stack trace", regexp.MustCompile(`goroutine \d+|\b[\w/]+\.(?:go|py|java|rb|js|ts|php|cs|rs):\d+|Traceback \(most recent|\bat [\w$.]+\([\w.]+:\d+\)|\bpanic:|runtime error`)},
	{"a type name of the program", regexp.MustCompile(`\*?\b(?:json|http|url|openapi3|openapi3filter|gen|edge|sql|pgx|fetch|ocr|net|os|fs|io|errors|mock|ledger|account|store|document|workerpool|strconv|time|context|reflect|runtime)\.\*?[A-Z]\w*|\bstruct \{|\bmap\[string\]|\bGo (?:value|struct)|(?:java|javax|org|com)\.\w+\.\w+|\w+(?:Exception|TypeError)\b|\[object Object\]`)},
	{"a message of a library", regexp.MustCompile(`cannot unmarshal|invalid character '|unexpected end of JSON|unexpected EOF|\bEOF\b|context (?:deadline exceeded|canceled)|dial tcp|read tcp|lookup \S+ on |i/o timeout|broken pipe|\bx509\b|\btls:|\bstrconv\b|parsing time|doesn't match schema|request body has an error|%!\w?\(|<nil>|0x[0-9a-f]{6,}|\bundefined\b|\bNaN\b`)},
	{"a file path", regexp.MustCompile(`(?:^|[\s"'(=])/(?:usr|home|root|var|tmp|etc|opt|srv|proc|mnt|app|work|build|go)/|\b[A-Z]:\\|file://`)},
	{"a query or a message of a database driver", regexp.MustCompile(`(?i)\b(?:select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from)\b|sqlstate|\bsqlite\b|\bpostgres|\bpq:|\bpgx\b|UNIQUE constraint|database is locked`)},
	{"a reference of the contract", regexp.MustCompile(`#/(?:components|paths)|\$ref\b|\boneOf\b|\banyOf\b|\ballOf\b|additionalProperties`)},
	{"HTML", regexp.MustCompile(`(?i)<!doctype|<html|<body|<pre>|</\w+>`)},
	{"the name of a secret", regexp.MustCompile(`(?i)\b(?:password|passwd|key-secret|api_secret)\s*[=:]`)},
}

// ipAddress matches anything that looks like an IPv4 address, or an IPv6 address in brackets; net.ParseIP decides.
var ipAddress = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-fA-F:]+\]`)

// leaks finds what callers must not learn. An answer may quote its request, but never a key. The text of a result is not
// searched for internals.
func leaks(a Answer) (faults []string) {
	for _, secret := range a.Secrets {
		if bytes.Contains(a.Body, []byte(secret)) || headerHas(a, secret) {
			faults = append(faults, "the answer repeats an API key")
			break
		}
	}
	if a.Status < 300 {
		return faults // the text of a page may contain anything
	}
	// Undo the escapes that JSON encoders use for HTML.
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\/`, "/").Replace(string(a.Body))
	for _, i := range internals {
		// The request may contain the same words, for instance as the name of an unknown field.
		if m := i.mark.FindString(text); m != "" && !bytes.Contains(a.Request, []byte(strings.TrimSpace(m))) {
			faults = append(faults, fmt.Sprintf("the answer shows %s: %q", i.what, m))
		}
	}
	// Addresses of hosts behind the server help attackers to map its network.
	for _, m := range ipAddress.FindAllString(text, -1) {
		if net.ParseIP(strings.Trim(m, "[]")) != nil && !bytes.Contains(a.Request, []byte(m)) {
			faults = append(faults, fmt.Sprintf("the answer shows an IP address that is not in the request: %s", m))
		}
	}
	return faults
}

// headerHas reports whether any header contains the secret. Headers may be logged by every proxy on the way.
func headerHas(a Answer, secret string) bool {
	for _, values := range a.Header {
		for _, v := range values {
			if strings.Contains(v, secret) {
				return true
			}
		}
	}
	return false
}
