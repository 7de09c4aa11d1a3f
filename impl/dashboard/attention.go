package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"uncial/impl/account"
	"uncial/impl/ledger"
	"uncial/internal/text"
)

// maxAttention bounds the list on the home page. The list of keys marks all of them.
const maxAttention = 10

// attention is a key that its owner should do something about.
type attention struct {
	account.Key
	Text     string
	IsUrgent bool
}

// attentionTo lists what needs attention: keys to rotate, and keys that have used much of their cap; the urgent ones first.
func attentionTo(keys []account.Key, uses map[string]ledger.MeterUse, now time.Time) []attention {
	var all []attention
	for _, k := range keys {
		if k.Status != account.Active {
			continue
		}
		if k.Notice != account.NoNotice {
			all = append(all, attention{k, rotateText(k, now), k.Notice == account.RotateUrgent})
		}
		if text, urgent := capText(k, uses[k.MeterID]); text != "" {
			all = append(all, attention{k, text, urgent})
		}
	}
	slices.SortStableFunc(all, func(a, b attention) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// rank sorts urgent keys before the others; the order is stable otherwise.
func rank(a attention) int {
	if a.IsUrgent {
		return 0
	}
	return 1
}

// rotateText says how old a key is, and when it expires if it does. The ages at which it is shown are those of
// account.Key.Notice.
func rotateText(k account.Key, now time.Time) string {
	text := fmt.Sprintf("It is %d days old.", k.AgeAt(now))
	if !k.Expires.IsZero() {
		text += fmt.Sprintf(" It expires on %s.", formatTime(k.Expires))
	}
	return text + " Rotate it."
}

// capText says that a key has used 50, 80 or 100 % of its cap, "" if it has used less or has none.
func capText(k account.Key, u ledger.MeterUse) (warning string, urgent bool) {
	if k.Cap == nil {
		return "", false
	}
	points := *k.Cap
	used := fmt.Sprintf("%s of %s points", text.Number(u.Used), text.Number(points))
	// Mail is sent at the same percentages; see package notice.
	switch {
	case u.Used >= points:
		return "It has used its monthly cap: " + used + ". It is refused until the next reset.", true
	case u.Used*100 >= points*80:
		return "It has used at least 80 % of its monthly cap: " + used + ".", false
	case u.Used*100 >= points*50:
		return "It has used at least 50 % of its monthly cap: " + used + ".", false
	}
	return "", false
}
