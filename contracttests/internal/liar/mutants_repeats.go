package liar

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// repeatMutants break the replay of answers at some time, for some Idempotency-Keys, in some format, or after some traffic.
func repeatMutants() []row {
	return slices.Concat(agingMutants(), trafficMutants(), sameKeyMutants(), replayFormMutants())
}

// agingMutants forget stored answers before their time, or keep them longer.
func agingMutants() (all []row) {
	for _, age := range []time.Duration{
		2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour, 18 * time.Hour, 20 * time.Hour,
		23 * time.Hour, 23*time.Hour + 30*time.Minute, 24*time.Hour - 2*time.Second,
	} {
		all = append(all, mutant(fmt.Sprintf("forgets stored answers after %s", age), forgetAfter(age)))
	}
	for _, b := range []named[func(t time.Time) string]{
		{"the day", func(t time.Time) string { return t.Format("2006-01-02") }},
		{"the hour", func(t time.Time) string { return t.Format("2006-01-02 15") }},
		{"the month", func(t time.Time) string { return t.Format("2006-01") }},
		{"the year", func(t time.Time) string { return t.Format("2006") }},
		{"the week", func(t time.Time) string { y, w := t.ISOWeek(); return fmt.Sprint(y, w) }},
		{"the half of the day", func(t time.Time) string { return t.Format("2006-01-02 PM") }},
		{"the day in New York", func(t time.Time) string { return t.Add(-5 * time.Hour).Format("2006-01-02") }},
		{"the quarter", func(t time.Time) string { return fmt.Sprint(t.Year(), (t.Month()-1)/3) }},
	} {
		all = append(all, mutant("forgets stored answers at the end of "+b.name, forgetWhen(func(first, now time.Time) bool { return b.of(first.UTC()) != b.of(now.UTC()) })))
	}
	for _, age := range []time.Duration{24*time.Hour + 30*time.Second, 24*time.Hour + time.Minute, 25 * time.Hour, 26 * time.Hour, 36 * time.Hour, 72 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour} {
		all = append(all, mutant(fmt.Sprintf("keeps stored answers for %s", age), keepFor(age)))
	}
	return all
}

// forgetWhen makes a request with an old Idempotency-Key a new one, by the clock of the account.
func forgetWhen(isOld func(first, now time.Time) bool) lie {
	return editByHistory(repeatable, func(first *time.Time, honest server, c *call) {
		now := c.now(honest)
		if first.IsZero() {
			*first = now
		}
		if isOld(*first, now) {
			c.request.Header.Set("Idempotency-Key", c.idempotencyKey()+"-later")
		}
	})
}

// keepFor replays answers whose time is over until they have this age. The charge of the honest server stands.
func keepFor(age time.Duration) lie {
	type stored struct {
		at     time.Time
		body   []byte
		answer *reply
	}
	return remember(repeatable, func(s *stored, honest server, c *call, a *reply) {
		switch now := c.now(honest); {
		case !isResult(c, a):
		case s.answer != nil && bytes.Equal(s.body, c.body) && now.Sub(s.at) < age:
			a.become(s.answer)
		default:
			*s = stored{now, c.body, a.clone()}
		}
	})
}

// trafficMutants forget stored answers because of other traffic, or mix requests up.
func trafficMutants() (all []row) {
	for _, n := range []int{1, 2, 3, 5, 8, 10, 16, 20, 25, 32, 50} {
		all = append(all, mutant(fmt.Sprintf("keeps only the last %d stored answers of an account", n), keepLast(account, n)))
	}
	for _, n := range []int{4, 16, 40} {
		all = append(all, mutant(fmt.Sprintf("keeps only the last %d stored answers of all accounts", n), keepLast(everyone, n)))
	}
	after := func(name string, w when) row {
		return mutant("forgets the stored answers of an account after "+name, func(honest server) server {
			var n counter
			return func(c *call) *reply {
				inner := c
				if isKeyed(c, nil) && len(c.request.Header["Idempotency-Key"]) == 1 {
					if age := n.add(c.key(), 0); age > 0 {
						inner = c.withBody(c.body)
						inner.request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", c.idempotencyKey(), age))
					}
				}
				a := honest(inner)
				if w(c, a) {
					n.add(c.key(), 1)
				}
				return a
			}
		})
	}
	return append(all,
		after("a status query", isStatusRecord), after("an invalid request", both(isExtraction, status(400))), after("an image that cannot be fetched", isUnfetched), after("an extraction without a key", both(isResult, not(isKeyed))),
		after("a wrong method", status(405)), after("an unknown path", status(404)), after("a conflict", isConflict), after("a blank page", both(isBlank, not(isKeyed))),
	)
}

// keepLast forgets stored answers when more Idempotency-Keys have been used since.
func keepLast(by naming, n int) lie {
	type used struct {
		order  []string
		serial map[string]int
	}
	return editByHistory(by, func(u *used, _ server, c *call) {
		if !isKeyed(c, nil) || len(c.request.Header["Idempotency-Key"]) != 1 || len(c.idempotencyKey()) > 200 {
			return
		}
		if u.serial == nil {
			u.serial = map[string]int{}
		}
		id := c.key() + " " + c.idempotencyKey()
		if !slices.Contains(u.order, id) {
			u.order = append(u.order, id)
			u.serial[id]++
		}
		if len(u.order) > n {
			u.order = u.order[len(u.order)-n:]
		}
		if s := u.serial[id]; s > 1 {
			c.request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", c.idempotencyKey(), s))
		}
	})
}

// sameKeyMutants take different Idempotency-Keys for the same, or the same for different ones.
func sameKeyMutants() (all []row) {
	same := func(name string, f func(k string) string) {
		all = append(all, mutant("takes Idempotency-Keys for the same that differ only "+name, rename(f)))
	}
	for _, n := range []int{32, 36, 48, 64, 100, 128, 191, 200, 250, 254} {
		same(fmt.Sprintf("after %d characters", n), func(k string) string { return k[:min(n, len(k))] })
	}
	same("in quotation marks around them", func(k string) string { return cmp.Or(strings.Trim(k, `"`), k) })
	same("in percent-encoding", func(k string) string {
		if t, err := url.PathUnescape(k); err == nil && t != "" && !strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return t
		}
		return k
	})
	cut := func(sep string) func(string) string {
		return func(k string) string {
			head, _, _ := strings.Cut(k, sep)
			return cmp.Or(head, k)
		}
	}
	same("after a comma", cut(","))
	same("after a semicolon", cut(";"))
	same("after a slash", cut("/"))
	same("after a colon", cut(":"))
	same("in punctuation", func(k string) string { return cmp.Or(strings.Map(alphanumericOnly, k), k) })
	same("in leading zeros", func(k string) string { return cmp.Or(strings.TrimLeft(k, "0"), k) })
	same("in hyphens", func(k string) string { return cmp.Or(strings.ReplaceAll(k, "-", ""), k) })
	same("in backslashes", func(k string) string { return cmp.Or(strings.ReplaceAll(k, `\`, ""), k) })
	same("in their last character", func(k string) string { return k[:max(1, len(k)-1)] })
	same("in the order of their characters", func(k string) string {
		b := []byte(k)
		slices.Sort(b)
		return string(b)
	})
	return append(all, foreignKeyMutants()...)
}

// foreignKeyMutants returns defects that honour Idempotency-Keys which should have no effect: those sent to GET /status, and
// those of other accounts.
func foreignKeyMutants() []row {
	return []row{
		mutant("refuses GET /status with an Idempotency-Key", on(both(isStatusRecord, callIs(func(c *call) bool { return c.idempotencyKey() != "" })), recode(400))),
		mutant("answers GET /status with the stored record of its Idempotency-Key", remember(func(c *call) string {
			if c.isStatus() && c.idempotencyKey() != "" {
				return c.key() + c.idempotencyKey()
			}
			return ""
		}, replayFirst(isStatusRecord))),
		mutant("answers GET /status with the stored result of its Idempotency-Key", remember(func(c *call) string {
			if (c.isStatus() || c.isExtract()) && c.idempotencyKey() != "" {
				return c.key() + c.idempotencyKey()
			}
			return ""
		}, func(stored **reply, _ server, c *call, a *reply) {
			switch {
			case isResult(c, a):
				*stored = a.clone()
			case c.isStatus() && *stored != nil:
				a.become(*stored)
			}
		})),
		mutant("takes a used Idempotency-Key of another account for a conflict", remember(func(c *call) string { return c.idempotencyKey() }, func(first *string, _ server, c *call, a *reply) {
			switch {
			case !isResult(c, a):
			case *first == "":
				*first = c.key()
			case *first != c.key():
				a.status = 400
			}
		})),
	}
}

func alphanumericOnly(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return -1
}

// replayFormMutants change bytes of repeats, in one format each, with enhancement or without.
func replayFormMutants() (all []row) {
	ways := []named[change]{
		{"sends the members in another order", func(_ *call, a *reply) {
			if o := a.object(); o != nil {
				a.body = encode(o)
			}
		}},
		{"adds white space to", raw(func(b string) string { return b + " " })},
		{"indents", func(_ *call, a *reply) {
			var b bytes.Buffer
			if json.Indent(&b, a.body, "", " ") == nil {
				a.body = b.Bytes()
			}
		}},
		{"writes the document anew in", edit(func(o object) {
			if s, ok := o["document"].(string); ok {
				o["document"] = strings.NewReplacer("T12:00:00Z", "T12:00:01Z", "\t-1\t\n", "\t-1.0\t\n").Replace(s)
			}
		})},
		{"rounds the confidence of", edit(func(o object) { o["confidence"] = float64(int(confidence(o)*10)) / 10 })},
		{"measures the time again for", edit(func(o object) { o["processingTime"] = number(o, "processingTime") + 1 })},
		{"escapes letters in", func(_ *call, a *reply) {
			a.body = []byte(strings.Replace(string(a.body), "success", `\u0073uccess`, 1))
		}},
		{"leaves out the reader of", drop("reader")},
		{"leaves out the edits of", drop("edits")},
		{"ends the text with a line feed in", edit(func(o object) { o["text"] = fmt.Sprint(o["text"], "\n") })},
	}
	for i, format := range formats {
		for j, enhance := range []bool{false, true} {
			for k := range 2 {
				way := pick(ways, 2*i+3*j+5*k)
				if way.name == "leaves out the edits of" && !enhance || strings.HasPrefix(way.name, "writes the document") && (format == "json" || format == "text" || format == "hocr") {
					way = ways[0]
				}
				all = append(all, mutant(fmt.Sprintf("%s a repeat as %s with enhance %t", way.name, format, enhance), repeats(func(w when) lie {
					return on(both(w, callIs(func(c *call) bool {
						o := c.fields()
						f, _ := o["format"].(string)
						return (f == format || f == "" && format == "json") && (o["enhance"] == true) == enhance
					})), way.of)
				})))
			}
		}
	}
	return removeDuplicates(all)
}
