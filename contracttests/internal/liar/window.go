package liar

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

// counts takes further requests from the window for each answer for which the condition holds.
func counts(requests int64, w when) lie {
	return remember(account, func(taken *int64, _ server, c *call, a *reply) {
		if w(c, a) {
			*taken += requests
		}
		addLeft(a, -*taken)
	})
}

// count is counts as an effect.
func count(requests int64) effect { return func(w when) lie { return counts(requests, w) } }

var (
	windowHeader = regexp.MustCompile(`^"account";r=(\d+);t=(\d+)$`)
	policyHeader = regexp.MustCompile(`^"account";q=(\d+);w=60$`)
)

// window reads RateLimit: requests left, and seconds until the reset.
func window(a *reply) (left, seconds int64, ok bool) {
	m := windowHeader.FindStringSubmatch(a.header.Get("RateLimit"))
	if m == nil {
		return 0, 0, false
	}
	left, _ = strconv.ParseInt(m[1], 10, 64)
	seconds, _ = strconv.ParseInt(m[2], 10, 64)
	return left, seconds, true
}

// policy reads the number of requests in a window from RateLimit-Policy.
func policy(a *reply) (limit int64, ok bool) {
	m := policyHeader.FindStringSubmatch(a.header.Get("RateLimit-Policy"))
	if m == nil {
		return 0, false
	}
	limit, _ = strconv.ParseInt(m[1], 10, 64)
	return limit, true
}

// setHeaderWindow writes the window into the header only.
func setHeaderWindow(a *reply, left, seconds int64) {
	a.header.Set("RateLimit", fmt.Sprintf(`"account";r=%d;t=%d`, left, seconds))
}

// setWindow writes the window into header and status record.
func setWindow(a *reply, left, seconds int64) {
	_, before, _ := window(a)
	setHeaderWindow(a, left, seconds)
	a.edit(func(o object) {
		if _, ok := o["rateLimitRemaining"]; ok {
			o["rateLimitRemaining"] = left
		}
		if r, ok := o["rateLimit"].(object); ok {
			r["remaining"], r["reset"] = left, number(r, "reset")+seconds-before
		}
	})
}

// rewindow changes the window that an answer reports in header and record.
func rewindow(f func(a *reply, left, seconds int64) (int64, int64)) change {
	return func(_ *call, a *reply) {
		if left, seconds, ok := window(a); ok {
			if l, s := f(a, left, seconds); l != left || s != seconds {
				setWindow(a, l, s)
			}
		}
	}
}

// reheader changes the window that an answer reports in the header only.
func reheader(f func(left, seconds int64) (int64, int64)) change {
	return func(_ *call, a *reply) {
		if left, seconds, ok := window(a); ok {
			l, s := f(left, seconds)
			setHeaderWindow(a, l, s)
		}
	}
}

// addLeft adds to the requests left, in header and record.
func addLeft(a *reply, n int64) {
	rewindow(func(_ *reply, left, seconds int64) (int64, int64) { return max(0, left+n), seconds })(nil, a)
}

// retryAfter sets Retry-After by the seconds that the window lasts.
func retryAfter(f func(seconds int64) string) change {
	return func(_ *call, a *reply) {
		if _, seconds, ok := window(a); ok && a.status == http.StatusTooManyRequests {
			a.header.Set("Retry-After", f(seconds))
		}
	}
}
