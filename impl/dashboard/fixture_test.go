package dashboard_test

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/account/session"
	"uncial/impl/account/user"
	"uncial/impl/dashboard"
	"uncial/impl/dashboard/playground"
	"uncial/impl/ledger"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/internal/logtest"
)

const password = "correct horse battery staple"

// site is a dashboard on a new database, with a clock that tests can move.
type site struct {
	testing.TB
	*dashboard.Dashboard
	dashboard.Data
	store   *store.Store
	options dashboard.Options
	clock   *storetest.Clock
	log     *logtest.Buffer
}

func newSite(tb testing.TB, change func(*dashboard.Options)) *site {
	tb.Helper()
	st := storetest.MustMigrate(tb, storetest.SQLite(tb))
	s := &site{TB: tb, store: st, clock: storetest.NewClock(time.Now()), log: &logtest.Buffer{}}
	accounts, err := account.New(st, account.Options{Secret: []byte("a test secret that is long enough"), Now: s.clock.Now})
	require.NoError(tb, err)
	s.Data = dashboard.Data{
		Accounts: accounts,
		Users:    user.New(st, user.Options{Accounts: accounts, Now: s.clock.Now}),
		Sessions: session.New(st, s.clock.Now),
		Ledger:   ledger.New(st, ledger.Options{Now: s.clock.Now}),
		Limits:   ratelimit.New(st, s.clock.Now),
	}
	public, err := url.Parse("https://uncial.example.org")
	require.NoError(tb, err)
	o := dashboard.Options{
		Data: s.Data, Secret: []byte("another test secret"), PublicURL: public, SignUp: dashboard.Open, Now: s.clock.Now,
		Logger: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	extra, err := playground.New(playground.Options{
		API: http.HandlerFunc(fakeAPI), Ledger: s.Ledger, Now: s.clock.Now,
		Languages: func(context.Context) ([]string, error) { return []string{"de", "en"}, nil },
	})
	require.NoError(tb, err)
	o.Extra = []dashboard.Extra{extra}
	if change != nil {
		change(&o)
	}
	s.Data, s.options = o.Data, o
	s.Dashboard = s.replica()
	return s
}

// replica returns another dashboard with the same options and database.
func (s *site) replica() *dashboard.Dashboard {
	s.Helper()
	d, err := dashboard.New(s.options)
	require.NoError(s, err)
	return d
}

// withMail makes the dashboard send mail to the mailbox.
func withMail(m *mailbox) func(*dashboard.Options) {
	return func(o *dashboard.Options) { o.Mail = m }
}

// mailbox collects messages.
type mailbox struct {
	mu       sync.Mutex
	messages []message
}

type message struct{ to, subject, text string }

func (m *mailbox) Send(_ context.Context, to, subject, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = append(m.messages, message{to, subject, text})
	return nil
}

// code returns the one-time code in the latest message to an address.
func (m *mailbox) code(tb testing.TB, to string) string {
	tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, sent := range slices.Backward(m.messages) {
		if sent.to == to {
			found := regexp.MustCompile(`/dashboard/link#(\w+)`).FindStringSubmatch(sent.text)
			require.Len(tb, found, 2, sent.text)
			return found[1]
		}
	}
	tb.Fatalf("no message to %s", to)
	return ""
}

// browser keeps cookies as a browser on this machine does.
type browser struct {
	testing.TB
	handler http.Handler
	cookies map[string]*http.Cookie
	remote  string      // address of its connections
	header  http.Header // sent with every request
}

func (s *site) browser() *browser {
	return &browser{TB: s.TB, handler: s.Dashboard, cookies: map[string]*http.Cookie{}, remote: "127.0.0.1:50000", header: http.Header{}}
}

// proxies are the trusted proxies; remoteBrowser connects through one of them.
var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}

// remoteBrowser is a browser at another address, behind a trusted proxy that terminates TLS.
func (s *site) remoteBrowser(addr string) *browser {
	b := s.browser()
	b.remote = "10.0.0.1:40000"
	b.header = http.Header{"X-Forwarded-For": {addr}, "X-Forwarded-Proto": {"https"}}
	return b
}

// sessionOf is the ID of the session of a browser.
func (s *site) sessionOf(b *browser) string {
	return session.ID(b.cookies["__Host-uncial-session"].Value)
}

// userOf returns the ID of a user.
func (s *site) userOf(email string) string {
	s.Helper()
	u, err := s.Users.FindByEmail(s.Context(), email)
	require.NoError(s, err)
	return u.ID
}

// accountOf returns the ID of the account that a user joined first.
func (s *site) accountOf(email string) string {
	s.Helper()
	memberships, err := s.Users.Memberships(s.Context(), s.userOf(email))
	require.NoError(s, err)
	require.NotEmpty(s, memberships)
	return memberships[0].ID
}

func newKey(accountID string, i int) account.NewKey {
	return account.NewKey{AccountID: accountID, Name: fmt.Sprintf("key %d", i)}
}

// dump returns everything that the database holds, as text.
func (s *site) dump() string {
	s.Helper()
	var all strings.Builder
	tables := []string{"accounts", "api_keys", "users", "members", "sessions", "one_time_tokens", "operator_log", "attempts"}
	for _, table := range tables {
		columns, err := store.All(s.Context(), s.store.Reader(), `SELECT name FROM pragma_table_info('`+table+`')`, nil,
			func(scan func(...any) error) (name string, err error) { return name, scan(&name) })
		require.NoError(s, err)
		for _, column := range columns {
			values, err := store.All(s.Context(), s.store.Reader(), `SELECT COALESCE(CAST("`+column+`" AS TEXT), '') FROM `+table, nil,
				func(scan func(...any) error) (value string, err error) { return value, scan(&value) })
			require.NoError(s, err)
			all.WriteString(strings.Join(values, "\n"))
		}
	}
	return all.String()
}

// page is an answer.
type page struct {
	status int
	path   string // below /dashboard, with its query but without the message
	header http.Header
	body   string
}

// text is the body without tags, and white space folded.
func (p page) text() string {
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(p.body, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// request sends one request and does not follow redirects.
func (b *browser) request(method, path string, form url.Values) page {
	b.Helper()
	var body *strings.Reader
	r := httptest.NewRequest(method, "http://127.0.0.1:8080/dashboard"+path, http.NoBody)
	if form != nil {
		body = strings.NewReader(form.Encode())
		r = httptest.NewRequest(method, "http://127.0.0.1:8080/dashboard"+path, body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.send(r, path)
}

// send sends one request for a path, with the cookies of the browser.
func (b *browser) send(r *http.Request, path string) page {
	b.Helper()
	r.RemoteAddr = b.remote
	maps.Copy(r.Header, b.header)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		require.True(b, c.Secure && c.HttpOnly && c.Path == "/" && c.Domain == "" && strings.HasPrefix(c.Name, "__Host-"), "%v", c)
		require.Equal(b, http.SameSiteLaxMode, c.SameSite)
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c
		}
	}
	shown, _, _ := strings.Cut(path, "?done=")
	return page{status: w.Code, path: shown, header: w.Header(), body: w.Body.String()}
}

// get opens a page and follows redirects.
func (b *browser) get(path string) page {
	b.Helper()
	return b.follow(b.request(http.MethodGet, path, nil))
}

// post sends a form, whose fields come in pairs, and follows the redirect.
func (b *browser) post(path string, fields ...string) page {
	b.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.follow(b.request(http.MethodPost, path, form))
}

func (b *browser) follow(p page) page {
	b.Helper()
	for range 5 {
		if p.status != http.StatusSeeOther {
			return p
		}
		path, ok := strings.CutPrefix(p.header.Get("Location"), "/dashboard")
		require.True(b, ok, p.header.Get("Location"))
		p = b.request(http.MethodGet, path, nil)
	}
	b.Fatal("too many redirects")
	return p
}

// signUp makes a user with an account, and returns the browser that is signed in.
func (s *site) signUp(email, accountName string) *browser {
	s.Helper()
	s.clock.Advance(time.Second) // so that "the account that they joined first" is one
	_, _, err := s.Users.SignUp(s.Context(), user.NewUser{Email: email, Name: "A person", Password: password, Account: accountName, Plan: "free"})
	require.NoError(s, err)
	b := s.browser()
	p := b.post("/sign-in", "email", email, "password", password)
	require.Equal(s, 200, p.status, p.text())
	require.Contains(s, p.body, accountName)
	return b
}

// acceptInvitation invites an address, and lets the browser accept with a password and an account of its own.
func (s *site) acceptInvitation(b *browser, email string) {
	s.Helper()
	code, err := s.Users.Issue(s.Context(), user.Token{Purpose: user.Invitation, Email: email})
	require.NoError(s, err)
	require.Equal(s, "/", b.post("/accept", "code", code, "name", "Anna", "password", password, "account", "Map room").path)
}

// operator makes an operator and returns the browser that is signed in.
func (s *site) operator() *browser {
	s.Helper()
	code, err := s.Users.Issue(s.Context(), user.Token{Purpose: user.Operator})
	require.NoError(s, err)
	b := s.browser()
	p := b.post("/accept", "code", code, "email", "operator@example.org", "name", "An operator", "password", password, "account", "Operators")
	require.Equal(s, 200, p.status, p.text())
	return b
}
