package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"uncial/impl/client/durable"
	"uncial/impl/client/report"
	"uncial/impl/volume"
)

// finish writes the files of the whole volume, and returns nil if every page was read and all was written, else a *failure.
// cause says why sending stopped: nil, a *failure, or an error of the context.
func (r *run) finish(ctx context.Context, cause error, started time.Time) error {
	var ended *failure
	isEnded := errors.As(cause, &ended)
	if ctx.Err() != nil {
		return &failure{1, "interrupted; " + r.summary(started)}
	}
	problems := r.problems
	if r.cmd.Out != "" {
		problems = slices.Concat(problems, r.writeVolume(ctx), r.writeReport(ctx, started))
	}
	if ctx.Err() != nil {
		return &failure{1, "interrupted; " + r.summary(started)}
	}
	sum := r.summary(started)
	// One page needs no count: its own message says everything.
	isSingle := len(r.pages) == 1 && len(r.failures) == 0
	for _, problem := range problems {
		r.console.note("%s", problem)
	}
	switch {
	case isEnded && isSingle:
		return ended
	case isEnded:
		return &failure{ended.Status, ended.Message + "; " + sum}
	case r.missing() > 0 || len(problems) > 0:
		return &failure{1, sum}
	case r.cmd.Out != "":
		r.console.note("%s", sum)
	}
	return nil
}

// missing counts the pages and sources that were not read.
func (r *run) missing() int {
	n := len(r.failures)
	for _, one := range r.pages {
		if !one.State.IsRead() {
			n++
		}
	}
	return n
}

// summary sums up the outcomes of the pages in one line. With --out it also has the states, the points and the time.
func (r *run) summary(started time.Time) string {
	states := map[volume.State]int{}
	isNew := 0
	for _, one := range r.pages {
		states[one.State]++
		if one.isNew {
			isNew++
		}
	}
	states[volume.Failed] += len(r.failures)
	read := states[volume.Read] + states[volume.Empty]
	line := fmt.Sprintf("%d of %s read", read, countPages(len(r.pages)+len(r.failures)))
	if r.cmd.Out == "" {
		return line
	}
	var details []string
	if read > isNew {
		details = append(details, fmt.Sprintf("%d before", read-isNew))
	}
	if states[volume.Empty] > 0 {
		details = append(details, fmt.Sprintf("%d empty", states[volume.Empty]))
	}
	if len(details) > 0 {
		line += " (" + strings.Join(details, ", ") + ")"
	}
	for _, state := range []volume.State{volume.Failed, volume.Absent, volume.Unknown} {
		if states[state] > 0 {
			line += fmt.Sprintf(", %d %s", states[state], state)
		}
	}
	if states[volume.Waiting] > 0 {
		line += fmt.Sprintf(", %d left to read", states[volume.Waiting])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	line += fmt.Sprintf("; %s used", points(r.used))
	if r.remaining != nil {
		line += fmt.Sprintf(", %s left", strings.TrimSuffix(strings.TrimSuffix(points(*r.remaining), " points"), " point"))
	}
	return line + "; " + time.Since(started).Round(time.Second).String()
}

// writeVolume writes the files of --volume. It returns what could not be written, and why.
func (r *run) writeVolume(ctx context.Context) (problems []string) {
	if len(r.cmd.Volume) == 0 {
		return nil
	}
	if n := r.missing(); n > 0 && !r.cmd.Partial {
		return []string{fmt.Sprintf("--volume: nothing is written, because %s missing; run the command again, or add --partial", pagesAre(n))}
	}
	for _, kind := range r.cmd.Volume {
		if err := writerOf(kind).Write(ctx, &r.volume, r.save); err != nil && ctx.Err() == nil {
			problems = append(problems, fmt.Sprintf("--volume %s: %v", kind, err))
		}
	}
	return problems
}

// pagesAre returns a number of pages with its verb.
func pagesAre(n int) string {
	if n == 1 {
		return "1 page is"
	}
	return countPages(n) + " are"
}

// writeReport writes the file of --report. It returns what could not be written, and why.
func (r *run) writeReport(ctx context.Context, started time.Time) []string {
	if r.cmd.Report == "" {
		return nil
	}
	made, err := report.New(&r.volume, r.summary(started), time.Now())
	if err == nil {
		write := func(to io.Writer) error { return made.WriteJSON(to) }
		if filepath.Ext(r.cmd.Report) == ".html" {
			write = func(to io.Writer) error { return made.WriteHTML(ctx, to) }
		}
		// The report may lie anywhere, and files are only renamed within a file system.
		err = durable.Write(filepath.Dir(r.cmd.Report), r.cmd.Report, write)
	}
	if err != nil && ctx.Err() == nil {
		return []string{"--report: " + durable.Explain(r.cmd.Report, err).Error()}
	}
	return nil
}
