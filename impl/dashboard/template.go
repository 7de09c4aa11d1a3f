package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"uncial/internal/text"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets/*
var assetFiles embed.FS

// pageSet holds the parsed templates and the assets. It does not change after parsePages.
type pageSet struct {
	templates map[string]*template.Template // by the name of their file without .html
	assets    map[string]asset              // by the name of their file
	menu      []MenuItem                    // of other packages
}

type asset struct {
	content     []byte
	contentType string
	version     string // changes with the content, so that browsers never use an old file
}

// parsePages reads the templates and assets of this package and of others. Errors: files that cannot be parsed, and names
// that exist twice.
func parsePages(extras []Extra) (*pageSet, error) {
	own, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	s := &pageSet{templates: map[string]*template.Template{}, assets: map[string]asset{}}
	layout, err := template.New("").Funcs(s.functions()).ParseFS(own, "layout.html")
	if err != nil {
		return nil, err
	}
	for _, extra := range append([]Extra{{Templates: own, Assets: files}}, extras...) {
		s.menu = append(s.menu, extra.Menu...)
		if err := s.addAssets(extra.Assets); err != nil {
			return nil, err
		}
		if err := s.addTemplates(layout, extra.Templates); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addTemplates parses each NAME.html into a copy of the layout. files may be nil.
func (s *pageSet) addTemplates(layout *template.Template, files fs.FS) error {
	if files == nil {
		return nil
	}
	names, err := fs.Glob(files, "*.html")
	if err != nil {
		return err
	}
	for _, file := range names {
		name := strings.TrimSuffix(file, ".html")
		if name == "layout" {
			continue
		}
		if s.templates[name] != nil {
			return fmt.Errorf("dashboard: template %s is given twice", file)
		}
		page, err := layout.Clone()
		if err == nil {
			s.templates[name], err = page.ParseFS(files, file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addAssets reads all files, and derives their versions from their content. files may be nil.
func (s *pageSet) addAssets(files fs.FS) error {
	if files == nil {
		return nil
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, exists := s.assets[e.Name()]; exists {
			return fmt.Errorf("dashboard: asset %s is given twice", e.Name())
		}
		content, err := fs.ReadFile(files, e.Name())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		s.assets[e.Name()] = asset{content, mime.TypeByExtension(path.Ext(e.Name())), hex.EncodeToString(sum[:6])}
	}
	return nil
}

// functions are what templates may call.
func (s *pageSet) functions() template.FuncMap {
	return template.FuncMap{
		"path": func(p string) string { return Prefix + p },
		"asset": func(name string) (string, error) {
			a, ok := s.assets[name]
			if !ok {
				return "", fmt.Errorf("no asset %s", name)
			}
			return Prefix + "/assets/" + name + "?v=" + a.version, nil
		},
		"time": formatTime, "date": formatDate, "number": text.Number, "days": formatDays, "field": newField, "lower": strings.ToLower,
	}
}

// view is what templates see: the call, and the data of the page.
type view struct {
	*Call
	Data any
	Form *form // what was entered and what is wrong with it; nil for pages without a form
}

// Errors are the errors of the form by field.
func (v view) Errors() map[string]string {
	if v.Form == nil {
		return nil
	}
	return v.Form.errors
}

// Done is the message about what the visitor has just done, "" if there is none.
func (v view) Done() string { return messages[v.R.URL.Query().Get("done")] }

// menuLink is a link in the menu, with whether it leads to the open page.
type menuLink struct {
	MenuItem
	IsCurrent bool
}

// Menu returns the menu for this visitor.
func (v view) Menu() []menuLink {
	items := []MenuItem{{"Sign in", "/sign-in"}}
	if v.d.o.SignUp == Open {
		items = append(items, MenuItem{"Sign up", "/sign-up"})
	}
	if v.IsSignedIn() {
		items = slices.Concat([]MenuItem{{"Home", "/"}, {"Keys", "/keys"}, {"Usage", "/usage"}}, v.d.pages.menu, []MenuItem{{"Account", "/account"}})
	}
	if v.User.Operator {
		items = append(items, MenuItem{"Administration", "/admin"})
	}
	links := make([]menuLink, len(items))
	for i, item := range items {
		item.Path = Prefix + item.Path
		isCurrent := v.R.URL.Path == item.Path || item.Path != Prefix+"/" && strings.HasPrefix(v.R.URL.Path, item.Path+"/")
		links[i] = menuLink{item, isCurrent}
	}
	return links
}

// render is RenderStatus with status 200.
func (c *Call) render(name string, data any) error { return c.RenderStatus(http.StatusOK, name, data) }

// RenderStatus answers with a page: the template NAME.html, which gets the call as ".", and data as ".Data".
func (c *Call) RenderStatus(status int, name string, data any) error {
	return c.renderForm(status, name, data, nil)
}

// renderForm renders a page with a form. Nothing is sent if the template fails.
func (c *Call) renderForm(status int, name string, data any, f *form) error {
	page := c.d.pages.templates[name]
	if page == nil {
		return fmt.Errorf("no template %s", name)
	}
	var html bytes.Buffer
	if err := page.ExecuteTemplate(&html, "layout", view{c, data, f}); err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", "text/html; charset=utf-8")
	c.W.Header().Set("Content-Length", strconv.Itoa(html.Len()))
	c.W.WriteHeader(status)
	_, err := c.W.Write(html.Bytes())
	return err
}

func serveAsset(c *Call) error {
	a, ok := c.d.pages.assets[c.R.PathValue("name")]
	if !ok {
		return NotFound()
	}
	c.W.Header().Set("Content-Type", a.contentType)
	c.W.Header().Set("Content-Length", strconv.Itoa(len(a.content)))
	_, err := c.W.Write(a.content)
	return err
}

// formatTime returns a time in UTC, "-" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// formatDate returns a day in UTC, "-" for the zero time.
func formatDate(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// formatDays returns a duration in whole days.
func formatDays(d time.Duration) string {
	const day = 24 * time.Hour
	switch n := int64(d / day); n {
	case 0:
		return "less than a day"
	case 1:
		return "1 day"
	default:
		return strconv.FormatInt(n, 10) + " days"
	}
}
