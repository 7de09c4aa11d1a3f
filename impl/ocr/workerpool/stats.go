package workerpool

import (
	"sync/atomic"

	"uncial/impl/ocr"
)

// Stats are the load of one moment, and counters since the start.
type Stats struct {
	ocr.Load

	Pages     uint64 `json:"pages"`     // read
	Refused   uint64 `json:"refused"`   // images that found the queue full, or waited in vain
	Timeouts  uint64 `json:"timeouts"`  // images that took too long
	Cancelled uint64 `json:"cancelled"` // images whose caller went away while they were read
	Crashes   uint64 `json:"crashes"`   // children that died, or answered rubbish, over an image
	Restarts  uint64 `json:"restarts"`  // children replaced because they had to be killed or died
	Retired   uint64 `json:"retired"`   // children replaced because they had read their share
}

type counts struct {
	ready, busy                                                     atomic.Int64
	pages, refused, timeouts, cancelled, crashes, restarts, retired atomic.Uint64
}

// Load is what the pool has to do.
func (p *Pool) Load() ocr.Load {
	queued, idle := p.queue.lengths()
	return ocr.Load{
		Workers: p.opts.Workers,
		Ready:   int(p.counts.ready.Load()),
		Busy:    int(p.counts.busy.Load()),
		Idle:    idle,
		Queued:  queued,
		Queue:   p.opts.Queue,
	}
}

// Stats are the pool's figures.
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
