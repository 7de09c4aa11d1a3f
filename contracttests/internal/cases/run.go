package cases

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/model"
)

// Run is a target, its accounts, and everything learned about it so far. Its cases run one after the other; only the requests
// of one case may be concurrent. Runs that Parallel has made run at the same time.
type Run struct {
	model.Target
	*shared
	accounts map[string][]*model.Account // by scenario
	usedUp   map[*model.Account]bool     // accounts whose window this run has used up, so that it will reset
	still    *bool                       // whether the clock of a simulated target stands still; nil if not tried
}

// shared is what the lanes of a run know about the server, whatever account they use.
type shared struct {
	contract *answer.Contract
	served   *answer.Contract // what the target serves as its contract, nil if it serves none; set by Probe
	isExact  bool             // served has the version of contract
	skew     time.Duration    // how far the clock of the target is ahead; set by Probe

	secrets     answer.Secrets    // the API keys of all runs that share it
	description *model.Exchange   // the document that the header Link led to when the run began; nil if it led nowhere
	links       map[string]string // what is wrong with other addresses in Link, "" if nothing is; guarded by mu
	readings    expect.Readings
	name        string // unique among all runs

	shelf *shelf // serves images; nil unless the target fetches from the run

	mu       sync.Mutex // guards requests, ids, links, serial and the exchanges of the session
	requests int
	ids      map[string]bool
	serial   int
}

// Open prepares a run against a target whose defaults are filled in. It sends nothing.
func Open(t model.Target) (*Run, error) {
	contract, err := answer.Load()
	if err != nil {
		return nil, err
	}
	if t.Contract != nil {
		contract = answer.Prepare(t.Contract)
	}
	r := newRun(t, &shared{contract: contract, name: "contract-" + rand.Text()[:10], ids: map[string]bool{}, links: map[string]string{}})
	r.secrets = answer.NewSecrets(t.Secrets())
	return r, nil
}

func newRun(t model.Target, with *shared) *Run {
	r := &Run{Target: t, shared: with, accounts: map[string][]*model.Account{}, usedUp: map[*model.Account]bool{}}
	for scenario, keys := range t.Keys {
		for _, k := range keys {
			r.accounts[scenario] = append(r.accounts[scenario], &model.Account{Scenario: scenario, Key: k, Skew: with.skew})
		}
	}
	return r
}

// Parallel returns a run for the keys of each group of accounts. Their cases may run concurrently with those of r. Probe must
// have succeeded, the client of the target must have an http.Transport, and no case may be running.
func (r *Run) Parallel(ctx context.Context, groups []map[string][]string) ([]*Run, error) {
	all := r.Secrets()
	for _, keys := range groups {
		for scenario := range r.Keys { // cases for other scenarios are already skipped
			if len(keys[scenario]) == 0 {
				return nil, fmt.Errorf("no key for the scenario %q", scenario)
			}
			all = append(all, keys[scenario]...)
		}
	}
	r.SetSecrets(all)
	r.secrets = answer.NewSecrets(all)
	var runs []*Run
	for _, keys := range groups {
		t, client := r.Target, *r.Client
		client.Transport = r.Client.Transport.(*http.Transport).Clone() // some cases need to know that a connection is new
		t.Client, t.Keys = &client, maps.Clone(keys)
		maps.DeleteFunc(t.Keys, func(scenario string, _ []string) bool { return r.Keys[scenario] == nil })
		run := newRun(t, r.shared)
		runs = append(runs, run)
		if err := run.probeKeys(ctx); err != nil {
			for _, opened := range runs {
				opened.Client.CloseIdleConnections()
			}
			return nil, err
		}
	}
	return runs, nil
}

// Begin starts what the run offers to the target. End must follow.
func (r *Run) Begin() (err error) {
	if r.ServeImages != "" {
		r.shelf, err = openShelf(r.ServeImages, r.ImagesURL, r.name)
	}
	return err
}

// End stops what Begin has started.
func (r *Run) End() {
	r.Client.CloseIdleConnections()
	r.shelf.close()
}

// Requests counts the requests sent by cases, those of runs beside this one included.
func (r *Run) Requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// Spent is what the run has cost its accounts, in points.
func (r *Run) Spent() (points int64) {
	for _, accounts := range r.accounts {
		for _, a := range accounts {
			points += a.Spent
		}
	}
	return points
}

// Maximum lengths of a problem and of a wrong answer in a report, in characters.
const (
	MaxReason = 2000
	maxQuoted = 600
)

// triesOfWindow is the number of attempts to use up a window that resets before a request can be refused.
const triesOfWindow = 3

// windowReset reports whether the case needs a 429, used up a window for it, and saw none before the window reset.
func (s *session) windowReset(c Case) bool {
	return c.Status == http.StatusTooManyRequests && !s.hasSeen(c.Operation, c.Status) && !s.usedUpUntil.IsZero() && time.Now().After(s.usedUpUntil)
}

// Do runs one case. At its end the server must agree with the model about every account that the case used.
func (r *Run) Do(ctx context.Context, c Case) model.Result {
	s := &session{Run: r}
	started, spent := time.Now(), r.Spent()
	err := c.check(ctx, s)
	for tries := 1; err == nil && s.windowReset(c) && tries < triesOfWindow; tries++ {
		err = c.check(ctx, s)
	}
	if err == nil {
		err = s.confirmAll(ctx)
	}
	result := model.Result{
		Case: c.Name, Outcome: model.Passed, Explanation: c.Explanation,
		Duration: time.Since(started), Points: r.Spent() - spent, Requests: len(s.exchanges), Extractions: s.counted(), LeftOut: s.leftOut,
	}
	// A case in which the situation that it tests never occurred has checked nothing.
	if err == nil && c.Status != 0 && !s.hasSeen(c.Operation, c.Status) {
		err = fail(nil, "the case needs a %d of %s, but none came", c.Status, c.Operation)
		if s.windowReset(c) {
			err = &skip{"the window reset before a request could be refused: the server or the network is slow"}
		}
	}
	if _, skipped := errors.AsType[*skip](err); skipped {
		result.Outcome, result.Reason = model.Skipped, err.Error()
	} else if errors.Is(err, model.ErrIdleClosed) || errors.Is(err, errNoDocument) || isUnreachable(err) {
		result.Outcome, result.Reason = model.Errored, r.Presentable(err.Error(), MaxReason)
	} else if err != nil {
		result.Outcome, result.Reason = model.Failed, r.Presentable(err.Error(), MaxReason)
		if f := asFailure(err); f != nil && f.exchange != nil {
			r.blame(&result, f.exchange)
			result.Reason += r.doubtfulKey(c, f.exchange)
		}
	}
	return result
}

// isUnreachable reports whether no connection could be made: the server is down, so the case says nothing about it.
func isUnreachable(err error) bool {
	if f := asFailure(err); f != nil {
		return f.exchange != nil && f.exchange.Unreachable
	}
	return model.IsUnreachable(err)
}

// blame adds the exchange that shows the problem to a result, shortened and without keys.
func (r *Run) blame(result *model.Result, x *model.Exchange) {
	result.Curl = x.Curl()
	if a := x.Request.Account; a != nil {
		result.Key = a.Scenario
	} else if strings.Contains(result.Curl, "UNCIAL_KEY") {
		result.Key = model.KeyOK
	}
	// Some requests of an account carry a key other than its own.
	for _, scenario := range slices.Sorted(maps.Keys(r.Keys)) {
		if slices.ContainsFunc(r.Keys[scenario], x.Request.Uses) {
			result.Key = scenario
		}
	}
	if x.Status != 0 {
		result.Answer = fmt.Sprintf("%d %s", x.Status, x.Target.Presentable(withoutEscapes(string(x.Body)), maxQuoted))
	}
}

// mistakes in a keys file can look like defects of the server; they are listed by the scenario of the key.
var mistakes = map[string]string{
	model.KeyExpired: "has not expired",
	model.KeyRevoked: "has not been revoked",
	model.KeyOutside: "may be used from this address",
	model.KeySibling: `does not belong to the account of the first key of "ok"`,
}

// doubtfulKey continues the reason of a failure that a wrong key may explain; it returns "" if none can.
func (r *Run) doubtfulKey(c Case, x *model.Exchange) string {
	if r.Promised || x.Status == 0 || x.Status == http.StatusUnauthorized {
		return ""
	}
	for _, scenario := range slices.Sorted(maps.Keys(mistakes)) {
		if slices.Contains(c.Needs, needKey(scenario)) {
			return fmt.Sprintf("; if the key of %q %s, correct the keys file", scenario, mistakes[scenario])
		}
	}
	return ""
}

// stringLiteral matches the strings of JSON, names included.
var stringLiteral = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// withoutEscapes replaces escapes such as \u00e9 in JSON by the letters themselves, for people.
func withoutEscapes(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	return stringLiteral.ReplaceAllStringFunc(text, func(literal string) string {
		var s string
		if json.Unmarshal([]byte(literal), &s) != nil {
			return literal
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s) // a string can always be encoded
		return strings.TrimSuffix(b.String(), "\n")
	})
}

// Probe checks that there is a server of the contract and that it accepts the keys, before every case reports the same.
func (r *Run) Probe(ctx context.Context) error {
	first, err := r.Exchange(ctx, get("/status").bare())
	if err != nil {
		return r.unanswered(ctx, err)
	}
	r.compareClocks(first)
	r.compareVersions(ctx, first)
	// One recognisable error suffices: the server may break the contract in the others, which is for the cases to
	// report.
	found := isEnvelope(first)
	for _, q := range []*model.Request{invalid().bare(), get("/no-such-path").bare()} {
		x, err := r.Exchange(ctx, q)
		found = found || err == nil && isEnvelope(x)
	}
	if !found {
		if first.Status == http.StatusBadRequest && isHTTPS.Match(first.Body) && strings.HasPrefix(r.BaseURL, "http://") {
			return fmt.Errorf("%s answers %d %s; begin the base URL with https://", r.BaseURL, first.Status, r.Presentable(string(first.Body), 60))
		}
		return fmt.Errorf("the server at %s does not implement this contract: GET /status without a key must get a 401 in JSON, not %d %s; check the base URL",
			r.BaseURL, first.Status, r.Presentable(string(first.Body), 60))
	}
	if err := r.probeKeys(ctx); err != nil {
		return err
	}
	if first.Status == http.StatusNotFound {
		if err := r.probePath(ctx); err != nil {
			return err
		}
	}
	if err := r.probeClock(ctx); err != nil {
		return err
	}
	if keys := r.Keys[model.KeyOK]; r.description == nil && len(keys) > 0 { // the Link of errors may differ from that of successes
		if x, err := r.Exchange(ctx, statusWith(keys[0])); err == nil {
			r.compareVersions(ctx, x)
		}
	}
	return nil
}

// statusWith asks for the status with a key, outside the model of its account.
func statusWith(key string) *model.Request {
	q := get("/status").bare()
	q.Auth = []model.Credential{model.Bearer(key)}
	return q
}

// bare is the request of an ask without an account.
func (a ask) bare() *model.Request {
	a.Complete(model.Target{})
	return &a.Request
}

// codes occur in every error of the contract, however wrong the rest of it may be.
var codes = regexp.MustCompile(`(?i)INVALID_REQUEST|INVALID_API_KEY|INSUFFICIENT_POINTS|RATE_LIMITED|SERVER_ERROR`)

// isEnvelope reports whether the answer looks like an error of the contract. JSON may write any letter as an escape.
func isEnvelope(x *model.Exchange) bool {
	var value any
	if json.Unmarshal(x.Body, &value) == nil {
		return codes.Match(model.MustJSON(value))
	}
	return codes.Match(x.Body)
}

// isHTTPS matches what servers answer to HTTP without TLS on a port for HTTPS.
var isHTTPS = regexp.MustCompile(`HTTP request .*HTTPS`)

// probeKeys requires the server to accept the keys: a refused key is a mistake in the keys file rather than a problem of the
// server. If the state of the keys is promised, one key suffices to see that they belong to this server.
func (r *Run) probeKeys(ctx context.Context) error {
	scenarios := []string{model.KeyOK, model.KeySpare, model.KeyLow, model.KeyEmpty, model.KeyExact, model.KeyRateLimited, model.KeySibling, model.KeyCapped, model.KeyUncapped}
	if r.Promised {
		scenarios = scenarios[:1]
	}
	for _, scenario := range scenarios {
		for i, key := range r.Keys[scenario] {
			// Two requests, because a defective server may refuse a valid key on one path.
			refused := true
			for _, q := range []*model.Request{get("/status").bare(), invalid().bare()} {
				q.Auth = []model.Credential{model.Bearer(key)}
				x, err := r.Exchange(ctx, q)
				if err != nil {
					return r.unanswered(ctx, err)
				}
				if refused = x.Status == http.StatusUnauthorized; !refused {
					break
				}
			}
			if refused {
				return fmt.Errorf("the server refuses key %d of the scenario %q with a 401; check that it is an active key of this server", i+1, scenario)
			}
		}
	}
	return nil
}

// probePath returns an error if the base URL points to a wrong path of a server that conforms to the contract, where every
// request gets a 404.
func (r *Run) probePath(ctx context.Context) error {
	for _, key := range r.Keys[model.KeyOK] {
		x, err := r.Exchange(ctx, statusWith(key))
		if err != nil {
			return r.unanswered(ctx, err)
		}
		if x.Status != http.StatusNotFound || !isEnvelope(x) {
			return nil
		}
	}
	return fmt.Errorf("%s answers in the form of the contract, but GET /status with a key gets a 404; check the path of the base URL", r.BaseURL)
}
