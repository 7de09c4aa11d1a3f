package workerpool

import (
	"sync/atomic"

	"uncial/impl/ocr"
)

// Stats holds the current load, and counters since the pool was started.
type Stats struct {
	ocr.Load

	Pages     uint64 `json:"pages"`     // pages that were read
	Refused   uint64 `json:"refused"`   // images that found the queue full or waited too long
	Timeouts  uint64 `json:"timeouts"`  // images that exceeded the deadline
	Cancelled uint64 `json:"cancelled"` // images whose caller left while they were being read
	Crashes   uint64 `json:"crashes"`   // workers that crashed or returned an invalid result while reading
	Restarts  uint64 `json:"restarts"`  // workers replaced because they crashed or had to be killed
	Retired   uint64 `json:"retired"`   // workers replaced because they had read MaxPages, or before they read for another account
}

// counts holds the counters behind Stats. They are atomic, so that metrics can be read without stopping the pool.
type counts struct {
	ready, busy                                                     atomic.Int64
	pages, refused, timeouts, cancelled, crashes, restarts, retired atomic.Uint64
}

// Load returns the pool's current load.
func (p *Pool) Load() ocr.Load {
	queued, idle := p.queue.lengths()
	return ocr.Load{
		Workers: p.opts.Workers,
		Ready:   min(int(p.counts.ready.Load()), p.opts.Workers), // a worker of the reserve may be ready first
		Busy:    int(p.counts.busy.Load()),
		Idle:    idle,
		Queued:  queued,
		Queue:   p.opts.Queue,
	}
}

// Stats returns the pool's load and counters. They are read one after the other, so they may not add up exactly.
func (p *Pool) Stats() Stats {
	return Stats{
		Load:      p.Load(),
		Pages:     p.counts.pages.Load(),
		Refused:   p.counts.refused.Load(),
		Timeouts:  p.counts.timeouts.Load(),
		Cancelled: p.counts.cancelled.Load(),
		Crashes:   p.counts.crashes.Load(),
		Restarts:  p.counts.restarts.Load(),
		Retired:   p.counts.retired.Load(),
	}
}
