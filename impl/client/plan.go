package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"time"

	"uncial/gen"
	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/client/source"
	"uncial/impl/fetch"
	"uncial/impl/volume"
	"uncial/internal/contract"
	"uncial/internal/text"
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

// plan lists the work of a run.
type plan struct {
	cmd      *ExtractCmd
	store    *store
	web      *fetch.Fetcher // for the URLs on the command line
	linked   *fetch.Fetcher // for what manifests name
	volume   volume.Volume  // whose pages are those below
	pages    []*page
	failures []source.Failure

	console *console
}

// replyLifetime is the time for which the answer to a request is certainly stored: 24 hours, less an hour for clock skew and
// slow answers.
const replyLifetime = 23 * time.Hour

// plan finds all pages and what earlier runs did about them. Errors are *failure: there is nothing to read.
func (c *ExtractCmd) plan(ctx context.Context, s *store) (*plan, error) {
	p := &plan{cmd: c, store: s, console: newConsole(c.Stdout, c.Stderr)}
	var err error
	if p.web, p.linked, err = c.fetchers(); err != nil {
		return nil, err
	}
	reader := source.Reader{
		Recursive: c.Recursive, IsOutput: p.isOutput, FetchHere: c.FetchHere, Web: p.web, Linked: p.linked, Stdin: c.Stdin, Temporary: s.temporary, Timeout: c.Timeout,
		Waiting: func(url string, failed error, pause time.Duration) {
			p.console.note("%s: %v; retrying in %v", url, failed, pause.Round(100*time.Millisecond))
		},
	}
	set, err := reader.Expand(ctx, c.Images)
	if err != nil {
		return nil, p.stopped(ctx, err)
	}
	p.failures = set.Failures
	if len(set.Pages) == 0 {
		failure := set.Failures[0]
		return nil, usage("%s: %v", failure.Source, failure.Err)
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
	if err := p.recallAll(ctx); err != nil {
		return nil, p.stopped(ctx, err)
	}
	events := p.name()
	adopted, err := p.protect()
	if err != nil {
		return nil, err
	}
	if events = append(events, adopted...); s.Journal != nil && !c.DryRun && len(events) > 0 {
		if err := s.Append(events...); err != nil {
			return nil, &failure{1, durable.Explain("the journal", err).Error()}
		}
	}
	return p, nil
}

// checkNotice is the time after which the user is told why nothing happens yet: the digest of a large master takes a second.
const checkNotice = 3 * time.Second

func (p *plan) recallAll(ctx context.Context) error {
	started, isTold := time.Now(), false
	for i, one := range p.pages {
		if !isTold && time.Since(started) > checkNotice {
			isTold = true
			p.console.note("Checking which pages are already read: %d of %s so far.", i, countPages(len(p.pages)))
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
		return &failure{1, "interrupted; nothing was sent"}
	}
	return usage("%v", err)
}

func (p *plan) close() {
	p.web.Close()
	p.linked.Close()
}

// recall finds out what earlier runs did about a page. A page whose content cannot be determined fails, or is absent, when its
// turn comes.
func (p *plan) recall(ctx context.Context, one *page) {
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
	// The id of a page depends on its content and options, so an answer with that id belongs to the page even if the journal was
	// lost.
	isNewToJournal := known.State == volume.Waiting && !one.isPending
	var answer *journal.Answer
	if !p.cmd.Force || isNewToJournal || one.isPending { // otherwise a new reading replaces the answer, whatever it is
		answer, err = p.store.LoadAnswer(one.id)
	}
	isDamaged := errors.Is(err, journal.ErrDamaged)
	if err != nil && !isDamaged && !errors.Is(err, fs.ErrNotExist) && !p.cmd.Force {
		one.State, one.isDone = volume.Failed, true
		one.Reason = fmt.Sprintf("cannot read the stored answer: %v; nothing was sent", durable.WithoutPath(err))
		return
	}
	if answer != nil && (isNewToJournal || one.isPending && answer.Generation == known.Generation) && p.adopt(one, answer) {
		return
	}
	isExpired := one.isPending && time.Since(known.SentAt) > replyLifetime
	switch {
	case p.cmd.Force:
		// A request of an interrupted run costs nothing to repeat while its answer is stored. Otherwise the number is random, because
		// the service may have answers for other folders, of which this journal does not know.
		if !one.isPending || isExpired {
			one.generation = rand.IntN(math.MaxInt32)
			one.isDoubtful = false
		}
	case known.State.IsRead() && answer != nil:
		p.reuse(one, known.State, known.Formats, answer)
	case isExpired && known.Earlier.IsRead() && answer != nil:
		one.Reason = fmt.Sprintf("sent again on %s, and the answer was lost; the extraction may have been charged; the earlier answer is used",
			known.SentAt.Format(time.RFC3339))
		p.reuse(one, known.Earlier, known.Formats, answer)
	case isExpired:
		one.State, one.isDone = volume.Unknown, true
		one.Reason = fmt.Sprintf("sent on %s, and the answer was lost; the extraction may have been charged; add --force to read it again",
			known.SentAt.Format(time.RFC3339))
	case isDamaged:
		p.console.note("%s: %v; the page will be read again", one.Source, err)
	}
}

// reuse marks a page as read by an earlier run.
func (p *plan) reuse(one *page, state volume.State, written []string, answer *journal.Answer) {
	one.State, one.isDone, one.written = state, true, written
	one.ReadAt, one.Master, one.Sent = answer.ReadAt, answer.Master, answer.Sent
	p.attach(one)
}

// adopt uses a stored answer that the journal does not know of, because of a crash or because the journal was lost. It reports
// whether it could.
func (p *plan) adopt(one *page, answer *journal.Answer) bool {
	state := volume.Read
	if answer.Answer.Text == "" {
		state = volume.Empty
	}
	sent := journal.Event{Kind: journal.Sent, Page: one.id, Generation: answer.Generation, Source: one.Source}
	done := journal.Event{Kind: journal.Done, Page: one.id, IsEmpty: state == volume.Empty, Points: answer.Points}
	if !p.cmd.DryRun && p.store.Append(sent, done) != nil {
		return false // the run will report the failure of the journal
	}
	one.generation, one.isPending, one.isDoubtful = answer.Generation, false, false
	if p.cmd.Force {
		one.generation++
		return true
	}
	p.reuse(one, state, nil, answer)
	return true
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

// describe prints what the run would do and cost. Errors are *failure.
func (p *plan) describe(ctx context.Context, api *apiClient) error {
	states := map[volume.State]int{}
	for _, one := range p.pages {
		if one.isDone {
			states[one.State]++
			if one.Reason != "" {
				p.console.note("%s: %s", one.Source, one.Reason)
			}
			continue
		}
		_, err := one.from.Content(ctx)
		if ctx.Err() != nil {
			return p.stopped(ctx, err)
		}
		if err != nil {
			state := volume.Failed
			if source.IsAbsent(err) {
				state = volume.Absent
			}
			states[state]++
			p.console.note("%s: %v", one.Source, err)
			continue
		}
		states[volume.Waiting]++
	}
	for _, failure := range p.failures {
		p.console.note("%s: %v", failure.Source, failure.Err)
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
	var lack error
	if api != nil {
		status, err := api.status(ctx)
		if ctx.Err() != nil {
			return p.stopped(ctx, err)
		}
		if err != nil {
			_, _ = fmt.Fprintln(p.console.stdout, line)
			return &failure{2, fmt.Sprintf("%s: %v%s", p.cmd.URL, err, advice(err))}
		}
		line += fmt.Sprintf("; %s left", points(status.PointsRemaining))
		if enough := status.PointsRemaining / contract.Price; enough < int64(states[volume.Waiting]) {
			lack = &failure{1, fmt.Sprintf("the remaining points cover %d of %s", enough, countPages(states[volume.Waiting]))}
		}
	}
	if _, err := fmt.Fprintln(p.console.stdout, line); err != nil {
		return &failure{1, durable.Explain("the result", err).Error()}
	}
	return lack
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
	if n == 1 {
		return "1 point"
	}
	return text.Number(n) + " points"
}

var errNotRead = errors.New("the page is not read")
