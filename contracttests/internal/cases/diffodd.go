package cases

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/images"
	"uncial/contracttests/internal/model"
)

// outside are paths outside the API that openapi.yaml or the README names, and some that nobody does. The root is left out:
// that of the service leads to its dashboard, which mocks do not have.
var outside = []string{"/healthz", "/readyz", "/openapi.yaml", "/openapi.json", "/docs", "/docs/", "/healthz/", "/favicon.ico", "/robots.txt", "/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/status", "/metrics", "/debug/pprof/", "/.env", "/index.html", "/OPENAPI.YAML"}

// oddHosts are hosts as programs write addresses that no server fetches. Names are left out: mocks resolve none.
var oddHosts = []string{
	"2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.1.", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.999", "999.999.999.999", "0", "00", "1", "[::]", "[::1]", "[64:ff9b::7f00:1]", "[fe80::1]", "[fc00::1]", "[2002:7f00:1::]",
	"10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1",
}

// oddSteps are requests that servers seldom see: every unusual and every wrong one that the suite can generate, every way of
// negotiating, every credential, odd hosts and files, and paths outside the API.
func oddSteps() (all []diffStep) {
	add := func(name, scenario string, q ask) {
		all = append(all, diffStep{name, false, func(ctx context.Context, s *side) (*model.Exchange, error) { return s.sendWithKey(ctx, scenario, q) }})
	}
	for _, v := range shapeVariants() {
		b := generate.Break(base, 1, v)
		add("an unusual request where "+v.Name, model.KeyEmpty, draft(b.Draft, nil))
	}
	for _, r := range generate.QueryRules() {
		b := generate.Break(nil, 1, r)
		add("a status where "+r.Name, model.KeyOK, status().query(b.Draft.Query).wrong(b.Fields()...))
	}
	for _, base := range []struct {
		name, scenario string
		q              ask
	}{
		{"an invalid request", model.KeyOK, invalid()}, {"a request without a key", "", body(`{}`)}, {"a status", model.KeyOK, status()}, {"an unknown path", "", get("/nowhere")}, {"a request without points", model.KeyEmpty, read(printed)},
	} {
		for i, q := range negotiated(base.q, false) {
			add(fmt.Sprintf("%s, negotiated in way %d", base.name, i+1), base.scenario, q)
		}
	}
	for _, class := range refused {
		for i, q := range class.tries {
			all = append(all, diffStep{fmt.Sprintf("credential %d of %s", i+1, class.name), false, credentialStep(q)})
		}
	}
	for _, host := range oddHosts {
		for _, authority := range []string{host, host + ":80", host + ":0", host + ":65536", "user@" + host} {
			add("an image at "+authority, model.KeyOK, body(fmt.Sprintf(`{"imageUrl":"http://%s/page.png"}`, authority), "imageUrl"))
		}
	}
	for _, f := range images.Invalid() {
		if !f.Heavy {
			add("the file "+f.Name, model.KeyOK, inline(f.Name, dataURL("image/png", f.Data)).wrong("imageUrl"))
		}
	}
	for _, path := range outside {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
			all = append(all, diffStep{method + " " + path + " outside the API", false, outsideStep(method, path)})
		}
	}
	return all
}

// credentialStep sends a status with a credential. Mocks know more keys than their target names, so that some are left out.
func credentialStep(q ask) func(ctx context.Context, s *side) (*model.Exchange, error) {
	return func(ctx context.Context, s *side) (*model.Exchange, error) {
		if q.Body == nil {
			q.Method, q.Path = http.MethodGet, "/status"
		}
		r := s.request(q.sentBy(nobody), &senders{})
		if s.isKeyOfMock(r) {
			return nil, &skip{"the credential is a key of the mock"}
		}
		return s.send(ctx, r)
	}
}

// outsideStep sends a request to a path of the host.
func outsideStep(method, path string) func(ctx context.Context, s *side) (*model.Exchange, error) {
	return func(ctx context.Context, s *side) (*model.Exchange, error) {
		u, err := url.Parse(s.BaseURL)
		if err != nil {
			return nil, err
		}
		u.Path, u.RawPath = "", ""
		r := &model.Request{Method: method, Path: path, Absolute: strings.TrimSuffix(u.String(), "/") + path}
		x, err := s.Exchange(ctx, r)
		if err != nil {
			return x, fail(x, "%s", err)
		}
		if value, err := answer.ParseJSON(x.Body); err == nil && path != "/openapi.json" {
			x.JSON, _ = value.(map[string]any)
		}
		return x, nil
	}
}
