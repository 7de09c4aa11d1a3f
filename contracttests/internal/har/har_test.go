package har_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/har"
)

const secret = "sk-2c1f/odd=key"

func exchange() har.Exchange {
	return har.Exchange{
		Started: time.Date(2026, 1, 15, 12, 0, 0, 5e6, time.UTC), Took: 1500 * time.Microsecond,
		Method: "POST", URL: "http://a.test/api/v1/extract?key=" + secret + "&page=1",
		RequestHeader: http.Header{"Authorization": {"Bearer " + secret}, "Cookie": {"session=1"}, "X-Trace": {"ocr_live_abc123"}, "Content-Type": {"application/json"}},
		RequestBody:   []byte(`{"imageUrl":"http://a.test/?t=` + secret + `"}`),
		Status:        200, AnswerHeader: http.Header{"Content-Type": {"application/json"}, "Set-Cookie": {"s=1"}, "Location": {"/?" + secret}},
		AnswerBody: []byte(`{"text":"Arma ſ","key":"ocr_test_ok_me"}`), Secrets: []string{secret, ""}, Comment: "sent by " + secret,
	}
}

// mustArchive writes the exchanges and decodes the archive. A member that HAR 1.2 does not have is an error.
func mustArchive(t *testing.T, exchanges ...har.Exchange) (archive archive, text string) {
	t.Helper()
	var out bytes.Buffer
	w := har.NewWriter(&out, "test", "1")
	w.Page("extract/200/blank", time.Now())
	for _, x := range exchanges {
		w.Add(x)
	}
	require.NoError(t, w.Close())
	text = out.String()
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&archive), text)
	return archive, text
}

type pair struct{ Name, Value string }

// archive has the members of HAR 1.2; required ones are pointers or slices, so that their absence shows.
type archive struct {
	Log struct {
		Version string
		Creator struct{ Name, Version string }
		Pages   []struct {
			StartedDateTime, ID, Title string
			PageTimings                *struct{}
		}
		Entries []struct {
			Pageref, StartedDateTime, Comment string
			Time                              *float64
			Cache                             *struct{}
			Timings                           struct{ Send, Wait, Receive *float64 }
			Request                           struct {
				Method, URL, HTTPVersion      string
				Cookies, Headers, QueryString []pair
				HeadersSize, BodySize         *int
				PostData                      *struct {
					MimeType, Text, Comment string
					Params                  []pair
				}
			}
			Response struct {
				Status                               *int
				StatusText, HTTPVersion, RedirectURL string
				Cookies, Headers                     []pair
				HeadersSize, BodySize                *int
				Content                              struct {
					Size                              *int
					MimeType, Text, Encoding, Comment string
				}
			}
		}
	}
}

func TestWriter_Add(t *testing.T) {
	t.Parallel()
	a, _ := mustArchive(t, exchange())
	require.Equal(t, "1.2", a.Log.Version)
	e := a.Log.Entries[0]
	assert.Equal(t, "2026-01-15T12:00:00.005Z", e.StartedDateTime)
	assert.InDelta(t, 1.5, *e.Time, 0)
	assert.InDelta(t, 1.5, *e.Timings.Wait, 0)
	assert.Equal(t, a.Log.Pages[0].ID, e.Pageref)
	assert.NotNil(t, e.Cache)
	assert.NotNil(t, e.Request.Cookies)
	assert.Contains(t, e.Request.QueryString, pair{"page", "1"})
	assert.Equal(t, "application/json", e.Request.PostData.MimeType)
	assert.Equal(t, 200, *e.Response.Status)
	assert.Equal(t, "OK", e.Response.StatusText)
	assert.Contains(t, e.Response.Content.Text, "Arma ſ")
	assert.Equal(t, len(exchange().AnswerBody), *e.Response.Content.Size)
}

func TestWriter_RemovesKeys(t *testing.T) {
	t.Parallel()
	_, text := mustArchive(t, exchange())
	for _, forbidden := range []string{secret, "sk-2c1f%2Fodd%3Dkey", "sk-2c1f", "ocr_live_abc123", "ocr_test_ok", "session=1", "s=1"} {
		assert.NotContains(t, text, forbidden)
	}
	assert.Contains(t, text, `{"name":"Authorization","value":"[removed]"}`)
}

func TestWriter_LargeAndBinaryBodies(t *testing.T) {
	t.Parallel()
	const maxBody = 256 << 10
	long, binary, failed := exchange(), exchange(), exchange()
	long.RequestBody = []byte("x" + strings.Repeat("ſ", maxBody))
	binary.AnswerBody = []byte{0xff, 0xfe}
	failed.Status, failed.AnswerHeader, failed.AnswerBody, failed.RequestBody = 0, nil, nil, nil
	a, _ := mustArchive(t, long, binary, failed)
	body := a.Log.Entries[0].Request.PostData
	assert.Len(t, body.Text, maxBody-1, "no half character")
	assert.Equal(t, "the first 262144 of 524289 bytes", body.Comment)
	assert.Equal(t, 2*maxBody+1, *a.Log.Entries[0].Request.BodySize)
	assert.Equal(t, "base64", a.Log.Entries[1].Response.Content.Encoding)
	assert.Equal(t, "//4=", a.Log.Entries[1].Response.Content.Text)
	assert.Zero(t, *a.Log.Entries[2].Response.Status)
	assert.Nil(t, a.Log.Entries[2].Request.PostData)
}

func TestWriter_ManyAtOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := har.NewWriter(&out, "test", "1")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { w.Add(exchange()) })
	}
	all.Wait()
	require.NoError(t, w.Close())
	var a archive
	require.NoError(t, json.Unmarshal(out.Bytes(), &a))
	require.Len(t, a.Log.Entries, 50)
}

// full is a disk without space.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestWriter_Close_reportsTheFirstError(t *testing.T) {
	t.Parallel()
	err := errors.New("no space left on device")
	w := har.NewWriter(full{err}, "test", "1")
	w.Add(exchange())
	require.ErrorIs(t, w.Close(), err)
}
