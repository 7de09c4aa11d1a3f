// Package app wires the service together: it checks the options, opens database, workers and listeners, and closes them
// in the opposite order. Commands parse flags and signals; package impl handles requests. Start with App.Start;
// RunEngine does the same for an engine without API.
package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"uncial/impl"
	"uncial/impl/account"
	"uncial/impl/cgroup"
	"uncial/impl/dashboard"
	"uncial/impl/fetch"
	"uncial/impl/mail"
	"uncial/impl/notice"
	"uncial/impl/tracing"
	"uncial/internal/apidocs"
	"uncial/internal/edge"
	"uncial/internal/language/name"
	"uncial/internal/listen"
	"uncial/internal/tryit"
	"uncial/internal/version"
)

// sweepInterval is the time between two sweeps for expired holds and old replies. The points held by a dead process are thus
// available again within a minute.
const sweepInterval = defaultHoldTTL / 2

// loopback is the client address with which AccountOf checks keys.
var loopback = netip.MustParseAddr("127.0.0.1")

// App is the service. Make it with New, then call Start and Stop, or Run. It can be started once. Only Stop is safe for
// concurrent use.
type App struct {
	o          Options
	data       *Data
	recognizer recognizer
	health     *health
	metrics    *metrics
	mail       *mail.Mailer // nil if no mail is configured
	notices    *notice.Notifier
	front      http.Handler   // the API; the playground calls it too
	closers    []func() error // Stop calls them in reverse order
	addr       string
	cancel     context.CancelFunc // ends serving; nil until started
	ended      chan struct{}      // closed when serving has ended
	err        error              // why serving ended; set before ended is closed
	stop       sync.Once
	stopErr    error
}

// New checks the options; it opens nothing. Errors name the invalid flag.
func New(o Options) (*App, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	mailer, err := o.Mail.open(o)
	if err != nil {
		return nil, err
	}
	if err := o.checkWorker(); err != nil {
		return nil, err
	}
	return &App{o: o, mail: mailer, ended: make(chan struct{})}, nil
}

// Start opens everything and returns once the service answers requests. After an error, Stop closes what was opened.
// The service keeps running after ctx ends; Stop ends it.
func (a *App) Start(ctx context.Context) error {
	ln, err := listen.TCP("--listen", a.o.Listen)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, func() error { return ignoreClosed(ln.Close()) })
	a.addr = ln.Addr().String()
	admin, err := listenAdmin(a.o.AdminListen)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, func() error { return closeAdmin(admin) })

	if a.data, err = OpenData(ctx, a.o.Data, a.o.Logger, a.o.Now); err != nil {
		return err
	}
	a.closers = append(a.closers, a.data.Close)
	stopTracing, err := tracing.Start(ctx, "uncial", a.o.Logger)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, stopTracing)
	a.warnOfUnknownPlans(ctx)
	recognizer, closer, err := openRecognizer(ctx, a.o)
	if err != nil {
		return err
	}
	a.recognizer = recognizer
	a.closers = append(a.closers, closer)
	a.health = newHealth(a.checkHealth, a.o.Logger)
	a.health.update(ctx)
	a.metrics = newMetrics(recognizer, a.health)
	a.metrics.watchStore(a.data.Store)
	a.openNotices()
	handler, err := a.handler()
	if err != nil {
		return err
	}
	a.o.Logger.Info("listening", "address", a.addr, "version", version.Version, "database", a.data.Store.Location())
	logAdmin(admin, a.o.Logger)
	a.startServing(ctx, ln, admin, handler)
	return nil
}

// warnOfUnknownPlans logs the plans of accounts that are missing from the catalogue: every request of such an account
// fails. The service starts anyway, because the other accounts are not affected.
func (a *App) warnOfUnknownPlans(ctx context.Context) {
	unknown, err := a.data.Accounts.UnknownPlans(ctx)
	if err != nil {
		a.o.Logger.Warn("cannot compare the accounts' plans with the catalogue", "error", err)
	}
	if len(unknown) > 0 {
		a.o.Logger.Warn("accounts whose plan is not in the catalogue will be refused; restore the plan, or change it with `uncial account plan`",
			"plans", unknown)
	}
}

// startServing starts the goroutines that end with Stop: API, admin listener, sweeper, health checks, notices and mail.
// admin may be nil.
func (a *App) startServing(ctx context.Context, ln, admin net.Listener, handler http.Handler) {
	// Start's context may end once Start returns; only Stop ends serving.
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.cancel = cancel
	var running sync.WaitGroup
	running.Go(func() { a.sweep(serving) })
	running.Go(func() { a.health.watch(serving, a.o.HealthInterval) })
	running.Go(func() { a.notices.Run(serving) })
	mailing, endMail := context.WithCancel(context.WithoutCancel(ctx)) // until the last request, which may queue a message
	if a.mail != nil {
		running.Go(func() { a.mail.Run(mailing) })
	}
	if admin != nil {
		running.Go(func() { serveAdmin(serving, admin, a.metrics.registry, a.health.ready, a.o.Logger) })
	}
	// The other goroutines stop only after the last request, so that holds keep being swept and its metrics can be scraped.
	go func() {
		defer close(a.ended)
		a.err = edge.Serve(serving, edge.NewServer(handler, a.o.Logger), ln, a.o.deadline())
		cancel()
		endMail()
		running.Wait()
	}()
}

// handler builds the API: the service with its fetcher, behind metrics and the HTTP front end.
func (a *App) handler() (http.Handler, error) {
	fetching, err := a.o.fetching()
	if err != nil {
		return nil, err
	}
	fetcher := fetch.New(fetching)
	a.closers = append(a.closers, func() error { fetcher.Close(); return nil })
	service := &impl.Service{
		Ledger: a.data.Ledger, Fetch: fetcher.Fetch, Recognizer: a.recognizer,
		Fetching: fetcher.Semaphore(), Reading: a.recognizer.Semaphore(),
		HoldTTL: a.o.HoldTTL, Deadline: a.o.deadline(), Now: a.o.Now, Logger: a.o.Logger, Observer: a.metrics,
	}
	if a.o.Enhance.Provider != "" {
		model, err := newLanguageModel(a.o.Enhance)
		if err != nil {
			return nil, err
		}
		service.Proofread = model.Improve
	}
	routes, subtrees, err := a.pages()
	if err != nil {
		return nil, err
	}
	images := imageMemory(cgroup.Limit())
	limitHeap(images, a.o.Logger)
	a.front, err = edge.New(edge.Options{
		Server:         a.metrics.observe(service),
		Gate:           &impl.Gate{Accounts: a.data.Accounts, Limits: a.data.limits, Ledger: a.data.Ledger},
		Logger:         a.o.Logger,
		CORSOrigins:    a.o.CORSOrigins,
		TrustedProxies: a.o.TrustedProxies,
		Ready:          a.health.ready,
		Memory:         images,
		Site:           a.site,
		Routes:         routes,
		Subtrees:       subtrees,
		Answered:       a.metrics.answered,
	})
	if err != nil {
		return nil, err
	}
	return tracing.Handler(a.front, "/api/v1/extract"), nil
}

// siteTimeout is the time limit for listing the languages, which may ask a remote engine while people wait for the page.
const siteTimeout = 2 * time.Second

// site describes the service for the API reference. It lists no languages while the recognizer does not know them.
func (a *App) site(ctx context.Context) apidocs.Site {
	ctx, cancel := context.WithTimeout(ctx, siteTimeout)
	defer cancel()
	tags, err := a.recognizer.Languages(ctx)
	if err != nil {
		a.o.Logger.Warn("the API reference cannot list languages", "error", err)
	}
	site := apidocs.Site{URL: strings.TrimSuffix(a.o.Dashboard.PublicURL, "/"), Plans: a.data.Accounts.Plans(), Languages: tryit.Choices(tags, name.Of)}
	if !a.o.Dashboard.Off {
		site.KeysPath = dashboard.Prefix + "/keys"
	}
	return site
}

// sweep expires the holds of dead processes and deletes what is too old, at once and then every sweepInterval until ctx ends.
// All replicas sweep; the ledger lets only one of them end each hold.
func (a *App) sweep(ctx context.Context) {
	for {
		swept, err := a.data.sweep(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.o.Logger.Warn("sweep failed; will retry", "error", err)
		}
		if swept.Expired > 0 {
			a.metrics.expired.Add(float64(swept.Expired))
			a.o.Logger.Info("released the points of expired holds", "holds", swept.Expired)
		}
		if swept.Archived > 0 {
			a.o.Logger.Info("removed individual extractions of past months; their usage by day and key remains", "extractions", swept.Archived)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweepInterval):
		}
	}
}

// Addr returns the address of the API, such as 127.0.0.1:8080; it is empty until Start has opened the listener.
func (a *App) Addr() string { return a.addr }

// Wait blocks until ctx ends and then returns nil. If serving fails before that, it returns that error. Call it after Start.
func (a *App) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-a.ended:
		return a.err
	}
}

// Stop accepts no new requests, lets running ones finish within the time limit of an extraction, and closes everything. Calling
// it again returns the same result. The error is nil if no request was cut off and everything could be closed.
func (a *App) Stop(_ context.Context) error {
	a.stop.Do(func() {
		if a.cancel != nil {
			a.cancel()
			<-a.ended
			a.stopErr = a.err
		}
		for _, c := range slices.Backward(a.closers) {
			a.stopErr = errors.Join(a.stopErr, c())
		}
	})
	return a.stopErr
}

// Run starts the service, tells systemd that it is ready, waits until ctx ends, and stops the service. It returns nil if all of
// this succeeded and no request was cut off.
func (a *App) Run(ctx context.Context) error {
	err := a.Start(ctx)
	if err == nil {
		err = notifyReady(ctx)
	}
	if err == nil {
		err = a.Wait(ctx)
	}
	return errors.Join(err, a.Stop(ctx))
}

// CreateKey creates an account on the plan, with one key, and returns the token of the key, which cannot be read again. Errors:
// those of account.Registry.Create and CreateKey.
func (a *App) CreateKey(ctx context.Context, name, plan string) (string, error) {
	owner, err := a.data.Accounts.Create(ctx, name, plan)
	if err != nil {
		return "", err
	}
	_, token, err := a.data.Accounts.CreateKey(ctx, account.NewKey{AccountID: owner.ID, Name: name})
	return token, err
}

// AccountOf returns the ID of the account that the key with this token belongs to, or "" if a client on this machine cannot use
// the key now. It is "" too if the database fails.
func (a *App) AccountOf(ctx context.Context, token string) string {
	owner, _, err := a.data.Accounts.Authenticate(ctx, token, loopback)
	if err != nil {
		return ""
	}
	return owner.ID
}

// Data returns the database of a started service. Stop closes it.
func (a *App) Data() *Data { return a.data }

// ignoreClosed returns nil for the error of closing a listener twice, because serving closes it when it ends normally.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
