package app

import "context"

// NewHealth makes what /readyz asks.
var NewHealth = newHealth

// Once looks once.
func (h *health) Once() { h.once(context.Background()) }

// Ready is what keeps the service from working.
func (h *health) Ready() error { return h.ready(context.Background()) }
