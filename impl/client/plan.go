package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"uncial/gen"
	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/client/source"
	"uncial/impl/fetch"
	"uncial/impl/volume"
	"uncial/internal/contract"
)

// page is a page of the volume with what this run knows and does about it.
type page struct {
	volume.Page
	from *source.Page
	// id and generation make the Idempotency-Key; id is "" without a journal.
	id         string
	generation int
	// written are the formats of the files that exist already.
	written []string
	// isPending means that an earlier run sent it, and does not know whether it was charged.
	isPending bool
	// isDoubtful means that a request with the key of this generation may have been charged, in this run or an earlier one.
	isDoubtful bool
	// isDone means that nothing is sent for this page: it is read, or its charge is unknown.
	isDone bool
	// isNew means that it was read in this run.
	isNew bool
}

// plan is what a run will do.
type plan struct {
	cmd    *ExtractCmd
	store  *store
	web    *fetch.Fetcher
	volume volume.Volume // whose pages are those below
	pages  []*page
	faults []source.Fault

	stdout, stderr io.Writer
}

const (
	// fetchTimeout is that of one fetch by this program: twice what the service allows, since masters are larger.
	fetchTimeout = 2 * time.Minute
	// maxFetched bounds an image that is fetched here, in bytes: it passes through memory.
	maxFetched = 64 << 20
	// replyLifetime is how long the answer to a request is surely stored: 24 hours, less an hour for clocks and slow answers.
	replyLifetime = 23 * time.Hour
)

// plan finds all pages and what earlier runs did about them. Errors are *Failure: there is nothing to read.
func (c *ExtractCmd) plan(ctx context.Context, s *store) (*plan, error) {
	// The guard protects a service from its callers. Here the user chooses the addresses.
	anywhere := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	p := &plan{
		cmd: c, store: s, stdout: c.Stdout, stderr: c.Stderr,
		web: fetch.New(fetch.Options{Allow: anywhere, MaxBytes: maxFetched, Timeout: fetchTimeout, PerHost: 1}),
	}
	reader := source.Reader{Recursive: c.Recursive, FetchHere: c.FetchHere, Web: p.web, Stdin: c.Stdin, Temporary: s.temporary}
	set, err := reader.Expand(ctx, c.Images)
	if err != nil {
		return nil, p.stopped(ctx, err)
	}
	p.faults = set.Faults
	if len(set.Pages) == 0 {
		fault := set.Faults[0]
		return nil, usage("%s: %v", fault.Source, fault.Err)
	}
	p.volume = volume.Volume{Title: set.Title, Manifest: set.Manifest}
	for _, kind := range c.Volume {
		if check := writerOf(kind).Check; check != nil {
			if err := check(&p.volume); err != nil {
				return nil, usage("--volume %s: %v", kind, err)
			}
		}
	}
	for i, from := range set.Pages {
		one := &page{from: from}
		one.Page = volume.Page{
			Position: i + 1, Label: from.Label, Source: from.Source, Canvas: from.Canvas, State: volume.Waiting, Files: map[gen.Format]string{},
		}
		p.pages = append(p.pages, one)
		p.volume.Pages = append(p.volume.Pages, &one.Page)
	}
	if err := p.name(); err != nil {
		return nil, &Failure{1, durable.Explain("the journal", err).Error()}
	}
	if err := p.recallAll(ctx); err != nil {
		return nil, p.stopped(ctx, err)
	}
	return p, nil
}

// checkNotice is after how long the user is told why nothing happens yet: digests of large masters take a second each.
const checkNotice = 3 * time.Second

// recallAll recalls every page. Errors are ctx's.
func (p *plan) recallAll(ctx context.Context) error {
	started, isTold := time.Now(), false
	for i, one := range p.pages {
		if !isTold && time.Since(started) > checkNotice {
			isTold = true
			_, _ = fmt.Fprintf(p.stderr, "Looking for what is done: %d of %s checked so far.\n", i, countPages(len(p.pages)))
		}
		p.recall(ctx, one)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// stopped returns the error of a run that ended before anything was sent.
func (p *plan) stopped(ctx context.Context, err error) error {
	p.close()
	if ctx.Err() != nil {
		return &Failure{1, "interrupted; nothing was sent"}
	}
	return usage("%v", err)
}

func (p *plan) close() { p.web.Close() }

// reserved are names that belong to the volume.
var reserved = []string{"volume", "mets", "annotations", "manifest", "report"}

// name gives every page a name that is unique without regard to case, as on some file systems: "page", "page-2". A page keeps
// the name of an earlier run.
func (p *plan) name() error {
	taken := map[string]bool{}
	for _, name := range reserved {
		taken[name] = true
	}
	known := map[string]string{}
	if p.store.Journal != nil {
		known = p.store.Names()
	}
	for _, name := range known {
		taken[strings.ToLower(name)] = true
	}
	var fresh []journal.Event
	for _, one := range p.pages {
		if one.Name = known[one.from.Position]; one.Name != "" {
			continue
		}
		one.Name = one.from.Stem
		for n := 2; taken[strings.ToLower(one.Name)]; n++ {
			one.Name = fmt.Sprintf("%s-%d", one.from.Stem, n)
		}
		taken[strings.ToLower(one.Name)] = true
		fresh = append(fresh, journal.Event{Kind: journal.Name, Locator: one.from.Position, Name: one.Name, Source: one.Source})
	}
	if p.store.Journal == nil || p.cmd.DryRun || len(fresh) == 0 {
		return nil
	}
	return p.store.Append(fresh...)
}

// recall finds out what earlier runs did about a page. A page whose content cannot be determined fails, or is absent, when its
// turn comes.
func (p *plan) recall(ctx context.Context, one *page) {
	p.describeFiles(one)
	if p.store.Journal == nil {
		return
	}
	content, err := one.from.Content(ctx)
	if err != nil {
		return
	}
	one.id = journal.PageID(one.from.Position, content, "language="+p.cmd.Language, fmt.Sprintf("enhance=%t", p.cmd.Enhance))
	known := p.store.Page(one.id)
	one.generation = known.Generation
	one.isPending = !known.SentAt.IsZero()
	one.isDoubtful = one.isPending
	isExpired := one.isPending && time.Since(known.SentAt) > replyLifetime
	switch {
	case p.cmd.Force:
		// A request whose answer is still stored costs nothing to repeat.
		if known.State.IsRead() || isExpired {
			one.generation++
			one.isDoubtful = false
		}
	case known.State.IsRead() && p.store.HasAnswer(one.id):
		one.State, one.isDone, one.written = known.State, true, known.Formats
		p.attach(one)
	case isExpired:
		one.State, one.isDone = volume.Unknown, true
		one.Reason = fmt.Sprintf("sent on %s, and the answer was lost; the extraction may have been charged; add --force to read it again",
			known.SentAt.Format(time.RFC3339))
	}
}

// describeFiles says where the files of a page are.
func (p *plan) describeFiles(one *page) {
	for _, format := range p.cmd.formats() {
		one.Files[format] = one.Name + extensions[format]
	}
}

// toRead counts the pages that will be sent.
func (p *plan) toRead() (n int) {
	for _, one := range p.pages {
		if !one.isDone {
			n++
		}
	}
	return n
}

// describe prints what the run would do and cost. Errors are *Failure.
func (p *plan) describe(ctx context.Context, api *Client) error {
	states := map[volume.State]int{}
	for _, one := range p.pages {
		if one.isDone {
			states[one.State]++
			if one.State == volume.Unknown {
				_, _ = fmt.Fprintf(p.stderr, "%s: %s\n", one.Source, one.Reason)
			}
			continue
		}
		if _, err := one.from.Content(ctx); err != nil {
			state := volume.Failed
			if source.IsAbsent(err) {
				state = volume.Absent
			}
			states[state]++
			_, _ = fmt.Fprintf(p.stderr, "%s: %v\n", one.Source, err)
			continue
		}
		states[volume.Waiting]++
	}
	for _, fault := range p.faults {
		_, _ = fmt.Fprintf(p.stderr, "%s: %v\n", fault.Source, fault.Err)
	}
	line := fmt.Sprintf("%s; %d would be read for %s", countPages(len(p.pages)), states[volume.Waiting], points(int64(states[volume.Waiting])*contract.Price))
	if done := states[volume.Read] + states[volume.Empty]; done > 0 {
		line += fmt.Sprintf("; %d already read", done)
	}
	for _, state := range []volume.State{volume.Failed, volume.Absent, volume.Unknown} {
		if states[state] > 0 {
			line += fmt.Sprintf("; %d %s", states[state], state)
		}
	}
	if api != nil {
		status, err := api.Status(ctx)
		if err != nil {
			_, _ = fmt.Fprintln(p.stdout, line)
			return &Failure{2, fmt.Sprintf("%s: %v", p.cmd.URL, err)}
		}
		line += fmt.Sprintf("; %s left", points(status.PointsRemaining))
	}
	if _, err := fmt.Fprintln(p.stdout, line); err != nil {
		return &Failure{1, durable.Explain("the result", err).Error()}
	}
	return nil
}

// countPages returns a number of pages in words: "1 page", "40 pages".
func countPages(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}

// points returns a number of points with separators: "1,920 points".
func points(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return "1 point"
	}
	return digits + " points"
}

var errNotRead = errors.New("the page is not read")
