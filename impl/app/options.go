package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"uncial/impl/fetch"
	"uncial/impl/tracing"
	"uncial/internal/listen"
	"uncial/internal/version"
)

// Options configure the service. With the zero value, it uses SQLite and listens on the loopback address. The commands' help
// repeats the defaults.
type Options struct {
	Data DataOptions

	Listen      string // address of the API; port 0 picks a free port. Default: "127.0.0.1:8080"
	AdminListen string // address of metrics and pprof; never public. Default: none

	Engine EngineOptions
	// EngineURL is the base URL of a remote engine to use instead of local workers. Default: none
	EngineURL string

	Enhance EnhanceOptions

	Mail MailOptions

	Dashboard DashboardOptions

	FetchAllow     []netip.Prefix // non-public addresses that images may be fetched from. Default: none
	FetchConfig    string         // JSON file with credentials, a proxy and certificates for fetching. Default: none
	FetchPerHost   int            // maximum number of images fetched from one host at a time. Default: 2
	CORSOrigins    []string       // browser origins that may call the API; "*" for all. Default: none
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is trusted. Default: none

	// HoldTTL is how long points stay held after the process of an extraction has died. Default: 30 seconds
	HoldTTL time.Duration
	// HealthInterval is the time between health checks; two failures in a row make the service unready. Default: 5 seconds
	HealthInterval time.Duration

	Logger *slog.Logger     // Default: slog.Default()
	Now    func() time.Time // the clock of points, windows and keys. Default: time.Now
}

// DataOptions locate the database with accounts, keys and points. All processes that use one database need the same
// KeySecret and PlansFile.
type DataOptions struct {
	Database  string // "sqlite:PATH" or "postgres://...". Default: "sqlite:.uncial/uncial.db"
	KeySecret string // secret for hashing API keys; at least 32 characters. Default for SQLite: from a file next to the database
	PlansFile string // JSON file with the plan catalogue. Default: free, pro and archive

	Existing bool // fail if the SQLite file is missing. Default: create it
	// Retention is how long individual extractions are kept after the end of their month. Then their holds and entries are
	// removed, and only their sums by day and key stay. At least 7 days; negative: forever. Default: 400 days
	Retention time.Duration

	// ReplyTTL is how long answers are kept for requests that are repeated with their Idempotency-Key: at least 24 hours, as
	// the contract promises, and at most 72. Default: contract.ReplyLifetime
	ReplyTTL time.Duration

	WithoutKeys bool // create and check no keys, so that no secret is needed
	ReadOnly    bool // fail if the schema is out of date. Default: update it
}

// EngineOptions configure the pool of workers on this machine. They have no effect if Options.EngineURL is set, except that
// Deadline also bounds the whole extraction.
type EngineOptions struct {
	Worker   string        // path of uncial-worker. Default: next to this program, or in ../libexec/uncial
	Workers  int           // child processes. Default: one per core
	Queue    int           // images that may wait for a worker. Default: 8 per worker, at least 16
	Deadline time.Duration // for reading one image. Default: 60 seconds
	Models   []string      // folders with additional *.traineddata. Default: none
	// WorkerPerAccount means that a worker never reads images of two accounts. Default: only a worker that refused an image or
	// ran out of time is replaced before it reads an image of another account
	WorkerPerAccount bool
	Sandbox          string // "require", "best-effort" or "off". Default: "best-effort"
}

// EnhanceOptions name a language model that proofreads requests with "enhance". It receives the images and the recognized
// text of these requests. All fields must be empty if Provider is.
type EnhanceOptions struct {
	Provider string // "openai", for any API compatible with OpenAI's. Default: none, so that nothing leaves the machine
	URL      string // base URL of the API, such as https://api.openai.com/v1
	Model    string // name of the model
	Key      string // API key. Default: none is sent
}

// FlagError is an error about a flag that not all callers have; they may report the cause under another name.
type FlagError struct {
	Flag  string // --models or --database
	Cause error
}

func (e *FlagError) Error() string { return e.Flag + ": " + e.Cause.Error() }
func (e *FlagError) Unwrap() error { return e.Cause }

// The flags of FlagErrors.
const modelsFlag, databaseFlag = "--models", "--database"

// Defaults of Options.
const (
	// defaultListen can be reached only from this machine, because a new service has no TLS.
	defaultListen = "127.0.0.1:8080"
	// defaultHoldTTL is how long the points of a dead process stay held. A hold is extended three times in that time, so that an
	// extraction survives two failed statements.
	defaultHoldTTL = 30 * time.Second
	// defaultHealthInterval makes a service unready at most about 10 s after its database or its workers fail, at the second
	// failed check (maxFailures).
	defaultHealthInterval = 5 * time.Second
)

// withDefaults fills in the documented defaults, except those of EngineOptions, which openPool fills in, and those of
// DataOptions, which OpenData does.
func (o Options) withDefaults() Options {
	o.Listen = cmp.Or(o.Listen, defaultListen)
	o.HoldTTL = cmp.Or(o.HoldTTL, defaultHoldTTL)
	o.HealthInterval = cmp.Or(o.HealthInterval, defaultHealthInterval)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

const (
	// maxWorkers and maxQueue catch typos: each worker may take 3 GiB, and each image in the queue 20 MiB.
	maxWorkers, maxQueue = 1024, 100_000
	// minDeadline is the unit in which workers count time. maxDeadline is longer than any page takes or anybody would wait.
	minDeadline, maxDeadline = time.Millisecond, time.Hour
	// maxFetchPerHost catches typos: it is far more than an image server can handle.
	maxFetchPerHost = 1000
)

// check returns an error that names the first invalid flag. 0 is valid: it selects the default.
func (o EngineOptions) check() error {
	switch {
	case o.Workers < 0 || o.Workers > maxWorkers:
		return fmt.Errorf("--workers: must be 1 to %d processes; omit it for one per core", maxWorkers)
	case o.Queue < 0 || o.Queue > maxQueue:
		return fmt.Errorf("--queue: must be 1 to %d images; omit it for 8 per worker, at least 16", maxQueue)
	case o.Deadline != 0 && o.Deadline < minDeadline || o.Deadline > maxDeadline:
		return errors.New("--deadline: must be a duration from 1ms to 1h, such as 60s")
	}
	return nil
}

// checkWorker returns an error if the worker's program is missing, or a folder of models cannot be used.
func (o EngineOptions) checkWorker() error {
	if _, err := findWorker(o.Worker); err != nil {
		return err
	}
	_, err := modelFolders(o.Models)
	return err
}

// check returns an error that names the first invalid flag. It checks only what can be checked without opening anything.
func (o Options) check() error {
	err := cmp.Or(listen.Check("--listen", o.Listen), listen.Check("--admin-listen", o.AdminListen), o.Data.check(), o.Engine.check())
	if err != nil {
		return err
	}
	if o.AdminListen != "" && o.AdminListen == o.Listen && !strings.HasSuffix(o.Listen, ":0") {
		return fmt.Errorf("--admin-listen: the API listens on %s; choose another port", o.Listen)
	}
	if err := o.Dashboard.check(o.Listen, o.Mail.Server != ""); err != nil {
		return err
	}
	if err := tracing.Check(); err != nil {
		return err
	}
	if o.FetchPerHost < 0 || o.FetchPerHost > maxFetchPerHost {
		return fmt.Errorf("--fetch-per-host: must be 1 to %d images; omit it for 2", maxFetchPerHost)
	}
	if _, err := o.fetching(); err != nil {
		return err
	}
	if o.Enhance.Provider != "" {
		if _, err := newLanguageModel(o.Enhance); err != nil {
			return err
		}
	} else if o.Enhance != (EnhanceOptions{}) {
		return errors.New("--enhance-provider: required with --enhance-url, --enhance-model and --enhance-key; choose openai")
	}
	if o.EngineURL != "" {
		u, err := url.Parse(o.EngineURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("--engine: invalid engine URL %q; expected one such as http://engine:8090", o.EngineURL)
		}
	}
	return nil
}

// checkWorker returns an error if the service needs workers on this machine, and their program is missing or a folder of models
// cannot be used.
func (o Options) checkWorker() error {
	if o.EngineURL != "" {
		return nil
	}
	return o.Engine.checkWorker()
}

// fetching returns the options of the fetcher. Errors name the flag.
func (o Options) fetching() (fetch.Options, error) {
	f := fetch.Options{Allow: o.FetchAllow, PerHost: o.FetchPerHost, UserAgent: "Uncial/" + version.Version}
	if o.FetchConfig == "" {
		return f, nil
	}
	var err error
	if f.Config, err = fetch.ReadConfig(o.FetchConfig); err != nil {
		return f, fmt.Errorf("--fetch-config: %w", err)
	}
	return f, nil
}

const (
	// defaultDeadline is the time limit for reading one image.
	defaultDeadline = 60 * time.Second
	// otherSteps is the time limit for all other steps together: 20 s for fetching, and the rest for waiting and proofreading.
	otherSteps = 2 * time.Minute
)

// deadline returns the time limit of a whole extraction: fetching, waiting for a worker, reading and proofreading. The chart
// and compose.yaml add the same 2 minutes to the time that they give a stopping process.
func (o Options) deadline() time.Duration {
	return cmp.Or(o.Engine.Deadline, defaultDeadline) + otherSteps
}
