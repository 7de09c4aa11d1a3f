package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"uncial/internal/contract"
)

// Plan is what an account may use.
type Plan = contract.Plan

const maxCatalogueBytes = 1 << 20

// planName is the pattern that openapi.yaml gives the field plan of a status record.
var planName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// ErrPlan says that the catalogue has no plan of that name.
var ErrPlan = errors.New("no such plan")

// Catalogue holds the plans by name. It is never changed once made.
type Catalogue struct{ plans map[string]Plan }

// DefaultCatalogue holds the plans of the contract.
func DefaultCatalogue() Catalogue { return Catalogue{plans: contract.DefaultPlans()} }

// LoadCatalogue reads the plans from a file; see ParseCatalogue for its form.
func LoadCatalogue(path string) (Catalogue, error) {
	f, err := os.Open(path)
	if err != nil {
		return Catalogue{}, fmt.Errorf("the file cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return ParseCatalogue(f)
}

// ParseCatalogue reads plans from a JSON object of at most 1 MiB, such as
//
//	{"free": {"points": 300, "requestsPerMinute": 10}}
//
// A name has 1 to 32 lower-case letters, digits and "-", and begins with a letter. Both numbers are required; unknown
// and repeated names are refused, for a typing error here would change what customers get.
func ParseCatalogue(r io.Reader) (Catalogue, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCatalogueBytes+1))
	if err != nil {
		return Catalogue{}, err
	}
	if len(data) > maxCatalogueBytes {
		return Catalogue{}, errors.New("must be at most 1 MiB")
	}
	plans, err := decodePlans(data)
	if err != nil {
		return Catalogue{}, err
	}
	if len(plans) == 0 {
		return Catalogue{}, errors.New("must name at least one plan")
	}
	return Catalogue{plans: plans}, nil
}

var errPlansForm = errors.New(`must be one JSON object like {"free": {"points": 300, "requestsPerMinute": 10}}`)

// decodePlans walks the outer object by itself, because a decoder into a map keeps only the last of repeated names.
func decodePlans(data []byte) (map[string]Plan, error) {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, errPlansForm
	}
	plans := make(map[string]Plan)
	for decoder.More() {
		t, err := decoder.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, errPlansForm
		}
		plan := Plan{}
		if err := decoder.Decode(&plan); err != nil {
			return nil, fmt.Errorf(`%q: must be like {"points": 300, "requestsPerMinute": 10}`, name)
		}
		plan.Name = name
		if err := checkPlan(plan); err != nil {
			return nil, err
		}
		if _, repeated := plans[name]; repeated {
			return nil, fmt.Errorf("%q: is named twice", name)
		}
		plans[name] = plan
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errPlansForm
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errPlansForm
	}
	return plans, nil
}

func checkPlan(p Plan) error {
	switch {
	case !planName.MatchString(p.Name):
		return fmt.Errorf(`%q: a name must have 1 to 32 lower-case letters, digits and "-", and begin with a letter`, p.Name)
	case p.Points < 1 || p.Points > contract.MaxPoints:
		return fmt.Errorf("%q: points must be 1 to %d", p.Name, int64(contract.MaxPoints))
	case p.Requests < 1 || p.Requests > contract.MaxRequests:
		return fmt.Errorf("%q: requestsPerMinute must be 1 to %d", p.Name, contract.MaxRequests)
	}
	return nil
}

// Plan finds a plan by its name. Errors: ErrPlan.
func (c Catalogue) Plan(name string) (Plan, error) {
	plan, ok := c.plans[name]
	if !ok {
		return Plan{}, fmt.Errorf("%w: %q; there are %s", ErrPlan, name, strings.Join(c.Names(), ", "))
	}
	return plan, nil
}

// Names of all plans, sorted.
func (c Catalogue) Names() []string { return slices.Sorted(maps.Keys(c.plans)) }
