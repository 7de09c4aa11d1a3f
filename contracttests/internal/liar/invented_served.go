package liar

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// inventedServed serve something else than the contract.
func inventedServed() []row {
	asYAML, asJSON := "/openapi.yaml", "/openapi.json"
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
