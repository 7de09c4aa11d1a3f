//go:build bench

package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"uncial/impl/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// figure is one measured value with its goal.
type figure struct {
	what     string // what was compared with what, and how
	value    float64
	goal     float64
	atLeast  bool // the goal is a minimum; otherwise it is a maximum
	unit     string
	readings []float64 // the value is their median; nil if it was measured only once
}

// medianOf returns a figure whose value is the median of readings.
func medianOf(readings []float64, f figure) figure {
	f.value, f.readings = quantile(readings, 0.5), readings
	return f
}

func (f figure) isMet() bool {
	if f.atLeast {
		return f.value >= f.goal
	}
	return f.value <= f.goal
}

// quartiles returns the interval of the middle half of the readings, as text for the table.
func (f figure) quartiles() string {
	if f.readings == nil {
		return "once"
	}
	return fmt.Sprintf("%.2f-%.2f of %d", quantile(f.readings, 0.25), quantile(f.readings, 0.75), len(f.readings))
}

// table collects the figures of all sub-tests, and the names of those that measured nothing.
type table struct {
	mu         sync.Mutex
	figures    []figure
	unmeasured []string
}

func (t *table) add(tb testing.TB, f figure) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.figures = append(t.figures, f)
	if !f.isMet() {
		tb.Errorf("goal missed: %s: %.2f%s", f.what, f.value, f.unit)
	}
}

func (t *table) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer func() { _ = w.Flush() }()
	fmt.Fprintln(w, "\nmeasured\tgoal\t\tquartiles of the measurements\twhat")
	for _, f := range t.figures {
		bound, verdict := "at most", "met"
		if f.atLeast {
			bound = "at least"
		}
		if !f.isMet() {
			verdict = "missed"
		}
		fmt.Fprintf(w, "%.2f%s\t%s %g%s\t%s\t%s\t%s\n", f.value, f.unit, bound, f.goal, f.unit, verdict, f.quartiles(), f.what)
	}
	for _, part := range t.unmeasured {
		fmt.Fprintf(w, "-\t-\tnot measured\t-\tthe part %q; its first line above says why\n", part)
	}
}

// measure runs a part of the benchmark, which fails if it adds no figure: a goal that was not measured is not met.
func (t *table) measure(tb testing.TB, part string, run func(testing.TB, *table)) {
	tb.Helper()
	before := len(t.figures)
	defer func() { // runs after a skip and after a failure, too
		if len(t.figures) == before {
			t.unmeasured = append(t.unmeasured, part)
			tb.Errorf("the goals of the part %q were not measured", part)
		}
	}()
	run(tb, t)
}

// TestBench measures everything, prints a table, and fails if a goal is missed. Ratios are medians of pairs that are measured
// alternately, so that a busy machine slows both sides. On a shared machine, only the figures of processor time are reliable;
// those that say "time" mean little.
func TestBench(t *testing.T) {
	var results table
	var names []string
	defer results.print()
	for _, part := range []struct {
		name string
		run  func(testing.TB, *table)
	}{
		{"print", benchPrint},
		{"lines", benchLines},
		{"books", benchBooks},
		{"dense", benchDensePage},
		{"large", benchLargePage},
		{"memory", benchMemory},
		{"status", benchStatus},
		{"overhead", benchOverhead},
		{"postgres", benchPostgres},
	} {
		t.Run(part.name, func(t *testing.T) { results.measure(t, part.name, part.run) })
		names = append(names, part.name)
	}
	if len(results.figures)+len(results.unmeasured) == 0 {
		t.Errorf("PART names no part; choose one of %s", strings.Join(names, ", "))
	}
}

// quantile returns the value below which the given share of the values lies. share is at least 0 and less than 1, and values is
// not empty.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(share*float64(len(sorted)))]
}

// ratios divides the values of one side by those of the other, pair by pair.
func ratios(ours, theirs []time.Duration) []float64 {
	all := make([]float64, len(ours))
	for i := range ours {
		all[i] = float64(ours[i]) / float64(theirs[i])
	}
	return all
}

func total(times []time.Duration) (sum time.Duration) {
	for _, t := range times {
		sum += t
	}
	return sum
}

// cpuOf returns the processor time of the programs that f starts and waits for.
func cpuOf(tb testing.TB, f func()) time.Duration {
	tb.Helper()
	before := childrenTime(tb)
	f()
	return childrenTime(tb) - before
}

func childrenTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// processTime returns the processor time that a running process has used so far; see clock_getcpuclockid(3).
func processTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	const schedClock = 2 // CPUCLOCK_SCHED of the kernel
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &at); err != nil {
		tb.Fatalf("the processor time of process %d: %v", pid, err)
	}
	return time.Duration(at.Nano())
}

func timeOf(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
