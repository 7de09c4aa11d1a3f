package client

import (
	"context"
	"time"

	"uncial/gen"
)

// SetPause sets the pause after the first try.
func (c *apiClient) SetPause(d time.Duration) { c.pause = d }

type Pace struct{ *pace }

func NewPace(jobs int) *Pace { return &Pace{newPace(jobs)} }

func (p *Pace) Enter(ctx context.Context) error { return p.enter(ctx) }

func (p *Pace) Leave(isRead bool) { p.leave(isRead) }

func (p *Pace) SlowDown(wait time.Duration) { p.slowDown(wait) }

type Hosts struct{ *hosts }

func NewHosts(oneByOne bool) *Hosts { return &Hosts{newHosts(oneByOne)} }

func (h *Hosts) Wait(ctx context.Context, name string) (func(), error) { return h.wait(ctx, name) }

func (h *Hosts) RecordPause(name string, wait time.Duration) { h.recordPause(name, wait) }

// The client of the API.
type (
	Client          = apiClient
	Refusal         = refusedAnswer
	Failure         = failure
	ConnectionError = connectionError
)

// New makes a client.
var New = newAPIClient

// Extract sends an image and waits for the result.
func (c *apiClient) Extract(ctx context.Context, key string, request gen.ExtractionRequest, notify func(failed error, wait time.Duration)) (*reply, error) {
	return c.extract(ctx, key, request, notify)
}

// Unreachable reports whether no connection could be made.
func (e *connectionError) Unreachable() bool { return e.isUnreachable() }
