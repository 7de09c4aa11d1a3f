package liar

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// heldOutLies are lies that were written down before it was tried whether the suite catches them.
func heldOutLies() []Defect {
	return slices.Concat(heldOutRequests(), heldOutProtocol(), heldOutErrors(), heldOutAuth(), heldOutLedger(), heldOutMonths(),
		heldOutLimits(), heldOutIdempotency(), heldOutFormats(), heldOutAtOnce())
}

// now is the time that the account of the call lives in.
func now(honest server, c *call) time.Time {
	ask := c.with([]byte(`{"advance":"0s"}`))
	ask.request.Method, ask.request.URL.Path, ask.request.URL.RawQuery = http.MethodPost, "/__mock/clock", url.Values{"key": {c.key()}}.Encode()
	ask.request.Header = http.Header{"Content-Type": {"application/json"}}
	var state struct{ Now time.Time }
	if json.Unmarshal(honest(ask).body, &state) != nil {
		return time.Time{}
	}
	return state.Now
}

// refused is how the honest server answers an extraction of the call's account, with nothing asked for.
func refused(honest server, c *call) *reply {
	ask := c.with([]byte(`{}`))
	ask.request.Method, ask.request.URL.Path, ask.request.URL.RawQuery = http.MethodPost, "/api/v1/extract", ""
	ask.request.Header = http.Header{"Authorization": c.request.Header["Authorization"], "Content-Type": {"application/json"}}
	return honest(ask)
}

// usedUp says whether the window of the call's account is used up.
func usedUp(honest server, c *call) bool {
	ask := c.with(nil)
	ask.request.Method, ask.request.URL.Path, ask.request.URL.RawQuery = http.MethodGet, "/api/v1/status", ""
	ask.request.Header = http.Header{"Authorization": c.request.Header["Authorization"]}
	left, _, ok := window(honest(ask))
	return ok && left == 0
}

// windowOf gives an answer the window that another tells.
func (a *reply) windowOf(b *reply) {
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		a.header.Del(name)
		if v := b.header.Get(name); v != "" {
			a.header.Set(name, v)
		}
	}
}

// crash is the answer of a server that failed.
func crash(honest server, c *call) *reply {
	ask := c.as("ocr_test_err_liar").with([]byte(`{"imageUrl":"https://mock.invalid/printed"}`))
	ask.request.URL.RawQuery = ""
	return honest(ask)
}

// crashes lets the server fail on calls for which the condition holds, where the honest one finds fault with them.
func crashes(holds func(c *call) bool) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if c.extracts() && a.status == http.StatusBadRequest && holds(c) {
				b := crash(honest, c)
				b.windowOf(a)
				return b
			}
			return a
		}
	}
}
