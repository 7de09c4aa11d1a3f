package edge_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/internal/edge"
)

// The contract suite tries all forms of credentials; here it is shown that a refusal reads no body, counts nothing and logs no
// key.
func TestHandler_RefusesInvalidKeys(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{
		"no header":           {},
		"a token without end": {"Bearer " + strings.Repeat("a", 513)},
		"an unknown key":      {"Bearer ocr_test_unknown"},
		"two headers":         {"Bearer " + goodKey, "Bearer " + goodKey},
	} {
		for _, path := range []string{"POST /api/v1/extract", "GET /api/v1/status"} {
			t.Run("refuses "+name+" for "+path, func(t *testing.T) {
				t.Parallel()
				d := mustNew(t, nil)
				method, target, _ := strings.Cut(path, " ")
				r := httptest.NewRequest(method, target, unreadable{t, d})
				r.Header["Authorization"] = headers
				res, f := d.fails(t, http.StatusUnauthorized, r)
				assert.Equal(t, "INVALID_API_KEY", f.Code)
				assert.Equal(t, "Bearer", res.Header.Get("WWW-Authenticate"))
				assert.Empty(t, res.Header.Get("RateLimit"))
				assert.NotContains(t, f.Message, "ocr_test")
				assert.NotContains(t, d.log.String(), "ocr_test", "keys never appear in the log")
				assert.EqualValues(t, 60, d.gate.remaining, "nothing is counted")
			})
		}
	}
}

// unreadable is a body that must not be read before the answer is sent: keys are checked by the headers alone.
type unreadable struct {
	t *testing.T
	d *frontEnd
}

func (u unreadable) Read([]byte) (int, error) {
	assert.True(u.t, u.d.answer.Flushed, "the answer waits for the body")
	return 0, io.EOF
}

func TestHandler_Answers500IfThePointsForA429AreUnknown(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	d.gate.remaining, d.gate.pointsErr = 0, errors.New("database is locked")
	_, f := d.fails(t, http.StatusInternalServerError, extraction(smallBody))
	assert.NotContains(t, f.Message, "locked")
}

func TestHandler_PassesTheClientAddress(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		peer    string
		forward []string
		want    string
	}{
		"uses the peer without the header":             {"192.0.2.1:99", nil, "192.0.2.1"},
		"ignores the header of an untrusted peer":      {"192.0.2.1:99", []string{"198.51.100.1"}, "192.0.2.1"},
		"uses the header of a trusted proxy":           {"10.0.0.1:99", []string{"198.51.100.1"}, "198.51.100.1"},
		"uses the last address of a chain":             {"10.0.0.1:99", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		"skips trusted proxies in a chain":             {"10.0.0.1:99", []string{"203.0.113.9, 198.51.100.1, 10.2.3.4"}, "198.51.100.1"},
		"reads several headers as one list":            {"10.0.0.1:99", []string{"198.51.100.1", "10.2.3.4"}, "198.51.100.1"},
		"drops ports":                                  {"10.0.0.1:99", []string{"198.51.100.1:443"}, "198.51.100.1"},
		"accepts IPv6 in brackets":                     {"[fd00::1]:99", []string{"[2001:db8::5]:443"}, "2001:db8::5"},
		"takes IPv4 inside IPv6 for IPv4":              {"[::ffff:192.0.2.1]:99", nil, "192.0.2.1"},
		"stops at an entry that is not an address":     {"10.0.0.1:99", []string{"198.51.100.1, unknown, 10.2.3.4"}, "10.2.3.4"},
		"uses the first of a chain of trusted proxies": {"10.0.0.1:99", []string{"10.9.9.9"}, "10.9.9.9"},
		"knows no address of a socket":                 {"@", nil, "invalid IP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mustNew(t, func(o *edge.Options) { o.TrustedProxies = trusted })
			r := status()
			r.RemoteAddr = c.peer
			r.Header["X-Forwarded-For"] = c.forward
			d.do(t, r)
			assert.Equal(t, c.want, d.gate.from.String())
		})
	}
}

func TestCallerFrom_OutsideOfARequest(t *testing.T) {
	t.Parallel()
	assert.Zero(t, edge.CallerFrom(context.Background()))
}
