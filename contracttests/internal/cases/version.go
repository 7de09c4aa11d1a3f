package cases

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/compat"
	"uncial/contracttests/internal/model"
	"uncial/gen"
)

// serviceDescription is the link relation of an API description (RFC 8631, section 4.2).
var serviceDescription = regexp.MustCompile(`<([^>]+)>; *rel="service-desc"`)

// servedContract follows the header Link of an answer to the contract that the target serves.
func (r *Run) servedContract(ctx context.Context, x *model.Exchange) (*model.Exchange, error) {
	address, err := r.descriptionOf(x)
	if err != nil {
		return nil, err
	}
	y, err := r.fetchDocument(ctx, address)
	if err != nil {
		return nil, err
	}
	if y.Status != http.StatusOK {
		return nil, fail(y, "the contract must be available at the target of Link; the answer at %s is %d", address, y.Status)
	}
	return y, nil
}

// errNoDocument says that a document outside the API did not arrive, which does not mean that the server breaks the contract.
var errNoDocument = errors.New("the connection failed")

// fetchDocument asks for a document of the target, once more if the server has closed the connection meanwhile.
func (r *Run) fetchDocument(ctx context.Context, address string) (*model.Exchange, error) {
	q := &model.Request{Method: http.MethodGet, Absolute: address}
	x, err := r.Exchange(ctx, q)
	if errors.Is(err, model.ErrIdleClosed) {
		r.Client.CloseIdleConnections()
		x, err = r.Exchange(ctx, q)
	}
	if err != nil {
		return x, fmt.Errorf("%w for %s: %w", errNoDocument, address, err)
	}
	return x, nil
}

// descriptionOf is the address that the header Link of an answer gives for the contract.
func (r *Run) descriptionOf(x *model.Exchange) (string, error) {
	m := serviceDescription.FindStringSubmatch(x.Header.Get("Link"))
	if m == nil {
		return "", fail(x, "the header Link has no service-desc")
	}
	base, err := url.Parse(r.BaseURL + "/status")
	if err != nil {
		return "", err
	}
	address, err := base.Parse(m[1])
	if err != nil || address.Host != base.Host {
		return "", fail(x, "Link leads to %q, which is not an address of this server", m[1])
	}
	return address.String(), nil
}

// followLink requires the header Link of every answer, errors included, to lead to the same document. Each address is asked for
// once in a run. A missing Link is a problem of the headers; one that leads nowhere in every answer is left to
// elsewhere/document. The error says that the document could not be asked for.
func (s *session) followLink(ctx context.Context, x *model.Exchange) (problem string, err error) {
	address, err := s.descriptionOf(x)
	switch {
	case s.description == nil || serviceDescription.FindString(x.Header.Get("Link")) == "":
		return "", nil // the headers are checked elsewhere
	case err != nil:
		return err.Error(), nil
	case address == s.description.URL():
		return "", nil
	}
	s.mu.Lock()
	problem, known := s.links[address]
	s.mu.Unlock()
	if known {
		return problem, nil
	}
	y, err := s.fetchDocument(ctx, address)
	switch {
	case err != nil:
		return "", err
	case y.Status != http.StatusOK:
		problem = fmt.Sprintf("the header Link leads to %s, where there is no contract; other answers lead to %s", address, s.description.URL())
	case !bytes.Equal(y.Body, s.description.Body):
		problem = fmt.Sprintf("the header Link names %s, whose contract differs from that at %s, which other answers name", address, s.description.URL())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links[address] = problem
	return problem, nil
}

// compareVersions finds out which contract the target serves, and whether it has the version that the run checks against. Later
// versions add fields to answers, so a server may send fields that this version lacks, but none that its own lacks. x is any
// answer of the target.
func (r *Run) compareVersions(ctx context.Context, x *model.Exchange) {
	served, err := r.servedContract(ctx, x)
	if err != nil {
		return // a server without its contract claims no version; elsewhere/document reports it
	}
	r.description = served
	r.served = answer.Served(served.Body)
	r.isExact = r.served != nil && r.contract.IsVersionOf(r.served)
	r.readings.SetExact(r.isExact)
}

// checkServedContract compares the contract that the target serves with the one of the run: where Link leads, and in both forms
// if they have the names of this project's servers.
func checkServedContract(ctx context.Context, s *session) error {
	a, err := s.account(ctx, model.KeyOK, 0, 0)
	if err != nil {
		return err
	}
	x, err := s.status(ctx, a)
	if err != nil {
		return err
	}
	served, err := s.servedContract(ctx, x)
	if err != nil {
		return err
	}
	if err := s.compareContract(served.Body); err != nil {
		return fail(served, "%s is not the contract: %s", served.Request.Absolute, err)
	}
	if key := keyWithoutQuotes(served.Body); key != "" {
		return fail(served, "%s: the key %s must stand in quotation marks, because YAML does not read it as text (OpenAPI 3.0.3, Responses Object)", served.Request.Absolute, key)
	}
	if err := s.negotiateContract(ctx, served); err != nil {
		return err
	}
	if media := served.Header.Get("Content-Type"); !mediaOfDocuments.MatchString(media) {
		return fail(served, "the contract must be sent as YAML or JSON, not as %q", media)
	}
	base, isYAML := strings.CutSuffix(served.Request.Absolute, "/openapi.yaml")
	if !isYAML {
		return nil
	}
	y, err := s.fetchDocument(ctx, base+"/openapi.json")
	if err != nil {
		return err
	}
	media, _, _ := mime.ParseMediaType(y.Header.Get("Content-Type")) // "" if it is not one
	switch at, err := differsAt(spelledOut(served.Body), spelledOut(y.Body)); {
	case y.Status != http.StatusOK:
		return fail(y, "the contract must be available as JSON next to /openapi.yaml; the answer is %d", y.Status)
	case !json.Valid(y.Body):
		return fail(y, "/openapi.json is not JSON")
	case media != "application/json":
		return fail(y, "/openapi.json must have the type application/json, not %q", y.Header.Get("Content-Type"))
	case err != nil:
		return fail(y, "/openapi.json cannot be compared with /openapi.yaml: %v", err)
	case at != "":
		return fail(y, "/openapi.json must say the same as /openapi.yaml; it differs at %s", at)
	}
	return s.negotiateContract(ctx, y)
}

// mediaOfDocuments are types in which OpenAPI documents are sent (RFC 9512), among them those of servers that do not know YAML.
var mediaOfDocuments = regexp.MustCompile(`(?i)yaml|json|openapi|^text/plain|^application/octet-stream`)

// negotiateContract requires the contract to be the same for everyone: whatever a request prefers, and with a key or without.
func (s *session) negotiateContract(ctx context.Context, served *model.Exchange) error {
	asks := negotiated(get(""), false)
	for _, q := range append(asks, get("").auth("Bearer "+model.KeyVariable), get("").auth("Bearer x"), get("").header("Accept", "application/json"), get("").header("Accept", "application/yaml")) {
		r := s.request(q, &senders{accounts: map[who]*model.Account{}})
		r.Account, r.Absolute = nil, served.Request.Absolute
		for _, name := range []string{"If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since", "Range"} {
			delete(r.Header, name) // a document may be cached and sent in parts
		}
		y, err := s.Exchange(ctx, r)
		if err != nil {
			return fmt.Errorf("%w for %s: %w", errNoDocument, r.Absolute, err)
		}
		if y.Status == http.StatusOK && bytes.Equal(y.Body, served.Body) {
			continue
		}
		const rule = "the contract must be the same whatever a request prefers"
		switch at, err := differsAt(spelledOut(served.Body), spelledOut(y.Body)); {
		case y.Status != http.StatusOK:
			return fail(y, rule+"; this answer is %d", y.Status)
		case err != nil:
			return fail(y, rule+"; this answer is not an OpenAPI document: %v", err)
		case at != "":
			return fail(y, rule+"; this answer differs at %s", at)
		}
	}
	return nil
}

// compareContract requires a document of the same version to be equal in every value, descriptions and security included. Of
// two versions the later one must only add to the other.
func (s *session) compareContract(text []byte) error {
	own := s.contract.Document()
	served, err := answer.ParseDocument(text)
	if err != nil {
		return err
	}
	if served.Info.Version != own.Info.Version {
		renamed := *served.Info
		renamed.Version = own.Info.Version
		same := *served
		same.Info = &renamed
		if written, err := same.MarshalJSON(); err == nil && s.compareSameVersion(written) == nil {
			return fmt.Errorf("its version is %s, but it is otherwise identical to version %s", served.Info.Version, own.Info.Version)
		}
		return compareOtherVersion(served, own)
	}
	return s.compareSameVersion(text)
}

// compareSameVersion requires a document to be equal in every value.
func (s *session) compareSameVersion(text []byte) error {
	own := s.contract.Document()
	// Programs that write JSON may leave out what has its default value: the contract in that form is as good.
	written, err := own.MarshalJSON()
	if err != nil {
		return err
	}
	documents := [][]byte{written}
	if s.Contract == nil {
		documents = append(documents, gen.Document)
	}
	var at string
	for _, document := range documents {
		if at, err = differsAt(text, document); err != nil || at == "" {
			return err
		}
	}
	return fmt.Errorf("it differs at %s, although both claim version %s", at, own.Info.Version)
}

// spelledOut is an OpenAPI document as this program writes it: programs may leave out defaults. A document that is not
// OpenAPI is returned unchanged.
func spelledOut(document []byte) []byte {
	doc, err := answer.ParseDocument(document)
	if err != nil {
		return document
	}
	text, err := doc.MarshalJSON()
	if err != nil {
		return document
	}
	return text
}

// keyWithoutQuotes returns the first key that YAML does not read as text, such as a status without quotation marks; "" if there
// is none.
func keyWithoutQuotes(text []byte) string {
	var document yaml.Node
	if yaml.Unmarshal(text, &document) != nil {
		return "" // reported elsewhere
	}
	var find func(n *yaml.Node) string
	find = func(n *yaml.Node) string {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 && child.ShortTag() != "!!str" && child.ShortTag() != "!!merge" {
				return child.Value
			}
			if key := find(child); key != "" {
				return key
			}
		}
		return ""
	}
	return find(&document)
}

// differsAt is the JSON pointer of the first place where two documents in YAML or JSON differ, "" if they do not.
func differsAt(text, document []byte) (string, error) {
	var a, b any
	if err := errors.Join(yaml.Unmarshal(text, &a), yaml.Unmarshal(document, &b)); err != nil { // JSON is YAML
		return "", err
	}
	return firstDifference(plainValue(a), plainValue(b), ""), nil
}

// plainValue is a value of YAML as JSON would have it.
func plainValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = plainValue(v[name])
		}
	case map[any]any:
		object := map[string]any{}
		for name, member := range v {
			object[fmt.Sprint(name)] = plainValue(member)
		}
		return object
	case []any:
		for i := range v {
			v[i] = plainValue(v[i])
		}
	case int:
		return float64(v)
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return v
}

// root stands for the pointer of the whole value, which is empty.
const root = "the root"

// pointerEscapes escapes a name for a JSON pointer (RFC 6901, section 3).
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// firstDifference is the JSON pointer of the first place where two values differ, or "".
func firstDifference(a, b any, at string) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return cmp.Or(at, root)
		}
		names := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			v, inX := x[name]
			w, inY := y[name]
			member := at + "/" + pointerEscapes.Replace(name)
			if inX != inY {
				return member
			}
			if d := firstDifference(v, w, member); d != "" {
				return d
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return cmp.Or(at, root)
		}
		for i := range x {
			if d := firstDifference(x[i], y[i], fmt.Sprintf("%s/%d", at, i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return cmp.Or(at, root)
	}
	return ""
}

// maxLost is the maximum number of losses that a report names.
const maxLost = 3

// compareOtherVersion requires one of the two documents to extend the other, whichever is the later one.
func compareOtherVersion(served, own *openapi3.T) error {
	lost, err := compat.Lost(own, served)
	if err != nil || len(lost) == 0 {
		return err
	}
	if missing, err := compat.Lost(served, own); err != nil || len(missing) == 0 {
		return err
	}
	return fmt.Errorf("it is version %s, which is not compatible with version %s: %s", served.Info.Version, own.Info.Version, strings.Join(lost[:min(len(lost), maxLost)], "; "))
}
