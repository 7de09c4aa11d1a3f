package impl_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkService_Overhead measures what the service adds to recognition: an extraction over HTTP with a SQLite file and
// a recognizer that answers at once, compared with a bare net/http handler that writes a constant of the same size. It
// reports both medians and their ratio; requests alternate, so that a busy machine slows both.
func BenchmarkService_Overhead(b *testing.B) {
	s := mustServe(b, "sqlite:"+b.TempDir()+"/uncial.db")
	_, key := s.mustKey(b, "archive")
	constant := s.mustExtract(b, key, "", image()).body
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(constant)
	}))
	b.Cleanup(bare.Close)
	var service, bareTimes []time.Duration
	for i := 0; b.Loop(); i++ {
		if i%500 == 0 {
			s.clock.move(time.Minute) // keeps the rate limit out of the measurement
		}
		started := time.Now()
		a := s.mustExtract(b, key, "", image())
		service = append(service, time.Since(started))
		require.Equal(b, 200, a.status, "%s", a.body)

		started = time.Now()
		res, err := http.Post(bare.URL, "application/json", bytes.NewReader([]byte(`{"imageUrl":"https://images.example.org/page.png"}`)))
		require.NoError(b, err)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		bareTimes = append(bareTimes, time.Since(started))
	}
	b.ReportMetric(milliseconds(median(service)), "median-ms")
	b.ReportMetric(milliseconds(median(bareTimes)), "bare-median-ms")
	b.ReportMetric(float64(median(service))/float64(median(bareTimes)), "ratio")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
