package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"time"
)

// Options configure the service. The zero value runs it on SQLite, on the loopback address. The commands' help repeats the
// defaults.
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
	FetchPerHost   int            // requests for images to one host at once. Default: 2
	CORSOrigins    []string       // browser origins that may call the API; "*" for all. Default: none
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is trusted. Default: none

	// HoldTTL is how long points stay held after the process of an extraction died. Default: 30 seconds
	HoldTTL time.Duration
	// Grace is how long running requests may take to finish after Stop. Default: the time limit of an extraction,
	// Engine.Deadline plus 2 minutes
	Grace time.Duration
	// HealthInterval is the time between health checks; two failures in a row make the service unready. Default: 5 seconds
	HealthInterval time.Duration

	Logger *slog.Logger     // Default: slog.Default()
	Now    func() time.Time // the clock of points, windows and keys. Default: time.Now
}

// DataOptions locate the database with accounts, keys and points. All processes that use one database need the same
// KeySecret and PlansFile.
type DataOptions struct {
	Database  string // "sqlite:PATH" or "postgres://...". Default: "sqlite:.uncial/uncial.db"
	KeySecret string // what API keys are hashed with; at least 32 characters. Default for SQLite: from a file next to the database
	PlansFile string // JSON file with the catalogue of plans. Default: free, pro and archive

	Existing    bool // fail if the SQLite file is missing. Default: create it
	WithoutKeys bool // make and check no keys, so that no secret is needed
}

// EngineOptions configure the pool of workers on this machine. They have no effect if Options.EngineURL is set, except that
// Deadline also bounds the whole extraction.
type EngineOptions struct {
	Worker   string        // path of uncial-worker. Default: in the directory of this program
	Workers  int           // child processes. Default: one per core
	Queue    int           // images that may wait for a worker. Default: 8 per worker, at least 16
	Deadline time.Duration // for reading one image. Default: 60 seconds
	Models   []string      // directories with additional *.traineddata. Default: none
	// WorkerPerAccount never lets one worker read images of two accounts. Default: only after an image was refused or ran out of time
	WorkerPerAccount bool
	Sandbox          string // "require", "best-effort" or "off". Default: "best-effort"
}

// EnhanceOptions name a language model that proofreads requests with "enhance". It receives the images and the recognized
// text of these requests. All fields must be empty if Provider is.
type EnhanceOptions struct {
	Provider string // "openai", for any API compatible with OpenAI's. Default: none, nothing leaves the machine
	URL      string // base URL of the API, such as https://api.openai.com/v1
	Model    string // name of the model
	Key      string // API key. Default: none is sent
}

// withDefaults fills in the documented defaults, except those of EngineOptions, which openPool fills in, and those of
// DataOptions, which OpenData does.
func (o Options) withDefaults() Options {
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:8080")
	o.HoldTTL = cmp.Or(o.HoldTTL, 30*time.Second)
	o.Grace = cmp.Or(o.Grace, o.deadline())
	o.HealthInterval = cmp.Or(o.HealthInterval, 5*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// check returns an error that names the first invalid flag. 0 is valid: it selects the default.
func (o EngineOptions) check() error {
	switch {
	case o.Workers < 0:
		return errors.New("--workers: must be at least 1; omit it for one per core")
	case o.Queue < 0:
		return errors.New("--queue: must be at least 1; omit it for 8 per worker")
	case o.Deadline < 0:
		return errors.New("--deadline: must be positive, such as 60s")
	}
	return nil
}

// check returns an error that names the first invalid flag. It checks only what can be checked without opening anything.
func (o Options) check() error {
	if err := o.Engine.check(); err != nil {
		return err
	}
	if err := o.Dashboard.check(o.Listen, o.Mail.Server != ""); err != nil {
		return err
	}
	if o.FetchPerHost < 0 {
		return errors.New("--fetch-per-host: must be at least 1; omit it for 2")
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
			return fmt.Errorf("--engine: invalid engine URL %q; expected e.g. http://engine:8090", o.EngineURL)
		}
	}
	return nil
}

const (
	// defaultDeadline bounds reading one image: the workers kill a page that takes longer.
	defaultDeadline = 60 * time.Second
	// otherSteps is the time for all other steps: 20 s for fetching, the rest for the queue and for proofreading.
	otherSteps = 2 * time.Minute
)

// deadline is the time limit of a whole extraction: fetching, waiting for a worker, reading and proofreading. The chart and
// compose.yaml add the same 2 minutes to the time that they give a stopping process.
func (o Options) deadline() time.Duration {
	return cmp.Or(o.Engine.Deadline, defaultDeadline) + otherSteps
}
