package mock_test

import (
	"net/http/httptest"
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
