package dashboard

import (
	"fmt"
	"io/fs"
	"net/http"
	"slices"
)

// Access says who may call a route.
type Access int

// Anyone includes people who are not signed in; all other values exclude them. SignedIn may belong to no account, Member
// belongs to the current account in any role, Owner is one of its owners, Operator runs the service.
const (
	Anyone Access = iota
	SignedIn
	Member
	Owner
	Operator
)

// Route is one page, or one change.
type Route struct {
	Method string // http.MethodGet or http.MethodPost
	Path   string // below Prefix, as in http.ServeMux, such as "/keys/{key}"
	Access Access
	// MaxBody bounds the body of a POST, in bytes. Default: 64 KiB.
	MaxBody int64
	// Serve answers. An error becomes a page: a *Problem as it is, any other as a failure that tells the visitor nothing.
	Serve func(c *Call) error
}

// Extra are pages of another package in the layout of the dashboard.
type Extra struct {
	Menu      []MenuItem // shown to everybody who is signed in
	Routes    []Route
	Templates fs.FS // NAME.html files, which define the templates "title" and "content", and "head" if they need it
	Assets    fs.FS // style sheets and scripts, served under /assets/; reach them with {{asset "NAME"}}
	// Forget drops what is kept for a holder who may no longer see it. Default: nil, for a package that keeps nothing.
	Forget func(h Holder)
}

// Holder says for whom something is kept: a session of a user who works in an account. An empty field stands for any.
type Holder struct{ Account, User, Session string }

// Includes reports whether other has the account, user and session of h, of which an empty one stands for any.
func (h Holder) Includes(other Holder) bool {
	isSame := func(mine, theirs string) bool { return mine == "" || mine == theirs }
	return isSame(h.Account, other.Account) && isSame(h.User, other.User) && isSame(h.Session, other.Session)
}

// MenuItem is a link in the menu.
type MenuItem struct{ Name, Path string }

// defaultMaxBody bounds the forms of this package. The longest holds 100 address ranges.
const defaultMaxBody = 64 << 10

// addRoutes registers all routes. Errors: a route that is malformed or registered twice.
func (d *Dashboard) addRoutes() error {
	all := d.table()
	for _, extra := range d.o.Extra {
		all = slices.Concat(all, extra.Routes)
	}
	for _, route := range all {
		pattern := route.Method + " " + Prefix + route.Path
		if route.Serve == nil || !slices.Contains([]string{http.MethodGet, http.MethodPost}, route.Method) {
			return fmt.Errorf("dashboard: route %q needs GET or POST, and a function", pattern)
		}
		if _, exists := d.routes[pattern]; exists {
			return fmt.Errorf("dashboard: route %q is given twice", pattern)
		}
		if route.MaxBody == 0 {
			route.MaxBody = defaultMaxBody
		}
		d.routes[pattern] = route
		d.mux.Handle(pattern, d.handler(route))
	}
	return nil
}
