package tracing_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/tracing"
)

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		variable, value, want string
	}{
		"an unknown exporter": {"OTEL_TRACES_EXPORTER", "zipkin", `OTEL_TRACES_EXPORTER: unknown exporter "zipkin"; choose otlp or none`},
		"another protocol":    {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", `unknown protocol "grpc"; use http/protobuf`},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
			t.Setenv(c.variable, c.value)
			require.ErrorContains(t, tracing.Check(), c.want)
		})
	}
}

func TestIsOn(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED"} {
		t.Setenv(name, "")
	}
	require.False(t, tracing.IsOn())
	stop, err := tracing.Start(t.Context(), "test", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, stop())
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
	require.True(t, tracing.IsOn())
	t.Setenv("OTEL_SDK_DISABLED", "true")
	require.False(t, tracing.IsOn())
}
