package contracttests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"uncial/gen"
)

func elsewhereCases() []Case {
	return []Case{{
		Name:        "elsewhere/404/unknown-paths",
		Explanation: "Where there is nothing the answer is a 404 in the form of every error, with a key and without.",
		Needs:       []string{needKey(KeyOK)},
		Check:       do(unknownPaths),
	}, {
		Name:        "elsewhere/405/wrong-methods",
		Explanation: "A method that a path does not know is a 405 that names those it knows, and does nothing.",
		Needs:       []string{needKey(KeyOK)},
		Check:       do(wrongMethods),
	}, {
		Name:        "elsewhere/document",
		Explanation: "The header Link leads to the document that the server keeps to.",
		Needs:       []string{needKey(KeyOK), NeedAllFields},
		Check:       do(documentIsServed),
	}}
}

func unknownPaths(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 0, 0)
	if err != nil {
		return err
	}
	for _, path := range []string{
		"/", "/extract/", "/status/", "/Status", "/EXTRACT", "/status.json", "/extract/1", "/extracts", "/usage", "/status;v=1", "/extract%20", "//status", "//extract",
		drawPath(s.Seed), drawPath(s.Seed + 1),
	} {
		for _, r := range []request{{method: http.MethodGet, account: a}, {account: a, body: []byte(`{}`)}, {method: http.MethodGet}} {
			r.path = path
			if _, err := s.send(ctx, &r); err != nil {
				return err
			}
		}
	}
	return nil
}

func wrongMethods(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 0, 0)
	if err != nil {
		return err
	}
	good := (&job{image: ImagePrinted}).body(s.Target)
	for _, op := range s.contract.Operations() {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", strings.ToLower(op.Method), drawMethod(s.Seed)} {
			if slices.Contains(s.contract.Methods(op.Path), method) {
				continue
			}
			r := request{method: method, path: op.Path}
			if method == "POST" || method == "PUT" || method == "PATCH" {
				r.body = good
			}
			keyless := r
			r.account = a
			if err := s.sendAll(ctx, &r, &keyless); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawPath is a path that no server of the contract has.
func drawPath(seed uint64) string {
	return rapid.StringMatching(`/[a-z]{1,6}(/[a-z0-9]{1,6}){0,2}/nowhere`).Example(int(seed & math.MaxInt))
}

// drawMethod is a method that nobody has heard of.
func drawMethod(seed uint64) string {
	return rapid.StringMatching(`X[A-Z]{2,9}`).Example(int(seed & math.MaxInt))
}

var link = regexp.MustCompile(`<([^>]+)>; *rel="service-desc"`)

// documentIsServed follows Link and wants the paths, statuses and schemas of the document that this suite was built from.
func documentIsServed(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 0, 0)
	if err != nil {
		return err
	}
	x, err := s.status(ctx, a)
	if err != nil {
		return err
	}
	m := link.FindStringSubmatch(x.Header.Get("Link"))
	if m == nil {
		return fail(x, "the header Link has no service-desc")
	}
	base, err := url.Parse(s.BaseURL + "/status")
	if err != nil {
		return err
	}
	address, err := base.Parse(m[1])
	if err != nil || address.Host != base.Host {
		return fail(x, "Link leads to %q, which is no address of this server", m[1])
	}
	y, err := s.exchange(ctx, &request{method: http.MethodGet, absolute: address.String()})
	if err != nil {
		return &failure{y, []string{err.Error()}}
	}
	if y.Status != http.StatusOK {
		return fail(y, "the document must be where Link leads; the answer there is %d", y.Status)
	}
	if err := sameContract(y.Body); err != nil {
		return fail(y, "the document where Link leads is not the contract: %s", err)
	}
	return nil
}

func sameContract(text []byte) error {
	served, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return errors.New("it cannot be read as an OpenAPI document")
	}
	own, err := gen.GetSpec()
	if err != nil {
		return err
	}
	for name, pair := range map[string][2]any{
		"paths": {served.Paths, own.Paths}, "components": {served.Components, own.Components}, "servers": {served.Servers, own.Servers},
	} {
		a, errA := json.Marshal(pair[0])
		b, errB := json.Marshal(pair[1])
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			return fmt.Errorf("its %s are not those of the contract", name)
		}
	}
	return nil
}
