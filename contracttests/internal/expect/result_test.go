package expect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/model"
)

const tsv = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
	"1\t1\t0\t0\t0\t0\t0\t0\t640\t200\t-1\t\n2\t1\t1\t0\t0\t0\t10\t10\t200\t40\t-1\t\n3\t1\t1\t1\t0\t0\t10\t10\t200\t40\t-1\t\n4\t1\t1\t1\t1\t0\t10\t10\t200\t40\t-1\t\n" +
	"5\t1\t1\t1\t1\t1\t10\t10\t80\t40\t90.0\tWhan\n5\t1\t1\t1\t1\t2\t110\t10\t80\t40\t20.0\tthat\n"

// result returns an honest result, in the format tsv.
func result() map[string]any {
	return map[string]any{
		"success": true, "text": "Whan that", "enhanced": false, "language": "en", "confidence": 0.6, "pointsUsed": 10, "remainingPoints": 90, "processingTime": 0, "document": tsv,
		"reader": map[string]any{"software": "x", "models": []any{map[string]any{"name": "a", "digest": "b"}}},
		"weak":   []any{map[string]any{"page": 1, "box": map[string]any{"x": 110, "y": 10, "width": 80, "height": 40}, "confidence": 0.3, "reason": "low-confidence", "text": "that"}},
	}
}

// exchangeOf returns an exchange that takes no time and answers a job with a result.
func exchangeOf(t *testing.T, j model.Job, members map[string]any) *model.Exchange {
	t.Helper()
	body, err := json.Marshal(members)
	require.NoError(t, err)
	value, err := answer.ParseJSON(body)
	require.NoError(t, err)
	now := time.Now()
	x := &model.Exchange{Status: 200, Body: body, Sent: now, Received: now, Request: &model.Request{Job: &j}, Target: model.Target{Images: map[string]string{j.Image: "https://images.example.org/a.png"}, Enhances: true}}
	x.JSON, _ = value.(map[string]any)
	return x
}

// faultsOf checks a result of a job.
func faultsOf(t *testing.T, r *expect.Readings, j model.Job, members map[string]any) string {
	t.Helper()
	return strings.Join(r.CheckResult(exchangeOf(t, j, members)), "; ")
}

func TestReadings_CheckResult_ofAStoredAnswer(t *testing.T) {
	t.Parallel()
	body := result()
	body["processingTime"] = 300 // of the first request, which this one only waited for
	x := exchangeOf(t, model.Job{Image: model.ImageOther, Format: "tsv"}, body)
	x.Received, x.Header = x.Sent.Add(20*time.Millisecond), http.Header{"Idempotency-Replayed": {"true"}}
	require.Empty(t, new(expect.Readings).CheckResult(x))
	x.Header = nil
	require.Contains(t, strings.Join(new(expect.Readings).CheckResult(x), "; "), "but the whole exchange took")
}

func TestReadings_CheckResult(t *testing.T) {
	t.Parallel()
	place := func(o map[string]any) map[string]any { return o["weak"].([]any)[0].(map[string]any) }
	for want, change := range map[string]func(o map[string]any){
		"the field processingTime is missing":    func(o map[string]any) { delete(o, "processingTime") },
		"begins or ends with white space":        func(o map[string]any) { o["text"] = "Whan that " },
		`"de", but "en" was requested`:           func(o map[string]any) { o["language"] = "de" },
		"enhancement was not requested":          func(o map[string]any) { o["enhanced"] = true },
		"but the whole exchange took":            func(o map[string]any) { o["processingTime"] = 5000 },
		"the tsv document is missing":            func(o map[string]any) { delete(o, "document") },
		`but the text is "When that"`:            func(o map[string]any) { o["text"] = "When that" },
		"but the words allow at most":            func(o map[string]any) { o["confidence"] = 0.99 },
		"weak is missing":                        func(o map[string]any) { delete(o, "weak") },
		"is in no weak place":                    func(o map[string]any) { o["weak"] = []any{} },
		"is on page 2 of 1":                      func(o map[string]any) { place(o)["page"] = 2 },
		"but its words allow ":                   func(o map[string]any) { place(o)["confidence"] = 0.1 },
		"which is not in the contract":           func(o map[string]any) { place(o)["reason"] = "mood" },
		"which is not in a line of page 1":       func(o map[string]any) { place(o)["text"] = "this" },
		"reader.models must name the models":     func(o map[string]any) { o["reader"].(map[string]any)["models"] = []any{} },
		"there are edits, but enhanced is not":   func(o map[string]any) { o["edits"] = []any{} },
		"the same image had the confidence 0.6 ": func(o map[string]any) { o["confidence"] = 0.5 },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			var r expect.Readings
			r.SetExact(true)
			job := model.Job{Image: model.ImageOther, Format: "tsv"}
			require.Empty(t, faultsOf(t, &r, job, result()))
			changed := result()
			change(changed)
			require.Contains(t, faultsOf(t, &r, job, changed), want)
		})
	}
}

// TestReadings_CheckResult_neighbours lists two weak words as two places, which they are only if they are in different lines.
func TestReadings_CheckResult_neighbours(t *testing.T) {
	t.Parallel()
	const head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n1\t1\t0\t0\t0\t0\t0\t0\t640\t200\t-1\t\n"
	block := func(n, left, width int) string {
		const rest = "\t10\t%[3]d\t40\t-1\t\n"
		return fmt.Sprintf("2\t1\t%[1]d\t0\t0\t0\t%[2]d"+rest+"3\t1\t%[1]d\t1\t0\t0\t%[2]d"+rest+"4\t1\t%[1]d\t1\t1\t0\t%[2]d"+rest, n, left, width)
	}
	word := func(block, n, left int, text string) string {
		return fmt.Sprintf("5\t1\t%d\t1\t1\t%d\t%d\t10\t80\t40\t20.0\t%s\n", block, n, left, text)
	}
	place := func(left int, text string) map[string]any {
		return map[string]any{"page": 1, "box": map[string]any{"x": left, "y": 10, "width": 80, "height": 40}, "confidence": 0.3, "reason": "low-confidence", "text": text}
	}
	for name, c := range map[string]struct{ text, document, want string }{
		"accepts it of two columns": {"Whan\n\nthat", head + block(1, 10, 80) + word(1, 1, 10, "Whan") + block(2, 110, 80) + word(2, 1, 110, "that"), ""},
		"refuses it of one line":    {"Whan that", head + block(1, 10, 200) + word(1, 1, 10, "Whan") + word(1, 2, 110, "that"), `the words "Whan" and "that" are neighbours`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r expect.Readings
			r.SetExact(true)
			answer := result()
			answer["text"], answer["document"], answer["confidence"], answer["weak"] = c.text, c.document, 0.3, []any{place(10, "Whan"), place(110, "that")}
			problems := faultsOf(t, &r, model.Job{Image: model.ImageOther, Format: "tsv"}, answer)
			if c.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Contains(t, problems, c.want)
		})
	}
}

func TestReadings_CheckResult_blankPages(t *testing.T) {
	t.Parallel()
	var r expect.Readings
	r.SetExact(true)
	blank := result()
	blank["text"], blank["language"], blank["confidence"], blank["weak"] = "\f\f", "und", 0, []any{}
	delete(blank, "document")
	blank["reader"].(map[string]any)["models"] = []any{}
	job := model.Job{Image: "pages", Language: "und", Unknown: true}
	require.Empty(t, faultsOf(t, &r, job, blank), "several pages without a text")
	blank["language"] = "en"
	require.Contains(t, faultsOf(t, &r, job, blank), `expected "und"`)
}

func TestAnswer_Check_fieldThatBreaksTwoRules(t *testing.T) {
	t.Parallel()
	body := []byte(`{"success":false,"details":{"imageUrl":"must be a string; takes no query"}}`)
	value, err := answer.ParseJSON(body)
	require.NoError(t, err)
	x := &model.Exchange{Status: 400, Body: body, Request: &model.Request{}}
	x.JSON, _ = value.(map[string]any)
	require.Empty(t, expect.Answer{Status: 400, Fields: []string{"imageUrl", "imageUrl"}}.Check(x))
	require.NotEmpty(t, expect.Answer{Status: 400, Fields: []string{"imageUrl", "format"}}.Check(x))
}
