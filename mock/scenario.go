package mock

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Scenario is one thing that the mock does on request.
type Scenario struct {
	// By is what asks for it: "key", "image" or "header".
	By string `json:"by"`
	// Name is the key, the image's URL or the Prefer header's value, ready to be sent.
	Name string `json:"name"`
	// About says what happens then.
	About string `json:"about"`
}

// Scenarios are all scenarios, in the order of their precedence: key, image, header.
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
	keyPrefix   = "ocr_test_"
	keySlowness = 2 * time.Second
)

// keyForm and maxKey are what a key of the mock looks like: a bearer token that the door lets through.
var keyForm = regexp.MustCompile(`^` + keyPrefix + `[A-Za-z0-9._~+/-]+=*$`)

const maxKey = 512 // characters

// keyScenario is how a key begins and what it does.
type keyScenario struct {
	name, about string
	plan        string
	used        int64 // points of the current month
	status      string
	limited     bool          // always 429
	fails       bool          // always 500
	slow        time.Duration // before each answer
}

// The states of a key.
const (
	active  = "active"
	expired = "expired"
	revoked = "revoked"
)

var keyScenarios = []keyScenario{
	{name: "ok", plan: "pro", status: active, about: "works: plan pro, 10,000 points, 60 requests a minute"},
	{name: "low", plan: "pro", used: 9_988, status: active, about: "12 points left: one extraction passes, the next is 402"},
	{name: "empty", plan: "pro", used: 10_000, status: active, about: "no points left: extractions are 402"},
	{name: "expired", plan: "pro", status: expired, about: "expired: 401"},
	{name: "revoked", plan: "pro", status: revoked, about: "revoked: 401"},
	{name: "ratelimited", plan: "pro", status: active, limited: true, about: "the window is always used up: extractions are 429"},
	{name: "err", plan: "pro", status: active, fails: true, about: "the server fails: 500"},
	{name: "slow", plan: "pro", status: active, slow: keySlowness, about: "works, but takes 2 seconds to answer"},
	{name: "free", plan: "free", status: active, about: "works: plan free, 300 points, 10 requests a minute"},
	{name: "archive", plan: "archive", status: active, about: "works: plan archive, 1,000,000 points, 600 requests a minute"},
}

// findKey is the scenario of a key: its name behind the prefix, alone or with "_" and a suffix. nil where there is none.
func findKey(key string) *keyScenario {
	if !keyForm.MatchString(key) || len(key) > maxKey {
		return nil
	}
	rest := strings.TrimPrefix(key, keyPrefix)
	name, suffix, suffixed := strings.Cut(rest, "_")
	for i := range keyScenarios {
		if keyScenarios[i].name == name && (!suffixed || suffix != "") {
			return &keyScenarios[i]
		}
	}
	return nil
}

// imageHost is the host whose images are scenarios; no such host can exist (RFC 2606, section 2).
const imageHost = "mock.invalid"

// imageScenario is what an image on imageHost does. The zero value is any other image.
type imageScenario struct {
	name, about string
	code        int    // status of the answer; 0 is a success
	fault       string // of an image, with code 400
	busy        bool   // with code 500: only short of capacity
	slow        time.Duration
	page        pageKind
}

var imageScenarios = []imageScenario{
	{name: "printed", page: pageKind{kind: printed}, about: "a printed page"},
	{name: "handwritten", page: pageKind{kind: handwritten}, about: "a page in handwriting"},
	{name: "difficult", page: pageKind{difficult: true}, about: "a page on which some words are read wrongly; enhance mends them"},
	{name: "blank", page: pageKind{blank: true}, about: "a blank page: 200 with empty text"},
	{name: "low-confidence", page: pageKind{kind: handwritten, sureness: 0.35}, about: "a page that can hardly be read: a confidence under 0.4"},
	{name: "multi-page", page: pageKind{pages: 3}, about: "three pages, their texts joined by a form feed"},
	{name: "slow-1500", slow: 1500 * time.Millisecond, about: "any page after 1,500 ms; any number of milliseconds up to 30,000 will do"},
	{name: "400", code: 400, fault: "the server answered 404; the URL of an image is needed", about: "the image cannot be fetched: 400"},
	{name: "not-an-image", code: 400, fault: notAnImage, about: "what is fetched is no image: 400"},
	{name: "401", code: 401, about: "as if the key were not valid: 401"},
	{name: "402", code: 402, about: "as if there were 2 points left: 402"},
	{name: "429", code: 429, about: "as if the window were used up: 429"},
	{name: "500", code: 500, about: "the reading fails: 500"},
	{name: "busy", code: 500, busy: true, about: "the service is short of capacity: 500 with Retry-After"},
}

// findImage is the scenario of an image: by the first segment of the path on imageHost, so that names such as
// /printed/page-7.tif work, and the query may tell images apart. Images on other hosts have none; inline ones are 400
// where production could not read them.
func findImage(ctx context.Context, imageURL string) imageScenario {
	u, ours := onImageHost(imageURL)
	if !ours {
		return unreadable(inlineFault(ctx, imageURL))
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
	return unreadable(fmt.Sprintf("the server answered 404; %s has only %s", imageHost, imageNames()))
}

// onImageHost parses a URL on imageHost. Any other is told apart by its beginning: the door lets no user names through.
func onImageHost(imageURL string) (*url.URL, bool) {
	_, rest, _ := strings.Cut(imageURL[:min(len(imageURL), len("https://")+len(imageHost))], "://")
	if !strings.EqualFold(rest[:min(len(rest), len(imageHost))], imageHost) {
		return nil, false
	}
	u, err := url.Parse(imageURL)
	return u, err == nil && strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), imageHost)
}

func unreadable(fault string) imageScenario {
	if fault == "" {
		return imageScenario{}
	}
	return imageScenario{code: 400, fault: fault}
}

func imageNames() string {
	names := make([]string, len(imageScenarios))
	for i, s := range imageScenarios {
		names[i] = "/" + s.name
	}
	return strings.Join(names, ", ")
}

var headerScenarios = []Scenario{
	{"header", "Prefer: code=200", "the usual answer"},
	{"header", "Prefer: code=400", "400, as for a malformed request"},
	{"header", "Prefer: code=401", "401, as for an unknown key"},
	{"header", "Prefer: code=402", "402, as if there were 2 points left; extractions only"},
	{"header", "Prefer: code=429", "429, as if the window were used up; extractions only"},
	{"header", "Prefer: code=500", "500, as when the server fails"},
	{"header", "Prefer: example=minimal", "the shortened shape of a 200: only what every server must send"},
	{"header", "Prefer: example=full", "all fields, as without it"},
	{"header", "Prefer: delay=1500", "the answer after so many milliseconds, up to 30,000"},
	{"header", "Prefer: seed=7", "may give another text for the same image"},
}
