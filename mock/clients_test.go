package mock_test

import (
	"net/http/httptest"
	"testing"

	"uncial/internal/clienttest"
	"uncial/mock"
)

// mustServe starts a mock and returns the address of its API.
func mustServe(tb testing.TB) string {
	tb.Helper()
	srv := httptest.NewServer(mock.New(mock.Options{}))
	tb.Cleanup(srv.Close)
	return srv.URL + "/api/v1"
}

func TestClients_Python(t *testing.T) {
	t.Parallel()
	clienttest.Python(t, "UNCIAL_URL="+mustServe(t), "UNCIAL_KEY=ocr_test_ok_python", "UNCIAL_MOCK=1")
}

func TestClients_TypeScript(t *testing.T) {
	t.Parallel()
	clienttest.TypeScript(t, "test", "UNCIAL_URL="+mustServe(t))
}
