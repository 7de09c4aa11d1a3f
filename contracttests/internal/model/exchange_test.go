package model_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/contracttests/internal/model"
)

func TestOffersGzip(t *testing.T) {
	t.Parallel()
	for offer, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "*": true, "br, *;q=0.5": true, "gzip;q=0.001": true, "identity;q=0, gzip; q=1": true,
		"gzip;q=0": false, "gzip;q=0.000, *": false, "gzip;q=0, x-gzip": true, "*;q=0": false, "br": false, "identity": false, "gzip;q=x": false, "agzip": false,
	} {
		assert.Equal(t, want, model.OffersGzip(http.Header{"Accept-Encoding": {offer}}), offer)
	}
	assert.True(t, model.OffersGzip(http.Header{"Accept-Encoding": {"br", "gzip"}}), "in two headers")
	assert.False(t, model.OffersGzip(http.Header{}), "no header")
}
