package impl_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
)

// status asks for the status of a key.
func (s *service) status(tb testing.TB, token string) (record map[string]any) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, s.url+"/status", nil)
	require.NoError(tb, err)
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(tb, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(tb, err)
	require.Equal(tb, http.StatusOK, res.StatusCode, "%s", text)
	require.NoError(tb, json.Unmarshal(text, &record))
	return record
}

func TestService_Extract_Capped(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:")
	owner, free := s.mustKey(t, "free")
	old, capped, err := s.accounts.CreateKey(t.Context(), account.NewKey{AccountID: owner, Name: "student", Cap: new(int64(25))})
	require.NoError(t, err)

	require.InDelta(t, 15, s.mustExtract(t, capped, "", image()).field(t, "remainingPoints"), 0)
	_, made, err := s.accounts.Rotate(t.Context(), old.ID, time.Hour)
	require.NoError(t, err)
	require.InDelta(t, 5, s.mustExtract(t, made, "", image()).field(t, "remainingPoints"), 0, "rotation carries the use over")
	for _, token := range []string{capped, made} {
		refused := s.mustExtract(t, token, "", image())
		require.Equal(t, http.StatusPaymentRequired, refused.status)
		require.Equal(t, "key", refused.field(t, "limitedBy"))
		require.InDelta(t, 5, refused.field(t, "remainingPoints"), 0)
	}
	record := s.status(t, made)
	require.Equal(t, []any{20., 5., 25.}, []any{record["pointsUsed"], record["pointsRemaining"], record["pointsTotal"]})

	require.InDelta(t, 270, s.mustExtract(t, free, "", image()).field(t, "remainingPoints"), 0, "the account has points left for other keys")
	record = s.status(t, free)
	require.Equal(t, []any{30., 270., 300.}, []any{record["pointsUsed"], record["pointsRemaining"], record["pointsTotal"]})
}
