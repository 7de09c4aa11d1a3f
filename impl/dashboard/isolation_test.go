package dashboard_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/dashboard"
	"uncial/impl/store"
)

// attack is a form that a visitor sends to a route to reach what belongs to the victim. Its values name wildcards, which
// are replaced by the victim's identifiers, as those in the path are.
type attack map[string]string

// attacks has an entry for every route; a route without one fails the test. nil is for a GET.
var attacks = map[string]attack{
	"GET /assets/{name}": nil, "GET /sign-in": nil, "GET /sign-up": nil, "GET /forgot": nil, "GET /sent": nil, "GET /link": nil,
	"GET /openid": nil, "GET /openid/callback": nil,
	"POST /sign-in":  {"email": "{email}", "password": "a wrong password"},
	"POST /sign-up":  {"email": "{email}", "name": "Eve", "password": password, "account": "Eve's"},
	"POST /forgot":   {"email": "{email}"},
	"POST /link":     {"code": "{account}"},
	"POST /accept":   {"code": "{account}", "email": "eve2@example.org", "name": "Eve", "password": password, "account": "Eve's"},
	"POST /join":     {"code": "{account}"},
	"POST /verify":   {"code": "{account}"},
	"POST /reset":    {"code": "{user}", "password": "a password of somebody else"},
	"POST /switch":   {"account": "{account}"},
	"POST /sign-out": {},

	"GET /{$}": nil, "GET /usage": nil, "GET /usage.csv": nil, "GET /keys": nil, "GET /keys/new": nil, "GET /keys/{key}": nil, "GET /account": nil,
	"POST /keys":                                    {"name": "eve's key", "lifetime": "30", "account": "{account}"},
	"POST /keys/{key}/name":                         {"name": "stolen"},
	"POST /keys/{key}/ranges":                       {"allow": "192.0.2.1"},
	"POST /keys/{key}/cap":                          {"cap": "1"},
	"POST /keys/{key}/revoke":                       {},
	"POST /keys/{key}/rotate":                       {"overlap": "1h"},
	"POST /account/rename":                          {"account": "eve's", "id": "{account}"},
	"POST /account/name":                            {"name": "Eve", "user": "{user}"},
	"POST /account/password":                        {"current": password, "password": "a password of somebody else", "user": "{user}"},
	"POST /account/email":                           {"email": "{email}", "email-password": password, "user": "{user}"},
	"POST /account/delete":                          {"confirm": "{account}", "delete-password": password, "account": "{account}"},
	"POST /account/delete-user":                     {"user-password": password, "user": "{user}"},
	"POST /account/openid":                          {"openid-password": password, "user": "{user}"},
	"POST /account/openid/remove":                   {"openid-password": password, "user": "{user}"},
	"POST /members":                                 {"role": "member", "invite-email": "", "account": "{account}"},
	"POST /members/invitations/{invitation}/revoke": {"account": "{account}"},
	"POST /admin/invitations/{invitation}/revoke":   {"account": "{account}"},
	"POST /members/leave":                           {"account": "{account}", "user": "{user}"},
	"POST /sessions/end":                            {"user": "{user}"},
	"POST /admin/invitations":                       {"email": ""},
	"POST /sessions/{session}/end":                  {"user": "{user}"},
	"POST /members/{user}/role":                     {"role": "member", "account": "{account}"},
	"POST /members/{user}/remove":                   {"account": "{account}"},
	"GET /admin":                                    nil,
	"GET /admin/accounts/{account}":                 nil,
	"GET /admin/audit":                              nil,
	"GET /admin/log":                                nil,
	"POST /admin/accounts/{account}/plan":           {"plan": "pro"},
	"POST /admin/accounts/{account}/grant":          {"points": "100", "reason": "eve"},
	"GET /usage?key={key}":                          nil, "GET /usage.csv?key={key}": nil,
	"GET /playground":                                   nil,
	"GET /playground/{reading}":                         nil,
	"GET /playground/{reading}/{part}":                  nil,
	"POST /playground":                                  {"imageUrl": "https://images.example.org/a.png", "account": "{account}"},
	"POST /playground/cap":                              {"cap": "0", "account": "{account}"},
	"POST /admin/accounts/{account}/suspend":            {},
	"POST /admin/accounts/{account}/resume":             {},
	"POST /admin/accounts/{account}/users/{user}/reset": {},
}

// victim is what visitors of other accounts must neither see nor change.
type victim struct {
	*site
	names   map[string]string // identifiers by wildcard
	secrets []string          // what no page may show to others
}

func newVictim(t *testing.T) victim {
	t.Helper()
	s := newSite(t, nil)
	b := s.signUp("victim@example.org", "Victim archive")
	id := s.accountOf("victim@example.org")
	k, _, err := s.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: id, Name: "Victim key"})
	require.NoError(t, err)
	b.post("/members", "role", "member", "invite-email", "next@example.org")
	open, err := s.Users.Invitations(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, open, 1)
	v := victim{site: s, names: map[string]string{
		"{name}": "style.css", "{$}": "", "{key}": k.ID, "{account}": id, "{user}": s.userOf("victim@example.org"), "{session}": s.sessionOf(b),
		"{email}": "victim@example.org", "{reading}": b.read("image").reading(), "{part}": "text",
		"{invitation}": open[0].ID,
	}}
	v.secrets = []string{readText, "Victim archive", "Victim key", k.LastFour + "</code>", v.names["{session}"], "next@example.org", open[0].ID}
	return v
}

func (v victim) fill(text string) string {
	return regexp.MustCompile(`\{[a-z$-]+\}`).ReplaceAllStringFunc(text, func(name string) string {
		value, known := v.names[name]
		require.True(v, known, "no value for %s in %s", name, text)
		return value
	})
}

// rows is everything in the database that belongs to the victim.
func (v victim) rows() string {
	v.Helper()
	var all []string
	for table, condition := range map[string]string{
		"accounts": "id = $1", "api_keys": "account_id = $1", "members": "account_id = $1", "meters": "account_id = $1",
		"users": "id = $2 AND $1 <> ''", "sessions": "user_id = $2 AND $1 <> ''",
		"one_time_tokens": "account_id = $1 OR user_id = $2",
	} {
		columns, err := store.All(v.Context(), v.store.Reader(), `SELECT name FROM pragma_table_info('`+table+`')`, nil,
			func(scan func(...any) error) (name string, err error) { return name, scan(&name) })
		require.NoError(v, err)
		columns = slices.DeleteFunc(columns, func(name string) bool { return name == "data" })
		found, err := store.All(v.Context(), v.store.Reader(), `SELECT json_array(`+strings.Join(columns, ", ")+`) FROM `+table+` WHERE `+condition,
			store.Args{v.names["{account}"], v.names["{user}"]}, func(scan func(...any) error) (row string, err error) { return table + row, scan(&row) })
		require.NoError(v, err)
		require.True(v, len(found) > 0 || table == "one_time_tokens", table)
		for _, row := range found {
			all = append(all, table+row)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// TestDashboard_Isolation tries every route with the victim's identifiers: as the owner of another account, as somebody who
// has just left theirs, and as somebody who is not signed in. Nothing of the victim is shown or changed.
func TestDashboard_Isolation(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	unused := maps.Clone(attacks)
	before := v.rows()
	routes := v.Routes()
	for name := range attacks { // of a route with a query
		if method, path, _ := strings.Cut(name, " "); strings.Contains(path, "?") {
			routes = append(routes, dashboard.Route{Method: method, Path: path})
		}
	}
	for i, route := range routes {
		name := route.Method + " " + route.Path
		fields, known := attacks[name]
		require.True(t, known, "add an entry for %s to attacks", name)
		delete(unused, name)
		email := "eve" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "@example.org"
		for who, b := range map[string]*browser{"the owner of another account": v.signUp(email, "Archive of Eve"), "a stranger": v.browser()} {
			form := url.Values{}
			for field, value := range fields {
				form.Set(field, v.fill(value))
			}
			var p page
			if route.Method == http.MethodGet {
				p = b.request(route.Method, v.fill(route.Path), nil)
			} else {
				p = b.request(route.Method, v.fill(route.Path), form)
			}
			if strings.Contains(route.Path, "{") && route.Path != "/{$}" && route.Path != "/assets/{name}" && !strings.Contains(route.Path, "{session}") {
				require.Contains(t, []int{303, 403, 404}, p.status, "%s as %s", name, who)
				if p.status == 303 {
					require.Contains(t, p.header.Get("Location"), "/dashboard/sign-in", "%s as %s", name, who)
				}
			}
			for _, secret := range v.secrets {
				require.NotContains(t, p.body, secret, "%s as %s", name, who)
			}
			require.Equal(t, before, v.rows(), "%s as %s changed something", name, who)
		}
	}
	require.Empty(t, unused, "these routes no longer exist")
}
