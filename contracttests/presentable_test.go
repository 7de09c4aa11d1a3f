package contracttests_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

func TestCheck_showsNoKeyAndOneLine(t *testing.T) {
	t.Parallel()
	const key = "ocr_test_ok_Presentable7Q2W4E6R"
	honest := mock.New(mock.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/extract" || r.Header.Get("Authorization") == "" {
			honest.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/"+key)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("OCR_TEST_OK_presentable7q2w4e6r\r\n::error::x\n\x1b[2J\u009b31m\u202e" + key[:24]))
	}))
	t.Cleanup(server.Close)
	report := contracttests.Check(t.Context(), contracttests.Target{
		BaseURL: server.URL + "/api/v1", Keys: map[string][]string{"ok": {key}}, Simulated: true, Only: "^extract/200/least-request$",
	})
	require.Len(t, report.Results, 1, report.Problem)
	r := report.Results[0]
	assert.Equal(t, contracttests.Failed, r.Outcome)
	assert.Equal(t, `500 <the key of "ok">\u000d\n::error::x\n\u001b[2J\u009b31m\u202e<the key of "ok">`, r.Answer)
	assert.NotContains(t, r.Reason, "Presentable")
}
