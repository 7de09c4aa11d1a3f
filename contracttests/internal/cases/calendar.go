package cases

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"uncial/contracttests/internal/model"
)

// youngAges are ages at which an answer is still stored; ages are those at which it is not.
var (
	youngAges = []time.Duration{
		time.Second, time.Minute, 2*time.Minute + time.Second, 5*time.Minute + time.Second, 11 * time.Minute, 16 * time.Minute, 31 * time.Minute, time.Hour, 2*time.Hour + time.Second, 3*time.Hour + time.Second, 6*time.Hour + time.Second,
		8*time.Hour + time.Second, 12*time.Hour + time.Second, 18*time.Hour + time.Second, 20*time.Hour + time.Second, 23*time.Hour + time.Second, 23*time.Hour + 31*time.Minute, 24*time.Hour - 2*time.Second, 24*time.Hour - time.Second,
	}
	ages = []time.Duration{
		24*time.Hour + time.Second, 24*time.Hour + 25*time.Second, 24*time.Hour + 50*time.Second, 24*time.Hour + 10*time.Minute, 25*time.Hour - time.Second, 26*time.Hour - time.Second, 35 * time.Hour, 71 * time.Hour, 6 * 24 * time.Hour, 29 * 24 * time.Hour,
	}
)

// boundaries return the next instant at which a unit of the calendar ends.
var boundaries = []func(t time.Time) time.Time{
	func(t time.Time) time.Time { return t.Truncate(time.Hour).Add(time.Hour) },
	func(t time.Time) time.Time { return t.Truncate(12 * time.Hour).Add(12 * time.Hour) },
	func(t time.Time) time.Time { return nextDay(t) },
	func(t time.Time) time.Time { return nextDay(t).Add(5 * time.Hour) },                             // midnight in New York
	func(t time.Time) time.Time { return nextDay(t).AddDate(0, 0, (8-int(nextDay(t).Weekday()))%7) }, // Monday
	model.NextMonth,
	func(t time.Time) time.Time { return time.Date(t.UTC().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC) },
}

func nextDay(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) }

// replaysOverTime stores answers and repeats their requests later. The model of the account knows which answers are still
// stored.
func replaysOverTime(*session) (asks []ask) {
	var start time.Time
	at := func(age time.Duration) ask {
		return move(func(*model.Account) time.Time { return start.Add(age) })
	}
	begin := move(func(a *model.Account) time.Time {
		start = a.Window.Reset // a whole second
		return start
	})
	asks = append(asks, begin, read(printed).keyed("young"))
	for i := range ages {
		asks = append(asks, read(blank).keyed(fmt.Sprint("old", i)))
	}
	for i, age := range youngAges {
		asks = append(asks, at(age), read(printed).keyed("young"))
		if i%3 == 0 { // a conflict, as long as the answer is stored
			asks = append(asks, read(blank).keyed("young").wrong("Idempotency-Key"))
		}
	}
	// The lifetime counts from the first answer, however often it was repeated.
	asks = append(asks, at(24*time.Hour), read(printed).keyed("young"))
	for i, age := range ages {
		asks = append(asks, at(age), status(), read(blank).keyed(fmt.Sprint("old", i)), status())
	}
	for i, next := range boundaries {
		before := func(a *model.Account) time.Time { return next(a.Now).Add(-5 * time.Second) }
		asks = append(asks, later(time.Minute), move(before), read(blank).keyed(fmt.Sprint("end", i)), later(10*time.Second), read(blank).keyed(fmt.Sprint("end", i)))
	}
	return asks
}

// months is the number of consecutive months that are visited, so that every kind of month and its end occur.
const months = 14

// inMonth are the instants that are visited in a month, from its first instant on or, if negative, before its end. Some are a
// few hours away, when a month begins in other time zones.
var inMonth = []time.Duration{
	0, time.Second, 59 * time.Minute, 61 * time.Minute, 4*time.Hour + 59*time.Minute, 6 * time.Hour, 8*time.Hour + time.Minute, 24 * time.Hour, 7 * 24 * time.Hour, 8 * 24 * time.Hour, 9*24*time.Hour + time.Hour, 14*24*time.Hour + time.Hour, 15 * 24 * time.Hour,
	27*24*time.Hour + time.Hour, -26 * time.Hour, -24 * time.Hour, -14*time.Hour + time.Second, -9*time.Hour + time.Second, -time.Hour, -59*time.Minute - 30*time.Second, -time.Minute, -30 * time.Second, -10 * time.Second, -time.Second, -time.Millisecond,
}

// gaps are numbers of months without a call.
var gaps = []int{2, 3, 6, 11, 12, 13, 24, 36, 120}

// farAhead are instants at which programs that count seconds in 32 bits fail, and Februaries of every kind.
var farAhead = []time.Time{
	time.Date(2048, 2, 28, 23, 0, 0, 0, time.UTC), time.Date(2048, 2, 29, 12, 0, 0, 0, time.UTC), time.Date(2049, 2, 28, 12, 0, 0, 0, time.UTC), time.Date(2099, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2100, 2, 28, 12, 0, 0, 0, time.UTC),
	time.Date(2100, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2106, 2, 7, 6, 28, 16, 0, time.UTC), time.Date(2106, 12, 31, 12, 0, 0, 0, time.UTC), time.Date(2150, 1, 31, 12, 0, 0, 0, time.UTC), time.Date(2199, 12, 30, 23, 59, 59, 0, time.UTC),
}

// advances of the clock are repeated often enough for a drift to show.
var advances = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}

// repeats is the number of times that the clock makes each advance.
const repeats = 20

// calendar is an account on its way through time.
type calendar struct {
	*session
	account *model.Account
	setter  model.PointSetter // nil if the target cannot set points
}

// checkCalendar visits instants of many kinds. At each of them the model of the account knows points and window.
func checkCalendar(ctx context.Context, s *session) error {
	a, err := s.frozenAccount(ctx, model.KeyRateLimited, 1)
	if err != nil {
		return err
	}
	if a.Window.Limit < 3 || a.Points.Total < 3*model.Cost {
		return &skip{"the account mapped to \"ratelimited\" must allow three extractions"}
	}
	setter, _ := s.Control.(model.PointSetter)
	c := &calendar{s, a, setter}
	if err := c.moveTo(ctx, a, model.NextMonth(a.Now)); err != nil {
		return err
	}
	for m := range months {
		if err := c.month(ctx, m%2 == 0); err != nil {
			return err
		}
	}
	for _, d := range advances {
		for i := range repeats {
			if err := c.visit(ctx, a.Now.Add(d), i == 0, false); err != nil {
				return err
			}
		}
	}
	for _, n := range gaps {
		to := model.NextMonth(a.Now).AddDate(0, n-1, 2)
		if err := c.visit(ctx, to, true, n%2 == 0); err != nil {
			return err
		}
	}
	// After exactly a year, on the same day.
	if err := c.visit(ctx, a.Now.AddDate(1, 0, 0), true, true); err != nil {
		return err
	}
	for _, at := range farAhead {
		if err := c.visit(ctx, at, true, true); err != nil {
			return err
		}
	}
	return nil
}

// month visits a month from its first instant to its last, which is where it ends. The next month begins then.
func (c *calendar) month(ctx context.Context, denied bool) error {
	begin, end := c.account.Now, model.NextMonth(c.account.Now)
	for i, d := range inMonth {
		at := begin.Add(d)
		if d < 0 {
			at = end.Add(d)
		}
		isEdge := i == 0 || d == -time.Second || d == 14*24*time.Hour+time.Hour
		if err := c.visit(ctx, at, i == 0 || i == 1, isEdge && (d == -time.Second || denied == (i != 0))); err != nil {
			return err
		}
	}
	return c.moveTo(ctx, c.account, end)
}

// visit moves the clock and compares points and window. It spends some points if it should, so that a reset shows, and provokes
// a 402 if denied is set.
func (c *calendar) visit(ctx context.Context, at time.Time, spend, denied bool) error {
	a := c.account
	if err := c.moveTo(ctx, a, at); err != nil {
		return err
	}
	if _, err := c.status(ctx, a); err != nil {
		return err
	}
	if spend && a.Room() > 1 && a.Points.Left >= 2*model.Cost {
		if _, err := c.sendAs(ctx, a, read(blank), status()); err != nil {
			return err
		}
	}
	if denied {
		return c.denied(ctx)
	}
	return nil
}

// denied provokes a 402, whose nextReset the model checks, and gives the points back. Without a PointSetter it spends what is
// left, if that is possible.
func (c *calendar) denied(ctx context.Context) error {
	const maxAllowance = 300 // points; spending more would take too many requests
	a := c.account
	if c.setter == nil {
		if a.Points.Total > maxAllowance || !slices.Contains([]time.Month{2, 12}, a.Now.Month()) {
			return nil
		}
		for a.Points.Left >= model.Cost && a.Now.Add(time.Minute).Before(model.NextMonth(a.Now)) {
			if _, err := c.sendAs(ctx, a, read(blank)); err != nil {
				return err
			}
		}
		if a.Points.Left < model.Cost {
			_, err := c.sendAs(ctx, a, read(printed))
			return err
		}
		return nil
	}
	before := a.Points
	set := func(left int64) error {
		if err := c.setter.SetPoints(ctx, a.Key, left); err != nil {
			return fmt.Errorf("set the points of the target: %w", err)
		}
		a.Points = model.Points{Used: a.Points.Total - left, Left: left, Total: a.Points.Total}
		return nil
	}
	if err := set(model.Cost - 1); err != nil {
		return err
	}
	x, err := c.sendAs(ctx, a, read(printed))
	if err != nil {
		return err
	}
	if x.Status != http.StatusPaymentRequired && x.Status != http.StatusTooManyRequests {
		return fail(x, "without points the answer must be 402, not %d", x.Status)
	}
	return set(before.Left)
}
