package document_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
)

func TestWord_Others(t *testing.T) {
	t.Parallel()
	w := document.Word{Text: "what", Confidence: 0.5, Alternatives: []document.Alternative{
		{Text: "whit", Confidence: 0.2},
		{Text: "what", Confidence: 0.4},
		{Text: "when", Confidence: 0.9},
		{Text: "whit", Confidence: 0.1},
		{Text: "wheat", Confidence: 0.05},
		{Text: "chat", Confidence: 0.3},
	}}
	require.Equal(t, []document.Alternative{{Text: "when", Confidence: 0.5}, {Text: "chat", Confidence: 0.3}, {Text: "whit", Confidence: 0.2}}, w.Others(),
		"the three likeliest in order, each once, none the word itself or more confident than it")
	w.Whole = "whatever"
	require.Empty(t, w.Others(), "a part of a divided word")
}
