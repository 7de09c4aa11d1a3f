package main

import (
	"context"
	"errors"

	"uncial/impl/app"
	"uncial/internal/edge"
)

var errCIDR = errors.New("must be an address range such as 192.0.2.0/24 or 2001:db8::/32")

// serveCmd runs the service.
type serveCmd struct {
	Listen      string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API; port 0 chooses one (default: ${default})."`
	AdminListen string `placeholder:"ADDR" help:"Address of metrics and pprof; keep it private (default: none)."`
	dataFlags
	engineFlags
	Engine          string        `placeholder:"URL" help:"Base URL of an engine, instead of workers on this machine."`
	EnhanceProvider string        `placeholder:"NAME" help:"Language model that corrects what is read with enhance: openai, for every API like OpenAI's. Images and readings go to it (default: none, and nothing leaves this machine)."`
	EnhanceURL      string        `name:"enhance-url" placeholder:"URL" help:"Its address, such as https://api.openai.com/v1."`
	EnhanceModel    string        `placeholder:"NAME" help:"Its name there."`
	EnhanceKey      string        `placeholder:"KEY" help:"Its API key; the environment is the better place for it."`
	FetchAllow      []prefix      `placeholder:"CIDR" help:"Addresses that images may be fetched from although they are not public; may be repeated."`
	CORSOrigin      []edge.Origin `name:"cors-origin" env:"UNCIAL_CORS_ORIGIN" placeholder:"ORIGIN" help:"Browser origin that may call the API, * for all; may be repeated."`
	TrustedProxies  []prefix      `name:"trusted-proxy" env:"UNCIAL_TRUSTED_PROXY" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed; may be repeated."`
}

// Help is shown below the flags.
func (serveCmd) Help() string {
	return `Examples:
  uncial serve
  uncial serve --listen :8080 --database postgres://uncial@db/uncial --key-secret "$SECRET" --engine http://engine:8090
  uncial serve --fetch-allow 127.0.0.1/32        (images from this machine, for development)`
}

func (c *serveCmd) options() app.Options {
	return app.Options{
		Listen: c.Listen, AdminListen: c.AdminListen, Data: c.dataFlags.options(), Engine: c.pool(),
		Enhance: app.EnhanceOptions{
			Provider: c.EnhanceProvider, URL: c.EnhanceURL, Model: c.EnhanceModel, Key: c.EnhanceKey,
		},
		EngineURL: c.Engine, FetchAllow: prefixes(c.FetchAllow), CORSOrigins: edge.Origins(c.CORSOrigin),
		TrustedProxies: prefixes(c.TrustedProxies),
	}
}

// Run serves until the context ends.
func (c *serveCmd) Run(ctx context.Context, con *console) error {
	o := c.options()
	o.Logger = con.log
	a, err := app.New(o)
	if err != nil {
		return err
	}
	return a.Run(ctx)
}

// engineCmd runs the workers behind HTTP.
type engineCmd struct {
	Listen      string `default:"127.0.0.1:8090" placeholder:"ADDR" help:"Address of the engine; it knows no keys, keep it private (default: ${default})."`
	AdminListen string `placeholder:"ADDR" help:"Address of metrics and pprof; keep it private (default: none)."`
	engineFlags
}

// Help is shown below the flags.
func (engineCmd) Help() string {
	return `Examples:
  uncial engine --listen :8090
  uncial engine --listen 127.0.0.1:0 --workers 2`
}

// Run serves until the context ends.
func (c *engineCmd) Run(ctx context.Context, con *console) error {
	return app.RunEngine(ctx, c.Listen, c.AdminListen, c.pool(), con.log)
}
