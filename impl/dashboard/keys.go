package dashboard

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"uncial/impl/account"
)

// pageSize is the number of rows of a list on one page.
const pageSize = 50

// day is the unit of lifetimes and overlaps. It has 24 hours: all times of keys are UTC.
const day = 24 * time.Hour

// keysPage is the data of keys.html.
type keysPage struct {
	Keys []account.Key
	Next string // address of the next page; "" on the last one
}

// showKeys lists the keys of the account, newest first.
func showKeys(c *Call) error {
	keys, err := c.d.o.Accounts.KeyPage(c.R.Context(), c.Account.ID, c.R.URL.Query().Get("after"), pageSize+1)
	if err != nil {
		return err
	}
	p := keysPage{Keys: keys}
	if len(keys) > pageSize {
		p.Keys = keys[:pageSize]
		p.Next = nextPage("/keys", p.Keys[pageSize-1].ID)
	}
	return c.render("keys", p)
}

// nextPage returns the address of the list that begins after a row.
func nextPage(path, after string) string {
	return Prefix + path + "?" + url.Values{"after": {after}}.Encode()
}

// lifetimes are the choices for a new key, by the value of the field "lifetime".
var lifetimes = []struct {
	Value, Label string
	Duration     time.Duration // 0: never expires
}{
	{"30", "30 days", 30 * day},
	{"60", "60 days", 60 * day},
	{"90", "90 days", 90 * day},
	{"365", "365 days", 365 * day},
	{"never", "never", 0},
}

// defaultLifetime is the interval at which openapi.yaml recommends rotating keys, in days.
const defaultLifetime = "90"

// newKeyPage is the data of key-new.html.
type newKeyPage struct {
	Lifetimes any
	Address   string // of the browser, for "add my address"; "" if unknown
}

// newKeyPage returns what the form for a new key shows in addition to its values.
func (c *Call) newKeyPage() newKeyPage { return newKeyPage{lifetimes, c.address()} }

// showNewKey asks for name, lifetime, address ranges and cap of a new key.
func showNewKey(c *Call) error {
	return c.renderForm(200, "key-new", c.newKeyPage(), emptyForm(map[string]string{"lifetime": defaultLifetime}))
}

// address is the address of the browser as text, "" if it is unknown.
func (c *Call) address() string {
	if addr := c.clientAddr(); addr.IsValid() {
		return addr.String()
	}
	return ""
}

// createKey makes a key. The page that follows shows its token once.
func createKey(c *Call) error {
	f := c.newForm()
	n := account.NewKey{AccountID: c.Account.ID, Name: c.Form("name"), Lifetime: readLifetime(f), Allow: readRanges(f), Cap: readCap(f)}
	if account.CheckName(n.Name) != nil {
		f.reject("name", sentence(account.ErrName))
	}
	if !f.isValid() {
		return c.retry("key-new", c.newKeyPage(), f)
	}
	k, token, err := c.d.o.Accounts.CreateKey(c.R.Context(), n)
	if f.rejectIf("cap", err, account.ErrCap) {
		return c.retry("key-new", c.newKeyPage(), f)
	}
	if err != nil {
		return err
	}
	return c.showOnce(k, token)
}

// tokenCookie carries the token of a new key over the redirect.
const tokenCookie = "key"

// showOnce redirects to the page of a new key, which shows its token once.
func (c *Call) showOnce(k account.Key, token string) error {
	if err := c.d.sealer.put(c.W, tokenCookie, c.User.ID+" "+k.ID, token); err != nil {
		return err
	}
	return c.Redirect("/keys/"+k.ID, "")
}

func readLifetime(f *form) time.Duration {
	for _, l := range lifetimes {
		if l.Value == f.Value("lifetime") {
			return l.Duration
		}
	}
	f.reject("lifetime", "Choose one of the lifetimes.")
	return 0
}

// readRanges reads the field "allow": address ranges, separated by white space or commas.
func readRanges(f *form) []netip.Prefix {
	texts := strings.FieldsFunc(f.Value("allow"), func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ' ' || r == '\t' })
	ranges, err := account.ParseAllow(texts)
	if err != nil {
		f.reject("allow", sentence(account.ErrAllow))
	}
	return ranges
}

// readCap reads the field "cap": points a month, nil if it is empty.
func readCap(f *form) *int64 {
	text := strings.ReplaceAll(f.Value("cap"), ",", "")
	if text == "" {
		return nil
	}
	points, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f.reject("cap", sentence(account.ErrCap))
	}
	return &points
}

// keyPage is the data of key.html.
type keyPage struct {
	account.Key
	Token    string // of a key that was just made; "" otherwise
	Address  string
	Overlaps any
	Used     int64 // points that count against the cap this month
	Notices  []attention
}

// overlaps are the choices for a rotation, by the value of the field "overlap".
var overlaps = []struct {
	Value, Label string
	Duration     time.Duration
}{{"1h", "1 hour", time.Hour}, {"1d", "1 day", day}, {"7d", "7 days", 7 * day}}

// key returns the key in the path.
func (c *Call) key() (account.Key, error) { return c.keyOf(c.R.PathValue("key")) }

// keyOf returns a key of the account that the visitor works in. Errors: NotFound (including for keys of other accounts).
func (c *Call) keyOf(id string) (account.Key, error) {
	k, err := c.d.o.Accounts.KeyOf(c.R.Context(), c.Account.ID, id)
	if errors.Is(err, account.ErrNoKey) {
		return account.Key{}, NotFound()
	}
	return k, err
}

// keyPage collects what the page of a key shows, without its token. Keys that replaced each other share one meter, and so the
// use.
func (c *Call) keyPage(k account.Key) (keyPage, error) {
	uses, err := c.d.o.Ledger.MeterUses(c.R.Context(), c.Account.ID)
	return keyPage{
		Key: k, Address: c.address(), Overlaps: overlaps,
		Used: uses[k.MeterID].Used, Notices: attentionTo([]account.Key{k}, uses, c.Now()),
	}, err
}

// retryKey shows the page of a key again with what is wrong in the form.
func (c *Call) retryKey(k account.Key, f *form) error {
	p, err := c.keyPage(k)
	if err != nil {
		return err
	}
	return c.retry("key", p, f)
}

// showKey shows one key, and the token of a key that was just made.
func showKey(c *Call) error {
	k, err := c.key()
	if err != nil {
		return err
	}
	p, err := c.keyPage(k)
	if err != nil {
		return err
	}
	p.Token = c.d.sealer.take(c.W, c.R, tokenCookie, c.User.ID+" "+k.ID)
	return c.renderForm(200, "key", p, keyForm(k))
}

// keyForm holds the values that the forms of a key begin with.
func keyForm(k account.Key) *form {
	ranges := make([]string, len(k.Allow))
	for i, p := range k.Allow {
		ranges[i] = p.String()
	}
	values := map[string]string{"name": k.Name, "allow": strings.Join(ranges, "\n"), "overlap": "1d"}
	if k.Cap != nil {
		values["cap"] = strconv.FormatInt(*k.Cap, 10)
	}
	return emptyForm(values)
}

// changeKey runs a change of the key in the path. If change refuses a value, it marks the field in f and returns nil.
func changeKey(done string, change func(c *Call, k account.Key, f *form) error) func(*Call) error {
	return func(c *Call) error {
		k, err := c.key()
		if err != nil {
			return err
		}
		f := c.newFormOver(keyForm(k))
		if err := change(c, k, f); err != nil {
			return err
		}
		if !f.isValid() {
			return c.retryKey(k, f)
		}
		return c.Redirect("/keys/"+k.ID, done)
	}
}

// renameKey gives the key another name; an invalid one is shown in the form.
func renameKey(c *Call, k account.Key, f *form) error {
	err := c.d.o.Accounts.RenameKey(c.R.Context(), k.ID, c.Form("name"))
	if f.rejectIf("name", err, account.ErrName) {
		return nil
	}
	return err
}

// changeRanges restricts the key to the ranges of the form. No ranges lift the restriction.
func changeRanges(c *Call, k account.Key, f *form) error {
	ranges := readRanges(f)
	if !f.isValid() {
		return nil
	}
	return c.d.o.Accounts.SetAllow(c.R.Context(), k.ID, ranges)
}

// changeCap sets the monthly cap of a key as the form says; invalid input is shown in the form.
func changeCap(c *Call, k account.Key, f *form) error {
	points := readCap(f)
	if !f.isValid() {
		return nil
	}
	err := c.d.o.Accounts.SetCap(c.R.Context(), k.ID, points)
	if f.rejectIf("cap", err, account.ErrCap) {
		return nil
	}
	return err
}

// revokeKey ends the key at once and for good. Revoking it again changes nothing.
func revokeKey(c *Call, k account.Key, _ *form) error {
	return c.d.o.Accounts.Revoke(c.R.Context(), k.ID)
}

// rotateKey replaces the key and shows the new token once. The old key works for the chosen overlap, which must be one of
// overlaps.
func rotateKey(c *Call) error {
	k, err := c.key()
	if err != nil {
		return err
	}
	f := c.newFormOver(keyForm(k))
	overlap := time.Duration(-1)
	for _, o := range overlaps {
		if o.Value == f.Value("overlap") {
			overlap = o.Duration
		}
	}
	if overlap < 0 {
		f.reject("overlap", "Choose one of the overlaps.")
		return c.retryKey(k, f)
	}
	made, token, err := c.d.o.Accounts.Rotate(c.R.Context(), k.ID, overlap)
	if errors.Is(err, account.ErrEnded) {
		return &Problem{Status: 409, Title: "The key cannot be rotated", Text: sentence(account.ErrEnded)}
	}
	if err != nil {
		return err
	}
	return c.showOnce(made, token)
}
