package store

import (
	"context"

	"github.com/pressly/goose/v3"
)

// MigrateTo updates the schema to an earlier version.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	return s.withProvider(func(p *goose.Provider) error {
		_, err := p.UpTo(ctx, version)
		return err
	})
}
