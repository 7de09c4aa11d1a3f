// Package app puts the service together. Commands parse flags and signals; everything else about running is here.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"uncial/impl"
	"uncial/impl/account"
	"uncial/impl/fetch"
	"uncial/internal/edge"
	"uncial/internal/version"
)

// sweepEvery is how often holds of dead processes and old answers are looked for.
const sweepEvery = 15 * time.Second

var loopback = netip.MustParseAddr("127.0.0.1")

// App is the service with all that it needs. Make it with New; Start and Stop it, or Run it.
type App struct {
	o          Options
	data       *Data
	recognizer recognizer
	health     *health
	metrics    *metrics
	closers    []func() error // in the order to be closed, last first
	addr       string
	serve      context.CancelFunc // ends serving; nil until started
	ended      chan struct{}      // closed when serving has ended
	err        error              // of serving; read after ended
	stop       sync.Once
	stopErr    error
}

// New checks the options. Nothing is opened before Start.
func New(o Options) (*App, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	return &App{o: o, ended: make(chan struct{})}, nil
}

// Start opens everything and serves; it returns once requests are answered. After an error, Stop closes what was opened.
func (a *App) Start(ctx context.Context) error {
	ln, err := net.Listen("tcp", a.o.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	a.closers = append(a.closers, func() error { return ignoreClosed(ln.Close()) })
	a.addr = ln.Addr().String()
	a.o.Logger.Info("listening", "address", a.addr, "version", version.Version)

	if a.data, err = OpenData(ctx, a.o.Data, a.o.Logger, a.o.Now); err != nil {
		return err
	}
	a.closers = append(a.closers, a.data.Close)
	a.warnOfUnknownPlans(ctx)
	recognizer, closer, err := openRecognizer(ctx, a.o)
	if err != nil {
		return err
	}
	a.recognizer = recognizer
	a.closers = append(a.closers, closer)
	a.health = newHealth(a.look, a.o.Logger)
	a.health.once(ctx)
	a.metrics = newMetrics(recognizer, a.health)
	handler, err := a.handler()
	if err != nil {
		return err
	}
	return a.startServing(ctx, ln, handler)
}

// warnOfUnknownPlans tells of accounts whose every request will fail.
func (a *App) warnOfUnknownPlans(ctx context.Context) {
	lost, err := a.data.Accounts.UnknownPlans(ctx)
	if err != nil {
		a.o.Logger.Warn("the accounts' plans were not compared with the catalogue", "error", err)
	}
	if len(lost) > 0 {
		a.o.Logger.Warn("accounts have plans that the catalogue lacks, and can do nothing: bring these back, or give them others",
			"plans", lost)
	}
}

// startServing starts the goroutines that end with Stop: the API, the admin listener, the sweeper.
func (a *App) startServing(ctx context.Context, ln net.Listener, handler http.Handler) error {
	admin, err := listenAdmin(a.o.AdminListen, a.o.Logger)
	if err != nil {
		return err
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.serve = cancel
	var running sync.WaitGroup
	running.Go(func() { a.sweep(serving) })
	running.Go(func() { a.health.watch(serving, a.o.LookEvery) })
	if admin != nil {
		running.Go(func() { serveAdmin(serving, admin, a.metrics.registry, a.o.Logger) })
	}
	go func() {
		defer close(a.ended)
		a.err = edge.Serve(serving, edge.NewServer(handler, a.o.Logger), ln, a.o.Grace)
		cancel()
		running.Wait()
	}()
	return nil
}

func (a *App) handler() (http.Handler, error) {
	fetcher := fetch.New(fetch.Options{Allow: a.o.FetchAllow, UserAgent: "Uncial/" + version.Version})
	a.closers = append(a.closers, func() error { fetcher.Close(); return nil })
	service := &impl.Service{
		Ledger: a.data.Ledger, Fetch: fetcher.Fetch, Recognizer: a.recognizer,
		HoldTTL: a.o.HoldTTL, Deadline: a.o.deadline(), Now: a.o.Now, Logger: a.o.Logger,
	}
	if a.o.Enhance.Provider != "" {
		model, err := newLanguageModel(a.o.Enhance)
		if err != nil {
			return nil, err
		}
		service.Proofread = model.Improve
	}
	door, err := edge.New(edge.Options{
		Server:         a.metrics.observe(service),
		Gate:           &impl.Gate{Accounts: a.data.Accounts, Limits: a.data.Limits, Ledger: a.data.Ledger},
		Logger:         a.o.Logger,
		CORSOrigins:    a.o.CORSOrigins,
		TrustedProxies: a.o.TrustedProxies,
		Ready:          a.health.ready,
		Answered:       a.metrics.answered,
	})
	if err != nil {
		return nil, err
	}
	return door, nil
}

// sweep gives back the points of dead processes until ctx ends.
func (a *App) sweep(ctx context.Context) {
	for {
		swept, err := a.data.Ledger.Sweep(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.o.Logger.Warn("sweep failed; it will be tried again", "error", err)
		case swept.Expired > 0:
			a.o.Logger.Info("gave back the points of holds that ran out", "holds", swept.Expired)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweepEvery):
		}
	}
}

// Addr is the address of the API, known once started.
func (a *App) Addr() string { return a.addr }

// Wait returns when ctx ends, or serving does.
func (a *App) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-a.ended:
		return a.err
	}
}

// Stop takes no new requests, lets running ones end within the grace, and closes everything. Calling it again does
// nothing more. The error is nil where no request was cut short and everything closed.
func (a *App) Stop(_ context.Context) error {
	a.stop.Do(func() {
		if a.serve != nil {
			a.serve()
			<-a.ended
			a.stopErr = a.err
		}
		for _, c := range slices.Backward(a.closers) {
			a.stopErr = errors.Join(a.stopErr, c())
		}
	})
	return a.stopErr
}

// Run starts, serves until ctx ends, and stops.
func (a *App) Run(ctx context.Context) error {
	err := a.Start(ctx)
	if err == nil {
		err = a.Wait(ctx)
	}
	return errors.Join(err, a.Stop(ctx))
}

// CreateKey makes an account with one key and returns the key.
func (a *App) CreateKey(ctx context.Context, name, plan string) (string, error) {
	owner, err := a.data.Accounts.Create(ctx, name, plan)
	if err != nil {
		return "", err
	}
	_, token, err := a.data.Accounts.CreateKey(ctx, account.NewKey{AccountID: owner.ID, Name: name})
	return token, err
}

// KnowsKey reports whether the key opens the service from this machine.
func (a *App) KnowsKey(ctx context.Context, token string) bool {
	_, _, err := a.data.Accounts.Authenticate(ctx, token, loopback)
	return err == nil
}

// Data is the database of a started service.
func (a *App) Data() *Data { return a.data }

var _ io.Closer = (*Data)(nil)

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
