package liar

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	malformed = "extract/400/shape-costs-nothing"
	noPoints  = "extract/402/empty"

	fetchReason    = "extract/400/fetch-reason"
	fetchBusy      = "extract/400/fetch-busy"
	refusedAddress = "extract/400/refused-address"
)

// errorDefects send errors that the schema of their status may allow but that are useless, or that reveal too much.
func errorDefects() []row {
	says := func(code int, words string) lie { return on(status(code), set("message", words)) }
	resets := func(value any) lie { return on(status(402), set("nextReset", value)) }
	return append(slices.Concat(detailDefects(), fetchDefects()), []row{
		// Each status has one code, so that programs need to read nothing but the code.
		{"sends SERVER_ERROR with every error", malformed, on(isError, set("code", "SERVER_ERROR"))},
		{"sends INSUFFICIENT_POINTS with a 429", usedUp, on(status(429), set("code", "INSUFFICIENT_POINTS"))},
		// 404 and 405 share INVALID_REQUEST with 400.
		{"gives a 404 a code of its own", notFound, on(status(404), set("code", "NOT_FOUND"))},
		// Valid by the schema, useless to people.
		{"explains an error with a blank", malformed, on(isError, set("error", " "))},
		{"sends a message that was not turned into text", malformed, on(isError, set("message", "[object Object]"))},
		// A struct for all errors without omitempty.
		{"sends null for the fields of other errors", malformed, on(isError, edit(func(o object) {
			for _, name := range []string{"details", "remainingPoints", "nextReset"} {
				if _, ok := o[name]; !ok {
					o[name] = nil
				}
			}
		}))},
		// No answer shows the inside of the server: files, queries, types, addresses, or the key.
		{"shows a stack trace in a 500", "extract/500/key", says(500, "panic: nil map\ngoroutine 17 [running]:\nmain.extract(0x1)\n\t/src/extract.go:42")},
		{"shows a path of the server in a 500", "extract/500/key", says(500, "open /var/lib/uncial/uncial.db: permission denied")},
		{"shows a database query in a 500", "extract/500/key", says(500, "SELECT balance FROM accounts failed")},
		{"quotes a Go library in a 400", malformed, says(400, "json: cannot unmarshal string into Go struct field Request.enhance of type bool")},
		{"names a Go type in a 400", malformed, says(400, "expected *gen.ExtractionRequest")},
		{"names a reference inside the specification document in a 400", malformed, says(400, "does not match #/components/schemas/Format")},
		{"shows an internal address in a 400", "extract/400/image", says(400, "the host at 10.0.3.7 did not answer")},
		// Server and Via may name products. Nothing else may, whatever those two say.
		{"names its framework in a header that is not for products", malformed, on(isError, header("Server", "Kestrel"), header("X-Note", "Kestrel"))},
		{"names the machine behind it in a comment on a product", malformed, on(isError, header("Server", "gateway (ocr-7.internal)"))},
		{"names its language in X-Runtime", malformed, on(isError, header("X-Runtime", "ruby-3.2"))},
		{"repeats the key in an error", "status/401/expired", on(status(401, 402, 429), func(c *call, a *reply) {
			a.edit(func(o object) { o["message"] = "the key " + c.key() + " cannot do this" })
		})},
		{"shows the last characters of the key in a 401", "status/401/expired", on(status(401), func(c *call, a *reply) {
			a.edit(func(o object) {
				o["message"] = "the API key ending in " + c.key()[max(0, len(c.key())-4):] + " is not valid"
			})
		})},
		{"masks the key in a 401", "extract/401/revoked", on(status(401), func(c *call, a *reply) {
			a.edit(func(o object) {
				o["message"] = "the API key ocr_****" + c.key()[max(0, len(c.key())-4):] + " is not valid"
			})
		})},
		// RFC 3339, section 5.6, in UTC. Lenient parsers accept most of these, but clients of the contract need not.
		{"reports nextReset as a day", noPoints, resets("2026-02-01")},
		{"reports a nextReset that does not exist", noPoints, resets("2026-02-30T00:00:00Z")},
		{"reports nextReset in local time", noPoints, resets("2026-02-01T01:00:00+01:00")},
		{"reports nextReset with a blank before the time", noPoints, resets("2026-02-01 00:00:00Z")},
		{"reports nextReset without a time zone", noPoints, resets("2026-02-01T00:00:00")},
		{"reports nextReset as hour 24", noPoints, resets("2026-01-31T24:00:00Z")},
		// A field on the wrong answer: clients decide by the fields that are there.
		{"adds nextReset to a 429", "extract/429/window-used-up", on(status(429), set("nextReset", "2026-02-01T00:00:00Z"))},
		{"adds details to a 401", "status/401/no-key", on(status(401), set("details", object{"Authorization": "the key was revoked"}))},
	}...)
}

// fetchDefects say the wrong thing, or too much, about an image that cannot be fetched.
func fetchDefects() []row {
	failure := func(f func(o object)) lie { return on(status(http.StatusBadRequest), inside("fetch", f)) }
	refused := both(status(http.StatusBadRequest), callIs(func(c *call) bool { return strings.Contains(c.field("imageUrl"), "169.254.") }))
	return []row{
		{"does not say why an image could not be fetched", fetchReason, on(isUnfetched, drop("fetch"))},
		{"gives a reason of its own for an image that could not be fetched", fetchReason, failure(func(o object) { o["reason"] = "dns-error" })},
		{"says why an image could not be fetched in a malformed request", fetchReason, on(both(status(http.StatusBadRequest), not(isUnfetched)), edit(func(o object) {
			o["fetch"] = object{"reason": "invalid-url", "retryable": false}
		}))},
		{"says that a missing image may appear", fetchReason, failure(func(o object) { o["retryable"], o["retryAfter"] = true, 5 })},
		{"says that a busy server will stay busy", fetchBusy, failure(func(o object) {
			o["retryable"] = false
			delete(o, "retryAfter")
		})},
		{"gives no time for the next attempt", fetchBusy, failure(func(o object) { delete(o, "retryAfter") })},
		// An address that is not public must look the same whatever is there.
		{"fetches cloud metadata", refusedAddress, fields(stringField("imageUrl", matching(`^http://169\.254\..*`, "http://mock.invalid/printed")))},
		{"shows that something answers at an internal address", refusedAddress, on(refused, inside("fetch", func(o object) { o["reason"] = "forbidden" }))},
		{"refuses internal addresses in different words", refusedAddress, on(refused, edit(func(o object) {
			o["message"], o["details"] = "imageUrl: the address belongs to a cloud", object{"imageUrl": "the address belongs to a cloud"}
		}))},
		{"says that an internal address may be retried", refusedAddress, on(refused, inside("fetch", func(o object) { o["retryable"], o["retryAfter"] = true, 5 }))},
	}
}

// detailDefects name the wrong fields in a 400, or the right ones without reasons.
func detailDefects() []row {
	names := func(f func(name string) string) func(all object) object {
		return func(all object) object {
			renamed := object{}
			for name, reason := range all {
				renamed[f(name)] = reason
			}
			return renamed
		}
	}
	reasons := func(reason any) func(all object) object {
		return func(all object) object {
			for name := range all {
				all[name] = reason
			}
			return all
		}
	}
	return []row{
		// The details of a 400 name each field at fault as the request spells it.
		{"names only the body in details", malformed, details(func(object) object { return object{"body": "is not valid"} })},
		{"names fields in details in lower case", malformed, details(names(strings.ToLower))},
		{"names fields in details by a path with dots", malformed, details(names(ifField(func(name string) string { return "body." + name })))},
		// RFC 6901, section 3: ~1 stands for a slash in a name.
		{"names fields in details by JSON pointers without escapes", "extract/400/each-rule", details(names(ifField(func(name string) string { return "/" + name })))},
		// Reasons are words: what is wrong and what would be right.
		{"gives no reasons in details", malformed, details(reasons("-"))},
		{"gives numbers for reasons in details", malformed, details(reasons(json.Number("1")))},
		{"sends details without any field", malformed, details(func(object) object { return object{} })},
		// With a validator that stops at the first fault, callers find their faults one by one.
		{"names only one of several faults in details", "extract/400/several-rules", details(func(all object) object {
			for _, name := range slices.Sorted(maps.Keys(all)) {
				return object{name: all[name]}
			}
			return all
		})},
		{"names a valid field in details", "extract/400/several-rules", details(func(all object) object {
			if all["imageUrl"] == nil {
				all["imageUrl"] = "is required"
			} else {
				all["format"] = "must be one of json, text"
			}
			return all
		})},
		// The fault is found after the validation, by code that does not know the names of the request.
		{"names image instead of imageUrl if an image cannot be fetched", "extract/400/image", on(isUnfetched, inside("details", func(all object) {
			all["image"] = all["imageUrl"]
			delete(all, "imageUrl")
		}))},
		// The list is how clients learn which models are installed. It must be complete and correct.
		{"does not list the languages that it supports", "extract/400/language", supportedLanguages(func(string) string { return "is not supported" })},
		{"lists a language that it does not support", "extract/402/every-listed-language", supportedLanguages(func(s string) string { return s + ", zh-Hant" })},
		{"leaves a supported language out of the list", "extract/402/every-listed-language", supportedLanguages(replacing("de-Latf, ", ""))},
	}
}

// details changes the details of a 400.
func details(f func(all object) object) lie {
	return on(status(http.StatusBadRequest), edit(func(o object) {
		if all, ok := o["details"].(object); ok {
			o["details"] = f(all)
		}
	}))
}

// ifField changes the names in details, except those of headers and of the body.
func ifField(f func(name string) string) func(name string) string {
	return func(name string) string {
		if name == "body" || strings.HasPrefix(name, "/") || http.CanonicalHeaderKey(name) == name {
			return name
		}
		return f(name)
	}
}

// supportedLanguages changes what details say of a language that is not supported.
func supportedLanguages(f func(reason string) string) lie {
	return on(status(http.StatusBadRequest), inside("details", func(all object) {
		if s, ok := all["language"].(string); ok {
			all["language"] = f(s)
		}
	}))
}
