package generate_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/generate"
)

var base = []generate.Member{{Name: "imageUrl", Value: []byte(`"https://images.example.org/a.png"`)}}

func MustSchema(tb testing.TB) *openapi3.Schema {
	tb.Helper()
	c, err := answer.Load()
	require.NoError(tb, err)
	op, ok := c.Operation("POST", "/extract")
	require.True(tb, ok)
	return op.RequestSchema()
}

// valid reports whether a strict reader accepts the body and the schema permits it.
func valid(schema *openapi3.Schema, body []byte) bool {
	if _, err := answer.ParseJSON(body); err != nil {
		return false
	}
	var value any
	if json.Unmarshal(body, &value) != nil {
		return false
	}
	return schema.VisitJSON(value) == nil
}

func TestRules(t *testing.T) {
	t.Parallel()
	schema := MustSchema(t)
	rules := generate.Rules(schema)
	require.Greater(t, len(rules), 100)
	names := map[string]bool{}
	for _, r := range rules {
		require.False(t, names[r.Name], "%s occurs twice", r.Name)
		names[r.Name] = true
		require.NotEmpty(t, r.Fields, r.Name)
		for seed := range uint64(5) {
			b := generate.Break(base, seed*1001, r)
			around := len(b.Draft.Header) > 0 || b.Draft.Query != ""
			// kin-openapi does not check "format: uri", so URLs with spaces pass as valid.
			blank := bytes.Contains(b.Draft.Body(), []byte("images.example.org/a"))
			assert.False(t, valid(schema, b.Draft.Body()) && !around && !blank, "%s: %s", r.Name, b.Draft.Body())
		}
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	schema := MustSchema(t)
	for _, v := range generate.Variants(schema) {
		for seed := range uint64(5) {
			b := generate.Break(base, seed*1001, v)
			assert.True(t, valid(schema, b.Draft.Body()), "%s: %.200s", v.Name, b.Draft.Body())
			assert.Empty(t, b.Fields(), v.Name)
		}
	}
}

func TestBreak(t *testing.T) {
	t.Parallel()
	rules := generate.Rules(MustSchema(t))
	differ := 0
	for seed := range uint64(50) {
		a := generate.Break(base, seed, generate.Combine(rules, seed)...)
		b := generate.Break(base, seed, generate.Combine(rules, seed)...)
		require.Equal(t, a.Draft.Body(), b.Draft.Body())
		require.Equal(t, a.Draft.Header, b.Draft.Header)
		if c := generate.Break(base, seed+2, generate.Combine(rules, seed+2)...); c.String() != a.String() {
			differ++
		}
	}
	require.Greater(t, differ, 40)
}

func TestCombine(t *testing.T) {
	t.Parallel()
	rules := generate.Rules(MustSchema(t))
	rapid.Check(t, func(t *rapid.T) {
		chosen := generate.Combine(rules, rapid.Uint64().Draw(t, "seed"))
		places := map[string]bool{}
		for _, r := range chosen {
			require.False(t, places[r.Place], "two rules break %s", r.Place)
			places[r.Place] = true
		}
		require.NotEmpty(t, chosen)
		if places["body"] {
			for _, r := range chosen {
				require.True(t, r.Place == "body" || r.Place[:5] == "heade" || r.Place[:5] == "query", "%s combined with an unreadable body", r.Name)
			}
		}
	})
}

func TestBroken_Without(t *testing.T) {
	t.Parallel()
	rules := generate.Rules(MustSchema(t))
	var missing, unknown generate.Rule
	for _, r := range rules {
		switch r.Name {
		case "imageUrl is missing":
			missing = r
		case "callback is an unknown field":
			unknown = r
		}
	}
	b := generate.Break(base, 7, missing, unknown)
	require.Equal(t, []string{"imageUrl", "callback"}, b.Fields())
	less := b.Without(0)
	require.Equal(t, []string{"callback"}, less.Fields())
	require.Contains(t, string(less.Draft.Body()), "imageUrl")
	require.NotContains(t, string(b.Draft.Body()), "imageUrl")
}
