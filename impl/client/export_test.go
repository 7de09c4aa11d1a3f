package client

import (
	"context"
	"time"
)

// SetPause sets the pause after the first try.
func (c *Client) SetPause(d time.Duration) { c.pause = d }

// Pace is the pace of a run.
type Pace struct{ *pace }

// NewPace returns a pace of at most so many pages.
func NewPace(most int) *Pace { return &Pace{newPace(most)} }

// Enter waits until a page may be sent.
func (p *Pace) Enter(ctx context.Context) error { return p.enter(ctx) }

// Leave ends what Enter began.
func (p *Pace) Leave(isRead bool) { p.leave(isRead) }

// SlowDown obeys a service that asked to wait.
func (p *Pace) SlowDown(wait time.Duration) { p.slowDown(wait) }

// Hosts are the servers of images.
type Hosts struct{ *hosts }

// NewHosts returns an empty set of servers.
func NewHosts(oneByOne bool) *Hosts { return &Hosts{newHosts(oneByOne)} }

// Wait waits for a turn.
func (h *Hosts) Wait(ctx context.Context, name string) (func(), error) { return h.wait(ctx, name) }

// LeaveAlone obeys a server that asked to wait.
func (h *Hosts) LeaveAlone(name string, wait time.Duration) { h.leaveAlone(name, wait) }
