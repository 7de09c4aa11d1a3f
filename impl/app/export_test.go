package app

import "context"

// NewHealth makes the health behind /readyz.
var NewHealth = newHealth

// Update checks once.
func (h *health) Update() { h.update(context.Background()) }

// Ready returns why the service cannot work.
func (h *health) Ready() error { return h.ready(context.Background()) }
