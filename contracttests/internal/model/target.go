// Package model holds what the suite knows of a server and its accounts: the target with its keys and images, requests
// and the answers to them, and a ledger and rate-limit window for each account, moved by the rules of the contract
// alone. What an answer must be is decided in packages answer and expect; package cases sends the requests.
//
// Start with Target, then Account.
package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// The scenarios of keys. Each key belongs to an account of its own, except that sibling shares the account
// of ok, and uncapped that of capped.
const (
	KeyOK          = "ok"
	KeySpare       = "spare"
	KeyLow         = "low"
	KeyEmpty       = "empty"
	KeyExact       = "exact"
	KeyExpired     = "expired"
	KeyRevoked     = "revoked"
	KeyRateLimited = "ratelimited"
	KeyError       = "error"
	KeySibling     = "sibling"
	KeyCapped      = "capped"
	KeyUncapped    = "uncapped"
	KeyRevocable   = "revocable"
	KeyOutside     = "outside"
)

// The scenarios of images.
const (
	ImagePrinted     = "printed"
	ImageOther       = "other"
	ImageBlank       = "blank"
	ImageUnfetchable = "unfetchable"
	ImageBusy        = "busy"
	ImageNotAnImage  = "not-an-image"
	ImageError       = "error"
	ImageSlow        = "slow"
	ImageStuck       = "stuck"
	ImageKnown       = "known"
	ImageFaint       = "faint"
	ImagePages       = "pages"
	ImageEnhance     = "enhance"
	ImageBroken      = "broken-word"
	ImageWeak        = "weak"
	ImageIllustrated = "illustrated"
	ImageSigns       = "signs"
	ImageLong        = "long"
	ImageTenPages    = "ten-pages"
	ImageFaded       = "faded"
	ImageReset       = "reset"
	ImageCut         = "cut"
	ImageLength      = "length"
	ImageOverload    = "overload"
	ImageFetch       = "fetch-" // followed by the reason for which the image cannot be fetched
)

// Plan is what a plan of the catalogue allows.
type Plan struct {
	Points int64 `json:"points"` // per calendar month
	Limit  int64 `json:"limit"`  // extractions per minute
}

// Control changes what a test cannot wait for. Only test servers offer it.
type Control interface {
	// Now returns the time that the key's account lives in, and whether that clock stands still until it is moved.
	Now(ctx context.Context, key string) (now time.Time, frozen bool, err error)
	// SetNow moves the clock of the key's account forward to an instant. Other accounts keep their time unless
	// Target.OneClock is set.
	SetNow(ctx context.Context, key string, now time.Time) error
}

// PointSetter is an optional extension of Control: it sets how many points an account has left in this period.
type PointSetter interface {
	SetPoints(ctx context.Context, key string, left int64) error
}

// Target is a server to check. While a run lasts nobody else may use its keys: another caller on the same accounts
// looks like a server that miscounts.
type Target struct {
	// BaseURL is the address of the API; its path ends in /api/v1.
	BaseURL string
	// Client sends the requests. Redirects are never followed. Default: a client made for the run.
	Client *http.Client
	// Keys are the API keys by scenario. Cases that need a scenario without a key are skipped.
	Keys map[string][]string
	// MoreKeys returns keys of new accounts in the same scenarios, so that several cases can run at the same time. Default: nil,
	// and cases run one after the other.
	MoreKeys func(ctx context.Context) (map[string][]string, error)
	// Images are the URLs of images by scenario. For printed, other, blank, not-an-image, unfetchable and known the
	// suite has images of its own, which it sends as data: URLs.
	Images map[string]string
	// Plans is the plan catalogue. Default: nil, and the sizes of plans are not checked.
	Plans map[string]Plan
	// Minimal permits the target to omit the optional fields of results. Default: every field is required.
	Minimal bool
	// Enhances promises that requests with enhance get enhanced: true.
	Enhances bool
	// Simulated says that texts and times come from fixtures, not from reading images.
	Simulated bool
	// Promised says that the keys are in the state that their scenarios require, so that any other state is a problem of
	// the server. Default: such a key counts as a mistake in the keys file, and the case is skipped.
	Promised bool
	// Control moves the clock. Default: nil, and the cases that need it are skipped.
	Control Control
	// Revoke revokes a key; the cases do so with keys of the scenario revocable. Default: nil, and the cases that need it are
	// skipped.
	Revoke func(ctx context.Context, key string) error
	// ServeImages is the address, such as 127.0.0.1:0, at which the run serves images for the target to fetch, and fails as
	// servers of images do. Default: none, and the cases that need it are skipped.
	ServeImages string
	// ImagesURL is the URL by which the target reaches ServeImages. Default: the address itself.
	ImagesURL string
	// OneClock says that Control moves the clock of all accounts at once.
	OneClock bool
	// Seed chooses the generated requests. Default: 1.
	Seed uint64
	// Generated is the number of requests that break several rules at once. Default: 40.
	Generated int
	// MaxPoints limits what a run may spend. Cases that could exceed it are skipped, and so are all remaining cases once
	// the accounts have lost more. A negative value allows no spending at all. Default: 0, no limit.
	MaxPoints int64
	// Thorough also runs the cases that take a long time or cost many points on a server that reads images: many images, large
	// ones, and long sequences. They always run on simulated targets.
	Thorough bool
	// Timeout limits one exchange. Default: 90 seconds.
	Timeout time.Duration
	// MaxWait limits one wait for a rate-limit window to reset; a case that would wait longer is skipped. Default: 0.
	MaxWait time.Duration
	// Contract is the specification document to check against. Default: the one that the suite was built with.
	Contract *openapi3.T
	// Only is a regular expression that selects cases by name. Default: all.
	Only string
	// FailFast ends the run at the first failure.
	FailFast bool
	// Progress receives each result as soon as it is known. Default: nil.
	Progress func(Result)
	// HAR receives an HTTP archive of all exchanges, with the keys removed. Default: nil.
	HAR io.Writer

	secrets []string                     // see SetSecrets; nil if they are those in Keys
	watch   func(x *Exchange, err error) // sees every exchange; nil if nobody watches
}

// Watched returns the target with a function that sees every exchange. It is called by several goroutines.
func (t Target) Watched(by func(x *Exchange, err error)) Target {
	t.watch = by
	return t
}

// Defaults of a target.
const (
	defaultTimeout = 90 * time.Second // a service may read a page for a minute, and its machine may be busy
	// DefaultGenerated is the value of Target.Generated if none is given: enough to combine most kinds of rules once.
	DefaultGenerated = 40
	// maxIdleConns keeps the connections of concurrent requests open; no case sends more than 32 at the same time.
	maxIdleConns = 32
)

// otherBase matches the path of another version of the API, or its beginning.
var otherBase = regexp.MustCompile(`/api(/v[0-9]*)?$`)

// WithDefaults returns the target with its defaults filled in. The error says what is wrong with the base URL.
func (t Target) WithDefaults() (Target, error) {
	u, err := url.Parse(t.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return t, fmt.Errorf("invalid base URL %q; it must begin with http:// or https:// and a host, as in https://host/api/v1", t.BaseURL)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return t, fmt.Errorf("invalid base URL %q; it must end with its path, as in https://host/api/v1", t.BaseURL)
	}
	if u.User != nil {
		return t, errors.New("the base URL must not contain a user name or password, because reports show it")
	}
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "0"), 10, 16); err != nil {
		return t, fmt.Errorf("the port of the base URL must be at most 65535, not %s", u.Port())
	}
	t.BaseURL = strings.TrimSuffix(t.BaseURL, "/")
	if !strings.HasSuffix(t.BaseURL, "/api/v1") {
		return t, fmt.Errorf("the path of the base URL must end in /api/v1, as in %s/api/v1", otherBase.ReplaceAllString(t.BaseURL, ""))
	}
	if t.Client == nil {
		t.Client = &http.Client{Transport: &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: maxIdleConns, Proxy: http.ProxyFromEnvironment,
		}}
	}
	client := *t.Client
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if transport, ok := client.Transport.(*http.Transport); ok && transport.ExpectContinueTimeout == 0 {
		transport = transport.Clone()
		transport.ExpectContinueTimeout = time.Second
		client.Transport = transport
	}
	t.Client = &client
	if t.Seed == 0 {
		t.Seed = 1
	}
	if t.Generated == 0 {
		t.Generated = DefaultGenerated
	}
	if t.Timeout <= 0 {
		t.Timeout = defaultTimeout
	}
	return t, nil
}

// Needs of a case besides keys ("key:<scenario>"), images ("image:<scenario>"), and images that the suite can replace by
// drawing a page ("page:<scenario>").
const (
	NeedClock       = "clock"       // Control
	NeedFetching    = "fetching"    // ServeImages
	NeedRevoking    = "revoking"    // Revoke
	NeedReading     = "reading"     // texts that come from the images
	NeedFixtures    = "fixtures"    // Simulated
	NeedEnhancement = "enhancement" // Enhances
	NeedAllFields   = "all-fields"  // not Minimal
	NeedThorough    = "thorough"    // Thorough, or Simulated
	NeedConnection  = "connection"  // a server that is reached without TLS and without a proxy
)

// Missing returns why the target cannot run a case with these needs, or "".
func (t Target) Missing(needs []string) string {
	for _, need := range needs {
		kind, scenario, _ := strings.Cut(need, ":")
		switch {
		case kind == "key" && len(t.Keys[scenario]) == 0:
			return fmt.Sprintf("no key is mapped to %q", scenario)
		case kind == "image" && t.Images[scenario] == "":
			return fmt.Sprintf("no image is mapped to %q", scenario)
		case need == NeedClock && t.Control == nil:
			return "the clock of the target cannot be moved"
		case need == NeedFetching && t.ServeImages == "":
			return "the run serves no images for the target to fetch; use --serve-images"
		case need == NeedRevoking && t.Revoke == nil:
			return "keys of the target cannot be revoked during the run"
		case kind == "page" && t.Images[scenario] == "" && t.Simulated:
			return fmt.Sprintf("no image is mapped to %q, and the target does not read those of the suite", scenario)
		case need == NeedReading && t.Simulated:
			return "the target does not read images"
		case need == NeedFixtures && !t.Simulated:
			return "it runs only against simulated servers; for others, use --serve-images to run image-formats-by-address"
		case need == NeedEnhancement && !t.Enhances:
			return "the target does not promise to enhance"
		case need == NeedThorough && !t.IsThorough():
			return "it takes long and costs much; use --thorough"
		case need == NeedConnection && !t.takesText():
			return "what is not HTTP would be answered by a gateway or a proxy"
		case need == NeedAllFields && t.Minimal:
			return "the target may omit optional fields"
		}
	}
	return ""
}

// IsThorough reports whether everything runs, however long it takes.
func (t Target) IsThorough() bool { return t.Thorough || t.Simulated }

// Secrets are all API keys of the run: no answer and no report may show them.
func (t Target) Secrets() (all []string) {
	if t.secrets != nil {
		return t.secrets
	}
	for _, keys := range t.Keys {
		all = append(all, keys...)
	}
	return longestFirst(all)
}

// longestFirst sorts keys, so that one that begins another is not replaced within it.
func longestFirst(keys []string) []string {
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return keys
}

// SetSecrets sets what Secrets returns, for a run whose cases use the keys of several targets.
func (t *Target) SetSecrets(all []string) { t.secrets = longestFirst(slices.Clone(all)) }
