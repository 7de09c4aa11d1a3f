package app

import (
	"context"
	"log/slog"

	"uncial/impl/train"
)

// OpenCutter starts one worker on this machine, which cuts lines out of images for package train. The second result stops the
// worker. Errors name the flag.
func OpenCutter(ctx context.Context, o EngineOptions, log *slog.Logger) (train.Cutter, func() error, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	o.Workers = 1
	pool, err := openPool(ctx, o, log)
	if err != nil {
		return nil, nil, err
	}
	return pool, pool.Close, nil
}
