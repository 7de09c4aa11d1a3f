package mock_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func TestMock_Points(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	require.Equal(t, int64(2), *do(t, m, 200, extractionAt("", "ocr_test_low", image("printed"))).RemainingPoints)
	a := do(t, m, 402, extractionAt("", "ocr_test_low", image("printed")))
	require.Equal(t, int64(2), *a.RemainingPoints)
	require.Equal(t, "2026-02-01T00:00:00Z", a.NextReset)
	s := do(t, m, 200, statusAt("", "ocr_test_low"))
	require.Equal(t, []int64{9_998, 2, 10_000}, []int64{s.PointsUsed, s.PointsRemaining, s.PointsTotal})

	do(t, m, 200, control(http.MethodPost, "/__mock/clock", `{"now":"2026-01-31T23:59:59.999Z"}`))
	do(t, m, 402, extractionAt("", "ocr_test_low", image("printed")))
	do(t, m, 200, control(http.MethodPost, "/__mock/clock", `{"advance":"1ms"}`))
	s = do(t, m, 200, statusAt("", "ocr_test_low"))
	require.Equal(t, []int64{0, 10_000}, []int64{s.PointsUsed, s.PointsRemaining})
	require.Equal(t, int64(9_990), *do(t, m, 200, extractionAt("", "ocr_test_low", image("printed"))).RemainingPoints)
	do(t, m, 402, extractionAt("", "ocr_test_empty", image("402")))
}

func TestMock_RateLimit(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	const key = "ocr_test_free"
	do(t, m, 200, control(http.MethodPost, "/__mock/clock", `{"advance":"17500ms"}`))
	for i := range 10 {
		body := image("printed")
		if i == 3 {
			body = `{}` // an invalid request counts too
		}
		want := 200
		if i == 3 {
			want = 400
		}
		a := do(t, m, want, extractionAt("", key, body))
		require.Equal(t, `"account";r=`+strconv.Itoa(9-i)+`;t=43`, a.header.Get("RateLimit"))
		require.Equal(t, `"account";q=10;w=60`, a.header.Get("RateLimit-Policy"))
	}
	a := do(t, m, 429, extractionAt("", key, `{}`))
	require.Equal(t, "43", a.header.Get("Retry-After"))
	require.Equal(t, int64(300-90), *a.RemainingPoints)
	require.Contains(t, a.Message, "10 requests per minute")
	s := do(t, m, 200, statusAt("", key))
	require.Equal(t, mock.Epoch.Unix()+60, s.RateLimit.Reset)
	require.Zero(t, s.RateLimitRemaining)
	do(t, m, 200, control(http.MethodPost, "/__mock/clock?key="+key, `{"advance":"42500ms"}`))
	require.Equal(t, int64(10), do(t, m, 200, statusAt("", key)).RateLimitRemaining, "a new window")
	do(t, m, 200, extractionAt("", key, image("printed")))
}

func TestMock_IdempotencyKey(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	const key = "ocr_test_low_idempotent"
	send := func(status int, id, body string, headers ...string) answer {
		return do(t, m, status, extractionAt("", key, body, append(headers, "Idempotency-Key", id)...))
	}
	first := send(200, "a", `{"imageUrl":"http://mock.invalid/difficult","format":"alto","enhance":true}`, "Prefer", "seed=7")
	require.Equal(t, "seed=7", first.header.Get("Preference-Applied"))
	again := send(200, "a", `{"format":"alto","enhance":true,"imageUrl":"http://mock.invalid/difficult"}`)
	require.Equal(t, string(first.raw), string(again.raw), "the same bytes, without a seed and without enough points")
	require.Equal(t, int64(9_998), do(t, m, 200, statusAt("", key)).PointsUsed, "a replay is free")

	other := send(400, "a", image("printed"))
	require.Contains(t, other.Details["Idempotency-Key"], "already used with a different request")
	send(400, "a", `{"imageUrl":"http://mock.invalid/difficult","format":"alto"}`)
	send(400, "a", `{"imageUrl":"http://mock.invalid/difficult","format":"alto","enhance":true,"language":"de"}`)
	again = send(200, "a", `{"imageUrl":"http://mock.invalid/difficult","format":"alto","enhance":true,"language":"en"}`)
	require.Equal(t, string(first.raw), string(again.raw), "a default that is spelled out asks for the same")

	require.Equal(t, int64(2), *send(402, "b", image("printed")).RemainingPoints)
	do(t, m, 200, control(http.MethodPut, "/__mock/keys/"+key, `{"balance":100}`))
	send(200, "b", image("printed/other"))
	send(500, "c", image("500"))
	send(400, "c", image("400"))
	send(200, "c", image("printed"))

	do(t, m, 200, control(http.MethodPost, "/__mock/clock?key="+key, `{"advance":"23h59m59s"}`))
	require.Equal(t, string(first.raw), string(send(200, "a", `{"imageUrl":"http://mock.invalid/difficult","format":"alto","enhance":true}`).raw))
	do(t, m, 200, control(http.MethodPost, "/__mock/clock?key="+key, `{"advance":"1s"}`))
	require.NotEqual(t, *first.RemainingPoints, *send(200, "a", image("printed")).RemainingPoints, "after 24 hours the key is free")
	do(t, m, 200, extractionAt("", "ocr_test_ok", image("printed"), "Idempotency-Key", "a"))
}

func TestMock_IdempotencyKey_RepeatWhileTheFirstRuns(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	const key = "ocr_test_ok_racing"
	bodies := make([]string, 8)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() {
			w := httptest.NewRecorder()
			m.ServeHTTP(w, extractionAt("", key, image("slow-100"), "Idempotency-Key", "same"))
			bodies[i] = w.Body.String()
		})
	}
	wg.Wait()
	for _, body := range bodies {
		require.Contains(t, body, `"remainingPoints":9990`)
		require.Equal(t, bodies[0], body)
	}
	require.Equal(t, int64(10), do(t, m, 200, statusAt("", key)).PointsUsed, "charged once")
}

// A misread word has the right one as its alternative in each format that has a place for one.
func TestMock_Alternatives(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	for format, want := range map[string]string{"page": `<TextEquiv index="1"`, "alto": "<ALTERNATIVE>", "hocr": `<del class="alt"`} {
		body := `{"imageUrl":"http://mock.invalid/difficult","format":"` + format + `"`
		require.Contains(t, do(t, m, 200, extractionAt("", benchKey, body+`}`)).Document, want)
		require.NotContains(t, do(t, m, 200, extractionAt("", benchKey, body+`,"enhance":true}`)).Document, want, "corrected")
	}
}

func TestMock_Enhance(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	for _, tag := range []string{"de", "de-Latf", "en", "enm", "es", "fr", "frm", "grc", "it", "la", "nl", "pt"} {
		verbatim := do(t, m, 200, extractionAt("", benchKey, `{"imageUrl":"http://mock.invalid/difficult","language":"`+tag+`"}`))
		enhanced := do(t, m, 200, extractionAt("", benchKey, `{"imageUrl":"http://mock.invalid/difficult","language":"`+tag+`","enhance":true}`))
		require.False(t, *verbatim.Enhanced)
		require.Nil(t, verbatim.Edits)
		require.True(t, *enhanced.Enhanced)
		require.NotEqual(t, *verbatim.Text, *enhanced.Text, tag)
		require.Equal(t, strings.Count(*verbatim.Text, "\n"), strings.Count(*enhanced.Text, "\n"), "the same page")
		require.Greater(t, enhanced.Confidence, verbatim.Confidence)
		require.NotEmpty(t, enhanced.Edits)
		before, after := strings.Fields(*verbatim.Text), strings.Fields(*enhanced.Text)
		require.Len(t, after, len(before))
		edit := 0
		for i := range before {
			if before[i] != after[i] {
				require.Equal(t, before[i], enhanced.Edits[edit]["before"])
				require.Equal(t, after[i], enhanced.Edits[edit]["after"])
				edit++
			}
		}
		require.Len(t, enhanced.Edits, edit, "every change is listed, in reading order")
	}
}

func TestMock_Formats(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	for format, want := range map[string]string{
		"json": "", "text": "", "hocr": `class="ocr_page"`, "alto": `xmlns="http://www.loc.gov/standards/alto/ns-v4#"`,
		"page": "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15", "tsv": "level\tpage_num\t",
	} {
		a := do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://mock.invalid/printed/folio.tif","format":"`+format+`"}`))
		require.Equal(t, want == "", a.Document == "")
		require.Contains(t, a.Document, want)
		if format == "alto" {
			require.Contains(t, a.Document, "<fileName>folio.tif</fileName>")
			require.Contains(t, a.Document, "2026-01-15T12:00:00Z", "the clock of the mock")
		}
	}
}
