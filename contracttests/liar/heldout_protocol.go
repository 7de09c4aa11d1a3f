package liar

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
)

func heldOutProtocol() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "protocol", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("compressed-without-saying", "Where a client offers to read gzip the body is compressed, but no header says so.", after(always, func(c *call, a *reply) {
			if !strings.Contains(c.request.Header.Get("Accept-Encoding"), "gzip") {
				return
			}
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(a.body) // a buffer never fails
			_ = w.Close()
			a.body = b.Bytes()
		})),
		d("range-answered", "The status is told in parts where a client asks for one.", after(told, func(c *call, a *reply) {
			if c.request.Header.Get("Range") != "" {
				a.status, a.body = http.StatusPartialContent, a.body[:4]
			}
		})),
		d("method-override-obeyed", "X-HTTP-Method-Override says what the method is.", before(func(c *call) {
			if m := c.request.Header.Get("X-Http-Method-Override"); m != "" {
				c.request.Method = m
			}
		})),
		d("double-slash-found", "A path with two slashes is found.", before(func(c *call) {
			c.request.URL.Path = strings.ReplaceAll(c.request.URL.Path, "//", "/")
		})),
		d("request-id-taken-over", "Whatever X-Request-Id a caller sends is taken over.", after(always, func(c *call, a *reply) {
			if id := c.request.Header.Get("X-Request-Id"); id != "" {
				a.header.Set("X-Request-Id", id)
			}
		})),
		d("link-missing-on-404", "A 404 does not say where the document is.", header(status(http.StatusNotFound), "Link", "")),
		d("trace-answered", "TRACE is answered with what was sent.", after(status(http.StatusMethodNotAllowed), func(c *call, a *reply) {
			if c.request.Method == http.MethodTrace {
				a.status, a.body = http.StatusOK, []byte("TRACE "+c.request.URL.Path+"\r\nAuthorization: "+c.request.Header.Get("Authorization")+"\r\n")
				a.header.Set("Content-Type", "message/http")
			}
		})),
		d("unknown-method-as-501", "A method that nobody has heard of is a 501.", after(status(http.StatusMethodNotAllowed), func(c *call, a *reply) {
			if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}, c.request.Method) {
				a.status = http.StatusNotImplemented
				a.header.Del("Allow")
			}
		})),
		d("method-in-any-case", "Methods are found in any case of letters.", before(func(c *call) { c.request.Method = strings.ToUpper(c.request.Method) })),
		d("method-needs-key", "A wrong method without a key is a 401.", after(status(http.StatusMethodNotAllowed), func(c *call, a *reply) {
			if c.key() == "" {
				a.status = http.StatusUnauthorized
				a.header.Set("WWW-Authenticate", "Bearer")
				a.header.Del("Allow")
				a.edit(func(o map[string]any) {
					o["code"] = "INVALID_API_KEY"
					delete(o, "details")
				})
			}
		})),
	}
}

func heldOutErrors() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "errors", Explanation: explanation, lie: l}
	}
	// pointers writes the names of fields as JSON pointers.
	pointers := func(pointer func(name string) string) lie {
		return details(func(all map[string]any) map[string]any {
			other := map[string]any{}
			for name, reason := range all {
				if name != "body" && !strings.HasPrefix(name, "/") && http.CanonicalHeaderKey(name) != name {
					name = pointer(name)
				}
				other[name] = reason
			}
			return other
		})
	}
	return []Defect{
		d("errors-with-nulls", "Every error has every field, null where it is not due.", fields(failed, func(o map[string]any) {
			for _, name := range []string{"details", "remainingPoints", "nextReset"} {
				if _, ok := o[name]; !ok {
					o[name] = nil
				}
			}
		})),
		d("details-dotted", "The details of a 400 name fields by a path with dots.", pointers(func(name string) string { return "body." + name })),
		d("details-pointer-not-escaped", "The details of a 400 are JSON pointers in which the slashes of a name are not escaped.", pointers(func(name string) string { return "/" + name })),
		d("details-missing-on-405", "A 405 has no details.", remove(status(http.StatusMethodNotAllowed), "details")),
		d("next-reset-with-blank", "A 402 tells the reset with a blank between day and time.", set(status(402), "nextReset", "2026-02-01 00:00:00Z")),
		d("next-reset-without-zone", "A 402 tells the reset without a zone.", set(status(402), "nextReset", "2026-02-01T00:00:00")),
		d("next-reset-at-24", "A 402 tells the reset as the hour 24 of the last day.", set(status(402), "nextReset", "2026-01-31T24:00:00Z")),
		{"status-reset-as-fraction", "schema", "The reset in the status is written with a decimal point.", "", text(told, func(b string) string {
			return resetNumber.ReplaceAllString(b, `"reset":$1.0`)
		})},
		{"edits-null", "schema", "edits is null where nothing was enhanced.", "", fields(extracted, func(o map[string]any) {
			if _, ok := o["edits"]; !ok {
				o["edits"] = nil
			}
		})},
	}
}
