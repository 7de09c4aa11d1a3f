package fair_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/fair"
)

// takeAll takes places one by one until the account is refused, and returns their number.
func takeAll(p *fair.Places, a fair.Account) (n int64) {
	for p.Take(a, 1) {
		n++
	}
	return n
}

func TestPlaces_Take(t *testing.T) {
	t.Parallel()
	flooder, other := fair.Account{Label: "flooder"}, fair.Account{Label: "other"}
	t.Run("gives an account that is alone everything but the reserve", func(t *testing.T) {
		t.Parallel()
		require.EqualValues(t, 64, takeAll(fair.NewPlaces(64, 1), flooder))
	})
	t.Run("keeps the reserve for an account with nothing in progress", func(t *testing.T) {
		t.Parallel()
		p := fair.NewPlaces(64, 1)
		takeAll(p, flooder)
		require.EqualValues(t, 4, takeAll(p, other), "half of the reserve; the other half is for a third account")
		require.True(t, p.Take(fair.Account{Label: "third"}, 1))
	})
	t.Run("approaches equal shares as the flooder's requests end", func(t *testing.T) {
		t.Parallel()
		p := fair.NewPlaces(64, 1)
		takeAll(p, flooder)
		others := takeAll(p, other)
		for range 40 { // the flooder asks first each time
			p.Give(flooder, 1)
			takeAll(p, flooder)
			others += takeAll(p, other)
		}
		require.InDelta(t, 34, others, 2)
	})
	t.Run("the smallest number of places still holds one request", func(t *testing.T) {
		t.Parallel()
		require.True(t, fair.NewPlaces(28, 28).Take(flooder, 28))
	})
}

func TestPlaces_Take_Weights(t *testing.T) {
	t.Parallel()
	t.Run("a hundred free accounts leave half to one paying account", func(t *testing.T) {
		t.Parallel()
		p := fair.NewPlaces(800, 1)
		paying := fair.Account{Label: "paying", Weight: 2}
		free := make([]fair.Account, 100)
		for i := range free {
			free[i] = fair.Account{Label: fmt.Sprint("free", i), Weight: 1}
		}
		for i := 0; p.Take(free[i%100], 1); i++ {
		}
		got := takeAll(p, paying)
		for i := range 2000 { // the free ones ask first each time
			p.Give(free[i%100], 1)
			takeAll(p, free[i%100])
			got += takeAll(p, paying)
		}
		require.InDelta(t, 450, got, 51, "half, but for the reserve")
	})
	t.Run("many free accounts that ask first leave a paying account its part of few places", func(t *testing.T) {
		t.Parallel()
		p := fair.NewPlaces(18, 1)
		paying := fair.Account{Label: "paying", Weight: 2}
		free := func(i int) fair.Account { return fair.Account{Label: fmt.Sprint("free", i), Weight: 1} }
		inside := map[int]bool{}
		enter := func() {
			for i := range 40 {
				if !inside[i] && p.Take(free(i), 1) {
					inside[i] = true
				}
			}
		}
		enter()
		got := takeAll(p, paying)
		require.Positive(t, got, "a place is kept for it")
		for i := range 200 {
			if inside[i%40] {
				p.Give(free(i%40), 1)
				delete(inside, i%40)
			}
			enter()
			got += takeAll(p, paying)
		}
		require.InDelta(t, 10, got, 1, "half")
	})
}

// An account that took everything while it was alone must yield once another gets less than its share.
func TestReservation_MustYield(t *testing.T) {
	t.Parallel()
	flooder, other := fair.Account{Label: "flooder"}, fair.Account{Label: "other"}
	p := fair.NewPlaces(64, 1)
	takeAll(p, flooder)
	reservation := p.Reserve(flooder)
	require.False(t, reservation.MustYield(), "nobody else wants anything")
	got := takeAll(p, other)
	for range 64 {
		if !reservation.MustYield() {
			break
		}
		p.Give(flooder, 1)
		got += takeAll(p, other)
	}
	require.InDelta(t, 32, got, 2, "half of what there is, but for the reserve")
	require.False(t, p.Reserve(other).MustYield())
}

// TestPlaces_Bounds checks that no order of requests takes more than there is, or loses a place.
func TestPlaces_Bounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 100).Draw(t, "total")
		floor := rapid.Int64Range(1, 10).Draw(t, "floor")
		p := fair.NewPlaces(total, floor)
		held := map[fair.Account]int64{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			weight := rapid.IntRange(1, 4).Draw(t, "weight")
			a := fair.Account{Label: string(rune('a'+rapid.IntRange(0, 4).Draw(t, "account"))) + string(rune('0'+weight)), Weight: weight}
			n := rapid.Int64Range(1, 20).Draw(t, "n")
			if rapid.Bool().Draw(t, "give") {
				n = min(n, held[a])
				p.Give(a, n)
				held[a] -= n
			} else if p.Take(a, n) {
				held[a] += n
			}
			var sum int64
			for _, h := range held {
				sum += h
			}
			if sum != p.Used() || sum > total+max(total/8, 2*floor) {
				t.Fatalf("%d used of %d, %d held", p.Used(), total, sum)
			}
		}
	})
}
