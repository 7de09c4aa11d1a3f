package liar

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The contract is served in two forms.
const asYAML, asJSON = "/openapi.yaml", "/openapi.json"

// inventedServed serve something else than the contract.
func inventedServed() []row {
	codes := regexp.MustCompile(`(?m)^( +)'(\d{3})':`)
	return []row{
		{"served-security-optional", servedCase, redraft(func(_ *call, doc map[string]any) {
			doc["security"] = []any{map[string]any{}, map[string]any{"bearerAuth": []any{}}}
		}, asJSON)},
		{"stale-yaml", servedCase, redraft(func(_ *call, doc map[string]any) {
			doc["info"].(map[string]any)["version"] = "1.0.0"
			forget(doc, "weak")
			delete(doc["components"].(map[string]any)["schemas"].(map[string]any), "WeakPlace")
		}, asYAML)},
		{"served-request-open", servedCase, redraft(func(_ *call, doc map[string]any) {
			delete(doc["components"].(map[string]any)["schemas"].(map[string]any)["ExtractionRequest"].(map[string]any), "additionalProperties")
		}, asYAML, asJSON)},
		{"server-url-absolute", servedCase, redraft(func(c *call, doc map[string]any) {
			address := "http://" + c.request.Host + "/api/v1"
			if c.request.Header.Get("X-Forwarded-Host") != "" {
				address = "http://localhost:8080/api/v1"
			}
			doc["servers"].([]any)[0].(map[string]any)["url"] = address
		}, asYAML, asJSON)},
		{"link-dangles-on-errors", notFound, on(func(_ *call, a *reply) bool { return slices.Contains([]int{401, 404, 405}, a.status) },
			header("Link", `</api/v1/openapi.yaml>; rel="service-desc"`))},
		{"link-without-slash", servedCase, on(always, header("Link", `<openapi.yaml>; rel="service-desc"`))},
		{"stale-copy-in-gzip", servedCase, redraft(func(c *call, doc map[string]any) {
			if !strings.Contains(c.request.Header.Get("Accept-Encoding"), "gzip") {
				return
			}
			doc["info"].(map[string]any)["version"] = "1.0.0"
			for _, name := range []string{"weak", "reader", "fetch"} {
				forget(doc, name)
			}
		}, asYAML, asJSON)},
		{"answers-closed", servedCase, redraft(func(_ *call, doc map[string]any) {
			for name, schema := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
				if s := schema.(map[string]any); s["type"] == "object" && name != "Details" {
					s["additionalProperties"] = false
				}
			}
		}, asYAML, asJSON)},
		{"reference-to-header", servedCase, redraft(func(_ *call, doc map[string]any) {
			record := doc["components"].(map[string]any)["schemas"].(map[string]any)["StatusRecord"].(map[string]any)
			record["properties"].(map[string]any)["rateLimit"] = map[string]any{"$ref": "#/components/headers/RateLimit"}
		}, asYAML, asJSON)},
		{"enum-without-quotes", servedCase, redraft(func(_ *call, doc map[string]any) {
			doc["components"].(map[string]any)["headers"].(map[string]any)["IdempotencyReplayed"].(map[string]any)["schema"].(map[string]any)["enum"] = []any{true}
		}, asYAML, asJSON)},
		{"version-of-the-program", servedCase, chain(
			redraft(func(_ *call, doc map[string]any) { doc["info"].(map[string]any)["version"] = "1.4.0" }, asYAML, asJSON),
			on(isResult, inside("reader", func(o object) { o["version"] = "1.4.0" })),
		)},
		{"document-in-gzip-without-saying-so", servedCase, on(callIs(func(c *call) bool {
			return strings.HasPrefix(c.request.URL.Path, "/openapi.") && strings.Contains(c.request.Header.Get("Accept-Encoding"), "gzip")
		}), compress)},
		{"zeros-left-out", servedCase, redraft(func(_ *call, doc map[string]any) { withoutZeros(doc) }, asYAML, asJSON)},
		{"writes statuses in its contract without quotation marks", servedCase, on(isContractAsYAML, raw(func(s string) string { return codes.ReplaceAllString(s, "$1$2:") }))},
		{"sends its contract compressed without saying so", servedCase, on(isContractAsYAML, compress)},
		{"leaves headers out of its contract", servedCase, redraft(func(_ *call, doc map[string]any) {
			headers := doc["components"].(map[string]any)["responses"].(map[string]any)["Status"].(map[string]any)["headers"].(map[string]any)
			delete(headers, "RateLimit")
			delete(headers, "RateLimit-Policy")
		}, asYAML, asJSON)},
		{"serves its operations at the root as well", "elsewhere/404/outside", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if p := c.request.URL.Path; p == "/status" || p == "/extract" {
					other := c.withBody(c.body)
					other.request.URL = &url.URL{Scheme: c.request.URL.Scheme, Host: c.request.URL.Host, Path: "/api/v1" + p}
					return honest(other)
				}
				return a
			}
		}},
	}
}

// redraft changes the document that is served at some paths.
func redraft(change func(c *call, doc map[string]any), paths ...string) lie {
	return on(func(c *call, a *reply) bool {
		return slices.Contains(paths, c.request.URL.Path) && a.status == http.StatusOK
	}, func(c *call, a *reply) {
		var doc map[string]any
		if yaml.Unmarshal(a.body, &doc) != nil { // JSON is YAML
			return
		}
		change(c, doc)
		if strings.HasSuffix(c.request.URL.Path, ".json") {
			a.body, _ = json.Marshal(doc) // it was JSON
		} else {
			a.body, _ = yaml.Marshal(doc) // it was YAML
		}
	})
}

// forget removes a member wherever it stands, and its name from lists of required ones.
func forget(value any, name string) {
	switch v := value.(type) {
	case map[string]any:
		delete(v, name)
		if names, ok := v["required"].([]any); ok {
			v["required"] = slices.DeleteFunc(names, func(n any) bool { return n == name })
		}
		for _, e := range v {
			forget(e, name)
		}
	case []any:
		for _, e := range v {
			forget(e, name)
		}
	}
}

// withoutZeros takes values that are false or 0 out of a document.
func withoutZeros(value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if text := fmt.Sprint(member); text == "false" || text == "0" {
				delete(v, name)
				continue
			}
			withoutZeros(member)
		}
	case []any:
		for _, e := range v {
			withoutZeros(e)
		}
	}
}
