package contracttests

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"uncial/contracttests/internal/cases"
)

// maxLanes is the number of cases that run at the same time against a target with MoreKeys. A case mostly waits for answers.
const maxLanes = 4

// openLanes returns the run, and further runs if the target has keys for them. Point limits and archives need
// cases to run one at a time. Each lane has its own transport, because some cases need a new connection.
func openLanes(ctx context.Context, run *cases.Run, planned int) (lanes []*cases.Run, err error) {
	lanes = []*cases.Run{run}
	_, canClone := run.Client.Transport.(*http.Transport)
	if run.MoreKeys == nil || !canClone || run.MaxPoints != 0 || run.HAR != nil {
		return lanes, nil
	}
	groups := make([]map[string][]string, min(maxLanes, planned)-1)
	for i := range groups {
		if groups[i], err = run.MoreKeys(ctx); err != nil {
			if ctx.Err() != nil {
				err = errors.New(cases.Ended(ctx))
			}
			return nil, err
		}
	}
	parallel, err := run.Parallel(ctx, groups)
	return append(lanes, parallel...), err
}

// schedule hands out the cases of a plan to the lanes of a run, and collects their results. It is safe for concurrent use.
type schedule struct {
	plan     []Planned
	failFast bool
	progress func(Result) // nil if nobody waits for results

	mu      sync.Mutex
	next    int       // index of the next case to run
	shown   int       // results before this index have been passed to progress
	results []*Result // by index in the plan; nil without a result
	ended   bool
}

// take returns the index of the next case; ok is false if there is none.
func (s *schedule) take() (i int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.next == len(s.plan) {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

// put stores a result. Progress sees the results in the order of the plan.
func (s *schedule) put(i int, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[i] = &r
	s.ended = s.ended || s.failFast && r.Outcome == Failed
	for s.shown < len(s.plan) && s.results[s.shown] != nil {
		s.show(s.shown)
		s.shown++
	}
}

func (s *schedule) show(i int) {
	if s.progress != nil {
		s.progress(*s.results[i])
	}
}

// runAll runs the cases of a plan on the lanes until ctx ends, and returns the results in the order of the plan. missing is the
// first case without a result, if ctx has ended.
func runAll(ctx context.Context, lanes []*cases.Run, plan []Planned, archive *archive) (results []Result, missing string) {
	s := &schedule{plan: plan, failFast: lanes[0].FailFast, progress: lanes[0].Progress, results: make([]*Result, len(plan))}
	var working sync.WaitGroup
	for _, lane := range lanes {
		working.Go(func() {
			for i, ok := s.take(); ok; i, ok = s.take() {
				archive.begin(plan[i].Name)
				r := check(ctx, lane, plan[i])
				if ctx.Err() != nil {
					return
				}
				s.put(i, r)
			}
		})
	}
	working.Wait()
	results = []Result{}
	for i, r := range s.results {
		switch {
		case r != nil && i >= s.shown: // a case before it was interrupted
			s.show(i)
			fallthrough
		case r != nil:
			results = append(results, *r)
		case missing == "" && ctx.Err() != nil:
			missing = plan[i].Name
		}
	}
	return results, missing
}
