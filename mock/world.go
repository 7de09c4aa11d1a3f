package mock

import (
	"container/list"
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"uncial/internal/edge"
)

// price of an extraction, in points.
const price = 10

// windowLength is that of the rate limit's fixed window, aligned to the epoch.
const windowLength = time.Minute

// maxKeys are remembered, those that were used last; a key that was forgotten begins anew.
const maxKeys = 1024

type plan struct{ points, limit int64 }

// plans is the catalogue that the service ships with.
var plans = map[string]plan{
	"free":    {300, 10},
	"pro":     {10_000, 60},
	"archive": {1_000_000, 600},
}

// world is everything that the mock remembers.
type world struct {
	frozen bool
	start  time.Time // what a frozen clock shows

	mu        sync.Mutex
	moved     time.Duration   // how far the clock was moved
	keys      map[string]*key // guarded by mu, like all below
	recent    list.List       // of *key, the one used last in front
	strangers map[hash]uint64 // how often requests came that have no key
	era       uint64          // how often something was forgotten for want of room
	kept      list.List       // of *reply, the oldest in front
	journal   journal
}

// key is one key with the account that it alone has. It is guarded by the world's mutex.
type key struct {
	name     string
	scenario *keyScenario
	plan     string
	limit    int64
	status   string
	total    int64
	used     int64
	month    time.Time     // first instant of the month that total and used are of
	window   time.Time     // first instant of the window that counted is of
	counted  int64         // requests in the window
	requests uint64        // all that were ever sent with the key
	era      uint64        // that the key began in
	moved    time.Duration // how far the key's own clock was moved
	replies  map[replyID]*reply
	place    *list.Element // in recent
}

func newWorld(frozen bool, start time.Time) *world {
	w := &world{frozen: frozen, start: start.UTC()}
	w.forget()
	return w
}

// forget brings everything back to how it began.
func (w *world) forget() {
	w.moved, w.era = 0, 0
	w.keys = map[string]*key{}
	w.strangers = map[hash]uint64{}
	w.recent.Init()
	w.kept.Init()
	w.journal = journal{}
}

// now is the time that a key, or with nil the mock, lives in.
func (w *world) now(k *key) time.Time {
	now := w.start
	if !w.frozen {
		now = time.Now().UTC()
	}
	if k != nil {
		now = now.Add(k.moved)
	}
	return now.Add(w.moved)
}

// use calls do with the key as it stands at the present time, under the mutex. False where there is no such key.
func (w *world) use(name string, do func(k *key, now time.Time)) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.find(name)
	if k == nil {
		return false
	}
	do(k, w.now(k))
	return true
}

// find is the key of that name at the present time, nil where there is none. A key of a scenario comes into being here.
func (w *world) find(name string) *key {
	k, ok := w.keys[name]
	if !ok {
		scenario := findKey(name)
		if scenario == nil {
			return nil
		}
		k = w.add(name, scenario)
	}
	w.recent.MoveToFront(k.place)
	k.advance(w.now(k))
	return k
}

func (w *world) add(name string, s *keyScenario) *key {
	k := &key{name: name, scenario: s, plan: s.plan, status: s.status, used: s.used, era: w.era, replies: map[replyID]*reply{}}
	k.limit, k.total = plans[s.plan].limit, plans[s.plan].points
	k.month, k.window = monthOf(w.now(k)), w.now(k).Truncate(windowLength)
	k.place = w.recent.PushFront(k)
	w.keys[name] = k
	if w.recent.Len() > maxKeys {
		w.drop(w.recent.Back().Value.(*key))
		w.era++
	}
	return k
}

// drop forgets the key and its replies.
func (w *world) drop(k *key) {
	w.recent.Remove(k.place)
	delete(w.keys, k.name)
	for _, r := range k.replies {
		w.dropReply(r)
	}
}

// advance begins a new month and a new window where their time has come.
func (k *key) advance(now time.Time) {
	if month := monthOf(now); month.After(k.month) {
		k.month, k.used, k.total = month, 0, plans[k.plan].points
	}
	if window := now.Truncate(windowLength); window.After(k.window) {
		k.window, k.counted = window, 0
	}
}

// scenario is what the key does; nothing special for a key that is gone.
func (w *world) scenario(name string) (s keyScenario) {
	w.use(name, func(k *key, _ time.Time) { s = *k.scenario })
	return s
}

func monthOf(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) }

func (k *key) remaining() int64 { return k.total - k.used }

func (k *key) nextReset() time.Time { return k.month.AddDate(0, 1, 0) }

// limits is the window as it stands.
func (k *key) limits(now time.Time) edge.Window {
	left := max(0, k.limit-k.counted)
	if k.scenario.limited {
		left = 0
	}
	return edge.Window{Limit: k.limit, Remaining: left, Reset: k.window.Add(windowLength), Now: now}
}

var _ edge.Gate = (*world)(nil)

var errGone = errors.New("the key is gone: the mock was reset")

// Authenticate lets the keys of the scenarios in, and those that were made by PUT /__mock/keys.
func (w *world) Authenticate(_ context.Context, token string, _ netip.Addr) (p edge.Principal, err error) {
	known := w.use(token, func(k *key, _ time.Time) {
		if k.status != active {
			err = edge.Unauthorized(errors.New("the key is " + k.status))
			return
		}
		p = edge.Principal{AccountID: k.name, KeyID: k.name, Plan: k.plan, Token: token}
	})
	if !known {
		return p, edge.Unauthorized(errors.New("the key is of no scenario"))
	}
	return p, err
}

// Count counts an extraction.
func (w *world) Count(_ context.Context, p edge.Principal) (window edge.Window, allowed bool, err error) {
	known := w.use(p.Token, func(k *key, now time.Time) {
		if allowed = !k.scenario.limited && k.counted < k.limit; allowed {
			k.counted++
		}
		window = k.limits(now)
	})
	if !known {
		err = errGone
	}
	return window, allowed, err
}

// Window is the window as it stands.
func (w *world) Window(_ context.Context, p edge.Principal) (window edge.Window, err error) {
	if !w.use(p.Token, func(k *key, now time.Time) { window = k.limits(now) }) {
		err = errGone
	}
	return window, err
}

// RemainingPoints is what the key has left.
func (w *world) RemainingPoints(_ context.Context, p edge.Principal) (points int64, err error) {
	if !w.use(p.Token, func(k *key, _ time.Time) { points = k.remaining() }) {
		err = errGone
	}
	return points, err
}

// hold takes the price of an extraction from the key's points. What it returns is charged unless it is released.
func (w *world) hold(name string) (held *hold, err error) {
	known := w.use(name, func(k *key, _ time.Time) {
		if k.remaining() < price {
			err = edge.Insufficient(price, k.remaining(), k.nextReset())
			return
		}
		k.used += price
		held = &hold{k, k.month, k.window}
	})
	if !known {
		return nil, errGone
	}
	return held, err
}

// hold is points that an extraction under way has taken.
type hold struct {
	key           *key
	month, window time.Time // that they were taken in
}

// release gives the points back. uncount also takes the request out of the window, for answers that production gives
// before it counts. After a reset there is nothing to give back.
func (w *world) release(h *hold, uncount bool) {
	w.use(h.key.name, func(k *key, _ time.Time) {
		if k == h.key && k.month.Equal(h.month) {
			k.used -= price
		}
		if k == h.key && k.window.Equal(h.window) && uncount {
			k.counted = max(0, k.counted-1)
		}
	})
}
