package contracttests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
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
// to a URL), and, where they are known, "plans", "enhances" and "minimal". A key that begins with "$" is the name of
// an environment variable that holds it. Keys that begin with ocr_test_ are those of a mock: its own images are then used
// where the file names none. The error says what in the file is wrong.
func (t *Target) LoadKeys(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the keys file %s cannot be read", path)
	}
	var f keysFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return fmt.Errorf(`the keys file %s is not what it must be, {"keys": {"ok": "...", ...}, "images": {...}}: %w`, path, err)
	}
	t.Keys = map[string][]string{}
	for _, scenario := range slices.Sorted(maps.Keys(f.Keys)) {
		if !slices.Contains(keyScenarios, scenario) {
			return fmt.Errorf("the keys file has a key for %q; the scenarios are %s", scenario, strings.Join(keyScenarios, ", "))
		}
		for _, k := range f.Keys[scenario] {
			if name, isVariable := strings.CutPrefix(k, "$"); isVariable {
				if k = os.Getenv(name); k == "" {
					return fmt.Errorf("the keys file takes the key of %q from the environment variable %s, which is not set", scenario, name)
				}
			}
			if k == "" || strings.ContainsAny(k, " \t\r\n") {
				return fmt.Errorf("the key of %q in the keys file is empty or has white space in it", scenario)
			}
			t.Keys[scenario] = append(t.Keys[scenario], k)
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(f.Images)) {
		if !slices.Contains(imageScenarios, scenario) {
			return fmt.Errorf("the keys file has an image for %q; the scenarios are %s", scenario, strings.Join(imageScenarios, ", "))
		}
	}
	t.Images, t.Plans, t.Enhances, t.Minimal = f.Images, f.Plans, f.Enhances, f.Minimal
	if len(t.Keys[KeyOK]) == 0 {
		return fmt.Errorf("the keys file %s has no key for %q, without which there is little to check", path, KeyOK)
	}
	if strings.HasPrefix(t.Keys[KeyOK][0], mockPrefix) {
		t.simulate()
	}
	return nil
}

// simulate makes the target one whose texts are fixtures, with the mock's images where the file names none: the suite's
// own are pictures, which a mock does not look at.
func (t *Target) simulate() {
	images := mockImages()
	maps.Copy(images, t.Images)
	t.Images, t.Simulated = images, true
}
