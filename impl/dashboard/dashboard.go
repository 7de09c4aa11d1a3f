// Package dashboard serves the pages for people: sign-up and sign-in, API keys, usage, the account, and the administration for
// operators. It renders HTML on the server; a small script only adds conveniences. The packages account, user and ledger decide
// about accounts, keys, points and passwords. Pages never return JSON; that is under /api/v1.
//
// Every read is a GET, and every change is a POST that ends with a redirect. Start with routes in routes.go, which
// lists all pages with who may call them, then Dashboard.serve in serve.go, which shows the order of all checks. A page is
// a function of a Call; its template is in templates under the same name. Other packages add pages with Options.Extra.
package dashboard

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
)

// Prefix is the path that all pages are under.
const Prefix = "/dashboard"

// SignUp says who may sign up.
type SignUp string

// Open lets everybody with an e-mail address sign up, Invite only people with an invitation, Closed nobody.
const (
	Open   SignUp = "open"
	Invite SignUp = "invite"
	Closed SignUp = "closed"
)

// Options configure the dashboard.
type Options struct {
	Data // what the pages show and change. Required.

	// Secret is what cookies are sealed with, the same in all replicas. Required.
	Secret []byte
	// PublicURL is the address that people use, without a path. Links and examples contain it; the Host header is never
	// used for them. Required.
	PublicURL *url.URL
	// OpenID is a provider that people may sign in with. Default: none.
	OpenID *OpenID
	// SignUp says who may sign up. Default: Closed.
	SignUp SignUp
	// TrustedProxies are the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. Default: none.
	TrustedProxies []netip.Prefix
	// Extra are pages of other packages. Default: none.
	Extra []Extra
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Logger receives failures and panics. Default: slog.Default().
	Logger *slog.Logger
}

// Dashboard is the handler of all pages under Prefix. It is safe for concurrent use. It keeps nothing in memory that
// another replica would need.
type Dashboard struct {
	o        Options
	mux      *http.ServeMux
	routes   map[string]Route // by the pattern of mux
	pages    *pageSet
	sessions *scs.SessionManager
	sealer   *sealer
	openID   *openID // nil without a provider
	origins  *http.CrossOriginProtection
}

// New returns the dashboard. Errors name the invalid option.
func New(o Options) (*Dashboard, error) {
	if o.PublicURL == nil || len(o.Secret) == 0 || !o.isComplete() {
		return nil, errors.New("dashboard: Options.Data, Options.PublicURL and Options.Secret are required")
	}
	o.SignUp = cmp.Or(o.SignUp, Closed)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Dashboard{o: o, mux: http.NewServeMux(), routes: map[string]Route{}, origins: http.NewCrossOriginProtection()}
	if err := d.origins.AddTrustedOrigin(o.PublicURL.Scheme + "://" + o.PublicURL.Host); err != nil {
		return nil, err
	}
	var err error
	if d.sealer, err = newSealer(o.Secret, o.Now); err != nil {
		return nil, err
	}
	if d.pages, err = parsePages(o.Extra); err != nil {
		return nil, err
	}
	d.sessions = newSessions(o)
	d.openID = newOpenID(o.OpenID, strings.TrimSuffix(o.PublicURL.String(), "/"))
	return d, d.addRoutes()
}
