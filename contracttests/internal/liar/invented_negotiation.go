package liar

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// inventedNegotiation spoil errors for some headers.
func inventedNegotiation() []row {
	return []row{
		{"html-404-for-browsers", "elsewhere/404/negotiation", on(func(c *call, a *reply) bool {
			accept := strings.ToLower(strings.Join(c.request.Header["Accept"], ","))
			html, json := strings.Index(accept, "text/html"), strings.Index(accept, "application/json")
			return (a.status == 404 || a.status == 405) && html >= 0 && (json < 0 || html < json)
		}, func(_ *call, a *reply) {
			a.header.Set("Content-Type", "text/html")
			a.body = fmt.Appendf(nil, "<html><body><h1>%d %s</h1></body></html>", a.status, http.StatusText(a.status))
		})},
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
		{"wrong-type-415", eachRule, on(func(c *call, a *reply) bool {
			media, parameters, _ := strings.Cut(c.request.Header.Get("Content-Type"), ";")
			return c.isExtract() && a.status == http.StatusBadRequest && strings.Contains(parameters, "=") && !strings.EqualFold(strings.TrimSpace(media), "application/json")
		}, recode(http.StatusUnsupportedMediaType))},
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
