package liar

import "strings"

func errorLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "errors", Explanation: explanation, lie: l}
	}
	leak := func(codes when, words string) lie { return set(codes, "message", words) }
	return []Defect{
		d("error-success-true", "An error says that it is a success.", set(failed, "success", true)),
		d("error-without-success", "An error does not say success.", remove(failed, "success")),
		d("error-empty", "An error has no words for people.", set(failed, "error", "")),
		d("error-blank", "An error has a blank for people.", set(failed, "error", " ")),
		d("message-missing", "An error has no message.", remove(failed, "message")),
		d("code-in-lower-case", "Codes are written in lower case.", fields(failed, func(o map[string]any) {
			s, _ := o["code"].(string)
			o["code"] = strings.ToLower(s)
		})),
		d("code-always-server-error", "Every error has the code SERVER_ERROR.", set(failed, "code", "SERVER_ERROR")),
		d("code-of-402-on-429", "A used-up window has the code of missing points.", set(status(429), "code", "INSUFFICIENT_POINTS")),
		d("code-of-404", "A 404 has a code of its own.", set(status(404), "code", "NOT_FOUND")),
		d("details-missing", "A 400 has no details.", remove(status(400), "details")),
		d("details-empty", "The details of a 400 are empty.", set(status(400), "details", map[string]any{})),
		d("details-as-list", "The details of a 400 are a list.", fields(status(400), func(o map[string]any) { o["details"] = []any{o["details"]} })),
		d("details-name-body-only", "The details of a 400 name nothing but the body.", details(func(map[string]any) map[string]any {
			return map[string]any{"body": "is not valid"}
		})),
		d("details-name-the-first-only", "The details of a 400 name one of several faults.", details(func(all map[string]any) map[string]any {
			for _, name := range []string{"imageUrl", "language", "enhance", "format"} {
				if reason, ok := all[name]; ok {
					return map[string]any{name: reason}
				}
			}
			return all
		})),
		d("details-in-lower-case", "The details of a 400 name fields in lower case.", details(func(all map[string]any) map[string]any {
			lower := map[string]any{}
			for name, reason := range all {
				lower[strings.ToLower(name)] = reason
			}
			return lower
		})),
		d("details-blank", "The details of a 400 give no reasons.", details(func(all map[string]any) map[string]any {
			for name := range all {
				all[name] = "-"
			}
			return all
		})),
		d("details-blame-the-innocent", "The details of a 400 also name a field that is right.", details(func(all map[string]any) map[string]any {
			if all["imageUrl"] == nil {
				all["imageUrl"] = "is required"
			} else {
				all["format"] = "must be one of json, text"
			}
			return all
		})),
		d("details-on-401", "A 401 has details.", set(status(401), "details", map[string]any{"Authorization": "the key was revoked"})),
		d("languages-not-listed", "A language that cannot be read is refused without a word on those that can.", details(func(all map[string]any) map[string]any {
			if all["language"] != nil {
				all["language"] = "is not supported"
			}
			return all
		})),
		d("languages-listed-too-many", "A language that cannot be read is listed among those that can.", details(func(all map[string]any) map[string]any {
			if s, ok := all["language"].(string); ok {
				all["language"] = s + ", zh-Hant"
			}
			return all
		})),
		d("remaining-missing-on-402", "A 402 does not say what is left.", remove(status(402), "remainingPoints")),
		d("remaining-missing-on-429", "A 429 does not say what points are left.", remove(status(429), "remainingPoints")),
		d("next-reset-missing", "A 402 does not say when the points reset.", remove(status(402), "nextReset")),
		d("next-reset-as-day", "A 402 tells the reset as a day without a time.", set(status(402), "nextReset", "2026-02-01")),
		d("next-reset-as-number", "A 402 tells the reset as a number.", set(status(402), "nextReset", 1769904000)),
		d("next-reset-that-is-no-day", "A 402 tells of a day that there is not.", set(status(402), "nextReset", "2026-02-30T00:00:00Z")),
		d("next-reset-in-local-time", "A 402 tells the reset in the time of the server's town.", set(status(402), "nextReset", "2026-02-01T01:00:00+01:00")),
		d("next-reset-on-429", "A 429 has a field that belongs to a 402.", set(status(429), "nextReset", "2026-02-01T00:00:00Z")),
		d("stack-trace", "A 500 shows where the program failed.", leak(status(500), "panic: nil map\ngoroutine 17 [running]:\nmain.extract(0x1)\n\t/src/extract.go:42")),
		d("library-text", "A 400 repeats the words of a library.", leak(status(400), "json: cannot unmarshal string into Go struct field Request.enhance of type bool")),
		d("type-of-the-program", "A 400 shows a type of the program.", leak(status(400), "expected *gen.ExtractionRequest")),
		d("path-of-a-file", "A 500 shows a path of the server.", leak(status(500), "open /var/lib/uncial/uncial.db: permission denied")),
		d("query-in-message", "A 500 shows a query.", leak(status(500), "SELECT balance FROM accounts failed")),
		d("address-in-message", "An image that cannot be fetched shows an address inside.", leak(status(400), "the host at 10.0.3.7 did not answer")),
		d("reference-in-message", "A 400 shows a reference inside the document.", leak(status(400), "does not match #/components/schemas/Format")),
		d("key-in-message", "A 401 repeats the key.", after(status(401, 402, 429), func(c *call, a *reply) {
			a.edit(func(o map[string]any) { o["message"] = "the key " + c.key() + " cannot do this" })
		})),
	}
}

// details changes the details of a 400.
func details(change func(all map[string]any) map[string]any) lie {
	return fields(status(400), func(o map[string]any) {
		if all, ok := o["details"].(map[string]any); ok {
			o["details"] = change(all)
		}
	})
}
