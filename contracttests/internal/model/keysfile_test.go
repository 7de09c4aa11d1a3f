package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/model"
)

func TestTarget_LoadKeys(t *testing.T) {
	t.Setenv("CONTRACT_TEST_KEY", "ocr_live_from_the_environment")
	for name, c := range map[string]struct{ file, want string }{
		"refuses a missing file":              {"", "cannot read the keys file"},
		"refuses invalid JSON":                {"{", "invalid keys file"},
		"refuses an unknown field":            {`{"key": {}}`, "invalid keys file"},
		"refuses an unknown scenario":         {`{"keys": {"ok": "ocr_live_1", "rich": "ocr_live_2"}}`, `unknown scenario "rich"; choose from ok, spare`},
		"refuses an unknown image":            {`{"keys": {"ok": "ocr_live_1"}, "images": {"big": "u"}}`, `unknown scenario "big"`},
		"refuses a missing key for ok":        {`{"keys": {"low": "ocr_live_1"}}`, `needs a key for "ok"`},
		"refuses a variable that is not set":  {`{"keys": {"ok": "$CONTRACT_TEST_NOT_SET"}}`, "CONTRACT_TEST_NOT_SET, which is not set"},
		"refuses a key that is a number":      {`{"keys": {"ok": 7}}`, "a string or a list of strings"},
		"refuses a variable without a name":   {`{"keys": {"ok": "$"}}`, "without the name of an environment variable"},
		"refuses an array":                    {`[]`, "unexpected JSON array"},
		"refuses text after the object":       {`{"keys": {"ok": "ocr_live_1"}} {}`, "unexpected text after the JSON object"},
		"refuses a file that is too long":     {strings.Repeat(" ", 1<<20+1), "longer than 1 MiB"},
		"refuses an invalid image URL":        {`{"keys": {"ok": "ocr_live_1"}, "images": {"printed": "page.png"}}`, `the image of "printed" in the keys file must be an http, https or data URL`},
		"refuses a key with a space":          {`{"keys": {"ok": "a b"}}`, "must be printable ASCII"},
		"refuses a key beyond ASCII":          {`{"keys": {"ok": "kéy"}}`, "must be printable ASCII"},
		"refuses a key for two scenarios":     {`{"keys": {"ok": "ocr_live_1", "low": ["ocr_live_2", "ocr_live_1"]}}`, `the same key for "low" and "ok"`},
		"refuses a scenario twice":            {`{"keys": {"ok": "ocr_live_1", "ok": "ocr_live_2"}}`, `"ok" is given twice`},
		"refuses a plan with negative points": {`{"keys": {"ok": "ocr_live_1"}, "plans": {"pro": {"points": -5, "limit": 60}}}`, `the plan "pro" in the keys file must have points of 0 or more`},
		"refuses a short key of several":      {`{"keys": {"ok": ["ocr_live_1", "x"]}}`, `key 2 of "ok" in the keys file must have at least 8 characters`},
		"refuses a short key":                 {`{"keys": {"ok": "x"}}`, `the key of "ok" in the keys file must have at least 8 characters`},
		"reads a valid file":                  {`{"keys": {"ok": "$CONTRACT_TEST_KEY", "spare": ["ocr_live_1", "ocr_live_2"]}, "images": {"printed": "https://images.example.org/p.png"}, "minimal": true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keys.json")
			if c.file != "" {
				require.NoError(t, os.WriteFile(path, []byte(c.file), 0o600))
			}
			var target model.Target
			err := target.LoadKeys(path)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, map[string][]string{"ok": {"ocr_live_from_the_environment"}, "spare": {"ocr_live_1", "ocr_live_2"}}, target.Keys)
			require.True(t, target.Minimal)
		})
	}
}
