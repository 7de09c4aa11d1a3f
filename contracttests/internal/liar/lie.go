package liar

import "net/http"

type (
	// server answers calls.
	server func(c *call) *reply
	// lie turns an honest server into one with a defect. It is called once for each liar: whatever it remembers is forgotten
	// with the liar.
	lie func(honest server) server
	// effect is a lie without its condition. Effects let the same charge or edit show for every seventh extraction, for
	// repeats, or for extractions at the same time.
	effect func(w when) lie
	// substitute makes the answer that is sent instead of the honest one, a.
	substitute func(honest server, c *call, a *reply) *reply
)

// on changes the answers for which the condition holds.
func on(w when, changes ...change) lie {
	return replaceWhen(w, func(_ server, c *call, a *reply) *reply {
		for _, f := range changes {
			f(c, a)
		}
		return a
	})
}

// apply is on as an effect.
func apply(changes ...change) effect {
	return func(w when) lie { return on(w, changes...) }
}

// replaceWhen sends another answer instead when the condition holds. The honest server has still seen the call: what it charged
// and counted remains.
func replaceWhen(w when, f substitute) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if w(c, a) {
				return f(honest, c, a)
			}
			return a
		}
	}
}

// answer is replaceWhen as an effect.
func answer(f substitute) effect {
	return func(w when) lie { return replaceWhen(w, f) }
}

// answerForOther answers as if the account had points and requests left. The window stays that of the caller, so
// that only the answer itself contradicts the model of the account.
func answerForOther(honest server, c *call, a *reply) *reply {
	b := honest(c.withKey(okKey))
	b.takeWindow(a)
	return b
}

// answerToMethod answers as if another method had been used.
func answerToMethod(name string) substitute {
	return func(honest server, c *call, _ *reply) *reply {
		other := c.withBody(c.body)
		other.request.Method = name
		if name == http.MethodGet {
			other.body = nil
		}
		return honest(other)
	}
}

// rewrite changes requests on their way to the honest server. f gets a copy.
func rewrite(f func(c *call)) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			if !c.isAPI() {
				return honest(c)
			}
			other := c.withBody(c.body)
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

// refuse spoils the extractions for which the condition holds, so that the honest server answers 400.
func refuse(w func(c *call) bool) lie {
	return rewrite(func(c *call) {
		if c.isExtract() && w(c) {
			c.request.Header.Set("Content-Type", "text/plain")
		}
	})
}

// chain is several lies at once, the first of them next to the honest server.
func chain(lies ...lie) lie {
	return func(honest server) server {
		for _, l := range lies {
			honest = l(honest)
		}
		return honest
	}
}
