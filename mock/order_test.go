package mock_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// TestMock_RequestsLeaveNothingBehind sends every pair of requests of different keys over one connection, in both orders. Each
// request gets the bytes, headers included, that it gets alone: nothing of one request stays for the next.
func TestMock_RequestsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(key string) *http.Request{
		"plain": func(key string) *http.Request { return extractionAt("", key, image("printed")) },
		"enhanced": func(key string) *http.Request {
			return extractionAt("", key, `{"imageUrl":"http://mock.invalid/difficult","enhance":true,"format":"alto"}`)
		},
		"prefer": func(key string) *http.Request {
			return extractionAt("", key, image("printed"), "Prefer", "seed=7, delay=1")
		},
		"minimal": func(key string) *http.Request {
			return extractionAt("", key, image("blank"), "Prefer", "example=minimal")
		},
		"refused": func(key string) *http.Request {
			return extractionAt("", key, image("400"), "Origin", "https://app.example")
		},
		"limited": func(key string) *http.Request { return extractionAt("", key, image("429")) },
		"busy":    func(key string) *http.Request { return extractionAt("", key, image("busy"), "Idempotency-Key", "a") },
		"no key":  func(key string) *http.Request { return statusAt("", "nobody-"+key, "X-Request-Id", key) },
		"status":  func(key string) *http.Request { return statusAt("", key) },
		"drip":    func(key string) *http.Request { return extractionAt("", key, image("drip-20")) },
	}
	answers := func(names ...string) map[string]string {
		base, _ := MustServe(t, mock.Options{})
		var requests []*http.Request
		for _, name := range names {
			requests = append(requests, kinds[name]("ocr_test_ok_"+strings.ReplaceAll(name, " ", "-")))
		}
		raw, err := play(strings.TrimPrefix(base, "http://"), requests)
		require.NoError(t, err)
		got := map[string]string{}
		for i, name := range names {
			got[name] = raw[i]
		}
		return got
	}
	alone := map[string]string{}
	for name := range kinds {
		alone[name] = answers(name)[name]
	}
	for first := range kinds {
		for second := range kinds {
			if first != second {
				got := answers(first, second)
				require.Equal(t, alone[first], got[first], "%s before %s", first, second)
				require.Equal(t, alone[second], got[second], "%s after %s", second, first)
			}
		}
	}
}
