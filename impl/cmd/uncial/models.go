package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"uncial/impl/app"
	"uncial/impl/ocr/models/own"
)

// modelsCmd lists the models that a worker on this machine loads.
type modelsCmd struct {
	engineFlags
	JSON bool `help:"Print JSON."`
}

func (modelsCmd) Help() string {
	return `The list has the models for print (Tesseract) and for handwriting. A model made by 'uncial train' competes with the
shipped one, page by page, on pages in its languages.

Examples:
  uncial models
  uncial models --models /srv/models`
}

type model struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"` // print or handwriting
	Version   string   `json:"version,omitempty"`
	Languages []string `json:"languages,omitempty"` // of a handwriting model; none if it reads any
	Digest    string   `json:"digest,omitempty"`
}

// Run prints a table, or with --json an array.
func (c *modelsCmd) Run(ctx context.Context, con *console) error {
	hello, err := app.Models(ctx, c.pool(), con.warnings())
	if err != nil {
		return err
	}
	all := []model{
		{Name: own.Hands, Kind: "handwriting", Version: "ships with the program"},
		{Name: own.Print, Kind: "print", Version: "ships with the program"},
		{Name: own.Greek, Kind: "print", Version: "ships with the program"},
		{Name: own.Iberian, Kind: "print", Version: "ships with the program"},
	}
	for _, h := range hello.Handwriting {
		all = append(all, model{h.Name, "handwriting", h.Version, h.Languages, h.Digest})
	}
	for _, name := range hello.Models {
		all = append(all, model{Name: name, Kind: "print"})
	}
	if c.JSON {
		return printJSON(con.out, all)
	}
	table := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tKIND\tLANGUAGES\tVERSION")
	for _, m := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Name, m.Kind, strings.Join(m.Languages, " "), m.Version)
	}
	return table.Flush()
}
