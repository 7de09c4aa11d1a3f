package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"uncial/impl/app"
	"uncial/impl/dashboard"
)

// demoCmd runs the whole service without any preparation: SQLite, workers on this machine, one account and one key.
type demoCmd struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Listen address of the API; port 0 picks a free port (default: ${default}). Sign-up in the dashboard is open on loopback addresses only."`
	Data   string `default:".uncial" type:"path" placeholder:"DIR" help:"Folder for the database, the key secret and the API key (default: ${default})."`
	engineFlags
}

func (demoCmd) Help() string {
	return `The command starts the service on SQLite and, the first time, creates an account and a key. It reads the sample page
through the HTTP API, prints the text, the response and a curl command, and keeps running until Ctrl-C. The first reading
costs points; repeating it within a day does not.

Examples:
  uncial demo
  uncial demo --listen 127.0.0.1:0 --data ./uncial-data`
}

// Run starts the service, reads the sample page through its HTTP API, and then serves until the context ends. Stop gets a
// context that is not cancelled, so that running requests can finish.
func (c *demoCmd) Run(ctx context.Context, con *console) error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("--data: cannot create the folder: %w", err)
	}
	a, err := app.New(app.Options{
		Listen: c.Listen,
		Data:   app.DataOptions{Database: c.database()},
		Engine: c.pool(),
		// Only this machine can reach a loopback address, so that nobody else can sign up.
		Dashboard: app.DashboardOptions{SignUp: c.signUp()},
		Logger:    con.log,
	})
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		if flagged, ok := errors.AsType[*app.FlagError](err); ok && flagged.Flag == "--database" { // --data stands for it
			err = fmt.Errorf("--data: %w", flagged.Cause)
		}
		return errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
	}
	key, err := demoKey(ctx, a, filepath.Join(c.Data, "key"))
	if err == nil {
		s := demoSample{base: a.PublicURL(), key: key, account: a.AccountOf(ctx, key), database: c.database()}
		err = s.show(ctx, con.out)
	}
	if err == nil {
		err = c.showDashboard(ctx, con, a, key)
	}
	if err == nil {
		fmt.Fprint(con.out, "\nPress Ctrl-C to stop. The data is kept.\n")
		err = a.Wait(ctx)
	}
	return errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
}

// database returns the URL of the database in the data folder.
func (c *demoCmd) database() string { return "sqlite:" + filepath.Join(c.Data, "uncial.db") }

// signUp is open on a loopback address, which only people on this machine can reach.
func (c *demoCmd) signUp() dashboard.SignUp {
	if app.IsLoopback(c.Listen) {
		return dashboard.Open
	}
	return dashboard.Closed
}

// hasLoopback reports whether a listen address includes a loopback one: the dashboard is closed over plain HTTP on all others.
func hasLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return host == "" || app.IsLoopback(listen) || err == nil && addr.IsUnspecified()
}

// showDashboard prints how to sign in. If there is no operator yet, it prints a link that works once and leads to the account
// of the key.
func (c *demoCmd) showDashboard(ctx context.Context, con *console, a *app.App, key string) error {
	if !hasLoopback(c.Listen) {
		fmt.Fprintf(con.out, "The dashboard needs HTTPS, so it is closed on %s. To use it on this machine, listen on 127.0.0.1 or 0.0.0.0.\n", c.Listen)
		return nil
	}
	link, err := a.OperatorLink(ctx, a.AccountOf(ctx, key))
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, "Dashboard: %s%s/\n", a.PublicURL(), dashboard.Prefix)
	if link != "" {
		fmt.Fprintf(con.out, "To become its first operator, open this link. It works once, within 24 hours:\n\n  %s\n", link)
	}
	if c.signUp() == dashboard.Closed {
		fmt.Fprintf(con.out, "\nOther machines can reach %s, so sign-up is closed. They can use the API, but not the dashboard,\n"+
			"which needs HTTPS and works over plain HTTP on this machine only.\n", c.Listen)
	}
	return nil
}

// demoKey returns the API key stored in file. If the file is missing, or the database does not know the key because it was
// deleted, demoKey creates a new account and key and stores the key, readable by its owner only.
func demoKey(ctx context.Context, a *app.App, file string) (string, error) {
	if stored, err := os.ReadFile(file); err == nil {
		key := strings.TrimSpace(string(stored))
		if a.AccountOf(ctx, key) != "" {
			return key, nil
		}
	}
	key, err := a.CreateKey(ctx, "Demo", "pro")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("--data: store the API key: %w", err)
	}
	return key, nil
}
