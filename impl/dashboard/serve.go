package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"uncial/impl/account/user"
	"uncial/internal/edge"
)

// ServeHTTP answers everything under Prefix, and every failure with a page.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{W: w, R: r, d: d}
	defer d.recoverPanic(c)
	for name, value := range securityHeaders {
		w.Header().Set(name, value)
	}
	_, pattern := d.mux.Handler(r)
	r.Pattern = pattern // for the log, which sees no copies of the request
	if err := d.admit(c); err != nil {
		d.fail(c, err)
		return
	}
	if pattern == "" {
		err := d.signedIn(c) // for the menu of the page
		if err == nil {
			err = d.unknown(c)
		}
		d.fail(c, err)
		return
	}
	d.mux.ServeHTTP(w, r)
}

// admit refuses requests sent over a connection that others can read, forms that pages of other sites have sent, and addresses
// that are not text. Style sheets are exempt, so that the page that explains the refusal has its layout.
func (d *Dashboard) admit(c *Call) error {
	if err := d.origins.Check(c.R); err != nil {
		return forbidden("This form was sent from another site. Open the page here and send the form again.")
	}
	if !strings.HasPrefix(c.R.URL.Path, Prefix+"/assets/") && !d.isSecure(c.R) {
		return errInsecure
	}
	if !hasTextOnly(c.R.URL) {
		return NotFound()
	}
	return nil
}

// hasTextOnly reports whether all parts of an address are text.
func hasTextOnly(u *url.URL) bool {
	for name, values := range u.Query() {
		if !isText(name) || slices.ContainsFunc(values, func(value string) bool { return !isText(value) }) {
			return false
		}
	}
	return isText(u.Path)
}

var errInsecure = errors.New("refused: the connection is not secure")

// unknown is the answer where no route matches: the path is wrong, or only the method.
func (d *Dashboard) unknown(c *Call) error {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := c.R.Clone(c.R.Context())
		other.Method = method
		if _, pattern := d.mux.Handler(other); pattern != "" {
			c.W.Header().Set("Allow", method)
			return &Problem{
				Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
				Text: "This address cannot be used in this way. Go back and use the links and forms of the page.",
			}
		}
	}
	return NotFound()
}

// handler serves a route: it reads the form, finds out who is signed in, checks whether they may, and calls the route.
func (d *Dashboard) handler(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &Call{W: w, R: r, d: d}
		r.Body = http.MaxBytesReader(w, r.Body, route.MaxBody)
		err := d.signedIn(c)
		if err == nil {
			err = c.mayUse(route)
		}
		if err == nil && isForm(c.R) {
			err = readForm(c.R)
		}
		if err == nil {
			err = route.Serve(c)
		}
		if err != nil {
			d.fail(c, err)
		}
	})
}

// isForm reports whether the body is a form in the encoding of HTML. Uploads have another one; their route reads the body
// itself.
func isForm(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

// readForm parses the form of a POST. Errors: *Problem, which says what the visitor can do.
func readForm(r *http.Request) error {
	err := r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &Problem{
			Status: http.StatusRequestEntityTooLarge, Title: "The form is too large",
			Text: fmt.Sprintf("A form may be at most %d bytes. Shorten it and send it again.", tooLarge.Limit),
		}
	case err != nil:
		return &Problem{Status: http.StatusBadRequest, Title: "The form cannot be read", Text: "Go back and send the form again."}
	}
	return nil
}

var errSignIn = errors.New("not signed in")

// mayUse returns nil if the visitor may use the route. Members without the right get an explanation; to everybody but
// operators, administration pages appear not to exist.
func (c *Call) mayUse(route Route) error {
	switch {
	case route.Access == Anyone:
		return nil
	case !c.IsSignedIn():
		return errSignIn
	case route.Access == Operator && !c.User.Operator:
		return NotFound()
	case (route.Access == Member || route.Access == Owner) && c.Account.ID == "":
		return forbidden("You belong to no account. Ask the owner of one for an invitation.")
	case route.Access == Owner && !c.IsOwner:
		return forbidden("Only owners of the account may do this. Ask one of them.")
	}
	return nil
}

// fail answers with the page for an error.
func (d *Dashboard) fail(c *Call, err error) {
	var problem *Problem
	switch {
	case errors.Is(err, errInsecure):
		err = c.RenderStatus(http.StatusForbidden, "insecure", nil)
	case errors.Is(err, errSignIn):
		c.askToSignIn()
		return
	case errors.As(err, &problem):
		err = c.RenderStatus(problem.Status, "error", problem)
	case errors.Is(err, user.ErrBusy):
		c.W.Header().Set("Retry-After", "5")
		err = c.RenderStatus(http.StatusServiceUnavailable, "error", &Problem{Title: "Too many sign-ins", Text: "Many people are signing in at the moment. Try again in a few seconds."})
	case errors.Is(err, context.Canceled) && c.R.Context().Err() != nil:
		edge.NoteError(c.W, err)
		return // nobody waits for an answer
	default:
		c.note(err)
		err = c.RenderStatus(http.StatusInternalServerError, "error", &Problem{
			Title: "Something went wrong", Text: "Try again. If it happens again, contact the people who run this service and quote the request ID below.",
			RequestID: edge.RequestID(c.W),
		})
	}
	if err != nil {
		c.note(err)
	}
}

// askToSignIn redirects to the sign-in page, which leads back to the page that was asked for. Forms are lost, and the page says
// so.
func (c *Call) askToSignIn() {
	query := url.Values{}
	if c.R.Method != http.MethodGet {
		query.Set("done", "expired")
	}
	if next := strings.TrimPrefix(c.R.URL.RequestURI(), Prefix); next != "/" && c.d.isPage(c.R) {
		query.Set("next", next)
	}
	target := Prefix + "/sign-in"
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	http.Redirect(c.W, c.R, target, http.StatusSeeOther)
}

// isPage reports whether the path of the request is also that of a page.
func (d *Dashboard) isPage(r *http.Request) bool {
	other := r.Clone(r.Context())
	other.Method = http.MethodGet
	_, pattern := d.mux.Handler(other)
	return pattern != ""
}

// recoverPanic turns a panic into a page and a log line. It must be deferred directly.
func (d *Dashboard) recoverPanic(c *Call) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	d.o.Logger.LogAttrs(c.R.Context(), slog.LevelError, "panic", slog.String("request_id", edge.RequestID(c.W)),
		slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	d.fail(c, errors.New("panic"))
}
