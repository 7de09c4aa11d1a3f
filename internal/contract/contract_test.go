package contract_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/format"
)

var noon = time.Date(2026, time.December, 31, 12, 0, 17, 500_000_000, time.UTC)

func TestAsError(t *testing.T) {
	t.Parallel()
	cause := errors.New("secret")
	for _, c := range []struct {
		name   string
		err    error
		status int
	}{
		{"keeps a 400", contract.Invalid(map[string]string{"language": "must be a tag"}), http.StatusBadRequest},
		{"keeps a 404", contract.NotFound(), http.StatusNotFound},
		{"keeps a 405", contract.MethodNotAllowed("GET"), http.StatusMethodNotAllowed},
		{"keeps a 401", contract.Unauthorized(cause), http.StatusUnauthorized},
		{"keeps a 402", contract.Insufficient(2, noon, contract.LimitedByAccount), http.StatusPaymentRequired},
		{"keeps a 429", contract.Limited(contract.NewWindow(60, 60, noon, noon), 10), http.StatusTooManyRequests},
		{"keeps a 503", contract.Unready(cause), http.StatusServiceUnavailable},
		{"finds a wrapped error", fmt.Errorf("read: %w", contract.Overloaded(time.Second, cause)), http.StatusInternalServerError},
		{"hides any other error", cause, http.StatusInternalServerError},
		{"hides an unknown code", &contract.Error{Code: "TEAPOT", Message: "short and stout"}, http.StatusInternalServerError},
		{"hides a 400 without details", &contract.Error{Code: contract.InvalidRequest}, http.StatusInternalServerError},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := contract.AsError(c.err)
			require.Equal(t, c.status, e.Status)
			require.NotEmpty(t, e.Summary)
			require.NotEmpty(t, e.Message)
			for _, text := range []string{e.Summary, e.Message} {
				require.NotContains(t, text, "secret")
				require.NotContains(t, text, "stout")
			}
		})
	}
}

func TestError_Unwrap(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := error(contract.Internal(cause))
	require.ErrorIs(t, err, cause)
	assert.Equal(t, "SERVER_ERROR: internal error; quote the X-Request-Id when you contact support: cause", err.Error())
}

func TestNextReset(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"2026-12-31T23:59:59Z":      "2027-01-01T00:00:00Z",
		"2026-01-31T00:00:00Z":      "2026-02-01T00:00:00Z",
		"2028-02-29T12:00:00Z":      "2028-03-01T00:00:00Z",
		"2026-02-01T00:00:00Z":      "2026-03-01T00:00:00Z",
		"2026-03-01T00:30:00+01:00": "2026-03-01T00:00:00Z",
	} {
		now, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, want, contract.NextReset(now).Format(time.RFC3339), at)
	}
}

func TestNewWindow(t *testing.T) {
	t.Parallel()
	start := contract.WindowStart(noon)
	require.Equal(t, noon.Truncate(time.Minute), start)
	w := contract.NewWindow(10, 12, start, noon)
	require.Zero(t, w.Remaining, "never negative, if the limit was lowered")
	require.Equal(t, start.Add(time.Minute), w.Reset)
}

func TestWindow_RetryAfter(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]time.Duration{
		-time.Second: time.Second, 0: time.Second, time.Nanosecond: time.Second, time.Second: time.Second,
		time.Second + 1: 2 * time.Second, 59500 * time.Millisecond: time.Minute, time.Minute: time.Minute,
	} {
		assert.Equal(t, want, contract.Window{Reset: noon.Add(left), Now: noon}.RetryAfter(), left)
	}
}

func TestNewRequest(t *testing.T) {
	t.Parallel()
	tag, tsv, yes := "EN-gb", gen.Tsv, true
	short, err := contract.NewRequest(&gen.ExtractionRequest{ImageURL: "https://a.example/"}, []string{"en", "la"})
	require.NoError(t, err)
	require.Equal(t, contract.Request{ImageURL: "https://a.example/", Language: "en", Format: gen.JSON}, short)
	full, err := contract.NewRequest(&gen.ExtractionRequest{ImageURL: "https://a.example/", Language: &tag}, []string{"en", "la"})
	require.NoError(t, err)
	require.Equal(t, short.Fingerprint(), full.Fingerprint(), "a default that is spelled out asks for the same")
	full, err = contract.NewRequest(&gen.ExtractionRequest{ImageURL: "https://a.example/", Format: &tsv, Enhance: &yes}, []string{"en"})
	require.NoError(t, err)
	require.NotEqual(t, short.Fingerprint(), full.Fingerprint())
	_, err = contract.NewRequest(&gen.ExtractionRequest{ImageURL: "https://a.example/", Language: &tag}, []string{"la"})
	require.ErrorContains(t, err, "choose one of la")
}

func TestRequest_Fingerprint(t *testing.T) {
	t.Parallel()
	r := contract.Request{ImageURL: "https://a.example/1.png", Language: "en", Format: gen.JSON}
	require.Equal(t, "8d5358", fmt.Sprintf("%.3x", r.Fingerprint()), "databases store it: its form must not change")
}

func TestNewResult(t *testing.T) {
	t.Parallel()
	box := document.Box{X: 1, Y: 2, W: 30, H: 4}
	doc := &document.Document{
		Language: "en", Confidence: 0.912345, Enhanced: true,
		Edits: []document.Edit{{Page: 1, Box: box, Before: "fo", After: "so", Rule: "long-s", Confidence: 0.55555}},
		Pages: []document.Page{{Width: 100, Height: 100, Blocks: []document.Block{{Box: box, Lines: []document.Line{
			{Box: box, Words: []document.Word{{Box: box, Text: "so", Confidence: 0.9}}},
		}}}}},
	}
	for f, want := range map[gen.Format]string{
		gen.JSON: "", gen.Text: "", gen.Hocr: "ocr_page", gen.Alto: "<alto", gen.Page: "<PcGts", gen.Tsv: "level\t",
	} {
		r := contract.Request{ImageURL: "https://a.example/folio.png?token=secret", Format: f}
		result, err := contract.NewResult(r, doc, format.Meta{Created: noon})
		require.NoError(t, err)
		require.Equal(t, "so", result.Text)
		require.EqualValues(t, contract.Price, result.PointsUsed)
		require.InDelta(t, 0.9123, result.Confidence, 0, "four decimals")
		require.Equal(t, []gen.Edit{{
			Page: 2, Box: gen.Box{X: 1, Y: 2, Width: 30, Height: 4}, Before: "fo", After: "so", Rule: "long-s", Confidence: 0.5556,
		}}, *result.Edits)
		if want == "" {
			require.Nil(t, result.Document)
			continue
		}
		require.Contains(t, *result.Document, want)
		require.NotContains(t, *result.Document, "secret")
	}
	plain, err := contract.NewResult(contract.Request{Format: gen.JSON}, &document.Document{Confidence: 1.5}, format.Meta{})
	require.NoError(t, err)
	require.Nil(t, plain.Edits, "no edits without enhancement")
	require.InDelta(t, 1, plain.Confidence, 0)
	none, err := contract.NewResult(contract.Request{Format: gen.JSON}, &document.Document{Enhanced: true}, format.Meta{})
	require.NoError(t, err)
	require.NotNil(t, none.Edits)
	require.Empty(t, *none.Edits, "an enhancement that changed nothing")
	require.NotNil(t, none.Weak)
	require.Empty(t, *none.Weak, "no weak places")
	doc.Pages[0].Rotation = 180
	doc.Pages[0].Doubts = []document.Doubt{{Box: box, Reason: document.UnreadInk, Characters: 3}}
	doc.Pages[0].Blocks[0].Lines[0].Words[0].Confidence = 0.12345
	weak, err := contract.NewResult(contract.Request{Format: gen.JSON}, doc, format.Meta{})
	require.NoError(t, err)
	at, turned, text := gen.Box{X: 1, Y: 2, Width: 30, Height: 4}, int64(180), "so"
	require.Equal(t, []gen.WeakPlace{
		{Page: 1, Box: at, Rotation: &turned, Reason: "unread-ink"},
		{Page: 1, Box: at, Rotation: &turned, Confidence: 0.2022, Reason: "low-confidence", Text: &text},
	}, *weak.Weak)
	_, err = contract.NewResult(contract.Request{Format: "docx"}, doc, format.Meta{})
	require.ErrorContains(t, err, "docx")
}

func TestNewStatus(t *testing.T) {
	t.Parallel()
	s := contract.NewStatus("pro", contract.Points{Used: 10, Remaining: 90, Total: 100}, contract.NewWindow(60, 1, noon, noon))
	require.Equal(t, gen.Active, *s.Status)
	require.Equal(t, []int64{10, 90, 100}, []int64{s.PointsUsed, s.PointsRemaining, *s.PointsTotal})
	require.Equal(t, gen.RateLimit{Limit: 60, Remaining: 59, Reset: noon.Add(time.Minute).Unix()}, *s.RateLimit)
	require.Equal(t, int64(59), *s.RateLimitRemaining)
}

func TestDefaultPlans(t *testing.T) {
	t.Parallel()
	for name, p := range contract.DefaultPlans() {
		require.Equal(t, name, p.Name)
		require.True(t, p.Points >= 1 && p.Points <= contract.MaxPoints, name)
		require.True(t, p.Requests >= 1 && p.Requests <= contract.MaxRequests, name)
	}
	contract.DefaultPlans()["free"] = contract.Plan{}
	require.Equal(t, int64(300), contract.DefaultPlans()["free"].Points, "a caller's change stays its own")
}

func TestErrors_NameThePriceAndTheLimit(t *testing.T) {
	t.Parallel()
	require.Equal(t, "an extraction costs 10 points; 2 remaining; upgrade the plan or wait for the reset", contract.Insufficient(2, noon, contract.LimitedByAccount).Message)
	require.True(t, strings.HasPrefix(contract.Limited(contract.NewWindow(60, 60, noon, noon), 0).Message, "the limit is 60 extractions per minute"))
}
