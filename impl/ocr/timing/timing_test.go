package timing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/timing"
)

func TestRecorder(t *testing.T) {
	t.Parallel()
	timing.Begin(context.Background(), "nobody listens")()
	ctx, r := timing.With(t.Context())
	outer := timing.Begin(ctx, "outer")
	timing.Begin(ctx, "inner")()
	outer()
	steps := r.Steps()
	require.Len(t, steps, 2)
	inner, whole := steps[0], steps[1]
	require.Equal(t, []string{"inner", "outer"}, []string{inner.Name, whole.Name})
	require.GreaterOrEqual(t, inner.Start, whole.Start)
	require.LessOrEqual(t, inner.Start+inner.Length, whole.Start+whole.Length+1, "the inner step ends first; times are rounded down")
	for range timing.MaxSteps {
		timing.Begin(ctx, "more")()
	}
	require.Len(t, r.Steps(), timing.MaxSteps)
}
