package contracttests

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The scenarios of keys. Each key belongs to an account of its own but the sibling's.
const (
	KeyOK          = "ok"          // points and requests in plenty
	KeySpare       = "spare"       // further accounts like ok's, so that a run need not wait for windows to reset
	KeyLow         = "low"         // 10 to 19 points left: enough for one extraction, not for two
	KeyEmpty       = "empty"       // fewer than 10 points left
	KeyExact       = "exact"       // exactly 10 points left
	KeyExpired     = "expired"     // refused
	KeyRevoked     = "revoked"     // refused
	KeyRateLimited = "ratelimited" // an account whose window the run may use up; a small limit is best
	KeyError       = "error"       // an account whose every answer is a 500
	KeySibling     = "sibling"     // a second key of the account of ok's first key
)

// The scenarios of images.
const (
	ImagePrinted     = "printed"     // a page with print on it
	ImageOther       = "other"       // a page with a different text
	ImageBlank       = "blank"       // a page with nothing on it
	ImageUnfetchable = "unfetchable" // an address where no image can be had
	ImageNotAnImage  = "not-an-image"
	ImageError       = "error"   // makes the server fail with a 500
	ImageSlow        = "slow"    // takes at least 100 milliseconds, and not many more
	ImageStuck       = "stuck"   // takes at least 5 seconds
	ImageKnown       = "known"   // reads as KnownText; only asked for where the target truly reads
	ImageFaint       = "faint"   // a page that can hardly be read
	ImagePages       = "pages"   // a file of several pages
	ImageEnhance     = "enhance" // a page whose text the enhancement changes
)

// Plan is what a plan of the catalogue allows.
type Plan struct {
	Points int64 `json:"points"` // a month
	Limit  int64 `json:"limit"`  // requests a minute
}

// Plans is the catalogue that a server has unless it is configured otherwise.
var Plans = map[string]Plan{"free": {300, 10}, "pro": {10_000, 60}, "archive": {1_000_000, 600}}

// Control moves what a test cannot wait for. Only test servers have it.
type Control interface {
	// Now is the time that the account of the key lives in, and whether it stands still until it is moved.
	Now(ctx context.Context, key string) (now time.Time, frozen bool, err error)
	// SetNow moves the account of the key to an instant. Other accounts stay where they are, unless OneClock says otherwise.
	SetNow(ctx context.Context, key string, now time.Time) error
}

// Purse is what a Control may be as well: it says how many points an account has left in the present period.
type Purse interface {
	SetPoints(ctx context.Context, key string, left int64) error
}

// Target is a server to be held against the contract. The suite needs its keys for itself while it runs: another caller
// on the same accounts would look like a server that miscounts.
type Target struct {
	// BaseURL is the address of the API; its path ends in /api/v1.
	BaseURL string
	// Client sends the requests. Redirects are never followed. Default: a client of the suite's own.
	Client *http.Client
	// Keys are the API keys by scenario. Cases whose scenario has no key are skipped, by name.
	Keys map[string][]string
	// Images are the URLs of images by scenario. Where printed, other, blank, not-an-image, unfetchable or known is
	// missing, the suite sends an image of its own as a data: URL.
	Images map[string]string
	// Plans is the catalogue, where it is known. Default: the sizes of plans are not checked.
	Plans map[string]Plan
	// Minimal says that the target may leave out the optional fields of results. Default: every field is wanted.
	Minimal bool
	// Enhances says that a request with enhance is answered with enhanced true.
	Enhances bool
	// Simulated says that texts and times come from fixtures instead of from reading images.
	Simulated bool
	// Promised says that the keys are in the state that their scenarios promise, so that one that is not is a failure of
	// the server. Default: such a key is a mistake in the keys, and the case is skipped with the reason.
	Promised bool
	// Control moves the clock. Default: nil, and the cases that need it are skipped.
	Control Control
	// OneClock says that moving the clock of one account moves that of all.
	OneClock bool
	// Seed chooses the generated requests. Default: 1.
	Seed uint64
	// Generated is the number of generated requests beyond those that go through every rule once. Default: 40.
	Generated int
	// MaxPoints bounds what a run may spend; cases that would go beyond are skipped, and all that are left once the
	// accounts have lost more than that, whatever the server was to charge. Below 0 it may spend nothing.
	// Default: 0, no bound.
	MaxPoints int64
	// Timeout bounds one exchange. Default: 30 seconds.
	Timeout time.Duration
	// MaxWait bounds one wait for a window to reset. A case that would wait longer is skipped. Default: 0, no waiting.
	MaxWait time.Duration
	// Only is a regular expression for the names of the cases to run. Default: all.
	Only string
	// FailFast ends the run with the first case that fails. Default: all cases are run.
	FailFast bool
	// Progress is told each result as it comes. Default: nil.
	Progress func(Result)

	run     *run           // what the cases of one run share
	observe func(*session) // told the session of the case that runs
}

const (
	defaultTimeout   = 30 * time.Second
	defaultGenerated = 40
)

// withDefaults fills in the defaults and checks what cannot be defaulted.
func (t Target) withDefaults() (Target, error) {
	u, err := url.Parse(t.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return t, fmt.Errorf("the base URL must look like https://host/api/v1, not %q", t.BaseURL)
	}
	if u.User != nil {
		return t, errors.New("the base URL must not hold a user or a password: it stands in reports")
	}
	t.BaseURL = strings.TrimSuffix(t.BaseURL, "/")
	if !strings.HasSuffix(t.BaseURL, "/api/v1") {
		return t, fmt.Errorf("the path of the base URL must end in /api/v1, as in %s/api/v1", t.BaseURL)
	}
	if t.Client == nil {
		t.Client = &http.Client{Transport: &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 32, Proxy: http.ProxyFromEnvironment,
		}}
	}
	client := *t.Client
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
		t.Generated = defaultGenerated
	}
	if t.Timeout <= 0 {
		t.Timeout = defaultTimeout
	}
	return t, nil
}

// has says whether the target has all that a case needs; what says what is missing.
func (t Target) has(needs []string) (what string, ok bool) {
	for _, need := range needs {
		kind, scenario, _ := strings.Cut(need, ":")
		switch {
		case kind == "key" && len(t.Keys[scenario]) == 0:
			return fmt.Sprintf("no key is mapped to %q", scenario), false
		case kind == "image" && t.Images[scenario] == "":
			return fmt.Sprintf("no image is mapped to %q", scenario), false
		case need == NeedClock && t.Control == nil:
			return "the clock of the target cannot be moved", false
		case need == NeedReading && t.Simulated:
			return "the target does not read images", false
		case need == NeedEnhancement && !t.Enhances:
			return "the target does not promise to enhance", false
		case need == NeedAllFields && t.Minimal:
			return "the target may leave out optional fields", false
		}
	}
	return "", true
}

// What a case may need beside "key:<scenario>" and "image:<scenario>".
const (
	NeedClock       = "clock"       // a clock that can be moved
	NeedReading     = "reading"     // texts that come from the images
	NeedEnhancement = "enhancement" // a server that enhances where asked
	NeedAllFields   = "all-fields"  // every field of results, not only the required ones
)

// errNoKey says that a scenario has no key in the state that it promises.
var errNoKey = errors.New("no key of the scenario is in the state that it promises")
