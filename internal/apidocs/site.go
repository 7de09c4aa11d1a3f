package apidocs

import (
	"cmp"
	"maps"
	"slices"

	"uncial/internal/contract"
	"uncial/internal/tryit"
)

// Site describes the server that the page belongs to.
type Site struct {
	// URL is the public address of the server without a slash at the end, such as https://ocr.example.org. It is in every
	// example. If it is only a guess, scripts replace it by the address that the browser used.
	URL          string
	URLIsGuessed bool
	// KeysPath is the page on which account holders create keys. "" if they are created on the command line.
	KeysPath string
	// Plans are the catalogue of plans.
	Plans map[string]contract.Plan
	// Languages are the supported languages, by name. The page lists none if they are not known at the moment.
	Languages []tryit.Choice
	// IsMock adds the keys and images that select the mock's scenarios, and puts a working key into every example.
	IsMock bool
	// TryPath is where the form "Try it" sends images; see package tryit. "" leaves the form out.
	TryPath string
}

// equal reports whether two sites have the same page.
func (s Site) equal(o Site) bool {
	return s.URL == o.URL && s.URLIsGuessed == o.URLIsGuessed && s.KeysPath == o.KeysPath && s.IsMock == o.IsMock &&
		s.TryPath == o.TryPath && maps.Equal(s.Plans, o.Plans) && slices.Equal(s.Languages, o.Languages)
}

// mockKey is a key of the mock with which everything works.
const mockKey = "ocr_test_ok"

// Key authenticates the examples: a key that works on the mock, an environment variable elsewhere.
func (s Site) Key() string {
	if s.IsMock {
		return mockKey
	}
	return "$UNCIAL_KEY"
}

// SampleKey is the key that samples write out: the mock's, and "" elsewhere, so that secrets stay in the environment.
func (s Site) SampleKey() string {
	if s.IsMock {
		return mockKey
	}
	return ""
}

// SortedPlans returns the plans, smallest allowance first.
func (s Site) SortedPlans() []contract.Plan {
	return slices.SortedFunc(maps.Values(s.Plans), func(a, b contract.Plan) int {
		return cmp.Or(cmp.Compare(a.Points, b.Points), cmp.Compare(a.Name, b.Name))
	})
}

// Price is the price of an extraction in points.
func (Site) Price() int64 { return contract.Price }

// remedy is an error code with its status and what a caller should do about it.
type remedy struct {
	Code   contract.Code
	Status int
	Action string
}

// Remedies returns the error codes in the order of their statuses.
func (Site) Remedies() []remedy {
	return []remedy{
		{contract.InvalidRequest, 400, "Correct the request. details names each invalid field and what would be right. Do not retry the same request: it will fail again."},
		{contract.InvalidAPIKey, 401, "Generate a new key, or send the right one: the key is missing, unknown, expired or revoked, its account is suspended, or it is used from outside its IP ranges."},
		{contract.InsufficientPoints, 402, "Upgrade the plan, or wait until nextReset. remainingPoints says what is left."},
		{contract.RateLimited, 429, "Wait for as many seconds as Retry-After says, then send the request again. Upgrade the plan if that happens often."},
		{contract.ServerError, 500, "Retry with the same Idempotency-Key, after as many seconds as Retry-After says if it is there. If the error persists, contact support and quote the X-Request-Id."},
	}
}
