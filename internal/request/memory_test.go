package request_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/fair"
)

// meanwhile does something when the reader before it has ended.
type meanwhile func()

func (do meanwhile) Read([]byte) (int, error) {
	do()
	return 0, io.EOF
}

// An account that took all memory while it was alone loses a body that still arrives once another account gets less than its
// share.
func TestOperation_Check_YieldsMemory(t *testing.T) {
	t.Parallel()
	const kept, size = 6 << 20, 1 << 20
	for _, isWanted := range []bool{false, true} {
		p := fair.NewPlaces(8<<20, size)
		flooder, other := fair.Account{Label: "flooder"}, fair.Account{Label: "other"}
		require.True(t, p.Take(flooder, kept))
		reservation := p.Reserve(flooder)
		refuse := meanwhile(func() {
			taken := int64(0)
			for isWanted && p.Take(other, size) {
				taken += size
			}
			p.Give(other, max(0, taken-1)) // there is room again, but the other account was refused just now
		})
		start, end := `{"imageUrl": "data:image/png;base64,`+strings.Repeat("A", 80_000), strings.Repeat("A", 80_000)+`"}`
		r := httptest.NewRequest(http.MethodPost, "/api/v1/extract", io.MultiReader(strings.NewReader(start), refuse, strings.NewReader(end)))
		r.Header.Set("Content-Type", "application/json")
		_, err := extract().Check(httptest.NewRecorder(), r.WithContext(fair.WithReservation(t.Context(), reservation)))
		reservation.Close()
		if isWanted {
			require.ErrorIs(t, err, fair.ErrFull)
		} else {
			require.NoError(t, err)
		}
	}
}
