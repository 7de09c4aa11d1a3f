package notice

import "context"

// Check sends what is due now.
func (n *Notifier) Check(ctx context.Context) error { return n.check(ctx) }
