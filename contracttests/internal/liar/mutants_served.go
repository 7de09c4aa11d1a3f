package liar

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"uncial/gen"
)

// servedMutants change what the server says that it serves, one place of the document each: /openapi.yaml, /openapi.json or
// both. Of the many places it takes a share that is spread over the whole document.
func servedMutants() ([]row, error) {
	var doc any
	if err := yaml.Unmarshal(gen.Document, &doc); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	files := []named[func(path string) bool]{
		{"/openapi.yaml", func(p string) bool { return p == "/openapi.yaml" }},
		{"/openapi.json", func(p string) bool { return p == "/openapi.json" }},
		{"both documents", func(p string) bool { return p == "/openapi.yaml" || p == "/openapi.json" }},
	}
	var all []row
	for _, place := range chosenPlaces(doc) {
		name := "/" + strings.Join(place, "/")
		// By the name, so that an addition to the contract leaves the mutants of other places as they are.
		file, does := pick(files, hashOf("file", name)), pick([]string{"is left out", "says something else"}, hashOf("change", name))
		all = append(all, mutant(fmt.Sprintf("%s in %s: %s", name, file.name, does), serve(file.of, place, does)))
	}
	other := func(code int, changes ...change) lie {
		return on(callIs(func(c *call) bool { return c.request.URL.Path == "/openapi.json" }), append(changes, recode(code))...)
	}
	return append(all,
		mutant("answers 404 to /openapi.json", other(404)), mutant("serves YAML at /openapi.json", other(200, func(_ *call, a *reply) { a.body = gen.Document })),
		mutant("serves half of /openapi.json", other(200, raw(func(b string) string { return b[:len(b)/2] }))),
		mutant("serves /openapi.json as plain text", other(200, header("Content-Type", "text/plain"))),
		mutant("asks for a key for /openapi.json", other(401)),
	), nil
}

// alwaysChosen are the parts of the document that the share must not miss.
var alwaysChosen = []string{
	"/openapi", "/info/version", "/info/title", "/info/license/name", "/info/description", "/servers", "/servers/0/url", "/security", "/security/0", "/tags", "/paths/~extract/post/operationId",
	"/components/securitySchemes/bearerAuth/scheme", "/components/securitySchemes/bearerAuth/type", "/components/securitySchemes/bearerAuth/description", "/paths/~status/get/responses/401",
	"/components/schemas/ExtractionRequest/additionalProperties", "/components/schemas/Format/enum", "/x-mock-scenarios",
}

// chosenPlaces are paths into the document: those of alwaysChosen and one in share of the others.
func chosenPlaces(doc any) (chosen [][]string) {
	const share = 25
	for _, p := range placesOf(doc, nil) {
		name := "/" + strings.Join(p, "/")
		if slices.Contains(alwaysChosen, name) || hashOf("place", name)%share == 0 && len(p) > 1 && !strings.Contains(name, "x-go-type") {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

// placesOf are all paths below a value. A slash in a name is written as "~".
func placesOf(value any, at []string) (all [][]string) {
	if at != nil {
		all = append(all, at)
	}
	below := func(name string, v any) {
		all = append(all, placesOf(v, append(slices.Clone(at), strings.ReplaceAll(name, "/", "~")))...)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below(name, v[name])
		}
	case []any:
		for i, e := range v {
			below(fmt.Sprint(i), e)
		}
	}
	return all
}

// hashOf is a number that depends on the texts alone.
func hashOf(texts ...string) int {
	h := fnv.New32a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t + "\n")) // never fails
	}
	return int(h.Sum32() >> 1)
}

// serve changes the document that is sent for some of the paths.
func serve(isFile func(path string) bool, place []string, does string) lie {
	return on(callIs(func(c *call) bool { return isFile(c.request.URL.Path) }), func(c *call, a *reply) {
		var doc any
		if yaml.Unmarshal(a.body, &doc) != nil { // JSON is YAML
			return
		}
		doc = changeAt(doc, place, does)
		if strings.HasSuffix(c.request.URL.Path, ".json") {
			a.body, _ = json.Marshal(doc) // it was JSON
		} else {
			a.body, _ = yaml.Marshal(doc) // it was YAML
		}
	})
}

// changeAt returns the value with the change at the path.
func changeAt(value any, path []string, does string) any {
	if len(path) == 0 {
		return somethingElse(value)
	}
	name := strings.ReplaceAll(path[0], "~", "/")
	switch v := value.(type) {
	case map[string]any:
		if len(path) == 1 && does == "is left out" {
			delete(v, name)
			return v
		}
		v[name] = changeAt(v[name], path[1:], does)
	case []any:
		var i int
		_, _ = fmt.Sscan(name, &i) // placesOf wrote a number
		if len(path) == 1 && does == "is left out" {
			return slices.Delete(v, i, i+1)
		}
		v[i] = changeAt(v[i], path[1:], does)
	}
	return value
}

// somethingElse is another value of the same kind.
func somethingElse(value any) any {
	switch v := value.(type) {
	case string:
		return v + "x"
	case bool:
		return !v
	case int:
		return v + 1
	case float64:
		return v / 2
	case []any:
		return append(v, "x")
	case map[string]any:
		v["x-other"] = true
		return v
	}
	return "x"
}
