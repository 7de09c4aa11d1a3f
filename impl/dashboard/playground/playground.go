// Package playground is the page of the dashboard on which people read an image and look at the result. The form and the view
// of a reading come from package tryit. Extractions go through the API and are charged to the account, under the meter of its
// playground, which has its own row in the usage and its own monthly cap.
//
// Readings stay in the memory of the replica that made them, for the session and for half an hour at most, so several
// replicas need a balancer that sends a browser to the same one. Start with New, then read in read.go.
package playground

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"time"

	"uncial/impl/dashboard"
	"uncial/internal/language"
	"uncial/internal/language/name"
	"uncial/internal/request"
	"uncial/internal/tryit"
)

//go:embed templates/*.html
var templateFiles embed.FS

// path is the path of the page, below the prefix of the dashboard.
const path = "/playground"

// Options configure the playground. All are required.
type Options struct {
	// API is the front end of the service.
	API http.Handler
	// Ledger knows what the playground may spend.
	Ledger Ledger
	// Languages returns the tags that can be read.
	Languages func(ctx context.Context) ([]string, error)
	// Now is the clock.
	Now func() time.Time
}

// playground serves the pages. It is safe for concurrent use.
type playground struct {
	o        Options
	readings *tryit.Shelf[dashboard.Holder]
}

// New returns the pages of the playground, for dashboard.Options.Extra. It fails only if the program was built without its
// templates.
func New(o Options) (dashboard.Extra, error) {
	p := &playground{o: o, readings: tryit.NewShelf[dashboard.Holder](o.Now)}
	templates, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		return dashboard.Extra{}, err
	}
	return dashboard.Extra{
		Menu:      []dashboard.MenuItem{{Name: "Playground", Path: path}},
		Templates: templates,
		Assets:    tryit.Assets,
		Forget:    func(h dashboard.Holder) { p.readings.Drop(h.Includes) },
		Routes: []dashboard.Route{
			{Method: http.MethodGet, Path: path, Access: dashboard.Member, Serve: p.show},
			{Method: http.MethodPost, Path: path, Access: dashboard.Member, MaxBody: request.MaxBody, Serve: p.read},
			{Method: http.MethodPost, Path: path + "/cap", Access: dashboard.Owner, Serve: p.changeCap},
			{Method: http.MethodGet, Path: path + "/{reading}", Access: dashboard.Member, Serve: p.showReading},
			{Method: http.MethodGet, Path: path + "/{reading}/{part}", Access: dashboard.Member, Serve: p.servePart},
		},
	}, nil
}

// page is the data of playground.html.
type page struct {
	Form      template.HTML
	Reading   template.HTML // "" before an image was read
	Remaining int64         // points that the playground may still spend
	Cap       *int64        // points a month; nil: none
}

func (p *playground) show(c *dashboard.Call) error {
	return p.render(c, http.StatusOK, tryit.Form{Language: language.Default}, nil)
}

// showReading shows a reading of this session, and the form for the next one.
func (p *playground) showReading(c *dashboard.Call) error {
	reading := p.readings.Find(owner(c), c.R.PathValue("reading"))
	if reading == nil {
		return errGone
	}
	form := tryit.Form{Language: reading.Request.Language, Enhance: reading.Request.Enhance}
	return p.render(c, http.StatusOK, form, reading)
}

// errGone is the page for a reading that this process does not hold.
var errGone = &dashboard.Problem{
	Status: http.StatusNotFound, Title: "The reading is gone",
	Text: "Readings are kept for 30 minutes, in memory, and end with the session. If you have just read this image, reload the page: " +
		"another replica of the service may hold the reading.",
}

// servePart answers with the picture of a page or with a format.
func (p *playground) servePart(c *dashboard.Call) error {
	reading := p.readings.Find(owner(c), c.R.PathValue("reading"))
	if reading == nil {
		return errGone
	}
	if !reading.ServePart(c.W, c.R.PathValue("part")) {
		return dashboard.NotFound()
	}
	return nil
}

// owner identifies whose readings a visitor sees: those of this session in this account.
func owner(c *dashboard.Call) dashboard.Holder {
	return dashboard.Holder{Account: c.Account.ID, User: c.User.ID, Session: c.Session()}
}

// render shows the page with the form and, unless it is nil, a reading.
func (p *playground) render(c *dashboard.Call, status int, form tryit.Form, reading *tryit.Reading) error {
	ctx := c.R.Context()
	tags, err := p.o.Languages(ctx)
	if err != nil {
		return err
	}
	form.Action, form.Languages = dashboard.Prefix+path, tryit.Choices(tags, name.Of)
	var data page
	if data.Form, err = form.HTML(); err != nil {
		return err
	}
	if data.Cap, err = p.o.Ledger.PlaygroundCap(ctx, c.Account.ID); err != nil {
		return err
	}
	if data.Remaining, err = p.remaining(ctx, c.Account.ID); err != nil {
		return err
	}
	if data.Cap != nil { // the ledger knows the default only from the first reading on
		data.Remaining = min(data.Remaining, *data.Cap)
	}
	if reading != nil {
		var html bytes.Buffer
		place := tryit.Place{Base: dashboard.Prefix + path + "/" + c.R.PathValue("reading"), URL: c.PublicURL()}
		if err := reading.Render(&html, place); err != nil {
			return err
		}
		data.Reading = template.HTML(html.String()) //nolint:gosec // html/template has escaped it
	}
	return c.RenderStatus(status, "playground", data)
}
