package contracttests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// keysFile is what a deployment says of itself.
type keysFile struct {
	Keys     map[string]oneOrMany `json:"keys"`
	Images   map[string]string    `json:"images"`
	Plans    map[string]Plan      `json:"plans"`
	Enhances bool                 `json:"enhances"`
	Minimal  bool                 `json:"minimal"`
	// Simulated says that the server reads no images, as the mock.
	Simulated bool `json:"simulated"`
}

// oneOrMany is a string or a list of strings.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*o = []string{one}
		return nil
	}
	var many []string
	if json.Unmarshal(text, &many) != nil {
		return errors.New("a scenario has one key or a list of keys, in quotes")
	}
	*o = many
	return nil
}

var (
	keyScenarios   = []string{KeyOK, KeySpare, KeyLow, KeyEmpty, KeyExact, KeyExpired, KeyRevoked, KeyRateLimited, KeyError, KeySibling}
	imageScenarios = []string{
		ImagePrinted, ImageOther, ImageBlank, ImageUnfetchable, ImageNotAnImage, ImageError, ImageSlow, ImageStuck, ImageKnown, ImageFaint, ImagePages, ImageEnhance,
	}
)

// LoadKeys reads a keys file into the target: JSON with "keys" (scenario to a key or a list of keys), "images" (scenario
// to a URL), and, where they are known, "plans", "enhances", "minimal" and "simulated". A key that begins with "$" is the
// name of an environment variable that holds it. Where the server is simulated, as the mock is, the mock's own images are
// used where the file names none. The error says what in the file is wrong.
func (t *Target) LoadKeys(path string) error {
	f, err := readKeys(path)
	if err != nil {
		return err
	}
	t.Keys = map[string][]string{}
	for _, scenario := range slices.Sorted(maps.Keys(f.Keys)) {
		if !slices.Contains(keyScenarios, scenario) {
			return fmt.Errorf("the keys file has a key for %q; the scenarios are %s", scenario, strings.Join(keyScenarios, ", "))
		}
		for _, k := range f.Keys[scenario] {
			if name, isVariable := strings.CutPrefix(k, "$"); isVariable {
				if name == "" {
					return fmt.Errorf("the key of %q in the keys file is a $ without the name of an environment variable", scenario)
				}
				if k = os.Getenv(name); k == "" {
					return fmt.Errorf("the keys file takes the key of %q from the environment variable %s, which is not set", scenario, name)
				}
			}
			if k == "" || strings.ContainsFunc(k, func(r rune) bool { return r <= ' ' || r > '~' }) {
				return fmt.Errorf("the key of %q in the keys file is empty, or has white space or characters in it that no header can carry", scenario)
			}
			t.Keys[scenario] = append(t.Keys[scenario], k)
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(f.Images)) {
		if !slices.Contains(imageScenarios, scenario) {
			return fmt.Errorf("the keys file has an image for %q; the scenarios are %s", scenario, strings.Join(imageScenarios, ", "))
		}
		if !isImageURL.MatchString(f.Images[scenario]) {
			return fmt.Errorf("the image of %q in the keys file must be an http, https or data URL", scenario)
		}
	}
	t.Images, t.Plans, t.Enhances, t.Minimal = f.Images, f.Plans, f.Enhances, f.Minimal
	if len(t.Keys[KeyOK]) == 0 {
		return fmt.Errorf("the keys file %s has no key for %q, without which there is little to check", path, KeyOK)
	}
	if f.Simulated {
		t.simulate()
	}
	return nil
}

var isImageURL = regexp.MustCompile(`^(?:https?://[^/]|data:)`)

// maxKeys is the size of the largest keys file, in bytes.
const maxKeys = 1 << 20

// readKeys reads a keys file as it stands.
func readKeys(path string) (f keysFile, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, fmt.Errorf("the keys file %s cannot be read", path)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxKeys+1))
	if err != nil {
		return f, fmt.Errorf("the keys file %s cannot be read", path)
	}
	if len(text) > maxKeys {
		return f, fmt.Errorf("the keys file %s is longer than 1 MiB", path)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&f); err == nil && d.More() {
		err = errors.New("something follows the object")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("a JSON %s stands where it cannot (at %q)", wrong.Value, wrong.Field)
	}
	if err != nil {
		return f, fmt.Errorf(`the keys file %s is not what it must be, {"keys": {"ok": "...", ...}, "images": {...}}: %w`, path, err)
	}
	return f, nil
}

// simulate makes the target one whose texts are fixtures, with the mock's images where the file names none: the suite's
// own are pictures, which a mock does not look at.
func (t *Target) simulate() {
	images := mockImages()
	maps.Copy(images, t.Images)
	t.Images, t.Simulated = images, true
}
