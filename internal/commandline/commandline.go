// Package commandline words the errors of the programs' command lines for people.
package commandline

import "regexp"

// Problem returns the text of an error of kong, which names the flag. Sentences that describe kong's parser become sentences
// that say what is wrong and what would be right.
func Problem(err error) string {
	text := err.Error()
	for _, s := range sentences {
		text = s.of.ReplaceAllString(text, s.ours)
	}
	return text
}

// sentences are the errors of kong that are reworded, in the order in which they are tried.
var sentences = []struct {
	of   *regexp.Regexp
	ours string
}{
	// The suggestion of kong is to write the same value in another way.
	{regexp.MustCompile(`; perhaps try .*`), ``},
	{regexp.MustCompile(`\(from envar `), `(from the environment variable `},
	{regexp.MustCompile(`(?:expected (?:\S+ )?value but got "EOL" \(<EOL>\)|missing value, expecting ".*")`), `needs a value`},
	// A number or duration below 0 looks like a flag. No flag of the programs has such values.
	{regexp.MustCompile(`expected (?:\S+ )?value but got ("-[0-9.][^"]*").*`), `must not be negative, got $1`},
	{regexp.MustCompile(`^(unknown flag -[0-9][^,]*).*`), `$1; numbers must not be negative`},
	{regexp.MustCompile(`expected (?:\S+ )?value but got ("-[^"]*").*`), `needs a value, but the next argument is $1; write --flag=VALUE if the value begins with a hyphen`},
	{regexp.MustCompile(`expected a valid \d+ bit u?int but got ("[^"]*").*`), `invalid number $1; use a whole number such as 4`},
	{regexp.MustCompile(`expected duration but got ("[^"]*").*`), `invalid duration $1; use a number with a unit, such as 500ms, 60s or 5m`},
	{regexp.MustCompile(`expected a float but got ("[^"]*").*`), `invalid number $1; use a number such as 0.5`},
}
