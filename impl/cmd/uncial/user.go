package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"uncial/impl/account/user"
	"uncial/impl/app"
	"uncial/impl/dashboard"
)

var errConfirm = errors.New("--confirm: must repeat the ID of the account")

// userCmd groups the commands for people who sign in to the dashboard.
type userCmd struct {
	List     userListCmd     `cmd:"" help:"List users."`
	Reset    userResetCmd    `cmd:"" help:"Print a link for choosing a new password."`
	Operator userOperatorCmd `cmd:"" help:"Print a link for signing up as an operator, or make a user an operator."`
}

type userListCmd struct {
	databaseFlags
	JSON bool `help:"Print JSON."`
}

func (userListCmd) Help() string {
	return `Example:
  uncial user list --json | jq -r '.[] | select(.operator) | .email'`
}

// userPage is the number of users that the command reads at once.
const userPage = 1000

// Run prints a table in the order of e-mail addresses, or with --json an array of user.User.
func (c *userListCmd) Run(ctx context.Context, con *console) error {
	return withData(ctx, con, readOnly(c.keyless()), func(d *app.Data) error {
		all := []user.User{}
		for after := ""; ; after = all[len(all)-1].Email {
			page, err := d.Users.List(ctx, after, userPage)
			if err != nil {
				return err
			}
			all = append(all, page...)
			if len(page) < userPage {
				break
			}
		}
		return printTable(con.out, c.JSON, "ID\tE-MAIL\tNAME\tOPERATOR\tCREATED\tVERIFIED\tSIGNED IN", all, func(u user.User) string {
			operator := "-"
			if u.Operator {
				operator = "yes"
			}
			return strings.Join([]string{
				u.ID, u.Email, u.Name, operator, formatTime(u.Created), formatTime(u.Verified), formatTime(u.SignedIn),
			}, "\t")
		})
	})
}

// userResetCmd is for servers that send no mail.
type userResetCmd struct {
	databaseFlags
	Email     string `arg:"" help:"E-mail address of the user."`
	PublicURL string `name:"public-url" default:"http://127.0.0.1:8080" placeholder:"URL" help:"Public URL of the service, for the link (default: ${default})."`
}

func (userResetCmd) Help() string {
	return `The link works once, for one hour. Whoever has it can sign in as the user, so hand it over safely. The old password and the
user's sessions work until the new password is set.

Example:
  uncial user reset ada@example.org --public-url https://uncial.example.org`
}

func (c *userResetCmd) Run(ctx context.Context, con *console) error {
	if err := app.CheckPublicURL(c.PublicURL); err != nil {
		return err
	}
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		u, err := d.Users.FindByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		code, err := d.Users.Issue(ctx, user.Token{Purpose: user.Reset, UserID: u.ID})
		if err != nil {
			return err
		}
		err = d.Users.Record(ctx, user.LogRecord{Actor: user.Console, Action: "reset password", Subject: u.ID})
		if err != nil {
			return err
		}
		return con.print(false, nil, "%s\n", dashboard.Link(strings.TrimSuffix(c.PublicURL, "/"), code))
	})
}

// userOperatorCmd makes operators.
type userOperatorCmd struct {
	databaseFlags
	Email     string `arg:"" optional:"" help:"E-mail address of an existing user; without it, the command prints a link for a new one."`
	Remove    bool   `help:"Make the user an ordinary user again."`
	PublicURL string `name:"public-url" default:"http://127.0.0.1:8080" placeholder:"URL" help:"Public URL of the service, for the link (default: ${default})."`
}

func (userOperatorCmd) Help() string {
	return `Operators see all accounts, change plans, grant points and invite people. The link works once, for 24 hours.

Examples:
  uncial user operator --public-url https://uncial.example.org
  uncial user operator ada@example.org`
}

// Run prints a link, or changes the user.
func (c *userOperatorCmd) Run(ctx context.Context, con *console) error {
	if c.Email == "" && c.Remove {
		return errors.New("--remove: requires the e-mail address of a user")
	}
	if err := app.CheckPublicURL(c.PublicURL); err != nil {
		return err
	}
	return withData(ctx, con, existing(c.keyless()), func(d *app.Data) error {
		if c.Email == "" {
			code, err := d.Users.Issue(ctx, user.Token{Purpose: user.Operator})
			if err != nil {
				return err
			}
			if err := d.Users.Record(ctx, user.LogRecord{Actor: user.Console, Action: "invite operator"}); err != nil {
				return err
			}
			fmt.Fprintln(con.err, "Whoever opens this link becomes an operator. It works once, for 24 hours.")
			return con.print(false, nil, "%s\n", dashboard.Link(strings.TrimSuffix(c.PublicURL, "/"), code))
		}
		u, err := d.Users.FindByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		if err := d.Users.SetOperator(ctx, u.ID, !c.Remove); err != nil {
			return err
		}
		action, result := "make operator", "is an operator now"
		if c.Remove {
			action, result = "remove operator", "is no longer an operator"
		}
		if err := d.Users.Record(ctx, user.LogRecord{Actor: user.Console, Action: action, Subject: u.ID}); err != nil {
			return err
		}
		return con.print(false, nil, "%s %s\n", u.Email, result)
	})
}
