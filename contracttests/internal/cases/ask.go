package cases

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"uncial/contracttests/internal/model"
)

// Short names for what most rows use.
const (
	printed     = model.ImagePrinted
	other       = model.ImageOther
	blank       = model.ImageBlank
	unfetchable = model.ImageUnfetchable
	notAnImage  = model.ImageNotAnImage
)

// who is the sender of a request, by its part in the row.
type who int

const (
	first   who = iota // the account of the row
	sibling            // the account of the row, with its second key
	second             // another account with points
	nobody             // no account: the credential is invalid or missing
)

// credential makes a value of the Authorization header from a key, together with the shell words by which a report shows it
// without the key.
type credential func(key string) model.Credential

// ask is one step of a row: a request, or an advance of the clock. Its methods return changed copies, so that rows can be
// written as chains and share parts. The zero value is POST /extract without a body from the account of the row.
type ask struct {
	model.Request
	who         who
	credentials []credential
	repeat      func(base string) string       // makes the Idempotency-Key from a string that is unique in the run
	until       func(*model.Account) time.Time // advances the clock to this instant instead of sending a request
	parts       []part                         // its unusual features, one by one; a failure names the first part that fails on its own
}

// part is a request with only one of the unusual features of another request.
type part struct {
	what string
	ask  ask
}

// read asks for an extraction.
func read(image string) ask { return ask{Request: model.Request{Job: &model.Job{Image: image}}} }

// body sends a request body. wrong are the fields that details must name.
func body(text string, wrong ...string) ask {
	return ask{Request: model.Request{Body: []byte(text), Wrong: wrong}}
}

// invalid counts against the rate limit and costs nothing.
func invalid() ask { return body(`{}`, "imageUrl") }

// status asks for the status of the account.
func status() ask { return get("/status") }

// get sends a GET without a body.
func get(path string) ask { return ask{Request: model.Request{Method: http.MethodGet, Path: path}} }

// outsideContract sends a body with a method, or to a path, that the contract does not have.
func outsideContract(method, path string) ask {
	return ask{Request: model.Request{Method: method, Path: path, Body: []byte(`{}`)}}
}

// job changes a copy of the job, so that rows can share an ask.
func (a ask) job(change func(j *model.Job)) ask {
	j := *a.Job
	change(&j)
	a.Job = &j
	return a
}

func (a ask) format(name string) ask  { return a.job(func(j *model.Job) { j.Format = name }) }
func (a ask) language(tag string) ask { return a.job(func(j *model.Job) { j.Language = tag }) }
func (a ask) enhance(on bool) ask     { return a.job(func(j *model.Job) { j.Enhance = &on }) }

// sentBy changes the sender of the request.
func (a ask) sentBy(w who) ask { a.who = w; return a }

// keyed gives the request an Idempotency-Key. Equal names in a row make equal keys.
func (a ask) keyed(name string) ask {
	return a.keyedBy(func(base string) string { return base + name })
}

// keyedBy is keyed for keys whose form matters. base is unique in the run and has fewer than 40 characters.
func (a ask) keyedBy(repeat func(base string) string) ask { a.repeat = repeat; return a }

// auth replaces the credential of the account. In a template the key takes the place of $UNCIAL_KEY.
func (a ask) auth(templates ...string) ask {
	for _, t := range templates {
		a.credentials = append(a.credentials, func(key string) model.Credential { return model.Template(t, key) })
	}
	return a
}

// header sets a header other than Authorization. In its value $UNCIAL_KEY stands for the key.
func (a ask) header(name string, values ...string) ask {
	if a.Header = maps.Clone(a.Header); a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header[name] = values
	return a
}

// query sets the raw query. In it $UNCIAL_KEY stands for the key.
func (a ask) query(q string) ask { a.Query = q; return a }

// wrong adds fields that the server must name in details; the expected answer is then a 400.
func (a ask) wrong(fields ...string) ask {
	a.Wrong = slices.Concat(a.Wrong, fields)
	return a
}

func with(r model.Request) ask { return ask{Request: r} }

// move moves the clock forward.
func move(until func(a *model.Account) time.Time) ask { return ask{until: until} }

// confirmed asks for the status after each of the asks: the server must report what the model expects.
func confirmed(asks ...ask) (all []ask) {
	for _, a := range asks {
		all = append(all, a, status().sentBy(a.who))
	}
	return all
}

// countExtractions returns the number of asks that count against a rate limit.
func countExtractions(asks []ask) (n int64) {
	for _, a := range asks {
		if a.counts() {
			n++
		}
	}
	return n
}

// counts reports whether the request is an authenticated POST /extract, valid or not: only those count.
func (a ask) counts() bool {
	return a.until == nil && a.who != nobody && (a.Method == "" || a.Method == http.MethodPost) && (a.Path == "" || a.Path == "/extract")
}

// senders maps each sender of a row to its account.
type senders struct {
	accounts map[who]*model.Account
	base     string // of the Idempotency-Keys
}

// run sends the asks of a row: first the concurrent ones, then the others one after the other. Every answer is checked when
// it arrives (session.send, session.race); then adds what only this row can check.
func (r row) run(ctx context.Context, s *session) error {
	asks := r.asks
	if r.build != nil {
		asks = r.build(s)
	}
	c := &senders{map[who]*model.Account{}, s.idempotencyKey()}
	if err := s.choose(ctx, r, asks, c); err != nil {
		return err
	}
	var answers []*model.Exchange
	if r.atOnce > 0 {
		var requests []*model.Request
		for _, a := range asks[:r.atOnce] {
			requests = append(requests, s.request(a, c))
		}
		var err error
		if answers, err = s.race(ctx, c.accounts[first], requests); err != nil {
			return err
		}
	}
	for _, a := range asks[r.atOnce:] {
		if a.until != nil {
			if err := s.moveTo(ctx, c.accounts[first], a.until(c.accounts[first])); err != nil {
				return err
			}
			continue
		}
		q := s.request(a, c)
		if s.isKeyOfMock(q) {
			continue
		}
		x, err := s.send(ctx, q)
		if err != nil {
			return s.blamePart(ctx, a, c, err)
		}
		answers = append(answers, x)
	}
	if r.then != nil {
		return r.then(ctx, s, answers)
	}
	return nil
}

// blamePart sends the parts of a failed request one by one, and returns the failure of the first that also fails.
func (s *session) blamePart(ctx context.Context, a ask, c *senders, err error) error {
	if asFailure(err) == nil {
		return err
	}
	for _, p := range a.parts {
		if _, alone := s.send(ctx, s.request(p.ask, c)); asFailure(alone) != nil {
			return explain(alone, "with %s", p.what)
		}
	}
	return err
}

// scenarioKey is a key of the mock: the name of a scenario, alone or with any suffix.
var scenarioKey = regexp.MustCompile(`(?i)^bearer ocr_test_[a-z]+(?:_[A-Za-z0-9._~+/-]*=*)?$`)

// isKeyOfMock reports whether the credential of nobody is another valid key, because the target is a mock.
func (s *session) isKeyOfMock(r *model.Request) bool {
	return s.Simulated && r.Account == nil && len(r.Auth) == 1 && scenarioKey.MatchString(r.Auth[0].Value) &&
		!slices.Contains(s.Secrets(), strings.TrimPrefix(r.Auth[0].Value, "Bearer "))
}

// choose finds the accounts that the asks of a row use. Rows whose requests all come from nobody need none, so that they run
// whatever state the accounts are in.
func (s *session) choose(ctx context.Context, r row, asks []ask, c *senders) (err error) {
	uses := func(w who) bool { return slices.ContainsFunc(asks, func(a ask) bool { return a.who == w }) }
	if !uses(first) && !uses(sibling) {
		return nil
	}
	paid := r.points / model.Cost
	if paid == 0 && slices.ContainsFunc(asks, func(a ask) bool { return a.Job != nil }) {
		paid = 1 // a failing extraction holds points until it has failed
	}
	switch {
	case r.scenario() == model.KeyError: // every request gets a 500, so nothing is known about the account
		c.accounts[first] = s.accounts[model.KeyError][0]
	case uses(sibling): // the second key belongs to the account of ok's first one
		c.accounts[first] = s.accounts[model.KeyOK][0]
		err = s.open(ctx, c.accounts[first])
	case slices.Contains(r.needs, model.NeedClock):
		c.accounts[first], err = s.frozenAccount(ctx, r.scenario(), paid)
	default:
		c.accounts[first], err = s.account(ctx, r.scenario(), countExtractions(asks), paid)
	}
	c.accounts[sibling] = c.accounts[first]
	if err == nil && uses(second) {
		c.accounts[second], err = s.account(ctx, model.KeySpare, 1, 1, c.accounts[first])
	}
	return err
}

// maxTemplate is the longest body in which the key takes the place of model.KeyVariable, in bytes.
const maxTemplate = 1 << 10

// request makes the request of an ask: it fills in account, credentials, and the key wherever model.KeyVariable stands for
// it. Requests of nobody use the first key of ok where a template needs one.
func (s *session) request(a ask, c *senders) *model.Request {
	r := a.Request
	r.Account = c.accounts[a.who]
	var key string
	if r.Account != nil {
		key = r.Account.Key
	} else if keys := s.Keys[model.KeyOK]; len(keys) > 0 {
		key = keys[0]
	}
	if a.who == sibling {
		key = s.Keys[model.KeySibling][0]
		r.Auth = []model.Credential{model.Bearer(key)}
	}
	for _, credential := range a.credentials {
		r.Auth = append(r.Auth, credential(key))
	}
	r.Query = strings.ReplaceAll(r.Query, model.KeyVariable, key)
	r.Text = strings.ReplaceAll(r.Text, model.KeyVariable, key)
	if len(r.Body) < maxTemplate && bytes.Contains(r.Body, []byte(model.KeyVariable)) {
		r.Body = bytes.ReplaceAll(r.Body, []byte(model.KeyVariable), []byte(key))
	}
	r.Header = maps.Clone(r.Header)
	for name, values := range r.Header {
		if len(values) == 1 {
			r.Header[name] = []string{strings.ReplaceAll(values[0], model.KeyVariable, key)}
		}
	}
	if a.repeat != nil {
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set("Idempotency-Key", a.repeat(c.base))
	}
	return &r
}
