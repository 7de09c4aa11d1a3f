package main

import (
	"cmp"
	"context"
	"time"

	"uncial/impl/app"
	"uncial/internal/edge"
)

// serveCmd runs the service: the API, and also the workers unless --engine names an engine.
type serveCmd struct {
	Listen      string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Listen address of the API; port 0 picks a free port (default: ${default})."`
	AdminListen string `placeholder:"ADDR" help:"Listen address of metrics and pprof; keep it private (default: none)."`
	keyFlags
	ReplyTTL  time.Duration `name:"reply-ttl" default:"24h" placeholder:"DURATION" help:"How long answers, including their texts, are kept for repeats with the same Idempotency-Key: from 24h, which the contract promises, to 72h. Later repeats are read and charged again (default: ${default})."`
	Retention retention     `default:"400d" placeholder:"DURATION" help:"How long extractions are kept individually after the end of their month. Then only their sums by day and key remain; 0 keeps everything (default: ${default})."`
	engineFlags
	Engine          string        `placeholder:"URL" help:"Base URL of an engine to use instead of workers on this machine, such as http://engine:8090."`
	EnhanceProvider string        `placeholder:"NAME" help:"Provider of the language model that proofreads the text of requests with enhance: openai, for any API compatible with OpenAI's. It receives the images and the recognized text (default: none, nothing leaves this machine)."`
	EnhanceURL      string        `name:"enhance-url" placeholder:"URL" help:"Base URL of the language model's API, such as https://api.openai.com/v1."`
	EnhanceModel    string        `placeholder:"NAME" help:"Name of the language model."`
	EnhanceKey      string        `secret:"" placeholder:"KEY" help:"API key of the language model. Prefer the environment: other users can see the command line."`
	FetchAllow      []prefix      `placeholder:"CIDR" help:"Non-public address range that images may be fetched from; may be repeated."`
	FetchConfig     string        `placeholder:"FILE" type:"path" help:"JSON file with credentials for image hosts, an egress proxy and certificate authorities (default: none)."`
	FetchPerHost    int           `default:"2" placeholder:"N" help:"Maximum number of images fetched from one host at once, per process (default: ${default})."`
	CORSOrigin      []edge.Origin `name:"cors-origin" env:"UNCIAL_CORS_ORIGIN" placeholder:"ORIGIN" help:"Browser origin that may call the API, or * for all; may be repeated."`
	dashboardFlags
	TrustedProxies []prefix `name:"trusted-proxy" env:"UNCIAL_TRUSTED_PROXY" placeholder:"CIDR" help:"Address range of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted; may be repeated."`
}

func (serveCmd) Help() string {
	return `Examples:
  uncial serve
  uncial serve --listen :8080 --database postgres://uncial@db/uncial --engine http://engine:8090
  uncial serve --fetch-allow 127.0.0.1/32        (fetch images from this machine, for development)`
}

// options converts the flags to the options of package app. app.New checks what the parser has not checked.
func (c *serveCmd) options() app.Options {
	data := c.keyFlags.options()
	data.Retention, data.ReplyTTL = time.Duration(c.Retention), c.ReplyTTL
	return app.Options{
		Listen: c.Listen, AdminListen: c.AdminListen, Data: data, Engine: c.pool(),
		Enhance: app.EnhanceOptions{
			Provider: c.EnhanceProvider, URL: c.EnhanceURL, Model: c.EnhanceModel, Key: c.EnhanceKey,
		},
		EngineURL: c.Engine, FetchAllow: prefixes(c.FetchAllow), FetchConfig: c.FetchConfig, FetchPerHost: cmp.Or(c.FetchPerHost, invalid), CORSOrigins: edge.Origins(c.CORSOrigin),
		TrustedProxies: prefixes(c.TrustedProxies), Dashboard: c.dashboard(), Mail: c.mail(),
	}
}

// Run serves until the context ends, and then lets running requests finish.
func (c *serveCmd) Run(ctx context.Context, con *console) error {
	o := c.options()
	o.Logger = con.log
	a, err := app.New(o)
	if err != nil {
		return err
	}
	return a.Run(ctx)
}

// engineCmd runs the workers of this machine and serves them over HTTP, for `uncial serve --engine` on other machines. It
// opens no database.
type engineCmd struct {
	Listen      string `default:"127.0.0.1:8090" placeholder:"ADDR" help:"Listen address of the engine. It checks no keys, so keep it private (default: ${default})."`
	AdminListen string `placeholder:"ADDR" help:"Listen address of metrics and pprof; keep it private (default: none)."`
	engineFlags
}

func (engineCmd) Help() string {
	return `Examples:
  uncial engine --listen :8090
  uncial engine --listen 127.0.0.1:0 --workers 2`
}

// Run serves until the context ends.
func (c *engineCmd) Run(ctx context.Context, con *console) error {
	return app.RunEngine(ctx, c.Listen, c.AdminListen, c.pool(), con.log)
}
