package account_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/account"
	"uncial/internal/contract"
)

func TestParseCatalogue(t *testing.T) {
	t.Parallel()
	c, err := account.ParseCatalogue(strings.NewReader(
		`{"museum": {"points": 5000, "requestsPerMinute": 30, "weight": 3}, "free": {"points": 1, "requestsPerMinute": 1}}`))
	require.NoError(t, err)
	require.Equal(t, []string{"free", "museum"}, c.Names())
	plan, err := c.Plan("museum")
	require.NoError(t, err)
	require.Equal(t, account.Plan{Name: "museum", Points: 5000, Requests: 30, Weight: 3}, plan)
	_, err = c.Plan("Museum")
	require.ErrorIs(t, err, account.ErrPlan)
	require.ErrorContains(t, err, "free, museum")
}

func TestDefaultCatalogue(t *testing.T) {
	t.Parallel()
	c := account.DefaultCatalogue()
	require.Equal(t, []string{"archive", "free", "pro"}, c.Names())
	for name, want := range map[string]account.Plan{
		"free":    {Name: "free", Points: 300, Requests: 10, Weight: 1},
		"pro":     {Name: "pro", Points: 10_000, Requests: 60, Weight: 2},
		"archive": {Name: "archive", Points: 1_000_000, Requests: 600, Weight: 4},
	} {
		plan, err := c.Plan(name)
		require.NoError(t, err)
		require.Equal(t, want, plan)
	}
}

func TestParseCatalogue_Invalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"nothing":           {``, "expected one JSON object"},
		"not an object":     {`[]`, "expected one JSON object"},
		"null":              {`null`, "expected one JSON object"},
		"no plan":           {`{}`, "define at least one"},
		"cut off":           {`{"a": {"points": 1, "requestsPerMinute": 1}`, "expected one JSON object"},
		"trailing data":     {`{"a": {"points": 1, "requestsPerMinute": 1}} {}`, "expected one JSON object"},
		"unknown field":     {`{"a": {"points": 1, "requestsPerMinute": 1, "price": 2}}`, `plan "a" is invalid`},
		"text for a number": {`{"a": {"points": "1", "requestsPerMinute": 1}}`, `plan "a" is invalid`},
		"a fraction":        {`{"a": {"points": 1.5, "requestsPerMinute": 1}}`, `plan "a" is invalid`},
		"no points":         {`{"a": {"requestsPerMinute": 1}}`, `"a": points must be`},
		"a weight beyond":   {`{"a": {"points": 1, "requestsPerMinute": 1, "weight": 101}}`, `"a": weight must be`},
		"negative points":   {`{"a": {"points": -1, "requestsPerMinute": 1}}`, `"a": points must be`},
		"too many points":   {`{"a": {"points": 9000000000000000000, "requestsPerMinute": 1}}`, `"a": points must be`},
		"no requests":       {`{"a": {"points": 1}}`, `"a": requestsPerMinute must be`},
		"upper case":        {`{"A": {"points": 1, "requestsPerMinute": 1}}`, `invalid plan name "A"`},
		"underscore":        {`{"my_plan": {"points": 1, "requestsPerMinute": 1}}`, `invalid plan name "my_plan"`},
		"digit first":       {`{"2026": {"points": 1, "requestsPerMinute": 1}}`, `invalid plan name "2026"`},
		"long name":         {`{"` + strings.Repeat("a", 33) + `": {"points": 1, "requestsPerMinute": 1}}`, `invalid plan name`},
		"empty name":        {`{"": {"points": 1, "requestsPerMinute": 1}}`, `invalid plan name ""`},
		"named twice":       {`{"a": {"points": 1, "requestsPerMinute": 1}, "a": {"points": 2, "requestsPerMinute": 1}}`, `plan "a" is given twice`},
		"too long":          {`{` + strings.Repeat(" ", 1<<20) + `}`, "at most 1 MiB"},
	} {
		_, err := account.ParseCatalogue(strings.NewReader(c.text))
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestParseCatalogue_Names(t *testing.T) {
	t.Parallel()
	text, err := gen.GetSpecJSON()
	require.NoError(t, err)
	var contract struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Pattern string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &contract))
	require.Equal(t, contract.Components.Schemas["StatusRecord"].Properties["plan"].Pattern, account.PlanName)
}

func TestLoadCatalogue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plans.json")
	_, err := account.LoadCatalogue(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte(`{"a": {"points": 1, "requestsPerMinute": 1}}`), 0o600))
	c, err := account.LoadCatalogue(path)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, c.Names())
}

func FuzzParseCatalogue(f *testing.F) {
	f.Add(`{"free": {"points": 300, "requestsPerMinute": 10}}`)
	f.Add(`{"a": {"points": 1, "requestsPerMinute": 1}, "a": {}}`)
	f.Add(`{"a":`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := account.ParseCatalogue(strings.NewReader(text))
		if err != nil {
			return
		}
		if len(c.Names()) == 0 {
			t.Error("no plan")
		}
		for _, name := range c.Names() {
			p, err := c.Plan(name)
			if err != nil || p.Points < 1 || p.Requests < 1 || p.Points > contract.MaxPoints || p.Requests > contract.MaxRequests {
				t.Errorf("%+v, %v", p, err)
			}
		}
	})
}
