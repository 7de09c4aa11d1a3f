package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"uncial/gen"
	"uncial/impl/sample"
	"uncial/internal/contract"
	"uncial/internal/version"
)

// demoSample reads the sample page through the HTTP API of the demo.
type demoSample struct {
	base, key string
	account   string // ID of the account of the key
	database  string // its URL
}

// show reads the sample page as a client would and prints the text, the response and commands to try next. If the account may
// not read it now, because its points or its extractions of this minute are used up, it prints the reason instead of the text.
func (s demoSample) show(ctx context.Context, out io.Writer) error {
	res, err := s.read(ctx)
	if err != nil {
		return err
	}
	switch {
	case res.JSON200 != nil:
		err = showResult(out, res)
	case res.JSON402 != nil:
		s.explainPoints(out, res.JSON402)
	case res.JSON429 != nil:
		fmt.Fprintf(out, "\nThe sample page was not read: %s.\n\n", res.JSON429.Message)
	case res.JSON500 != nil:
		err = fmt.Errorf("reading the sample page failed: %s (X-Request-Id: %s)", res.JSON500.Message, res.HTTPResponse.Header.Get("X-Request-Id"))
	default:
		err = fmt.Errorf("reading the sample page failed: %s", strings.TrimSpace(string(res.Body)))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `Uncial is listening on %s. API reference: %s/docs
To read an image from the web, or a local file:

  curl -sS %s/api/v1/extract -H 'Authorization: Bearer %s' \
    -H 'Content-Type: application/json' -d '{"imageUrl": "https://images.example.org/page.jpg"}'

  bin/uncial extract --url %s --key %s FILE

`, s.base, s.base, s.base, s.key, s.base, s.key)
	return nil
}

// read sends the sample page. Repeated starts of one version use the same Idempotency-Key, so that only the first one within
// the lifetime of a reply is charged.
func (s demoSample) read(ctx context.Context) (*gen.ExtractResponse, error) {
	client, err := gen.NewClientWithResponses(s.base+"/api/v1", gen.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+s.key)
			return nil
		}))
	if err != nil {
		return nil, err
	}
	// Two minutes are enough for one page on a slow machine whose workers have just started.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	image := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(sample.Image)
	digest := sha256.Sum256([]byte(version.Version + image))
	repeatable := "uncial-demo-" + hex.EncodeToString(digest[:16])
	return client.ExtractWithResponse(ctx, &gen.ExtractParams{IdempotencyKey: &repeatable}, gen.ExtractionRequest{ImageURL: image})
}

// explainPoints says how to add points to the account, or to the key if its cap is what is used up.
func (s demoSample) explainPoints(out io.Writer, refused *gen.InsufficientPoints) {
	if refused.LimitedBy != nil && *refused.LimitedBy == gen.InsufficientPointsErrorLimitedBy(contract.LimitedByKey) {
		fmt.Fprintf(out, "\nThe sample page was not read: it costs %d points, and %d are left under the monthly cap of the key; raise it in the dashboard.\n\n",
			contract.Price, refused.RemainingPoints)
		return
	}
	fmt.Fprintf(out, "\nThe sample page was not read: it costs %d points, and the account has %d left until %s. To add points, run:\n\n"+
		"  bin/uncial account grant %s 500 --reason demo --database %s\n\n",
		contract.Price, refused.RemainingPoints, refused.NextReset.UTC().Format("2 January 15:04 MST"), s.account, quote(s.database))
}

// showResult prints the text and the response.
func showResult(out io.Writer, res *gen.ExtractResponse) error {
	fmt.Fprintf(out, "\n%s\n\n", res.JSON200.Text)
	// The text was printed in full above, so the response shows only its beginning.
	shown := *res.JSON200
	shown.Text = shorten(shown.Text, 60)
	pretty, err := json.MarshalIndent(shown, "", "  ")
	if err != nil {
		return err
	}
	title := "Response (text shortened)"
	if res.Headers200 != nil && res.Headers200.IdempotencyReplayed != nil {
		title = "Response of an earlier start, not charged again (text shortened)"
	}
	fmt.Fprintf(out, "%s:\n%s\n\n", title, pretty)
	return nil
}

// shorten cuts s at white space, to at most n bytes, and marks the cut with an ellipsis. It never splits a character,
// because it cuts at ASCII only.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexAny(s[:n], " \n")
	return s[:max(cut, 0)] + " …"
}
