package mock

import (
	"container/list"
	"errors"
	"sync"
	"time"

	"uncial/internal/contract"
)

// maxKeys is the number of keys that are kept: enough for a team whose pipelines run the contract suite on one mock at the same
// time. A key that was dropped starts again in its initial state.
const maxKeys = 2048

var plans = contract.DefaultPlans()

// state is everything that the mock remembers. One mutex guards all of it: requests hold it for microseconds, and a single
// lock makes "charge, count and remember" atomic without rules for the order of several locks. Memory is bounded by
// maxKeys, maxReplies, maxUnkeyed and the limits of the journal, whatever clients send.
type state struct {
	frozen bool
	start  time.Time // the time on a frozen clock that nobody has moved

	mu         sync.Mutex                  // guards everything below, keys and replies included
	moved      time.Duration               // how far the clock was moved
	keys       map[string]*key             // by token
	recent     list.List                   // of *key, most recently used first
	unkeyed    map[hash]uint64             // requests without a key: how often each was received
	generation uint64                      // number of times that a limit caused something to be forgotten
	replies    list.List                   // of *reply, stored ones, oldest first
	faults     map[string]map[string]int64 // by key and kind; "" has those of all keys
	journal    journal
}

// key is one key and its account, which has no other key.
type key struct {
	name       string
	scenario   *keyScenario
	plan       string
	limit      int64  // requests per window
	status     string // active, expired or revoked
	total      int64  // allowance of the month, or the cap of the key if it is smaller, points
	used       int64
	month      time.Time       // start of the month that total and used belong to
	window     time.Time       // start of the window that counted belongs to
	counted    int64           // requests in the window
	requests   uint64          // all requests ever sent with the key
	generation uint64          // in which the key began
	moved      time.Duration   // how far the clock of this key was moved, in addition to state.moved
	replies    map[hash]*reply // by digest of the Idempotency-Key
	element    *list.Element   // in state.recent
}

// newState returns the initial state. start is the time on a frozen clock; a running clock shows the real time.
func newState(frozen bool, start time.Time) *state {
	s := &state{frozen: frozen, start: start.UTC()}
	s.reset()
	return s
}

// reset returns to the initial state. It needs the mutex, like all unexported methods below except use.
func (s *state) reset() {
	s.moved, s.generation = 0, 0
	s.keys = map[string]*key{}
	s.unkeyed = map[hash]uint64{}
	s.recent.Init()
	s.replies.Init()
	s.faults = map[string]map[string]int64{}
	s.journal = journal{}
}

// now returns the time of a key's clock or, for nil, of the mock's.
func (s *state) now(k *key) time.Time {
	now := s.start
	if !s.frozen {
		now = time.Now().UTC()
	}
	if k != nil {
		now = now.Add(k.moved)
	}
	return now.Add(s.moved)
}

// errGone ends a request whose key was reset while it ran; the client gets a 500.
var errGone = errors.New("no such key; the mock was reset")

// use calls do with the key, brought up to date, under the mutex. It returns errGone if there is no such key.
func (s *state) use(name string, do func(k *key, now time.Time)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.find(name)
	if k == nil {
		return errGone
	}
	do(k, s.now(k))
	return nil
}

// find returns the key of that name, brought up to date, or nil. The first use of a scenario's key creates it, so that
// suffixes need no preparation.
func (s *state) find(name string) *key {
	k, ok := s.keys[name]
	if !ok {
		scenario := findKey(name)
		if scenario == nil {
			return nil
		}
		k = s.add(name, scenario)
	}
	s.recent.MoveToFront(k.element)
	k.advance(s.now(k))
	return k
}

// add creates a key in the initial state of its scenario, and drops the least recently used one if there are too many. The
// generation then changes, so that the ids of later requests with the dropped key differ from those of its earlier ones.
func (s *state) add(name string, scenario *keyScenario) *key {
	k := &key{
		name: name, scenario: scenario, plan: scenario.plan, status: scenario.status, used: scenario.used,
		generation: s.generation, replies: map[hash]*reply{},
	}
	k.limit, k.total = plans[k.plan].Requests, k.allowance()
	k.month, k.window = contract.MonthStart(s.now(k)), contract.WindowStart(s.now(k))
	k.element = s.recent.PushFront(k)
	s.keys[name] = k
	if s.recent.Len() > maxKeys {
		s.deleteKey(s.recent.Back().Value.(*key))
		s.generation++
	}
	return k
}

// deleteKey forgets a key: its points and window, its faults, and its stored replies.
func (s *state) deleteKey(k *key) {
	s.recent.Remove(k.element)
	delete(s.keys, k.name)
	delete(s.faults, k.name)
	for _, r := range k.replies {
		s.dropReply(r)
	}
}

// advance starts a new month and a new window if the clock has passed the end of the old ones.
func (k *key) advance(now time.Time) {
	if month := contract.MonthStart(now); month.After(k.month) {
		k.month, k.used, k.total = month, 0, k.allowance()
	}
	if window := contract.WindowStart(now); window.After(k.window) {
		k.window, k.counted = window, 0
	}
}

// isCapped reports whether the cap of the key is the smaller one of its two limits.
func (k *key) isCapped() bool {
	return k.scenario.capped > 0 && k.scenario.capped < plans[k.plan].Points
}

// allowance returns the points of a month: those of the plan, or those of the cap if they are fewer. The account has no
// other key, so that both limits count the same points.
func (k *key) allowance() int64 {
	if k.isCapped() {
		return k.scenario.capped
	}
	return plans[k.plan].Points
}

// limitedBy names the limit that points refers to.
func (k *key) limitedBy() contract.Limit {
	if k.isCapped() {
		return contract.LimitedByKey
	}
	return contract.LimitedByAccount
}

// points returns the balance of the month that the key was advanced to.
func (k *key) points() contract.Points {
	return contract.Points{Used: k.used, Remaining: k.total - k.used, Total: k.total}
}

// rateLimit is the window as answers report it. A key that is always limited has nothing left, whatever it has used.
func (k *key) rateLimit(now time.Time) contract.Window {
	w := contract.NewWindow(k.limit, k.counted, k.window, now)
	if k.scenario.limited {
		w.Remaining = 0
	}
	return w
}

// hold is the price of a running extraction. It records month and window, because a test may move the clock
// while the extraction runs: points of an old month are not given back to the new one.
type hold struct {
	key           *key
	month, window time.Time // in which it was taken
}

// hold takes the price of an extraction from the key's points. The points stay charged unless release returns them.
func (s *state) hold(name string) (held *hold, err error) {
	gone := s.use(name, func(k *key, _ time.Time) {
		if p := k.points(); p.Remaining < contract.Price {
			err = contract.Insufficient(p.Remaining, contract.NextReset(k.month), k.limitedBy())
			return
		}
		k.used += contract.Price
		held = &hold{k, k.month, k.window}
	})
	return held, errors.Join(gone, err)
}

// release returns the points. With uncount it also takes the request out of the window, for errors that production gives
// before it counts. It does nothing after a reset.
func (s *state) release(h *hold, uncount bool) {
	_ = s.use(h.key.name, func(k *key, _ time.Time) {
		if k == h.key && k.month.Equal(h.month) {
			k.used -= contract.Price
		}
		if k == h.key && k.window.Equal(h.window) && uncount {
			k.counted = max(0, k.counted-1)
		}
	})
}

// countFault counts a fault for all keys together and, if there is such a key, for the key.
func (s *state) countFault(name, kind string) {
	count := func(of string) {
		if s.faults[of] == nil {
			s.faults[of] = map[string]int64{}
		}
		s.faults[of][kind]++
	}
	count("")
	if s.keys[name] != nil {
		count(name)
	}
}
