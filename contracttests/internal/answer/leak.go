package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Names of libraries, and of other programs: readers of images or texts, databases, frameworks, and languages. Results may name
// some of the programs matched by aProgram.
const (
	aLibrary = "the name of a library"
	aProgram = "the name of a program behind the server"
)

// aPerson is a leak unless it is a role mailbox that callers are told to contact (RFC 2142).
const aPerson = "a personal e-mail address"

var roleMailbox = regexp.MustCompile(`(?i)^(?:support|help|helpdesk|contact|info|service|sales|billing|security|abuse)@`)

// leakPatterns match text that was written for the operators of a server, not for its callers. The patterns cover several
// languages and libraries, because the suite also checks servers that are not ours. A pattern that matches a correct answer is
// worse than a missing one: keep them narrow.
var leakPatterns = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"a stack trace", regexp.MustCompile(`goroutine \d+|\b[\w/]+\.(?:go|py|java|rb|js|ts|php|cs|rs)(?::\d+|:? line \d+|", line \d+)|Traceback \(most recent|\bat [\w$.]+\([\w.]+:\d+\)|\bpanic:|\bpanicked at|runtime error`)},
	{"a type name from the server's code", regexp.MustCompile(`\*?\b(?:json|http|url|openapi3|openapi3filter|gen|edge|sql|pgx|fetch|ocr|net|os|fs|io|errors|mock|ledger|account|store|document|workerpool|strconv|time|context|reflect|runtime)\.\*?[A-Z]\w*|\bstruct \{|\bmap\[string\]|\bGo (?:value|struct)|(?:java|javax|org|com)\.\w+\.\w+|\w+(?:Exception|TypeError)\b|\[object Object\]`)},
	{"an error message of a library", regexp.MustCompile(`cannot unmarshal|invalid character '|unexpected end of JSON|unexpected EOF|\bEOF\b|context (?:deadline exceeded|canceled)|dial tcp|read tcp|lookup \S+ on |i/o timeout|broken pipe|\bx509\b|\btls:|\bstrconv\b|parsing time|doesn't match schema|request body has an error|%!\w?\(|<nil>|0x[0-9a-f]{6,}|\bundefined\b|\bNaN\b`)},
	{aLibrary, regexp.MustCompile(`(?i)\b(?:tesseract(?: \d| failed|:)|lept(?:onica|ess)|(?-i:pix[A-Z][a-z]\w+)|lib(?:tiff|png|jpeg|webp)|opencv|imagemagick|kin-openapi|oapi-codegen|werkzeug|fastapi|uvicorn|gunicorn|gorm|psycopg\d?|sqlalchemy|jdbc|openssl/|python/\d|php/\d|ruby \d|jetty\b|kestrel)`)},
	// Results may name the program and its models.
	{aProgram, regexp.MustCompile(`(?i)\b(?:tesseract|leptonica|onnx(?:runtime)?|pytorch|tensorflow|libvips|ghostscript|poppler|golang|fasthttp|gorilla|nodejs|npm|laravel|symfony|hibernate|redis|memcached|kafka|rabbitmq|celery|mysql|mariadb|mongodb|dynamodb|sqlite3?|postgresql|kubernetes|docker)\b`)},
	{"a file path", regexp.MustCompile(`(?:^|[\s"'(=:])(?:/(?:usr|home|root|var|tmp|etc|opt|srv|proc|mnt|app|work|build|go|data|lib|dev|Users|workspace|src)/|~/\w)|\b[A-Z]:\\|\b(?:file|s3|gs|hdfs|wasbs?)://|\b[\w-]+/[\w./-]+\.(?:go|py|java|rb|js|ts|rs|cpp|cs)\b`)},
	{"a database query or error message", regexp.MustCompile(`(?i)\b(?:select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from)\b|sqlstate|\bsqlite\b|\bpostgres|\bpq:|\bpgx\b|UNIQUE constraint|database is locked|deadlock detected`)},
	{"a $ref or schema keyword of the contract", regexp.MustCompile(`#/(?:components|paths)|\$ref\b|\boneOf\b|\banyOf\b|\ballOf\b|additionalProperties`)},
	{"HTML", regexp.MustCompile(`(?i)<!doctype|<html|<body|<pre>|</\w+>`)},
	{"a secret or a setting", regexp.MustCompile(`(?i)\b(?:password|passwd|key-secret|api_secret)\s*[=:]|://[^/\s:@]+:[^/\s@]+@|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]=\S`)},
	{"details of a server process", regexp.MustCompile(`\bpid \d+|\bexited with (?:status|signal|code)|\bsignal \d+\b`)},
	{aPerson, regexp.MustCompile(`\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b`)},
	// A short number after "account" may be a limit, as in "requests per minute and account: 60".
	{"an internal identifier", regexp.MustCompile(`(?i)\b(?:account|user|tenant|customer|owner|row|session)(?:[ _-]?id[ #:="']+(?:[a-z]+[_-])?\d|[ #:="']+(?:[a-z]+[_-]\d|\d{4}))[\w-]*|\b(?:worker|replica|node|pod|shard)(?:[ _-]?id)?[ #:="']+(?:[a-z]+[_-])?\d[\w-]*|\b[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9a-f]{8,10}-[a-z0-9]{5}\b`)},
	{"an internal host name", regexp.MustCompile(`\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|localdomain|lan|corp|intranet|svc)\b|\blocalhost\b|(?:^|[\s/@("])[a-z][a-z0-9-]*:\d{4,5}\b|\bip-\d+-\d+-\d+-\d+\b`)},
}

// ipAddress matches what looks like an IP address; net/netip decides.
var ipAddress = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b|\[?\b[0-9a-fA-F]{0,4}:[0-9a-fA-F:]*:[0-9a-fA-F:]*\]?`)

// leaks finds what callers must not learn. An answer may quote its request, but never a key. Every name and string of an answer
// is searched for leaks, except what a page says. value is the body, nil if it breaks a rule of JSON.
func leaks(a Answer, value any) (problems []string) {
	body := string(a.Body)
	if value != nil || json.Unmarshal(a.Body, &value) == nil { // one name or string per line, without escapes, so that no letter is hidden
		body = stringsIn(value, nil)
	}
	result, _ := value.(map[string]any)
	pdf := aboutPDF(result)
	products, shown := shownHeaders(a.Header)
	repeats := slices.ContainsFunc([]string{body, products, shown, a.Header.Get("X-Request-Id"), pdf}, a.Secrets.occurIn)
	if a.Status >= 300 || a.Path == "/status" {
		shown += body
	} else {
		shown += stringsIn(value, ofThePage)
		problems = append(problems, leaksOfDocument(a, result, pdf)...)
	}
	if repeats || a.Secrets.endIn(products) || a.Secrets.endIn(shown) {
		problems = append(problems, "the answer repeats an API key, or a part of one")
	}
	// The request may contain the same words, for instance as the name of an unknown field.
	named := slices.DeleteFunc(leaksIn(products, false), func(l leak) bool { return l.what == aLibrary || l.what == aProgram })
	for _, s := range append(named, leaksIn(shown, false)...) {
		if !a.mayQuote(s.text) && (s.what != aProgram || a.Status != http.StatusOK) && (s.what != aPerson || !roleMailbox.MatchString(s.text)) {
			problems = append(problems, fmt.Sprintf("the answer shows %s: %q", s.what, s.text))
		}
	}
	return append(append(problems, poweredBy(a.Header)...), caching(a.Header)...)
}

// shownHeaders are the headers that are searched for leaks, one per line: the lists of products, which may name programs,
// and all others.
func shownHeaders(h http.Header) (products, others string) {
	var lists, rest strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			switch {
			case name == "Date":
			case name == "X-Request-Id" && !strings.ContainsAny(v, ".-"): // any letters
			case name == "Server" || name == "Via":
				fmt.Fprintf(&lists, "%s: %s\n", name, inParentheses.ReplaceAllString(v, ""))
				fmt.Fprintf(&rest, "%s: %s\n", name, strings.Join(inParentheses.FindAllString(v, -1), " "))
			default:
				fmt.Fprintf(&rest, "%s: %s\n", name, v)
			}
		}
	}
	return lists.String(), rest.String()
}

// inParentheses matches the comments in a list of products (RFC 9110, section 10.1.5).
var inParentheses = regexp.MustCompile(`\([^()]*\)`)

// mayQuote reports whether the request contains a text. Answers may then repeat it.
func (a Answer) mayQuote(text string) bool {
	return strings.Contains(a.URL, text) || strings.Contains(a.Origin, text) || bytes.Contains(a.Request, []byte(text))
}

// stringsIn returns all names and strings of a JSON value, one per line, without the members of these names.
func stringsIn(value any, without []string) string {
	var b strings.Builder
	writeStrings(&b, value, without)
	return b.String()
}

// writeStrings writes the strings of value to b; see stringsIn. The names give the search the context of each string.
func writeStrings(b *strings.Builder, value any, without []string) {
	switch v := value.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, e := range v {
			writeStrings(b, e, without)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(without, name) {
				b.WriteString(name + ": ")
				writeStrings(b, v[name], without)
			}
		}
	}
}

// advertising are headers by which frameworks and load balancers say what is behind them.
var advertising = regexp.MustCompile(`(?i)^X-(?:Powered-By|AspNet.*|Runtime|Generator|Backend.*|Served-By|Upstream.*|Host|Debug.*)$`)

// isDuration matches the time that frameworks send as X-Runtime, in seconds.
var isDuration = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)?$`)

// poweredBy reports headers that name the software or the machine of the service, such as X-Powered-By. The contract forbids
// them, because they tell attackers what to try.
func poweredBy(h http.Header) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if advertising.MatchString(name) && (name != "X-Runtime" || !isDuration.MatchString(h.Get(name))) {
			problems = append(problems, fmt.Sprintf("the header %s shows what is behind the service: %q", name, h.Get(name)))
		}
	}
	return problems
}

// cachingHeaders maps headers that permit or report caching to the values that they must not have. Cache-Control is part of the
// contract.
var cachingHeaders = map[string]*regexp.Regexp{
	"Etag": regexp.MustCompile(``), "Last-Modified": regexp.MustCompile(``), "Age": regexp.MustCompile(``), "Expires": regexp.MustCompile(`[1-9a-zA-Z]`),
	"Pragma": regexp.MustCompile(`(?i)public|max-age`), "Surrogate-Control": regexp.MustCompile(`max-age|public`), "Cdn-Cache-Control": regexp.MustCompile(`max-age|public`),
	"Cloudflare-Cdn-Cache-Control": regexp.MustCompile(`max-age|public`), "X-Accel-Expires": regexp.MustCompile(`[1-9]`), "X-Cache": regexp.MustCompile(`(?i)hit`),
	"Cache-Status": regexp.MustCompile(`(?i)\bhit\b`), "Warning": regexp.MustCompile(`^\s*11\d`),
}

// caching requires that no header lets a cache keep the answer: it is valid for one caller at one moment.
func caching(h http.Header) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(cachingHeaders)) {
		for _, v := range h[name] {
			if name == "Expires" && isPast(v, h) {
				continue
			}
			if cachingHeaders[name].MatchString(v) {
				problems = append(problems, fmt.Sprintf("the header %s allows or reports caching; answers must not be cached: %q", name, v))
			}
		}
	}
	return problems
}

// isPast reports whether a date is not after the date of the answer.
func isPast(date string, h http.Header) bool {
	expires, err := http.ParseTime(date)
	now, errNow := http.ParseTime(h.Get("Date"))
	return err == nil && errNow == nil && !expires.After(now)
}

// undoPercent decodes percent-encoding wherever there is some.
func undoPercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return percent.ReplaceAllStringFunc(s, func(m string) string {
		t, err := url.PathUnescape(m)
		if err != nil {
			return m
		}
		return t
	})
}

var percent = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
