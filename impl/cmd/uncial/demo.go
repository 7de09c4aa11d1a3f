package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"uncial/gen"
	"uncial/impl/app"
	"uncial/impl/sample"
)

// demoCmd is a first look: it needs nothing and shows everything.
type demoCmd struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API; port 0 chooses one (default: ${default})."`
	Data   string `default:".uncial" type:"path" placeholder:"DIR" help:"Where database, secret and key are kept (default: ${default})."`
	engineFlags
}

// Help is shown below the flags.
func (demoCmd) Help() string {
	return `Starts the service on SQLite, makes an account and a key on the first start, reads the sample page through
the HTTP API, prints the text, the answer and a curl line, and stays up until Ctrl-C.

Examples:
  uncial demo
  uncial demo --listen 127.0.0.1:0 --data /tmp/uncial`
}

// Run shows the sample page and then serves until the context ends.
func (c *demoCmd) Run(ctx context.Context, con *console) error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	a, err := app.New(app.Options{
		Listen: c.Listen,
		Data:   app.DataOptions{Database: "sqlite:" + filepath.Join(c.Data, "uncial.db")},
		Engine: c.pool(),
		Logger: con.log,
	})
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		return errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
	}
	key, err := demoKey(ctx, a, filepath.Join(c.Data, "key"))
	if err == nil {
		err = showSample(ctx, con, "http://"+a.Addr(), key)
	}
	if err == nil {
		err = a.Wait(ctx)
	}
	return errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
}

// demoKey is the key kept in the file, or a new one where there is none or the database no longer knows it.
func demoKey(ctx context.Context, a *app.App, file string) (string, error) {
	if kept, err := os.ReadFile(file); err == nil {
		key := strings.TrimSpace(string(kept))
		if a.KnowsKey(ctx, key) {
			return key, nil
		}
	}
	key, err := a.CreateKey(ctx, "development", "pro")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the key: %w", err)
	}
	return key, nil
}

func showSample(ctx context.Context, con *console, base, key string) error {
	client, err := gen.NewClientWithResponses(base+"/api/v1", gen.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	image := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(sample.Image)
	res, err := client.ExtractWithResponse(ctx, nil, gen.ExtractionRequest{ImageURL: image})
	if err != nil {
		return err
	}
	if res.JSON200 == nil {
		return fmt.Errorf("the sample page was not read: %s", strings.TrimSpace(string(res.Body)))
	}
	fmt.Fprintf(con.out, "\n%s\n\n", res.JSON200.Text)
	shown := *res.JSON200
	shown.Text = shorten(shown.Text, 60)
	pretty, err := json.MarshalIndent(shown, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, `The answer (text shortened):
%s

Uncial listens on %s. Reference: %s/docs
Read an image from the web, or a file of yours:

  curl -sS %s/api/v1/extract -H 'Authorization: Bearer %s' \
    -H 'Content-Type: application/json' -d '{"imageUrl": "https://images.example.org/page.jpg"}'

  bin/uncial extract --url %s --key %s FILE

Ctrl-C stops it; the data stays.
`, pretty, base, base, base, key, base, key)
	return nil
}

// shorten cuts a text to about n characters at a blank.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexAny(s[:n], " \n")
	return s[:max(cut, 0)] + " …"
}
