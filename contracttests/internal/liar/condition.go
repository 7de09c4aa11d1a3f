package liar

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

type (
	// server answers calls.
	server func(c *call) *reply
	// lie turns an honest server into one with a defect. It is called once for each liar, so that its memory is its own.
	lie func(honest server) server
	// when says for which exchanges a defect shows.
	when func(c *call, a *reply) bool
	// effect makes a lie that shows when the condition holds.
	effect func(w when) lie
)

func always(c *call, _ *reply) bool { return c.isAPI() }

func extraction(c *call, _ *reply) bool { return c.isExtract() }

func extracted(c *call, a *reply) bool { return c.isExtract() && a.status == http.StatusOK }

func told(c *call, a *reply) bool { return c.isStatus() && a.status == http.StatusOK }

func failed(c *call, a *reply) bool { return c.isAPI() && a.status >= 400 }

func status(codes ...int) when {
	return func(c *call, a *reply) bool { return c.isAPI() && slices.Contains(codes, a.status) }
}

func keyed(c *call, _ *reply) bool { return c.isExtract() && c.idempotencyKey() != "" }

// blank holds for results without text.
func blank(c *call, a *reply) bool { return extracted(c, a) && a.object()["text"] == "" }

// unfetched holds for the 400 of an image that cannot be fetched or read.
func unfetched(c *call, a *reply) bool {
	return c.isExtract() && a.status == http.StatusBadRequest && strings.Contains(string(a.body), "image could not")
}

// unread holds where no text came of an extraction that could be paid: its points are given back.
func unread(c *call, a *reply) bool {
	return unfetched(c, a) || c.isExtract() && a.status == http.StatusInternalServerError
}

// conflict holds for the 400 of another request with a used Idempotency-Key.
func conflict(c *call, a *reply) bool {
	return keyed(c, a) && a.status == http.StatusBadRequest && strings.Contains(string(a.body), `"Idempotency-Key"`)
}

// limited holds for answers of a window that is used up, whatever they answer.
func limited(honest server) when {
	return func(c *call, _ *reply) bool {
		left, _, ok := window(c.status(honest))
		return ok && left == 0
	}
}

func both(a, b when) when {
	return func(c *call, r *reply) bool { return a(c, r) && b(c, r) }
}

func not(w when) when {
	return func(c *call, a *reply) bool { return !w(c, a) }
}

// asking holds for calls, whatever is answered.
func asking(f func(c *call) bool) when {
	return func(c *call, _ *reply) bool { return f(c) }
}

// field holds for extractions with a field of this value.
func field(name string, value any) when {
	return func(c *call, _ *reply) bool { return c.isExtract() && c.fields()[name] == value }
}

func method(name string) when {
	return func(c *call, _ *reply) bool { return c.request.Method == name }
}

func bodyHas(part string) when {
	return func(_ *call, a *reply) bool { return strings.Contains(string(a.body), part) }
}

// on changes the answers for which the condition holds.
func on(w when, changes ...change) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if w(c, a) {
				for _, f := range changes {
					f(c, a)
				}
			}
			return a
		}
	}
}

func apply(changes ...change) effect {
	return func(w when) lie { return on(w, changes...) }
}

// instead answers with something else when the condition holds.
func instead(w when, f func(honest server, c *call, a *reply) *reply) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			if a := honest(c); w(c, a) {
				return f(honest, c, a)
			} else {
				return a
			}
		}
	}
}

func answer(f func(honest server, c *call, a *reply) *reply) effect {
	return func(w when) lie { return instead(w, f) }
}

// asAccount answers as another account would be answered; the window stays that of the caller.
func asAccount(key string) func(honest server, c *call, a *reply) *reply {
	return func(honest server, c *call, a *reply) *reply {
		b := honest(c.as(key))
		b.takeWindow(a)
		return b
	}
}

// asMethod answers as if another method had been used.
func asMethod(name string) func(honest server, c *call, a *reply) *reply {
	return func(honest server, c *call, _ *reply) *reply {
		other := c.with(c.body)
		other.request.Method = name
		if name == http.MethodGet {
			other.body = nil
		}
		return honest(other)
	}
}

// rewrite changes requests on their way to the honest server.
func rewrite(f func(c *call)) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			if !c.isAPI() {
				return honest(c)
			}
			other := c.with(c.body)
			f(other)
			return honest(other)
		}
	}
}

// body changes the bodies of extractions on their way.
func body(f func(b []byte) []byte) lie {
	return rewrite(func(c *call) {
		if c.isExtract() {
			c.body = f(c.body)
		}
	})
}

// refuse spoils the extractions for which the condition holds.
func refuse(w func(c *call) bool) lie {
	return rewrite(func(c *call) {
		if c.isExtract() && w(c) {
			c.request.Header.Set("Content-Type", "text/plain")
		}
	})
}

// delay is how late some defects show. A suite that asks at once sees them.
const delay = 100 * time.Millisecond
