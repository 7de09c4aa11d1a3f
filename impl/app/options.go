package app

import (
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"time"
)

// Options configure the service. The zero value is a service on SQLite that listens on the loopback address.
type Options struct {
	Data DataOptions

	Listen      string // address of the API; ":0" chooses a port. Default: "127.0.0.1:8080"
	AdminListen string // address of metrics and pprof; never public. Default: none

	Engine EngineOptions
	// EngineURL is the base URL of a remote engine, used instead of workers of our own. Default: none
	EngineURL string

	Enhance EnhanceOptions

	FetchAllow     []netip.Prefix // addresses that images may be fetched from although they are not public. Default: none
	CORSOrigins    []string       // browser origins that may call the API; "*" for all. Default: none
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is believed. Default: none

	// HoldTTL is how long points stay held for an extraction whose server died. Default: 30 seconds
	HoldTTL time.Duration
	// Grace is how long running requests may take to end after Stop. Default: as long as an extraction may take, which
	// is 2 minutes more than Engine.Deadline
	Grace time.Duration
	// LookEvery is how often the service looks whether it can work; two looks in a row that find it cannot make it unready.
	// Default: 5 seconds
	LookEvery time.Duration

	Logger *slog.Logger     // Default: slog.Default()
	Now    func() time.Time // the clock of points, windows and keys. Default: time.Now
}

// DataOptions say where accounts, keys and points are.
type DataOptions struct {
	Database  string // "sqlite:PATH" or "postgres://...". Default: "sqlite:.uncial/uncial.db"
	KeySecret string // what API keys are hashed with; at least 32 characters. Default for SQLite: a file beside the database
	PlansFile string // JSON file with the plan catalogue. Default: free, pro and archive

	Existing    bool // a SQLite file that is missing is an error. Default: it is made
	WithoutKeys bool // no keys are made or checked, so that no secret is needed. Default: they are
}

// EngineOptions configure the pool of workers on this machine.
type EngineOptions struct {
	Worker   string        // path of uncial-worker. Default: beside this program
	Workers  int           // child processes. Default: one for each core
	Queue    int           // images that may wait for a worker. Default: 8 for each worker, at least 16
	Deadline time.Duration // for reading one image. Default: 60 seconds
	Models   []string      // directories with further *.traineddata. Default: none
	Sandbox  string        // "require", "best-effort" or "off". Default: "best-effort"
}

// EnhanceOptions name a language model that corrects what is read with "enhance". Images and readings go to it.
type EnhanceOptions struct {
	Provider string // "openai", for every API like OpenAI's. Default: none, and no document leaves the machine
	URL      string // of the API, such as https://api.openai.com/v1
	Model    string // its name there
	Key      string // Default: none is sent
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8080"
	}
	if o.HoldTTL == 0 {
		o.HoldTTL = 30 * time.Second
	}
	if o.Grace == 0 {
		o.Grace = o.deadline()
	}
	if o.LookEvery == 0 {
		o.LookEvery = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func (o EngineOptions) check() error {
	switch {
	case o.Workers < 0:
		return errors.New("--workers: must be 1 or more, or be left out for one a core")
	case o.Queue < 0:
		return errors.New("--queue: must be 1 or more, or be left out")
	case o.Deadline < 0:
		return errors.New("--deadline: must be a positive duration such as 60s")
	}
	return nil
}

func (o Options) check() error {
	if err := o.Engine.check(); err != nil {
		return err
	}
	if o.Enhance.Provider != "" {
		if _, err := newLanguageModel(o.Enhance); err != nil {
			return err
		}
	} else if o.Enhance != (EnhanceOptions{}) {
		return errors.New("--enhance-provider: is required with --enhance-url, --enhance-model and --enhance-key; openai is the one there is")
	}
	if o.EngineURL != "" {
		u, err := url.Parse(o.EngineURL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return errors.New("--engine: must be a URL such as http://engine:8090")
		}
	}
	return nil
}

// deadline ends an extraction as a whole: the fetch, the wait for a worker, the reading, the enhancement.
func (o Options) deadline() time.Duration {
	reading := o.Engine.Deadline
	if reading == 0 {
		reading = 60 * time.Second
	}
	return reading + 2*time.Minute
}
