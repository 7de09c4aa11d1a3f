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

// Plan says how much an account may use; the bounds are in package contract.
type Plan = contract.Plan

// maxCatalogueBytes bounds the file of the plan catalogue: 1 MiB holds thousands of plans.
const maxCatalogueBytes = 1 << 20

// planName is the pattern that openapi.yaml gives for the field plan of StatusRecord. A test compares the two.
var planName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// ErrPlan means that the catalogue has no plan with this name.
var ErrPlan = errors.New("unknown plan")

// Catalogue holds the plans by name. It is immutable and safe for concurrent use.
type Catalogue struct{ plans map[string]Plan }

// DefaultCatalogue holds the plans of the contract.
func DefaultCatalogue() Catalogue { return Catalogue{plans: contract.DefaultPlans()} }

// LoadCatalogue reads the plans from a file, whose format is that of ParseCatalogue. It fails if the file cannot be read or is
// not valid.
func LoadCatalogue(path string) (Catalogue, error) {
	f, err := os.Open(path)
	if err != nil {
		return Catalogue{}, fmt.Errorf("cannot read the plan catalogue: %w", err)
	}
	defer func() { _ = f.Close() }() // only read: a failure to close loses nothing
	return ParseCatalogue(f)
}

// ParseCatalogue parses a JSON object of at most 1 MiB, such as
//
//	{"free": {"points": 300, "requestsPerMinute": 10}}
//
// A name has 1 to 32 lower-case letters, digits and "-", and begins with a letter. Both numbers are required; "weight" may
// be added, see Plan. Unknown and repeated names are errors, because a typo here would change what customers get.
func ParseCatalogue(r io.Reader) (Catalogue, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCatalogueBytes+1))
	if err != nil {
		return Catalogue{}, err
	}
	if len(data) > maxCatalogueBytes {
		return Catalogue{}, errors.New("the plan catalogue is too long; at most 1 MiB is accepted")
	}
	plans, err := decodePlans(data)
	if err != nil {
		return Catalogue{}, err
	}
	if len(plans) == 0 {
		return Catalogue{}, errors.New("the catalogue contains no plans; define at least one")
	}
	return Catalogue{plans: plans}, nil
}

var errPlansForm = errors.New(`invalid plan catalogue; expected one JSON object like {"free": {"points": 300, "requestsPerMinute": 10}}`)

// decodePlans reads the outer object token by token, because decoding into a map would silently keep only the last of
// repeated names.
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
			return nil, fmt.Errorf(`plan %q is invalid; expected {"points": 300, "requestsPerMinute": 10}`, name)
		}
		plan.Name = name
		if err := checkPlan(plan); err != nil {
			return nil, err
		}
		if _, repeated := plans[name]; repeated {
			return nil, fmt.Errorf("plan %q is given twice; keep one definition", name)
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

// checkPlan returns what is wrong with a plan, in the words of its file.
func checkPlan(p Plan) error {
	switch {
	case !planName.MatchString(p.Name):
		return fmt.Errorf(`invalid plan name %q; use 1 to 32 lower-case letters, digits and "-", beginning with a letter`, p.Name)
	case p.Points < 1 || p.Points > contract.MaxPoints:
		return fmt.Errorf("plan %q: points must be 1 to %d", p.Name, int64(contract.MaxPoints))
	case p.Requests < 1 || p.Requests > contract.MaxRequests:
		return fmt.Errorf("plan %q: requestsPerMinute must be 1 to %d", p.Name, contract.MaxRequests)
	case p.Weight < 0 || p.Weight > contract.MaxWeight:
		return fmt.Errorf("plan %q: weight must be 1 to %d, or omitted (1)", p.Name, contract.MaxWeight)
	}
	return nil
}

// Plan returns the plan with this name. Errors: ErrPlan, with the names that exist.
func (c Catalogue) Plan(name string) (Plan, error) {
	plan, ok := c.plans[name]
	if !ok {
		return Plan{}, fmt.Errorf("%w %q; choose one of %s", ErrPlan, name, strings.Join(c.Names(), ", "))
	}
	return plan, nil
}

// Names returns the names of all plans, sorted.
func (c Catalogue) Names() []string { return slices.Sorted(maps.Keys(c.plans)) }
