package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	"uncial/impl/cgroup"
	"uncial/impl/ocr/remote"
	"uncial/impl/tracing"
	"uncial/internal/edge"
	"uncial/internal/listen"
	"uncial/internal/version"
)

// RunEngine serves the workers of this machine over HTTP until ctx ends, and then lets running requests finish. address is
// where it listens, and adminListen the address of metrics and pprof; empty means none. The engine checks no keys and opens no
// database. Errors name the invalid flag.
func RunEngine(ctx context.Context, address, adminListen string, o EngineOptions, log *slog.Logger) (err error) {
	err = cmp.Or(listen.Check("--listen", address), listen.Check("--admin-listen", adminListen), o.check(), o.checkWorker(), tracing.Check())
	if err != nil {
		return err
	}
	ln, err := listen.TCP("--listen", address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreClosed(ln.Close())) }()
	admin, err := listenAdmin(adminListen)
	if err != nil {
		return err
	}
	limitHeap(imageMemory(cgroup.Limit()), log)
	pool, err := openPool(ctx, o, log)
	if err != nil {
		return errors.Join(err, closeAdmin(admin))
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	registry := newRegistry()
	watchPool(registry, pool)
	stopTracing, err := tracing.Start(ctx, "uncial-engine", log)
	if err != nil {
		return errors.Join(err, closeAdmin(admin))
	}
	defer func() { err = errors.Join(err, stopTracing()) }()
	handler := tracing.Handler(observeEngine(registry, remote.Handler(pool, log)), "/recognize")
	log.Info("listening", "address", ln.Addr().String(), "version", version.Version)
	logAdmin(admin, log)

	watching, stop := context.WithCancel(context.WithoutCancel(ctx)) // metrics stay readable until the last request ends
	var running sync.WaitGroup
	if admin != nil {
		running.Go(func() { serveAdmin(watching, admin, registry, pool.Ready, log) })
	}
	err = edge.Serve(ctx, edge.NewServer(handler, log), ln, Options{Engine: o}.deadline())
	stop()
	running.Wait()
	return err
}
