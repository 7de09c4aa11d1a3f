package liar

import (
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// shapeMutants accept requests that the contract forbids, and refuse requests that it permits.
func shapeMutants() []row {
	return slices.Concat(unknownFieldMutants(), queryMutants(), mediaTypeMutants(), languageMutants(), addressMutants(), keyValueMutants())
}

// unknownFieldMutants ignore unknown fields of one kind.
func unknownFieldMutants() (all []row) {
	matches := func(pattern string) func(string) bool { return regexp.MustCompile(pattern).MatchString }
	prefix := func(p string) func(string) bool { return func(s string) bool { return strings.HasPrefix(s, p) } }
	contains := func(p string) func(string) bool { return func(s string) bool { return strings.Contains(s, p) } }
	for _, kind := range []named[func(name string) bool]{
		{"of digits", matches(`^[0-9]+$`)},
		{"without a name", matches(`^$`)},
		{"of blanks", matches(`^[ \t]+$`)},
		{"of letters beyond ASCII", func(s string) bool {
			return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < 128 || !unicode.IsLetter(r) })
		}},
		{"of emoji", func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x1f300 }) }},
		{"with a dot", contains(".")},
		{"with brackets", contains("[")},
		{"that begin with an underscore", prefix("_")},
		{"that begin with $", prefix("$")},
		{"that begin with @", prefix("@")},
		{"that begin with x-", matches(`(?i)^x-`)},
		{"that look like comments", matches(`^(#|//)`)},
		{"longer than 64 characters", func(s string) bool { return len(s) > 64 }},
		{"longer than 1,000 characters", func(s string) bool { return len(s) > 1000 }},
		{"with a hyphen", contains("-")},
		{"with a colon", contains(":")},
		{"with a NUL", contains("\x00")},
		{"with a control character", func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }},
		{"with a quotation mark", contains(`"`)},
		{"with a slash", contains("/")},
		{"with a backslash", contains(`\`)},
		{"that begin with a digit", matches(`^[0-9]`)},
		{"of one character", func(s string) bool { return len([]rune(s)) == 1 }},
		{"of punctuation", matches(`^[!-/:-@\[-` + "`" + `{-~]+$`)},
		{"in snake case", matches(`^[a-z]+_[a-z_]+$`)},
		{"in kebab case", matches(`^[a-z]+-[a-z-]+$`)},
		{"in capitals", matches(`^[A-Z]{2,}$`)},
		{"with an invisible character", func(s string) bool { return strings.ContainsAny(s, "\u200b\u00ad\u2060\ufeff") }},
		{"that end with a blank", matches(` $`)},
		{"that begin with a blank", matches(`^ `)},
		{"that look like known ones in other letters", func(s string) bool { return strings.ContainsAny(s, "аеіоѕ") }},
		{"that are known ones with an s", matches(`^(imageUrl|language|enhance|format)s$`)},
		{"that are known ones with a number", matches(`^(imageUrl|language|enhance|format)[0-9]$`)},
		{"of answers", func(s string) bool {
			return slices.Contains([]string{"success", "text", "confidence", "pointsUsed", "document", "code", "error", "details"}, s)
		}},
		{"with a plus", contains("+")},
		{"with a percent sign", contains("%")},
		{"with an asterisk", contains("*")},
		{"with a comma", contains(",")},
	} {
		all = append(all, mutant("ignores unknown fields "+kind.name, dropUnknown(func(name string, _ any) bool { return kind.of(name) })))
	}
	for _, kind := range []named[func(v any) bool]{
		{"null", func(v any) bool { return v == nil }},
		{"false", func(v any) bool { return v == false }},
		{"an empty string", func(v any) bool { return v == "" }},
		{"an empty list", func(v any) bool { l, ok := v.([]any); return ok && len(l) == 0 }},
		{"an empty object", func(v any) bool { o, ok := v.(object); return ok && len(o) == 0 }},
		{"a number", func(v any) bool { _, ok := v.(interface{ Int64() (int64, error) }); return ok }},
		{"an object", func(v any) bool { _, ok := v.(object); return ok }},
		{"a list", func(v any) bool { _, ok := v.([]any); return ok }},
	} {
		all = append(all, mutant("ignores unknown fields whose value is "+kind.name, dropUnknown(func(_ string, v any) bool { return kind.of(v) })))
	}
	return all
}

// dropUnknown removes the unknown fields for which ignores holds.
func dropUnknown(ignores func(name string, v any) bool) lie {
	return fields(func(o object) {
		keepFields(o, func(name string) bool { return slices.Contains(requestFields, name) || !ignores(name, o[name]) })
	})
}

// queryMutants ignore query parameters of one kind, or take them for fields.
func queryMutants() (all []row) {
	drop := func(isIgnored func(name, value string) bool) func(raw string) string {
		return func(raw string) string {
			var rest []string
			for part := range strings.SplitSeq(raw, "&") {
				name, value, _ := strings.Cut(part, "=")
				if name, err := url.QueryUnescape(name); err != nil || !isIgnored(name, value) {
					rest = append(rest, part)
				}
			}
			return strings.Join(rest, "&")
		}
	}
	operations := []named[func(c *call) bool]{{"", func(*call) bool { return true }}, {" of extractions", (*call).isExtract}, {" of GET /status", (*call).isStatus}}
	matches := func(pattern string) func(name, value string) bool {
		p := regexp.MustCompile(pattern)
		return func(name, _ string) bool { return p.MatchString(name) }
	}
	for i, kind := range []named[func(name, value string) bool]{
		{"without a name", matches(`^$`)},
		{"without a value", func(_, v string) bool { return v == "" }},
		{"of marketing", matches(`^utm_`)},
		{"that begin with an underscore", matches(`^_`)},
		{"of one letter", matches(`^[a-z]$`)},
		{"for versions", matches(`^(v|version|api-version|api_version)$`)},
		{"of digits", matches(`^[0-9]+$`)},
		{"with brackets", matches(`\[`)},
		{"in capitals", matches(`^[A-Z_]+$`)},
		{"named callback", matches(`^callback$`)},
		{"named pretty", matches(`^pretty$`)},
		{"named debug", matches(`^debug$`)},
		{"named lang", matches(`^lang$`)},
		{"named fields", matches(`^fields$`)},
		{"named language", matches(`^language$`)},
		{"named enhance", matches(`^enhance$`)},
		{"named format", matches(`^format$`)},
		{"named imageUrl", matches(`^imageUrl$`)},
		{"named timestamp", matches(`^(timestamp|ts|t)$`)},
		{"with a dot", matches(`\.`)},
		{"with a hyphen", matches(`-`)},
		{"beyond ASCII", matches(`[^ -~]`)},
	} {
		op := pick(operations, i)
		all = append(all, mutant("ignores query parameters "+kind.name+op.name, rewrite(func(c *call) {
			if op.of(c) {
				c.request.URL.RawQuery = drop(kind.of)(c.request.URL.RawQuery)
			}
		})))
	}
	for _, name := range requestFields {
		all = append(all, mutant("takes the query parameter "+name+" for the field", rewrite(func(c *call) {
			values, o := c.request.URL.Query(), c.fields()
			if v := values.Get(name); c.isExtract() && v != "" && o != nil {
				o[name] = v
				if name == "enhance" {
					o[name] = v == "true"
				}
				if name == "format" && !slices.Contains(formats, v) || name == "imageUrl" && !strings.Contains(v, ":") || name == "language" && v != "en" {
					delete(o, name)
				}
				if o["imageUrl"] == nil {
					o["imageUrl"] = "https://mock.invalid/printed"
				}
				c.body, c.request.URL.RawQuery = encode(o), ""
			}
		})))
	}
	return all
}

// mediaTypeMutants accept types that are close to JSON, or refuse spellings of JSON.
func mediaTypeMutants() (all []row) {
	accept := func(name string, holds func(t string) bool) {
		all = append(all, mutant("accepts "+name, rewrite(func(c *call) {
			if v := c.request.Header.Values("Content-Type"); c.isExtract() && len(v) == 1 && holds(strings.ToLower(v[0])) {
				c.request.Header.Set("Content-Type", "application/json")
			}
		})))
	}
	oneOf := func(types ...string) func(string) bool {
		return func(t string) bool {
			media, _, _ := strings.Cut(t, ";")
			return slices.Contains(types, strings.TrimSpace(media))
		}
	}
	for _, t := range []string{
		"text/json", "application/x-json", "text/x-json", "application/json5", "application/x-ndjson", "application/jsonl", "application/json-seq", "application/jsonp", "application/json-patch+json",
		"application/merge-patch+json", "application/problem+json", "application/vnd.api+json", "application/hal+json", "application/ld+json", "application/geo+json", "application/graphql+json",
		"application/x-javascript", "application/javascript", "text/javascript", "application/cbor", "application/yaml", "application/*", "application/json, text/plain", "json",
	} {
		accept("a body of the type "+t, oneOf(t))
	}
	accept("a body of any type with the suffix +json", func(t string) bool { return strings.Contains(t, "+json") })
	accept("a body of any type that contains json", func(t string) bool { return strings.Contains(t, "json") })
	accept("a body of any type that begins with application/json", func(t string) bool { return strings.HasPrefix(t, "application/json") })
	accept("the charset US-ASCII", func(t string) bool { return strings.Contains(t, "us-ascii") })
	accept("the charset UTF-16", func(t string) bool { return strings.Contains(t, "utf-16") })
	accept("the charset Windows-1252", func(t string) bool { return strings.Contains(t, "1252") })
	for _, coding := range []string{"gzip", "x-gzip", "br", "deflate", "compress", "zstd"} {
		all = append(all, mutant("ignores the Content-Encoding "+coding, rewrite(func(c *call) {
			if c.request.Header.Get("Content-Encoding") == coding {
				c.request.Header.Del("Content-Encoding")
			}
		})))
	}
	refuseType := func(name string, holds func(t string, params map[string]string) bool) {
		all = append(all, mutant("refuses "+name, refuse(func(c *call) bool {
			t := c.request.Header.Get("Content-Type")
			_, params, err := mime.ParseMediaType(t)
			return err == nil && holds(t, params)
		})))
	}
	refuseType("a blank in front of charset", func(t string, _ map[string]string) bool { return strings.Contains(t, "; ") })
	refuseType("a Content-Type without a blank in front of charset", func(t string, p map[string]string) bool { return p["charset"] != "" && !strings.Contains(t, "; ") })
	refuseType("a charset in capitals", func(_ string, p map[string]string) bool { return p["charset"] == "UTF-8" })
	refuseType("a quoted charset", func(t string, _ map[string]string) bool { return strings.Contains(t, `"`) })
	refuseType("a type in capitals", func(t string, _ map[string]string) bool { return strings.HasPrefix(t, "APP") })
	return all
}

// languageMutants refuse tags of a legal shape, or accept languages that no model reads.
func languageMutants() (all []row) {
	refuses := func(name, pattern string) {
		all = append(all, mutant("refuses a language "+name, fields(stringField("language", matching(pattern, "")))))
	}
	refuses("with a script", `^(?i:en|de|la|fr|it)-(?i:latn).*$`)
	refuses("with a region of letters", `^[A-Za-z]{2,3}(-[A-Za-z]{4})?-[A-Z]{2}$`)
	refuses("with a region of digits", `^.*-[0-9]{3}\b.*$`)
	refuses("with a variant of letters", `^.*-[a-z]{5,8}\b.*$`)
	refuses("with a variant of digits", `^.*-[0-9]{4}\b.*$`)
	refuses("with an extension", `^.*-[a-wyz0-9]-.*$`)
	refuses("with a Unicode extension", `^.*-u-.*$`)
	refuses("with a private part", `^.*-x-.*$`)
	refuses("of 35 characters", `^.{35}$`)
	refuses("of more than 20 characters", `^.{21,}$`)
	refuses("of more than three subtags", `^([^-]+-){3,}.*$`)
	refuses("in mixed case", `^[a-z][A-Z].*$`)
	refuses("with a script in capitals", `^.*-(LATN|LATF).*$`)
	refuses("with a region in lower case", `^[a-z]{2}-[a-z]{2}$`)
	accepts := func(name, pattern, tag string) {
		p := regexp.MustCompile(pattern)
		all = append(all, mutant("accepts a language "+name, fields(stringField("language", func(s string) string {
			if p.MatchString(s) {
				return tag
			}
			return s
		}))))
	}
	accepts("of private use", `^(?i:x-.*|q[a-t][a-z])$`, "en")
	accepts("of several languages", `^(?i:mul)$`, "en")
	accepts("without linguistic content", `^(?i:zxx)$`, "en")
	accepts("of old registrations", `^(?i:i-|art-).*$`, "en")
	accepts("in Arabic script that is written in Latin", `^(?i:en|de|fr|la)-(?i:arab)$`, "en")
	accepts("in Greek script that is written in Latin", `^(?i:en|de|fr|la)-(?i:grek)$`, "en")
	accepts("of nine letters", `^[A-Za-z]{9,}$`, "en")
	accepts("with a subtag of nine letters", `-[A-Za-z0-9]{9,}`, "en")
	accepts("of 36 characters", `^.{36,}$`, "en")
	accepts("that ends with a singleton", `-[A-Za-z0-9]$`, "en")
	accepts("with two scripts", `(?i)-latn-(cyrl|latf)`, "en")
	accepts("with two regions", `-[A-Z]{2}-[A-Z]{2}$`, "en")
	accepts("with the same variant twice", `(?i)-(1901)-1901`, "de")
	accepts("with a blank", `[ \t]`, "en")
	accepts("as in Accept-Language", `[;,]`, "en")
	accepts("as in a locale", `[.@]`, "en")
	accepts("by its name", `(?i)^(english|german|deutsch|latin)$`, "en")
	return all
}

// addressMutants refuse addresses of a legal shape.
func addressMutants() (all []row) {
	for _, kind := range []named[string]{
		{"with a port", `^https?://[^/]*:[0-9]+(/.*)?$`},
		{"with an IPv6 host", `^https?://\[.*$`},
		{"with an IPv4 host", `^https?://[0-9.]+(:[0-9]+)?(/.*)?$`},
		{"with a host in capitals", `^https?://[^/]*[A-Z].*$`},
		{"with an underscore in the host", `^https?://[^/]*_.*$`},
		{"with a punycode host", `^https?://[^/]*xn--.*$`},
		{"whose host ends with a dot", `^https?://[^/:?#]*\.([/:?#].*)?$`},
		{"whose host has one label", `^https?://[^/.:?#\[]+([/:?#].*)?$`},
		{"without a path", `^https?://[^/?#]*$`},
		{"without a path, but with a query", `^https?://[^/?#]*\?.*$`},
		{"with a fragment", `^https?://[^#]*#.*$`},
		{"with a query", `^https?://[^/?#]*/[^?]*\?.*$`},
		{"with escapes in the path", `^https?://[^?]*%.*$`},
		{"with escapes in the query", `^https?://[^?]*\?.*%.*$`},
		{"with a semicolon", `^https?://.*;.*$`},
		{"with a plus", `^https?://.*\+.*$`},
		{"with a tilde", `^https?://.*~.*$`},
		{"with an apostrophe", `^https?://.*'.*$`},
		{"with parentheses", `^https?://.*\(.*$`},
		{"with an at sign in the path", `^https?://[^/]*/.*@.*$`},
		{"with dot segments", `^https?://[^?]*/\.\./.*$`},
		{"with empty segments", `^https?://[^/]*/(.*/)?/.*$`},
		{"without an extension", `^https?://[^/]*/[^.]*$`},
		{"that ends with a slash", `^https?://.*/$`},
		{"with the port 80", `^http://[^/]*:80(/.*)?$`},
		{"with an asterisk", `^https?://.*\*.*$`},
		{"with an equals sign in the path", `^https?://[^?]*=.*$`},
		{"with an exclamation mark", `^https?://.*!.*$`},
		{"with a comma", `^https?://.*,.*$`},
		{"of 8,192 characters", `^https?://.{8184,}$`},
		{"longer than 4,096 characters", `^https?://.{4090,}$`},
		{"of an info.json", `^https?://.*/info\.json$`},
	} {
		all = append(all, mutant("refuses addresses "+kind.name, fields(stringField("imageUrl", func(s string) string {
			if !strings.HasPrefix(s, "http") || !regexp.MustCompile(kind.of).MatchString(s) || strings.Contains(s, "mock.invalid") {
				return s
			}
			return ""
		}))))
	}
	return all
}

// keyValueMutants refuse or change Idempotency-Keys of a legal form.
func keyValueMutants() (all []row) {
	for _, kind := range []named[string]{
		{"of one character", `^.$`},
		{"of digits", `^[0-9]+$`},
		{"with a comma", `,`},
		{"with a semicolon", `;`},
		{"with a quotation mark", `"`},
		{"with a backslash", `\\`},
		{"with a slash", `/`},
		{"with a percent sign", `%`},
		{"with an equals sign", `=`},
		{"with an angle bracket", `[<>]`},
		{"with a brace", `[{}]`},
		{"with an apostrophe", `'`},
		{"with a colon", `:`},
		{"with an at sign", `@`},
		{"with a tilde", `~`},
		{"longer than 64 characters", `^.{65,}$`},
		{"longer than 128 characters", `^.{129,}$`},
		{"that is no UUID", `^.{1,35}$`},
		{"that begins with a hyphen", `^-`},
		{"with a dollar sign", `\$`},
		{"with a number sign", `#`},
		{"with an asterisk", `\*`},
	} {
		p := regexp.MustCompile(kind.of)
		all = append(all, mutant("refuses an Idempotency-Key "+kind.name, refuse(func(c *call) bool {
			v := c.request.Header["Idempotency-Key"]
			return len(v) == 1 && len(v[0]) <= 255 && p.MatchString(v[0]) && http.CanonicalHeaderKey("Idempotency-Key") != ""
		})))
	}
	return all
}
