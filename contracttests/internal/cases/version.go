package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/contracttests/internal/compat"
	"uncial/contracttests/internal/model"
	"uncial/gen"
)

// serviceDescription is the link relation of an API description (RFC 8631, section 4.2).
var serviceDescription = regexp.MustCompile(`<([^>]+)>; *rel="service-desc"`)

// servedContract follows the header Link of an answer to the contract that the target serves.
func (r *Run) servedContract(ctx context.Context, x *model.Exchange) (*model.Exchange, error) {
	m := serviceDescription.FindStringSubmatch(x.Header.Get("Link"))
	if m == nil {
		return nil, fail(x, "the header Link has no service-desc")
	}
	base, err := url.Parse(r.BaseURL + "/status")
	if err != nil {
		return nil, err
	}
	address, err := base.Parse(m[1])
	if err != nil || address.Host != base.Host {
		return nil, fail(x, "Link leads to %q, which is not an address of this server", m[1])
	}
	y, err := r.Exchange(ctx, &model.Request{Method: http.MethodGet, Absolute: address.String()})
	if err != nil {
		return nil, fail(y, "%s", err)
	}
	if y.Status != http.StatusOK {
		return nil, fail(y, "the contract must be available at the target of Link; the answer there is %d", y.Status)
	}
	return y, nil
}

// compareVersions finds out whether the target claims exactly the version of the contract that the run checks against. Later
// versions add fields to answers, so a server of another version, or of none, may send fields that this one lacks. x is any
// answer of the target.
func (r *Run) compareVersions(ctx context.Context, x *model.Exchange) {
	served, err := r.servedContract(ctx, x)
	if err != nil {
		return // a server without its contract claims no version; elsewhere/document reports it
	}
	if r.Contract == nil && bytes.Equal(served.Body, gen.Document) {
		r.isExact = true
		return
	}
	r.isExact = r.contract.IsClaimedBy(served.Body)
}

// checkServedContract compares the contract that the target serves with the one of the run.
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
	if err := compareContract(served.Body, s.contract.Document()); err != nil {
		return fail(served, "the target of Link is not the contract: %s", err)
	}
	return nil
}

// compareContract compares what clients depend on: everything but info and tags. Documents of the same version must be equal.
// Of two versions the later one must only add to the other.
func compareContract(text []byte, own *openapi3.T) error {
	served, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil || served.Info == nil {
		return errors.New("it is not an OpenAPI document")
	}
	if served.Info.Version != own.Info.Version {
		return compareOtherVersion(served, own)
	}
	for name, pair := range map[string][2]any{
		"paths": {served.Paths, own.Paths}, "components": {served.Components, own.Components}, "servers": {served.Servers, own.Servers},
	} {
		a, errA := json.Marshal(pair[0])
		b, errB := json.Marshal(pair[1])
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			return fmt.Errorf("its %s differ, although both claim version %s", name, own.Info.Version)
		}
	}
	return nil
}

// maxLost is how many losses a report names.
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
