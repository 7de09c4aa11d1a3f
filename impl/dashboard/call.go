package dashboard

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"uncial/impl/account"
	"uncial/impl/account/user"
	"uncial/internal/edge"
)

// Call is one request and the visitor who sent it.
type Call struct {
	W http.ResponseWriter
	R *http.Request

	// User is the signed-in user, and Account the account that they work in. Both are zero for routes with access Anyone if nobody
	// is signed in.
	User    user.User
	Account account.Account
	IsOwner bool // of Account

	d           *Dashboard
	session     string // digest of the session; empty if nobody is signed in
	memberships []user.Membership
}

// IsSignedIn reports whether somebody is signed in.
func (c *Call) IsSignedIn() bool { return c.User.ID != "" }

// Now is the time of the request, UTC.
func (c *Call) Now() time.Time { return c.d.o.Now().UTC() }

// clientAddr is the address of the browser; the zero Addr if it is unknown.
func (c *Call) clientAddr() netip.Addr { return c.d.clientAddr(c.R) }

// PublicURL is the address of the service as people use it, without a path.
func (c *Call) PublicURL() string { return strings.TrimSuffix(c.d.o.PublicURL.String(), "/") }

// Session identifies the session of the visitor, without being a secret. It is empty if nobody is signed in, and changes at
// each sign-in.
func (c *Call) Session() string { return c.session }

// Form returns the value of a field of a form, without white space around it. What is not text becomes U+FFFD, so that a field
// with it is refused instead of counting as empty.
func (c *Call) Form(name string) string {
	value := strings.ReplaceAll(c.R.PostFormValue(name), "\x00", "\ufffd")
	return strings.TrimSpace(strings.ToValidUTF8(value, "\ufffd"))
}

// isText reports whether s can be stored and looked for in every database: UTF-8 without NUL, which Postgres refuses.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Redirect sends the browser to a page: a path with an optional query. done is the code of a message in messages.go that this
// page then shows; it may be empty.
func (c *Call) Redirect(page, done string) error {
	u, err := url.Parse(Prefix + page)
	if err != nil {
		return err
	}
	if done != "" {
		query := u.Query()
		query.Set("done", done)
		u.RawQuery = query.Encode()
	}
	http.Redirect(c.W, c.R, u.String(), http.StatusSeeOther)
	return nil
}

// Problem is a failure that visitors are told about, as a page.
type Problem struct {
	Status      int
	Title, Text string
	RequestID   string // set when the page is shown, for failures of the service
}

func (p *Problem) Error() string { return p.Title }

// NotFound is the page for everything that does not exist or that this visitor may not see. The two look the same, so that
// nobody can find out what other accounts have.
func NotFound() *Problem {
	return &Problem{Status: http.StatusNotFound, Title: "Page not found", Text: "This page does not exist, or it belongs to another account."}
}

// forbidden returns the page for visitors who may not do what they asked for. text says who may, or what to do instead.
func forbidden(text string) *Problem {
	return &Problem{Status: http.StatusForbidden, Title: "Not allowed", Text: text}
}

// note keeps a failure of the service for the log line of the request, and logs it with its route.
func (c *Call) note(err error) {
	edge.NoteError(c.W, err)
	c.d.o.Logger.LogAttrs(c.R.Context(), slog.LevelError, "dashboard failed",
		slog.String("request_id", edge.RequestID(c.W)), slog.String("route", c.R.Pattern), slog.Any("error", err))
}
