package layout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRuleEnd_rule_needsTwoBands(t *testing.T) {
	t.Parallel()
	lower := &ruleEnd{at: span{5, 6}, clear: true, band: 3, bands: 1}
	_, ok := lower.rule(3, 3)
	require.False(t, ok, "one band gives no slope")
	_, ok = (&ruleEnd{at: span{5, 6}, clear: true, band: 4, bands: 2, before: lower}).rule(3, 4)
	require.True(t, ok)
}
