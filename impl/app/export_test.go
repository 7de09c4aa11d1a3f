package app

import (
	"context"

	"uncial/impl/ledger"
)

// NewHealth returns the health behind /readyz.
var NewHealth = newHealth

func (h *health) Update() { h.update(context.Background()) }

// Ready returns an error that says why the service cannot work, or nil.
func (h *health) Ready() error { return h.ready(context.Background()) }

// Sweep sweeps once.
func (d *Data) Sweep(ctx context.Context) (ledger.Swept, error) { return d.sweep(ctx) }
