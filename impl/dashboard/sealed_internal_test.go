package dashboard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// carry returns a request with the cookies that were set.
func carry(w *httptest.ResponseRecorder) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	for _, c := range w.Result().Cookies() {
		r.AddCookie(c)
	}
	return r
}

func TestSealer(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	s, err := newSealer([]byte("a test secret"), func() time.Time { return now })
	require.NoError(t, err)
	set := httptest.NewRecorder()
	require.NoError(t, s.put(set, "key", "user_1", "hunter2"))
	require.NotContains(t, set.Header().Get("Set-Cookie"), "hunter2")

	got := httptest.NewRecorder()
	require.Equal(t, "hunter2", s.take(got, carry(set), "key", "user_1"))
	require.Contains(t, got.Header().Get("Set-Cookie"), "Max-Age=0", "the cookie is deleted")
	require.Empty(t, s.take(httptest.NewRecorder(), carry(set), "key", "user_2"), "for another user")
	require.Empty(t, s.take(httptest.NewRecorder(), carry(set), "invite", "user_1"), "under another name")

	forged := carry(set)
	forged.Header.Set("Cookie", strings.Replace(forged.Header.Get("Cookie"), "key=", "key=A", 1))
	require.Empty(t, s.take(httptest.NewRecorder(), forged, "key", "user_1"))
	other, err := newSealer([]byte("another secret"), func() time.Time { return now })
	require.NoError(t, err)
	require.Empty(t, other.take(httptest.NewRecorder(), carry(set), "key", "user_1"), "of another server")

	now = now.Add(sealedFor + time.Second)
	require.Empty(t, s.take(httptest.NewRecorder(), carry(set), "key", "user_1"), "too late")
	require.Error(t, s.put(httptest.NewRecorder(), "key", "", strings.Repeat("x", maxSealed+1)), "browsers drop long cookies")
}
