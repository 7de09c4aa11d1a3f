package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
)

func TestNew_InvalidDashboard(t *testing.T) {
	t.Parallel()
	const secret = "x"
	mail := app.MailOptions{Server: "smtps://mail.example.org", From: "uncial@example.org"}
	for want, o := range map[string]app.Options{
		"--signup=open needs --mail":           {Listen: ":8080", Dashboard: app.DashboardOptions{SignUp: dashboard.Open}},
		"--signup=open needs --mail-server to": {Listen: "0.0.0.0:8080", Dashboard: app.DashboardOptions{SignUp: dashboard.Open}},
		"in --listen and --public-url":         {Listen: "127.0.0.1:8080", Dashboard: app.DashboardOptions{SignUp: dashboard.Open, PublicURL: "https://uncial.example.org"}},
		"--public-url: invalid URL":            {Dashboard: app.DashboardOptions{PublicURL: "uncial.example.org"}},
		"--public-url: invalid URL \"http":     {Dashboard: app.DashboardOptions{PublicURL: "https://uncial.example.org/path"}},
		"--public-url: required":               {Dashboard: app.DashboardOptions{OpenID: dashboard.OpenID{Issuer: "https://a.example", ClientID: "a", ClientSecret: secret}}},
		"--openid-issuer, --openid-client-id":  {Dashboard: app.DashboardOptions{OpenID: dashboard.OpenID{Issuer: "https://a.example"}}},
		"must be set together":                 {Dashboard: app.DashboardOptions{OpenID: dashboard.OpenID{ClientID: "a"}}},
	} {
		_, err := app.New(o)
		require.ErrorContains(t, err, want)
	}
	_, err := app.New(app.Options{Listen: ":8080", EngineURL: "http://engine:8090", Dashboard: app.DashboardOptions{SignUp: dashboard.Open}, Mail: mail})
	require.NoError(t, err, "addresses can be verified")
	for _, listen := range []string{"127.0.0.1:0", "[::1]:8080", "localhost:8080"} {
		_, err := app.New(app.Options{Listen: listen, EngineURL: "http://engine:8090", Dashboard: app.DashboardOptions{SignUp: dashboard.Open}})
		require.NoError(t, err, "nobody else can sign up")
	}
	_, err = app.New(app.Options{
		Listen: "127.0.0.1:0", EngineURL: "http://engine:8090", Dashboard: app.DashboardOptions{SignUp: dashboard.Open, PublicURL: "http://[::1]:8080"},
	})
	require.NoError(t, err)
}

// trusting makes a cookie jar accept cookies for https over plain http, as browsers do for this machine.
type trusting struct{ http.CookieJar }

func (t trusting) SetCookies(u *url.URL, cookies []*http.Cookie) {
	t.CookieJar.SetCookies(https(u), cookies)
}

func (t trusting) Cookies(u *url.URL) []*http.Cookie { return t.CookieJar.Cookies(https(u)) }

func https(u *url.URL) *url.URL {
	clone := *u
	clone.Scheme = "https"
	return &clone
}

func TestApp_Dashboard(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{Dashboard: app.DashboardOptions{SignUp: dashboard.Open}})
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: trusting{jar}}
	res, err := client.Get("http://" + a.Addr() + "/")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, "/dashboard/sign-in", res.Request.URL.Path)

	res, err = client.PostForm("http://"+a.Addr()+"/dashboard/sign-up", url.Values{
		"email": {"anna@example.org"}, "name": {"Anna"}, "password": {"correct horse battery staple"}, "account": {"Map room"},
	})
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, 200, res.StatusCode, string(body))
	require.Contains(t, string(body), "Map room")
	require.Contains(t, string(body), "curl -sS http://"+a.Addr()+"/api/v1/extract")

	link, err := a.OperatorLink(t.Context(), "")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(link, "http://"+a.Addr()+"/dashboard/link#"), link)
}

func TestApp_Dashboard_Off(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{Dashboard: app.DashboardOptions{Off: true}})
	for path, want := range map[string]string{"/": "/docs", "/dashboard": "/docs", "/dashboard/": "/dashboard/"} {
		res, err := http.Get("http://" + a.Addr() + path)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, want, res.Request.URL.Path)
		require.Equal(t, want == "/docs", res.StatusCode == 200)
	}
	link, err := a.OperatorLink(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, link)
}
