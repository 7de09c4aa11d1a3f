package main

import (
	"embed"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"uncial/internal/version"
)

// helpCmd exists so that --help lists the command; asHelp rewrites it before the command line is parsed.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command, such as account create."`
}

func (helpCmd) Help() string {
	return `Examples:
  uncial help
  uncial help account create`
}

// asHelp turns `help COMMAND` into `COMMAND --help`.
func asHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

// completionCmd prints a script that completes commands, flags and their values.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell to complete commands in: bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `Examples:
  uncial completion bash > /etc/bash_completion.d/uncial
  uncial completion zsh > /usr/local/share/zsh/site-functions/_uncial
  uncial completion fish > ~/.config/fish/completions/uncial.fish`
}

func (c *completionCmd) Run(con *console) error {
	return pages.ExecuteTemplate(con.out, c.Shell+".tmpl", commandLine(con.model))
}

// manCmd prints the manual page uncial(1), which `make install` and the Debian package install.
type manCmd struct{}

func (manCmd) Help() string {
	return `Example:
  uncial man | man -l -`
}

func (manCmd) Run(con *console) error {
	return pages.ExecuteTemplate(con.out, "man.tmpl", map[string]any{
		"Version": version.Version, "About": con.model.Help, "Commands": commandLine(con.model),
	})
}

//go:embed templates/*.tmpl
var templates embed.FS

// pages are the shell scripts and the manual page.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quote, "roff": roff, "words": func(list []string) string { return quote(strings.Join(list, " ")) },
}).ParseFS(templates, "templates/*.tmpl"))

// command is a command of the command line, or a group of commands, for the templates.
type command struct {
	Path     string // such as "account create", empty for the program itself
	Summary  string // its line of usage
	Help     string
	Detail   string   // the text between the usage line and the flags
	Choices  []string // values of its argument
	Commands []command
	Flags    []flagLine
}

// flagLine is a flag of a command.
type flagLine struct {
	Name, Help, Value, Variable string // Value is empty for a switch
	Choices                     []string
	IsFile                      bool
}

// Words may follow the command: commands and flags.
func (c command) Words() (words []string) {
	for _, sub := range c.Commands {
		words = append(words, sub.Path[strings.LastIndexByte(sub.Path, ' ')+1:])
	}
	words = append(words, c.Choices...)
	for _, f := range c.Flags {
		words = append(words, "--"+f.Name)
	}
	return words
}

// Word is the last word of the path.
func (c command) Word() string { return c.Path[strings.LastIndexByte(c.Path, ' ')+1:] }

// commandLine returns the program and all its commands but hidden ones, parents first.
func commandLine(app *kong.Application) (all []command) {
	return appendCommands(nil, app.Node, "", nil)
}

// appendCommands adds the command n and those below it. path is its name with those of its parents, inherited are their flags.
func appendCommands(all []command, n *kong.Node, path string, inherited []*kong.Flag) []command {
	c := command{Path: path, Summary: n.Summary(), Help: n.Help, Detail: n.Detail}
	for _, p := range n.Positional {
		if p.Enum != "" {
			c.Choices = append(c.Choices, p.EnumSlice()...)
		}
	}
	flags := slices.Concat(n.Flags, inherited)
	for _, f := range flags {
		if !f.Hidden {
			c.Flags = append(c.Flags, newFlagLine(f))
		}
	}
	children := slices.DeleteFunc(slices.Clone(n.Children), func(n *kong.Node) bool { return n.Hidden || n.Type != kong.CommandNode })
	for _, child := range children {
		c.Commands = append(c.Commands, command{Path: strings.TrimSpace(path + " " + child.Name), Help: child.Help})
	}
	all = append(all, c)
	for _, child := range children {
		all = appendCommands(all, child, strings.TrimSpace(path+" "+child.Name), flags)
	}
	return all
}

// newFlagLine returns what completions and manual say about a flag. Value is empty for flags that take none.
func newFlagLine(f *kong.Flag) flagLine {
	line := flagLine{Name: f.Name, Help: f.Help, IsFile: slices.Contains([]string{"path", "existingfile", "existingdir"}, f.Tag.Type)}
	if !f.IsBool() && !f.IsCounter() {
		line.Value = f.FormatPlaceHolder()
	}
	if f.Enum != "" {
		line.Choices = f.EnumSlice()
	}
	if len(f.Envs) > 0 {
		line.Variable = f.Envs[0]
	}
	return line
}

// quote returns text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// roff escapes text for a manual page: backslashes, hyphens, and lines that begin like a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
