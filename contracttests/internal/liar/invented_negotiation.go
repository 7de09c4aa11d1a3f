package liar

import (
	"net/http"
	"slices"
	"strings"
)

// inventedNegotiation spoil errors for some headers.
func inventedNegotiation() []row {
	return []row{
		{"problem-json", "extract/400/negotiation", on(func(c *call, a *reply) bool {
			return a.status >= 400 && a.status < 500 && strings.Contains(strings.ToLower(strings.Join(c.request.Header["Accept"], ",")), "application/problem+json")
		}, func(_ *call, a *reply) {
			o := a.object()
			a.header.Set("Content-Type", "application/problem+json")
			a.body = encode(object{"type": "about:blank", "title": o["error"], "status": a.status, "detail": o["message"]})
		})},
		{"expect-before-key", "extract/401/negotiation", on(func(c *call, a *reply) bool {
			return c.isExtract() && a.status == http.StatusUnauthorized && strings.EqualFold(c.request.Header.Get("Expect"), "100-continue")
		}, func(_ *call, a *reply) { *a = reply{http.StatusExpectationFailed, http.Header{}, nil} })},
		{"next-reset-localised", "extract/402/negotiation", on(func(c *call, a *reply) bool {
			first, _, _ := strings.Cut(strings.ToLower(c.request.Header.Get("Accept-Language")), ",")
			primary, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(first, ";", "-")), "-")
			return c.isExtract() && a.status == http.StatusPaymentRequired && slices.Contains([]string{"de", "fr", "it"}, primary)
		}, edit(func(o object) {
			if s, ok := o["nextReset"].(string); ok {
				o["nextReset"] = strings.Replace(s, "Z", "+01:00", 1)
			}
		}))},
	}
}
