package dashboard_test

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/ledger"
)

// extract charges an extraction to a key.
func (s *site) extract(k account.Key) {
	s.Helper()
	h, err := s.Ledger.Hold(s.Context(), ledger.HoldRequest{AccountID: k.AccountID, KeyID: k.ID, MeterID: k.MeterID, Points: 10, TTL: time.Minute})
	require.NoError(s, err)
	_, err = s.Ledger.Settle(s.Context(), h, func(ledger.Balance) ([]byte, error) { return nil, nil })
	require.NoError(s, err)
}

func TestDashboard_Usage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	start := time.Date(2027, 3, 30, 12, 0, 0, 0, time.UTC)
	s.clock.Set(start)
	s.signUp("anna@example.org", "Map room")
	id := s.accountOf("anna@example.org")
	formula, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: id, Name: "=1+1"})
	require.NoError(t, err)
	other, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: id, Name: "scanner"})
	require.NoError(t, err)
	s.extract(formula)
	s.extract(other)
	s.clock.Set(start.AddDate(0, 0, 1))
	s.extract(formula)
	s.clock.Set(start.AddDate(0, 0, 2)) // April
	s.extract(other)
	b := s.browser()
	b.post("/sign-in", "email", "anna@example.org", "password", password)

	april := b.get("/usage")
	require.Contains(t, april.text(), "Usage in 2027-04")
	require.Contains(t, april.text(), "10 points for 1 extraction.")
	march := b.get("/usage?month=2027-03").text()
	require.Contains(t, march, "30 points for 3 extractions.")
	require.Contains(t, march, "=1+1 2 20 scanner 1 10", "the most used key comes first")
	require.Contains(t, march, "2027-03-30 2 20 2027-03-31 1 10")
	require.Contains(t, b.get("/usage?month=2027-03&key="+other.ID).text(), "10 points for 1 extraction.")
	require.Contains(t, b.get("/usage?month=2026-01").text(), "Nothing was used in this month.")
	require.Equal(t, 400, b.get("/usage?month=March").status)
	require.Equal(t, 404, b.get("/usage?key=key_unknown").status)

	file := b.get("/usage.csv?month=2027-03")
	require.Equal(t, `attachment; filename="uncial-usage-2027-03.csv"`, file.header.Get("Content-Disposition"))
	rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"day", "key", "name", "extractions", "points"}, rows[0])
	require.Len(t, rows, 4)
	require.Contains(t, file.body, "'=1+1", "spreadsheets must not run a name")
	require.NotContains(t, file.body, ",=1+1")
}

func TestDashboard_Usage_Chart(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	b := s.signUp("anna@example.org", "Map room")
	k, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: s.accountOf("anna@example.org"), Name: "scanner"})
	require.NoError(t, err)
	s.extract(k)
	body := b.get("/usage").body
	now := s.clock.Now().UTC()
	days := time.Date(now.Year(), now.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	require.Len(t, regexp.MustCompile(`<rect class="bar-fill"`).FindAllString(body, -1), days, "every day has a bar")
	require.Contains(t, body, "<title>"+now.Format(time.DateOnly)+": 10 points</title>")
	require.Len(t, regexp.MustCompile(`height="0"`).FindAllString(body, -1), days-1)
	require.NotRegexp(t, `style="`, body, "the policy forbids inline styles")
}
