package contracttests_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/contracttests/internal/oldclient"
	"uncial/gen/released"
)

// mustOldContract returns version 1.0.0 without the one rule that version 1.1.0 dropped: that answers have no fields beyond
// those of the contract.
func mustOldContract(tb testing.TB) *openapi3.T {
	tb.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(released.Document)
	require.NoError(tb, err)
	for name, schema := range doc.Components.Schemas {
		if name != "ExtractionRequest" && schema.Value.AdditionalProperties.Schema == nil {
			schema.Value.AdditionalProperties = openapi3.AdditionalProperties{}
		}
	}
	return doc
}

// TestCheck_acceptsLaterServersThanItsContract runs the suite with the first version of the contract against today's servers.
func TestCheck_acceptsLaterServersThanItsContract(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]func(testing.TB) contracttests.Target{"mock": MustMock, "service": MustFrozenService} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := server(t)
			target.Contract = mustOldContract(t)
			delete(target.Images, contracttests.ImageSlow) // takes no time on a clock that stands still
			report := contracttests.Check(t.Context(), target)
			require.NoError(t, report.Err())
			require.Greater(t, report.Count(contracttests.Passed), 70)
		})
	}
}

// TestCheck_unknownFields shows when a field outside the contract is an error.
func TestCheck_unknownFields(t *testing.T) {
	t.Parallel()
	honest := MustMock(t)
	for name, c := range map[string]struct {
		version string // of the contract that the server serves instead of its own
		hasIt   bool   // that contract has the field
		isError bool
	}{
		"is an error of a server that claims this version": {"", false, true},
		"is expected of a later version that has it":       {"1.99.0", true, false},
		"is expected of an earlier version that has it":    {"1.0.99", true, false},
		"is an error of a later version that lacks it":     {"1.99.0", false, true},
		"is an error of an earlier version that lacks it":  {"1.0.99", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := with(honest, func(target *contracttests.Target) {
				target.Only = "^(status/200/record|elsewhere/document)$"
				target.Client = &http.Client{Transport: changing(func(path, body string) string {
					if strings.HasPrefix(path, "/openapi.") && c.version != "" {
						return mustRedraft(t, body, c.version, c.hasIt)
					}
					if path == "/api/v1/status" {
						return strings.Replace(body, "{", `{"debug":1,`, 1)
					}
					return body
				})}
			})
			report := contracttests.Check(t.Context(), target)
			require.Empty(t, report.Problem)
			require.Len(t, report.Results, 2)
			assert.Equal(t, c.isError, report.Count(contracttests.Failed) > 0, report.Results)
		})
	}
}

// mustRedraft writes a contract as another version, whose status record may have the field debug.
func mustRedraft(tb testing.TB, document, version string, debug bool) string {
	tb.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
	require.NoError(tb, err)
	doc.Info.Version = version
	if debug {
		doc.Components.Schemas["StatusRecord"].Value.Properties["debug"] = openapi3.NewIntegerSchema().NewRef()
	}
	text, err := doc.MarshalJSON()
	require.NoError(tb, err)
	return string(text)
}

// changing edits the bodies of answers on their way to the suite.
type changing func(path, body string) string

func (f changing) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	body := f(r.URL.Path, string(text))
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return res, err
}

// TestOldClient_stillWorks sends each request with the client of the first version and reads every field that it knows.
func TestOldClient_stillWorks(t *testing.T) {
	t.Parallel()
	target := MustMock(t)
	with := func(scenario string) *oldclient.ClientWithResponses {
		key := target.Keys[scenario][0]
		client, err := oldclient.NewClientWithResponses(target.BaseURL, oldclient.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
		require.NoError(t, err)
		return client
	}
	extract := func(scenario, image string) *oldclient.ExtractResponse {
		enhance, format := true, oldclient.Alto
		answer, err := with(scenario).ExtractWithResponse(t.Context(), nil, oldclient.ExtractionRequest{ImageURL: target.Images[image], Enhance: &enhance, Format: &format})
		require.NoError(t, err)
		return answer
	}
	read := extract(contracttests.KeyOK, contracttests.ImageEnhance).JSON200
	require.NotNil(t, read)
	assert.NotEmpty(t, read.Text)
	assert.NotEmpty(t, *read.Document)
	assert.NotEmpty(t, *read.Edits)
	assert.True(t, *read.Enhanced)
	assert.Positive(t, *read.RemainingPoints)

	refused := extract(contracttests.KeyOK, contracttests.ImageUnfetchable).JSON400
	require.NotNil(t, refused)
	assert.NotEmpty(t, refused.Details["imageUrl"])
	assert.NotNil(t, extract(contracttests.KeyRevoked, contracttests.ImagePrinted).JSON401)
	unpaid := extract(contracttests.KeyEmpty, contracttests.ImagePrinted).JSON402
	require.NotNil(t, unpaid)
	assert.Zero(t, unpaid.RemainingPoints)
	assert.False(t, unpaid.NextReset.IsZero())
	assert.NotNil(t, extract(contracttests.KeyOK, contracttests.ImageError).JSON500)

	record, err := with(contracttests.KeyOK).StatusWithResponse(t.Context())
	require.NoError(t, err)
	require.NotNil(t, record.JSON200)
	assert.Equal(t, *record.JSON200.PointsTotal, record.JSON200.PointsUsed+record.JSON200.PointsRemaining)
}
