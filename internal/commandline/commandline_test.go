package commandline_test

import (
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"uncial/internal/commandline"
)

// hostPort is a value that is parsed from text.
type hostPort string

// UnmarshalText accepts every text.
func (h *hostPort) UnmarshalText(text []byte) error { *h = hostPort(text); return nil }

func TestProblem(t *testing.T) {
	t.Parallel()
	var flags struct {
		Name    string
		Listen  hostPort
		Formats []string
		Seed    uint64
		Points  int
		Share   float64
		Wait    time.Duration
		Level   string `enum:"low,high" default:"low"`
		Amount  int64  `arg:"" optional:""`
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a flag without its value":             {[]string{"--name"}, "--name: needs a value"},
		"an address without its value":         {[]string{"--listen"}, "--listen: needs a value"},
		"a list without its values":            {[]string{"--formats"}, "--formats: needs a value"},
		"a flag before another":                {[]string{"--listen", "--seed"}, `--listen: needs a value, but the next argument is "--seed"; write --flag=VALUE if the value begins with a hyphen`},
		"a number in words":                    {[]string{"--seed", "x"}, `--seed: invalid number "x"; use a whole number such as 4`},
		"a signed number in words":             {[]string{"--points", "x"}, `--points: invalid number "x"; use a whole number such as 4`},
		"a share in words":                     {[]string{"--share", "x"}, `--share: invalid number "x"; use a number such as 0.5`},
		"a duration without a unit":            {[]string{"--wait", "5"}, `--wait: invalid duration "5"; use a number with a unit, such as 500ms, 60s or 5m`},
		"a negative share":                     {[]string{"--share", "-.5"}, `--share: must not be negative, got "-.5"`},
		"a negative number":                    {[]string{"--seed", "-3"}, `--seed: must not be negative, got "-3"`},
		"a negative number without its flag":   {[]string{"-5"}, `unknown flag -5; numbers must not be negative`},
		"an error of kong that people can use": {[]string{"--level", "mid"}, `--level must be one of "low","high" but got "mid"`},
	} {
		t.Run(name, func(t *testing.T) {
			parser, err := kong.New(&flags)
			require.NoError(t, err)
			_, err = parser.Parse(c.args)
			require.Error(t, err)
			require.Equal(t, c.want, commandline.Problem(err))
		})
	}
}
