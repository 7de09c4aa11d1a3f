package mock_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/mock"
)

func TestMock_refusesAddressesThatAreNeverPublic(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	for url, status := range map[string]int{
		"http://127.0.0.1/a.png": 400, "HTTPS://LocalHost:8080/": 400, "http://[::1]?x": 400, "http://169.254.169.254#a": 400, "http://2130706433/": 400, "http://database/": 400,
		"https://images.example.org/127.0.0.1": 200, "http://93.184.216.34/": 200, "https://localhost.example.org/": 200,
	} {
		a := do(t, m, status, extractionAt("", "ocr_test_ok_addresses", fmt.Sprintf(`{"imageUrl":%q}`, url)))
		if status == 400 {
			assert.Contains(t, string(a.raw), `"fetch":{"reason":"refused-address","retryable":false}`, url)
		}
	}
}
