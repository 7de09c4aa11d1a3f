// Package tracing makes OpenTelemetry spans of extractions and sends them to a collector over OTLP (HTTP). The standard
// environment variables configure it: it is off unless OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
// OTEL_TRACES_EXPORTER=otlp is set. Spans contain no keys, no addresses of images and no texts. Start with Start; Do makes a
// span.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"uncial/impl/ocr/timing"
	"uncial/internal/version"
)

// stopTimeout bounds sending the last spans.
const stopTimeout = 5 * time.Second

// tracer makes the spans. Without Start it makes none.
var tracer = otel.Tracer("uncial")

// Check returns an error if the environment asks for something that this program does not have.
func Check() error {
	switch e := os.Getenv("OTEL_TRACES_EXPORTER"); e {
	case "", "none", "otlp":
	default:
		return fmt.Errorf("OTEL_TRACES_EXPORTER: unknown exporter %q; choose otlp or none", e)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := os.Getenv(name); p != "" && p != "http/protobuf" && isOn() {
			return fmt.Errorf("%s: unknown protocol %q; use http/protobuf, on port 4318 of most collectors", name, p)
		}
	}
	return nil
}

// isOn reports whether the environment asks for traces.
func isOn() bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_TRACES_EXPORTER") == "otlp" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Start begins to send spans, if the environment asks for it, under a service name that OTEL_SERVICE_NAME overrides. stop sends
// the last ones. A collector that is down costs spans and lines in the log, never an extraction.
func Start(ctx context.Context, service string, log *slog.Logger) (stop func() error, err error) {
	if err := Check(); err != nil || !isOn() {
		return func() error { return nil }, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	identity, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", service), attribute.String("service.version", version.Version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithHost())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(identity))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("cannot send traces", "error", err) }))
	log.Info("sending traces")
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("cannot send the last traces", "error", err)
		}
		return nil
	}, nil
}

// Do runs f in a span with this name and returns what f returns. The context that f gets has the span.
func Do(ctx context.Context, name string, f func(context.Context) error) error {
	ctx, span := tracer.Start(ctx, name)
	err := f(ctx)
	finish(span, err)
	return err
}

// finish ends a span. The kind of an error is recorded, not its text, which may name an image.
func finish(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", fmt.Sprintf("%T", err)))
	}
	span.End()
}

// Read makes the spans of one image: how long it waited for a worker, and the steps of the worker, which began at sent.
func Read(ctx context.Context, queued, sent time.Time, steps []timing.Step) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	_, wait := tracer.Start(ctx, "queue", trace.WithTimestamp(queued))
	wait.End(trace.WithTimestamp(sent))
	for _, s := range steps {
		began := sent.Add(time.Duration(s.Start) * time.Microsecond)
		_, span := tracer.Start(ctx, s.Name, trace.WithTimestamp(began))
		span.End(trace.WithTimestamp(began.Add(time.Duration(s.Length) * time.Microsecond)))
	}
}

// Handler makes a span of each request to one of the paths, as a part of the caller's trace if the request names one. It
// returns h itself if tracing is off.
func Handler(h http.Handler, paths ...string) http.Handler {
	if !isOn() {
		return h
	}
	return otelhttp.NewHandler(h, "request", otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
		return r.Method + " " + r.URL.Path
	}), otelhttp.WithFilter(func(r *http.Request) bool {
		return slices.Contains(paths, r.URL.Path)
	}))
}

// Inject adds the trace of ctx to the headers of a request to an engine, so that the engine's spans become part of it.
func Inject(ctx context.Context, h http.Header) {
	otel.GetTextMapPropagator().Inject(ctx, propagation.HeaderCarrier(h))
}
