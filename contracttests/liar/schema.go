package liar

import (
	"encoding/json"
	"net/http"
	"strings"
)

func schemaLies() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "schema", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("confidence-in-percent", "The confidence is told in percent.", fields(extracted, func(o map[string]any) {
			n, _ := o["confidence"].(json.Number)
			f, _ := n.Float64()
			o["confidence"] = f * 100
		})),
		d("confidence-as-string", "The confidence is a string.", fields(extracted, func(o map[string]any) {
			n, _ := o["confidence"].(json.Number)
			o["confidence"] = n.String()
		})),
		d("confidence-null", "The confidence is null.", set(extracted, "confidence", nil)),
		d("points-used-missing", "An extraction does not say what it cost.", remove(extracted, "pointsUsed")),
		d("points-used-20", "An extraction says that it cost 20 points.", set(extracted, "pointsUsed", 20)),
		d("points-used-0-for-blank", "A blank page says that it cost nothing.", fields(extracted, func(o map[string]any) {
			if o["text"] == "" {
				o["pointsUsed"] = 0
			}
		})),
		d("points-used-as-10.0", "An integer is written with a decimal point.", text(extracted, func(b string) string {
			return strings.Replace(b, `"pointsUsed":10`, `"pointsUsed":10.0`, 1)
		})),
		d("points-used-as-1e1", "An integer is written with an exponent.", text(extracted, func(b string) string {
			return strings.Replace(b, `"pointsUsed":10`, `"pointsUsed":1e1`, 1)
		})),
		d("remaining-points-as-string", "The points left are a string.", fields(extracted, func(o map[string]any) { o["remainingPoints"] = "9990" })),
		d("processing-time-in-seconds", "The processing time is a fraction of seconds.", set(extracted, "processingTime", 0.42)),
		d("processing-time-negative", "The processing time is negative.", set(extracted, "processingTime", -1)),
		d("processing-time-missing", "The processing time is left out.", remove(extracted, "processingTime")),
		d("text-null-for-blank", "The text of a blank page is null.", fields(extracted, func(o map[string]any) {
			if o["text"] == "" {
				o["text"] = nil
			}
		})),
		d("text-missing", "There is no text.", remove(extracted, "text")),
		d("language-missing", "The language is left out.", remove(extracted, "language")),
		d("result-without-success", "A result does not say success.", remove(extracted, "success")),
		d("result-success-false", "A result says that it is no success.", set(extracted, "success", false)),
		d("result-success-as-string", "success is a string.", set(extracted, "success", "true")),
		d("result-with-more", "A result has a field that the document does not know.", set(extracted, "debug", "worker 3")),
		d("status-without-rate-limit", "The status leaves the rate limit out.", remove(told, "rateLimit")),
		d("status-without-flat-rate-limit", "The status leaves the flat form of the rate limit out.", remove(told, "rateLimitRemaining")),
		d("status-without-total", "The status leaves the total out.", remove(told, "pointsTotal")),
		d("status-valid", "The status of a key is called valid.", set(told, "status", "valid")),
		d("status-plan-in-capitals", "The plan is written with a capital.", set(told, "plan", "Pro")),
		d("status-in-snake-case", "The fields of the status are written with underscores.", text(told, func(b string) string {
			return strings.NewReplacer("pointsUsed", "points_used", "pointsRemaining", "points_remaining").Replace(b)
		})),
		d("status-points-as-float", "The points left have a fraction.", fields(told, func(o map[string]any) { o["pointsRemaining"] = 9990.5 })),
		d("reset-in-milliseconds", "The reset of the window is told in milliseconds.", rateLimit(func(r map[string]any) { r["reset"] = number(r, "reset") * 1000 })),
		d("reset-as-date", "The reset of the window is told as a date.", rateLimit(func(r map[string]any) { r["reset"] = "2026-01-15T12:01:00Z" })),
		d("reset-as-seconds-left", "The reset of the window is told as seconds from now.", rateLimit(func(r map[string]any) { r["reset"] = 42 })),
		d("rate-limit-with-more", "The rate limit has a field that the document does not know.", rateLimit(func(r map[string]any) { r["window"] = 60 })),
		d("result-wrapped", "A result is wrapped in an object named data.", after(extracted, func(_ *call, a *reply) {
			a.edit(func(o map[string]any) {
				inner := map[string]any{}
				for k, v := range o {
					inner[k] = v
					delete(o, k)
				}
				o["data"] = inner
			})
		})),
		d("array-around-result", "A result is the only element of an array.", text(extracted, func(b string) string { return "[" + strings.TrimSpace(b) + "]" })),
		d("key-stands-twice", "A name stands twice in the same object.", text(status(http.StatusOK), func(b string) string {
			return strings.Replace(b, "{", `{"success":true,`, 1)
		})),
		d("key-stands-twice-inside", "A name stands twice in an inner object.", text(told, func(b string) string {
			return strings.Replace(b, `"rateLimit":{`, `"rateLimit":{"limit":1,`, 1)
		})),
		d("more-after-the-json", "Something follows the JSON.", text(always, func(b string) string { return b + "{}" })),
		d("byte-order-mark", "The body begins with a byte order mark.", text(always, func(b string) string { return "\ufeff" + b })),
		d("latin-1", "Texts are sent as Latin-1.", after(extracted, func(c *call, a *reply) {
			a.replace("a", "\xe4")
			_ = c
		})),
		d("half-a-character", "A text has half of a surrogate pair in it.", text(extracted, func(b string) string {
			return strings.Replace(b, `"text":"`, `"text":"\ud83d`, 1)
		})),
		d("html-comment", "The JSON is followed by a comment for people.", text(failed, func(b string) string { return b + "<!-- contact support -->" })),
	}
}

// rateLimit changes the rate limit inside a status.
func rateLimit(change func(r map[string]any)) lie {
	return fields(told, func(o map[string]any) {
		if r, ok := o["rateLimit"].(map[string]any); ok {
			change(r)
		}
	})
}
