package liar

import (
	"bytes"
	"net/http"
	"reflect"
	"time"
)

// inventedRepeats break the replay of answers. That answers are kept for a key instead of an account is left out, as each key
// of the mock has an account of its own.
func inventedRepeats() []row {
	return []row{
		{"store-emptied-at-midnight", "clock/replay", forgetWhen(func(first, now time.Time) bool {
			return first.UTC().Format(time.DateOnly) != now.UTC().Format(time.DateOnly)
		})},
		{"running-repeat-is-500", replayRace, refuseRunning},
		{"enhance-not-in-fingerprint", conflictCase, withoutEnhance},
	}
}

// refuseRunning answers 500 to a repeat of a running request. It counts like any other.
func refuseRunning(honest server) server {
	var firsts firstRunning
	return func(c *call) *reply {
		id := repeatable(c)
		if id == "" {
			return honest(c)
		}
		defer firsts.end(id)
		body, isFirst := firsts.begin(id, c.body)
		if !isFirst && bytes.Equal(body, c.body) {
			a := c.malformed(honest)
			if a.status != http.StatusBadRequest {
				return a
			}
			a.status = http.StatusInternalServerError
			a.header.Set("Retry-After", "1")
			a.body = []byte(`{"success":false,"error":"The service could not complete the request.","code":"SERVER_ERROR","message":"the first request is still running"}`)
			return a
		}
		return honest(c)
	}
}

// withoutEnhance takes requests for the same that differ in enhance.
func withoutEnhance(honest server) server {
	var memories memory[[]byte]
	rest := func(body []byte) object {
		o := parse(body)
		delete(o, "enhance")
		return o
	}
	return func(c *call) *reply {
		id := repeatable(c)
		if id == "" {
			return honest(c)
		}
		sent := c
		memories.use(id, func(first *[]byte) {
			enhance, present := c.fields()["enhance"]
			_, legal := enhance.(bool)
			if *first != nil && (legal || !present) && reflect.DeepEqual(rest(*first), rest(c.body)) {
				sent = c.with(*first)
			}
		})
		a := honest(sent)
		if extracted(c, a) {
			memories.use(id, func(first *[]byte) {
				if *first == nil {
					*first = sent.body
				}
			})
		}
		return a
	}
}
