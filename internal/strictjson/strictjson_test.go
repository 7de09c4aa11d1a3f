package strictjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/internal/strictjson"
)

type settings struct {
	Name string `json:"name"`
	Ages []int  `json:"ages"`
}

func TestObject(t *testing.T) {
	t.Parallel()
	var s settings
	require.NoError(t, strictjson.Object([]byte(` {"name": "a", "ages": [1]} `+"\n"), &s))
	assert.Equal(t, settings{Name: "a", Ages: []int{1}}, s)
	for text, want := range map[string]string{
		``:                        "the text is empty; expected a JSON object",
		`{"name": "a"`:            "the JSON object is incomplete",
		`[]`:                      "unexpected JSON array; expected an object",
		` null`:                   "unexpected JSON null; expected an object",
		`{"name": 1}`:             `unexpected JSON number at "name"; expected a string`,
		`{"ages": ["x"]}`:         `unexpected JSON string at "ages"; expected a whole number`,
		`{"ages": [1e99]}`:        `unexpected JSON number 1e99 at "ages"; expected a whole number`,
		`{"ages": 1}`:             `unexpected JSON number at "ages"; expected an array`,
		`{"age": 1}`:              `unknown field "age"`,
		`{} {}`:                   "unexpected text after the JSON object",
		`{} }`:                    "unexpected text after the JSON object",
		`name`:                    "invalid JSON at line 1, column 2: unexpected 'a'; expected a JSON object",
		"{\n \"ä\": ö}":           "invalid JSON at line 2, column 7: unexpected 'ö'",
		"{\n \"name\": \"a\",\n}": "invalid JSON at line 3, column 1: unexpected '}'",
	} {
		t.Run("refuses "+text, func(t *testing.T) {
			t.Parallel()
			require.EqualError(t, strictjson.Object([]byte(text), &settings{}), want)
		})
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	var s settings
	require.NoError(t, strictjson.Settings([]byte(`{"name": "a", "ages": [1, 1]}`), &s))
	for text, want := range map[string]string{
		`{"ages": [], "name": "a", "ages": []}`: `"ages" is given twice`,
		`{"name": "a", "Name": "b"}`:            `"Name" is given twice`,
		`{"age": 1}`:                            `unknown field "age"`,
	} {
		require.EqualError(t, strictjson.Settings([]byte(text), &s), want)
	}
}
