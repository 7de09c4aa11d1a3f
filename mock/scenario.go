package mock

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"uncial/internal/address"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
)

// Scenario is one thing that the mock does on request.
type Scenario struct {
	// By is what requests it: "key", "image" or "header".
	By string `json:"by"`
	// Name is the key, the image's URL or the Prefer header, as a client sends it.
	Name string `json:"name"`
	// About says what happens.
	About string `json:"about"`
}

// Scenarios returns all scenarios in the order of their precedence: keys, images, headers. openapi.yaml and README.md list
// the same ones.
func Scenarios() []Scenario {
	var all []Scenario
	for _, k := range keyScenarios {
		all = append(all, Scenario{"key", keyPrefix + k.name, k.about})
	}
	for _, s := range imageScenarios {
		all = append(all, Scenario{"image", "http://" + imageHost + "/" + s.name, s.about})
	}
	return append(all, headerScenarios...)
}

const (
	keyPrefix = "ocr_test_"
	maxKey    = 512 // characters, the longest bearer token that internal/edge accepts
)

var keyPattern = regexp.MustCompile(`^` + keyPrefix + `[A-Za-z0-9._~+/-]+=*$`)

// isKey reports whether name has the form of a key of the mock, which is also that of a bearer token.
func isKey(name string) bool { return keyPattern.MatchString(name) && len(name) <= maxKey }

// keyScenario is the fixed behaviour of a key, and its initial state, which requests and tests may change.
type keyScenario struct {
	name, about string
	plan        string
	used        int64 // points of the current month
	capped      int64 // monthly cap of the key, points; 0: none
	status      string
	limited     bool          // always 429
	fails       bool          // always 500
	slow        time.Duration // before each answer
	// fault of each answer, replays included.
	fault Fault
}

// The states of a key.
const (
	active  = "active"
	expired = "expired"
	revoked = "revoked"
)

// keyScenarios are all scenarios by key. Every other key gets a 401 until PUT /__mock/keys creates it. Client teams rely on
// the names. openapi.yaml and README.md repeat the texts, and a test compares them.
var keyScenarios = append([]keyScenario{
	{name: "ok", plan: "pro", status: active, about: "works: plan pro, 10,000 points, 60 extractions per minute"},
	{name: "low", plan: "pro", used: 9_988, status: active, about: "12 points left: one extraction succeeds, the next gets a 402"},
	{name: "empty", plan: "pro", used: 10_000, status: active, about: "no points left: extractions get a 402"},
	{name: "capped", plan: "pro", used: 488, capped: 500, status: active, about: "a monthly cap of 500 points, 12 of them left: one extraction succeeds, the next gets a 402 with limitedBy key"},
	{name: "expired", plan: "pro", status: expired, about: "expired: 401"},
	{name: "revoked", plan: "pro", status: revoked, about: "revoked: 401"},
	{name: "ratelimited", plan: "pro", status: active, limited: true, about: "rate limit always used up: extractions get a 429"},
	{name: "err", plan: "pro", status: active, fails: true, about: "the server fails: 500"},
	{name: "slow", plan: "pro", status: active, slow: 2 * time.Second, about: "works, but takes 2 seconds to answer"},
	{name: "free", plan: "free", status: active, about: "works: plan free, 300 points, 10 extractions per minute"},
	{name: "archive", plan: "archive", status: active, about: "works: plan archive, 1,000,000 points, 600 extractions per minute"},
}, faultKeys()...)

// faultKeys are the keys for which every answer has a fault.
func faultKeys() (all []keyScenario) {
	for i, k := range faultKinds {
		all = append(all, keyScenario{name: k.name, plan: "pro", status: active, fault: AllFaults()[i], about: "every request: " + k.about})
	}
	return all
}

// findKey returns the scenario of a key, or nil. A key is the prefix and the scenario's name, alone or followed by "_" and
// a suffix.
func findKey(key string) *keyScenario {
	if !isKey(key) {
		return nil
	}
	name, suffix, hasSuffix := strings.Cut(strings.TrimPrefix(key, keyPrefix), "_")
	for i := range keyScenarios {
		if keyScenarios[i].name == name && (!hasSuffix || suffix != "") {
			return &keyScenarios[i]
		}
	}
	return nil
}

// scenario returns what the key does; the zero value if the key no longer exists.
func (s *state) scenario(name string) (scenario keyScenario) {
	_ = s.use(name, func(k *key, _ time.Time) { scenario = *k.scenario })
	return scenario
}

// imageHost is the host whose images are scenarios. No such host can exist (RFC 2606, section 2).
const imageHost = "mock.invalid"

// imageScenario is the effect of an image on imageHost. The zero value is an ordinary image.
type imageScenario struct {
	name, about string
	code        int                  // status of the answer; 0 is a success
	problem     string               // of the image, with code 400
	fetch       contract.FetchReason // why the image cannot be fetched; "" if it can, or if code is not 400
	busy        bool                 // with code 500: out of capacity
	slow        time.Duration
	page        pageKind
	// fault of the answer, unless it is a replay.
	fault Fault
}

// imageScenarios are all scenarios by image. Each code is also available by header; by image it works from clients that
// cannot set headers. The name is the first segment of the path. slow-1500 stands for any number of milliseconds, see
// findImage.
var imageScenarios = append([]imageScenario{
	{name: "printed", page: pageKind{kind: printed}, about: "a printed page"},
	{name: "handwritten", page: pageKind{kind: handwritten}, about: "a handwritten page"},
	{name: "difficult", page: pageKind{difficult: true}, about: "a page with some misread words, which enhance corrects; without it, documents have the right words as alternatives"},
	{name: "blank", page: pageKind{blank: true}, about: "a blank page: 200 with empty text"},
	{name: "low-confidence", page: pageKind{kind: handwritten, confidenceFactor: 0.1}, about: "a barely legible page: confidence below 0.4"},
	{name: "weak", page: pageKind{kind: handwritten, weak: true}, about: "a page with a weak place for each reason"},
	{name: "multi-page", page: pageKind{pages: 3}, about: "three pages, their texts joined by a form feed"},
	{name: "broken-word", page: pageKind{specimen: brokenWord}, about: "a page with a word hyphenated at a line end"},
	{name: "signs", page: pageKind{specimen: signs}, about: "a page with quotation marks, markup, combining characters and four-byte characters"},
	{name: "long", page: pageKind{specimen: long}, about: "a handwritten page of 30 long lines"},
	{name: "ten-pages", page: pageKind{specimen: tenPages, pages: 10}, about: "ten pages of 7 long lines, handwritten and printed in turn, one of them blank"},
	{name: "faded", page: pageKind{specimen: long, faded: true}, about: "a page with more weak places than the 50 an answer lists, and up to three other readings of each weak word"},
	{name: "illustrated", page: pageKind{kind: printed, illustrated: true}, about: "a page with an illustration and a staff of music above its text"},
	{name: "slow-1500", slow: 1500 * time.Millisecond, about: "any page, answered after 1,500 ms; any number of milliseconds up to 30,000 works"},
	{name: "400", code: 400, problem: fetchProblems[contract.FetchNotFound], fetch: contract.FetchNotFound, about: "the image cannot be fetched: 400"},
	{name: "not-an-image", code: 400, problem: unknownFormat(), fetch: contract.FetchNotAnImage, about: "the file is not an image: 400"},
	{
		name: "fetch-busy", code: 400, problem: fetchProblems[contract.FetchBusy], fetch: contract.FetchBusy,
		about: "the image cannot be fetched (reason busy): 400; every fetch reason works",
	},
	{name: "401", code: 401, about: "as if the key were invalid: 401"},
	{name: "402", code: 402, about: "as if 2 points were left: 402"},
	{name: "429", code: 429, about: "as if the rate limit were used up: 429"},
	{name: "500", code: 500, about: "recognition fails: 500"},
	{name: "busy", code: 500, busy: true, about: "the service is out of capacity: 500 with Retry-After"},
}, faultImages()...)

// faultImages are the images whose first answer has a fault.
func faultImages() (all []imageScenario) {
	for i, k := range faultKinds {
		all = append(all, imageScenario{name: k.name, fault: AllFaults()[i], about: k.about})
	}
	return all
}

// unknownFormat is the problem of a file that is not an image.
func unknownFormat() string {
	_, err := imagefile.Identify([]byte("plain text"))
	return err.Error()
}

// findImage returns the scenario of an image. On imageHost the first segment of the path names it, so that /printed/7.tif works
// and a query tells images apart. A path that names no scenario gets a 400, so that a typo never passes a test. Images on other
// hosts have no scenario; non-public addresses and inline images that production would refuse get a 400.
func findImage(ctx context.Context, imageURL string) imageScenario {
	u, isScenario := onImageHost(imageURL)
	if !isScenario {
		if host := hostOf(imageURL); address.NeverPublic(host) || address.IsInternalName(host) {
			refused := unfetchable(contract.FetchRefusedAddress)
			if _, err := netip.ParseAddr(host); err != nil && address.EndsInNumber(host) {
				refused.problem = "an IPv4 address in the URL must be four decimal numbers"
			}
			return refused
		}
		return unreadable(inlineProblem(ctx, imageURL))
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	for _, s := range imageScenarios {
		if s.name == name {
			return s
		}
	}
	if digits, ok := strings.CutPrefix(name, "slow-"); ok {
		ms, err := strconv.ParseUint(digits, 10, 32)
		if slow := time.Duration(ms) * time.Millisecond; err == nil && slow <= maxDelay {
			return imageScenario{slow: slow}
		}
	}
	if f := (Fault{}); f.UnmarshalText([]byte(name)) == nil {
		return imageScenario{fault: f}
	}
	if reason, ok := strings.CutPrefix(name, "fetch-"); ok && fetchProblems[contract.FetchReason(reason)] != "" {
		return unfetchable(contract.FetchReason(reason))
	}
	missing := unfetchable(contract.FetchNotFound)
	missing.problem = fmt.Sprintf("the server returned 404; %s has only %s", imageHost, imageNames())
	return missing
}

// onImageHost parses a URL on imageHost. It looks at the first characters before it parses, because a data URL has up to
// 28 million; internal/edge has already refused user names before the host.
func onImageHost(imageURL string) (*url.URL, bool) {
	_, rest, _ := strings.Cut(imageURL[:min(len(imageURL), len("https://")+len(imageHost))], "://")
	if !strings.EqualFold(rest[:min(len(rest), len(imageHost))], imageHost) {
		return nil, false
	}
	u, err := url.Parse(imageURL)
	return u, err == nil && strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), imageHost)
}

// unreadable returns a 400 about the problem, or an ordinary image if the problem is "".
func unreadable(problem string) imageScenario {
	if problem == "" {
		return imageScenario{}
	}
	return imageScenario{code: 400, problem: problem}
}

// imageNames lists the scenarios for a client that asked for another path.
func imageNames() string {
	names := make([]string, len(imageScenarios))
	for i, s := range imageScenarios {
		names[i] = "/" + s.name
	}
	return strings.Join(names, ", ")
}

// headerScenarios document what parsePrefer accepts, with one example each.
var headerScenarios = append([]Scenario{
	{"header", "Prefer: code=200", "the usual answer"},
	{"header", "Prefer: code=400", "400, as for a malformed request"},
	{"header", "Prefer: code=401", "401, as for an unknown key"},
	{"header", "Prefer: code=402", "402, as if 2 points were left; extractions only"},
	{"header", "Prefer: code=429", "429, as if the rate limit were used up; extractions only"},
	{"header", "Prefer: code=500", "500, as if the server failed"},
	{"header", "Prefer: example=minimal", "the shortest valid 200: only the required fields, and the document if its format was requested"},
	{"header", "Prefer: example=full", "all fields, which is the default"},
	{"header", "Prefer: delay=1500", "the answer after that many milliseconds, up to 30,000"},
	{"header", "Prefer: seed=7", "may give another text for the same image"},
}, faultHeaders()...)

func faultHeaders() (all []Scenario) {
	for _, k := range faultKinds {
		all = append(all, Scenario{"header", "Prefer: fault=" + k.name, k.about})
	}
	return all
}
