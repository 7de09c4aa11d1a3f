// Package browsertest drives a headless Chromium in tests: it opens pages, checks them with axe-core in both themes at 320
// pixels, and saves screenshots. Tests that use it run with `make test-browser`, which installs Chromium and axe-core;
// elsewhere New skips them. Start with New.
package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Environment variables of the tests.
const (
	// enableEnv makes browser tests run; without it they are skipped, because not every machine has Chromium.
	enableEnv = "UNCIAL_BROWSER"
	// screenshotsEnv is a folder for screenshots. Without it none are saved.
	screenshotsEnv = "UNCIAL_SCREENSHOTS"
)

// pageTimeout bounds everything that a test does in one tab: half a minute on an idle machine, many times that on a busy one.
const pageTimeout = 5 * time.Minute

// Browser is one tab of a Chromium with a profile of its own.
type Browser struct {
	tb  testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string // reported by the browser: violations of the policy, exceptions
}

// Enable skips the test unless browser tests are enabled. Call it before anything expensive is prepared.
func Enable(tb testing.TB) {
	tb.Helper()
	if os.Getenv(enableEnv) == "" {
		tb.Skip("browser tests run with make test-browser")
	}
}

// Follow is an action that leads to another page, and the wait for that page.
func Follow(action chromedp.Action) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := chromedp.RunResponse(ctx, action)
		return err
	})
}

// New starts a browser for the test, and skips the test unless browser tests are enabled. A test fails if its page breaks its
// Content-Security-Policy or throws an exception that it does not catch.
func New(tb testing.TB) *Browser {
	tb.Helper()
	Enable(tb)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, //nolint:gocritic // the defaults are an array
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.WindowSize(1200, 900))
	ctx, cancel := context.WithTimeout(tb.Context(), pageTimeout)
	tb.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	tb.Cleanup(func() {
		closeTab()
		stop()
		if c := chromedp.FromContext(ctx); c.Allocator != nil {
			c.Allocator.Wait() // until the process has ended and its profile is deleted
		}
	})
	b := &Browser{tb: tb, ctx: ctx}
	chromedp.ListenTarget(ctx, b.listen)
	b.Do(log.Enable(), media("light"))
	tb.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(tb, b.problems, "what the browser reported")
	})
	return b
}

// listen collects what the browser reports about the page. Failed requests are not among it: pages handle them.
func (b *Browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError && e.Entry.Source != log.SourceNetwork {
			b.problems = append(b.problems, e.Entry.Text)
		}
	case *cdpruntime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Error())
	}
}

// Do runs actions, and fails the test if one fails.
func (b *Browser) Do(actions ...chromedp.Action) {
	b.tb.Helper()
	require.NoError(b.tb, chromedp.Run(b.ctx, actions...))
}

// Open opens a page and waits until it has loaded.
func (b *Browser) Open(url string) {
	b.tb.Helper()
	b.Do(chromedp.Navigate(url))
}

// DisableScripts opens all further pages without JavaScript.
func (b *Browser) DisableScripts() {
	b.tb.Helper()
	b.Do(emulation.SetScriptExecutionDisabled(true))
}

// Eval evaluates an expression in the page and decodes its value.
func Eval[T any](b *Browser, expression string) (value T) {
	b.tb.Helper()
	b.Do(chromedp.Evaluate(expression, &value, func(p *cdpruntime.EvaluateParams) *cdpruntime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return value
}

// theme shows the page at a width in one of the themes.
func (b *Browser) theme(width int64, scheme string) {
	b.tb.Helper()
	b.Do(emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
		media(scheme))
}

// media asks pages for a theme, and not to scroll smoothly: a click would miss what is still moving.
func media(scheme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	})
}

// phoneWidth is the narrowest phone that pages must fit on, in CSS pixels (WCAG 2.2, success criterion 1.4.10).
const phoneWidth = 320

// Check checks the open page with axe-core in both themes at 320 pixels, with every rule and every element. It also requires
// that nothing is cut off at that width, and that no value is missing. It saves screenshots under the name: desktop, phone and
// dark.
func (b *Browser) Check(name string) {
	b.tb.Helper()
	b.check(name, func(suffix string) { b.screenshotPage(name + suffix) })
}

// CheckPart is Check for a long page of which only the element that a CSS selector matches is new. It checks the whole page.
func (b *Browser) CheckPart(name, selector string) {
	b.tb.Helper()
	b.check(name, func(suffix string) { b.ScreenshotOf(name+suffix, selector) })
}

// check calls shoot with "-phone", "-dark" and "-desktop" while the page is shown so.
func (b *Browser) check(name string, shoot func(suffix string)) {
	b.tb.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.theme(phoneWidth, scheme)
		require.Empty(b.tb, b.violations(), "axe-core on %s, %s", name, scheme)
		require.NotRegexp(b.tb, `<nil>|%!|\[object `, Eval[string](b, "document.body.innerText"), "%s shows the text of a missing value", name)
		require.LessOrEqual(b.tb, Eval[int](b, "document.documentElement.scrollWidth"), phoneWidth, "%s scrolls sideways", name)
		if scheme == "light" {
			shoot("-phone")
		}
	}
	b.theme(1200, "dark")
	shoot("-dark")
	b.theme(1200, "light")
	shoot("-desktop")
}

// violations returns what axe-core finds, one line for each element.
func (b *Browser) violations() []string {
	b.tb.Helper()
	b.Do(chromedp.Evaluate(axe(b.tb), nil))
	found := Eval[[]struct {
		ID    string
		Help  string
		Nodes []struct{ HTML, FailureSummary string }
	}](b, `axe.run(document).then((r) => r.violations.map((v) => ({ID: v.id, Help: v.help,
		Nodes: v.nodes.map((n) => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`)
	var list []string
	for _, v := range found {
		for _, n := range v.Nodes {
			list = append(list, fmt.Sprintf("%s (%s): %s: %s", v.ID, v.Help, n.HTML, n.FailureSummary))
		}
	}
	return list
}

// axePath is where make test-browser installs axe-core, below the root of the module.
const axePath = "internal/browsertest/node_modules/axe-core/axe.min.js"

// axe returns the source of axe-core. It looks in the working directory, that of the test's package, and above.
func axe(tb testing.TB) string {
	tb.Helper()
	folder, err := os.Getwd()
	require.NoError(tb, err)
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if source, err := os.ReadFile(filepath.Join(folder, axePath)); err == nil {
			return string(source)
		}
	}
	require.FailNow(tb, "axe-core is not installed", "run the test with make test-browser")
	return ""
}

// maxScreenshot is the height of a screenshot in CSS pixels; the rest of a long page is cut off.
const maxScreenshot = 6000

// screenshotPage saves the page from its top as NAME.png if screenshots are wanted.
func (b *Browser) screenshotPage(name string) {
	b.tb.Helper()
	b.screenshot(name, Box{Width: Eval[float64](b, "innerWidth"), Height: Eval[float64](b, "document.documentElement.scrollHeight")})
}

// ScreenshotOf saves the element that a CSS selector matches, as screenshotPage does with the page.
func (b *Browser) ScreenshotOf(name, selector string) {
	b.tb.Helper()
	b.screenshot(name, b.boxOf(selector))
}

// screenshot writes a part of the page to the folder that SCREENSHOTS names. Without that variable it does nothing.
func (b *Browser) screenshot(name string, at Box) {
	b.tb.Helper()
	folder := os.Getenv(screenshotsEnv)
	if folder == "" {
		return
	}
	b.Do(chromedp.ActionFunc(func(ctx context.Context) error {
		png, err := page.CaptureScreenshot().WithCaptureBeyondViewport(true).
			WithClip(&page.Viewport{X: at.X, Y: at.Y, Width: at.Width, Height: min(at.Height, maxScreenshot), Scale: 1}).Do(ctx)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o750); err != nil { //nolint:gosec // the person who runs the test chooses the folder
			return err
		}
		return os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600) //nolint:gosec // likewise
	}))
}

// Box is where an element is, in CSS pixels of the page.
type Box struct{ X, Y, Width, Height float64 }

// boxOf returns the place of the first element that a CSS selector matches.
func (b *Browser) boxOf(selector string) Box {
	b.tb.Helper()
	text, err := json.Marshal(selector)
	require.NoError(b.tb, err)
	return Eval[Box](b, `(() => { const r = document.querySelector(`+string(text)+`).getBoundingClientRect();
		return {X: r.x + scrollX, Y: r.y + scrollY, Width: r.width, Height: r.height}; })()`)
}

// Text returns the visible text of the first element that a CSS selector matches.
func (b *Browser) Text(selector string) string {
	b.tb.Helper()
	var text string
	b.Do(chromedp.Text(selector, &text, chromedp.ByQuery))
	return strings.TrimSpace(text)
}
