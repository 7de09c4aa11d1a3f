// Package contracttests checks any server against the contract: openapi.yaml and the rules that its descriptions give in
// words. It checks the mock, the real service, a deployment, or an implementation by someone else.
//
// Describe the server as a Target; Mock and Target.LoadKeys help. Run makes a subtest of each case, Check returns a
// report, and Diff compares two servers. The suite shares no rules with the servers that it checks; it uses only the
// generated package gen.
//
// The cases are in internal/cases, what an answer must be in internal/answer and internal/expect, and defects that the
// suite must catch in the liar.
package contracttests

import (
	"context"

	"uncial/contracttests/internal/cases"
	"uncial/contracttests/internal/model"
)

// A Target is a server to check, with its keys by scenario.
type Target = model.Target

// Plan is what a plan of the catalogue allows.
type Plan = model.Plan

// Control moves the clock of a test server.
type Control = model.Control

// PointSetter is an optional extension of Control that sets the points of an account.
type PointSetter = model.PointSetter

// Plans is the catalogue that a server has unless it is configured otherwise.
var Plans = map[string]Plan{"free": {Points: 300, Limit: 10}, "pro": {Points: 10_000, Limit: 60}, "archive": {Points: 1_000_000, Limit: 600}}

// The scenarios of keys. Each key belongs to an account of its own, except that sibling shares the account
// of ok, and uncapped that of capped.
const (
	KeyOK          = model.KeyOK          // enough points and requests
	KeySpare       = model.KeySpare       // more accounts like ok, so that a run need not wait for windows to reset
	KeyLow         = model.KeyLow         // 10 to 19 points left: enough for one extraction, not for two
	KeyEmpty       = model.KeyEmpty       // fewer than 10 points left
	KeyExact       = model.KeyExact       // exactly 10 points left
	KeyExpired     = model.KeyExpired     // refused
	KeyRevoked     = model.KeyRevoked     // refused
	KeyRateLimited = model.KeyRateLimited // an account whose window the run may use up; a small limit is best
	KeyError       = model.KeyError       // an account for which every answer is a 500
	KeySibling     = model.KeySibling     // a second key of the account of ok's first key
	KeyCapped      = model.KeyCapped      // a key with a monthly cap, under which 10 to 19 points are left; its account has at least 10 more
	KeyRevocable   = model.KeyRevocable   // an account like ok; the run revokes its keys
	KeyOutside     = model.KeyOutside     // a key that may only be used from 192.0.2.0/24, an address range that no run has
	KeyUncapped    = model.KeyUncapped    // a second key of the account of capped's first key, without a cap
)

// The scenarios of images.
const (
	ImagePrinted     = model.ImagePrinted     // a printed page
	ImageOther       = model.ImageOther       // a page with a different text
	ImageBlank       = model.ImageBlank       // an empty page
	ImageUnfetchable = model.ImageUnfetchable // a URL without an image
	ImageBusy        = model.ImageBusy        // a URL whose server asks to try later
	ImageNotAnImage  = model.ImageNotAnImage  // a URL of something else
	ImageError       = model.ImageError       // makes the server fail with a 500
	ImageSlow        = model.ImageSlow        // takes 100 milliseconds or a little more
	ImageStuck       = model.ImageStuck       // takes at least 5 seconds
	ImageKnown       = model.ImageKnown       // reads as KnownText; used only for targets that really read
	ImageFaint       = model.ImageFaint       // a page that is barely legible
	ImagePages       = model.ImagePages       // a file of several pages
	ImageBroken      = model.ImageBroken      // a page with a word that is divided at the end of a line, and undivided elsewhere
	ImageWeak        = model.ImageWeak        // a page that is barely legible in places
	ImageIllustrated = model.ImageIllustrated // a page of print with an illustration and a staff of music
	ImageSigns       = model.ImageSigns       // a page with quotation marks and signs of markup
	ImageLong        = model.ImageLong        // a page with more than ten lines of more than ten words
	ImageTenPages    = model.ImageTenPages    // a file of ten pages
	ImageFaded       = model.ImageFaded       // a page with more than 50 weak places
	ImageEnhance     = model.ImageEnhance     // a page whose text the enhancement changes
	ImageReset       = model.ImageReset       // a page whose first answer is lost: the connection is reset
	ImageCut         = model.ImageCut         // ... the answer is cut off
	ImageLength      = model.ImageLength      // ... the answer has a wrong Content-Length
	ImageOverload    = model.ImageOverload    // a page for which the server has no capacity: a 500 with Retry-After
	ImageFetch       = model.ImageFetch       // followed by a reason of the contract: a URL that cannot be fetched for that reason
)

// KnownText is what the suite's own printed image says.
const KnownText = model.KnownText

// PagePNG draws a page with one line of clear print, or an empty page.
func PagePNG(text string) []byte { return model.PagePNG(text) }

// Result is the outcome of one case.
type Result = model.Result

// LeftOut names the members of a set that a case has not tried.
type LeftOut = model.LeftOut

// Outcome is how a case ended.
type Outcome = model.Outcome

// The outcomes.
const (
	Passed  = model.Passed
	Failed  = model.Failed
	Skipped = model.Skipped
	Errored = model.Errored
)

// DiffReport is the result of a comparison.
type DiffReport = cases.DiffReport

// Difference is a request that two targets answered differently.
type Difference = cases.Difference

// Diff sends the same sequence, drawn by a's seed, to two targets and compares their answers: status, code, fields,
// details, headers, and how points and requests left change. Texts, documents, times and plan sizes may differ.
func Diff(ctx context.Context, a, b Target) DiffReport { return cases.Diff(ctx, a, b) }

// DiffCost returns the maximum number of requests that Diff sends to each target, and of points that they may cost.
func DiffCost(seed uint64) (requests int, points int64) { return cases.DiffCost(seed) }
