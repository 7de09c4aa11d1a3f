package mock_test

import (
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"uncial/internal/browsertest"
	"uncial/mock"
)

func TestBrowser_TryIt(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	srv := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(srv.Close)

	b.Open(srv.URL + "/docs")
	b.Check("mock-docs")
	b.Do(chromedp.Click(".try [type=submit]", chromedp.ByQuery), chromedp.WaitVisible(".reading", chromedp.ByQuery))
	require.Contains(t, b.Text(".reading .summary"), "10 points charged, 9,990 left")
	require.Contains(t, b.Text(".reading .fixture"), "fixture")
	require.Contains(t, b.Text(".balance"), "9,990 points left")
	b.Check("mock-try")
	b.ScreenshotOf("mock-try-section", "#try")
}

// TestBrowser_TryIt_Scenarios checks the form with each kind of answer.
func TestBrowser_TryIt_Scenarios(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	srv := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(srv.Close)
	for scenario, c := range map[string]struct {
		enhance  bool
		selector string // of what shows the answer
		want     string
	}{
		"difficult":      {true, ".edit", ""},
		"blank":          {false, ".reading .summary", "The page is blank."},
		"weak":           {false, ".leaf tbody", ""},
		"multi-page":     {false, ".leaf:last-of-type h4", "Page 3 of 3"},
		"low-confidence": {false, ".word.class-doubt", ""},
		"fetch-busy":     {false, ".problem:not([hidden])", "The image could not be fetched or read."},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			b := browsertest.New(t)
			b.Open(srv.URL + "/docs")
			b.Do(
				chromedp.SetValue("#try-url", "http://mock.invalid/"+scenario, chromedp.ByQuery),
				chromedp.Evaluate(`document.querySelector("[name=enhance]").checked = `+strconv.FormatBool(c.enhance), nil),
				chromedp.Click(".try [type=submit]", chromedp.ByQuery), chromedp.WaitVisible(c.selector, chromedp.ByQuery),
			)
			require.Contains(t, b.Text(c.selector), c.want)
			b.CheckPart("mock-try-"+scenario, "#try")
		})
	}
}
