package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"uncial/internal/strictjson"
)

// keysFile is the JSON that describes a deployment to the suite.
type keysFile struct {
	Keys     map[string]oneOrMany `json:"keys"`
	Images   map[string]string    `json:"images"`
	Plans    map[string]Plan      `json:"plans"`
	Enhances bool                 `json:"enhances"`
	Minimal  bool                 `json:"minimal"`
	// Simulated says that the server reads no images, like the mock.
	Simulated bool `json:"simulated"`
}

// oneOrMany is a JSON string or a list of strings.
type oneOrMany []string

// UnmarshalJSON accepts both forms.
func (o *oneOrMany) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*o = []string{one}
		return nil
	}
	var many []string
	if json.Unmarshal(text, &many) != nil {
		return errors.New("the value of a scenario must be a string or a list of strings")
	}
	*o = many
	return nil
}

// The scenarios that a keys file may name, in the order of messages.
var (
	keyScenarios   = []string{KeyOK, KeySpare, KeyLow, KeyEmpty, KeyExact, KeyExpired, KeyRevoked, KeyRateLimited, KeyError, KeySibling, KeyCapped, KeyUncapped, KeyOutside}
	imageScenarios = append([]string{
		ImagePrinted, ImageOther, ImageBlank, ImageUnfetchable, ImageBusy, ImageNotAnImage, ImageError, ImageSlow, ImageStuck, ImageKnown, ImageFaint, ImagePages, ImageEnhance, ImageBroken, ImageWeak, ImageIllustrated,
		ImageReset, ImageCut, ImageLength, ImageOverload,
	}, unfetchedScenarios()...)
)

func unfetchedScenarios() (all []string) {
	for _, reason := range FetchReasons() {
		all = append(all, ImageFetch+reason)
	}
	return all
}

// LoadKeys reads a keys file into the target: JSON with "keys" (scenario to a key or a list of keys), "images" (scenario
// to a URL) and optionally "plans", "enhances", "minimal" and "simulated". A key that begins with "$" names an environment
// variable. A simulated server gets the images of the mock unless the file names others. The error says what in the file
// is wrong.
func (t *Target) LoadKeys(path string) error {
	f, err := readKeys(path)
	if err != nil {
		return err
	}
	t.Images, t.Plans, t.Enhances, t.Minimal = f.Images, f.Plans, f.Enhances, f.Minimal
	t.Keys = map[string][]string{}
	for _, scenario := range slices.Sorted(maps.Keys(f.Keys)) {
		if !slices.Contains(keyScenarios, scenario) {
			return fmt.Errorf("the keys file has a key for the unknown scenario %q; choose from %s", scenario, strings.Join(keyScenarios, ", "))
		}
		for i, text := range f.Keys[scenario] {
			key, err := expand(text)
			if err != nil && len(f.Keys[scenario]) > 1 {
				return fmt.Errorf("key %d of %q in the keys file %w", i+1, scenario, err)
			}
			if err != nil {
				return fmt.Errorf("the key of %q in the keys file %w", scenario, err)
			}
			t.Keys[scenario] = append(t.Keys[scenario], key)
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(f.Images)) {
		if !slices.Contains(imageScenarios, scenario) {
			return fmt.Errorf("the keys file has an image for the unknown scenario %q; choose from %s", scenario, strings.Join(imageScenarios, ", "))
		}
		if !isImageURL.MatchString(f.Images[scenario]) {
			return fmt.Errorf("the image of %q in the keys file must be an http, https or data URL", scenario)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Plans)) {
		if p := f.Plans[name]; p.Points < 0 || p.Limit < 1 {
			return fmt.Errorf("the plan %q in the keys file must have points of 0 or more and a limit of 1 or more, not %d and %d", name, p.Points, p.Limit)
		}
	}
	if err := distinct(t.Keys); err != nil {
		return err
	}
	if len(t.Keys[KeyOK]) == 0 {
		return fmt.Errorf("the keys file %s needs a key for %q", path, KeyOK)
	}
	if f.Simulated { // a mock does not look at the suite's own images
		t.Simulated, t.Images = true, MockImages()
		maps.Copy(t.Images, f.Images)
	}
	return nil
}

// distinct returns an error if a key stands for two scenarios, or twice for one: each needs a key of its own.
func distinct(keys map[string][]string) error {
	scenarios := map[string]string{}
	for _, scenario := range slices.Sorted(maps.Keys(keys)) {
		for _, key := range keys[scenario] {
			other, found := scenarios[key]
			if found && other == scenario {
				return fmt.Errorf("the keys file lists the same key twice for %q", scenario)
			}
			if found {
				return fmt.Errorf("the keys file has the same key for %q and %q; each scenario needs keys of its own", other, scenario)
			}
			scenarios[key] = scenario
		}
	}
	return nil
}

// minKey is the length of the shortest key, in bytes. A few characters alone occur in any text.
const minKey = 8

// expand resolves a key that is the name of an environment variable.
func expand(key string) (string, error) {
	if name, isVariable := strings.CutPrefix(key, "$"); isVariable {
		if name == "" {
			return "", errors.New("is a $ without the name of an environment variable")
		}
		if key = os.Getenv(name); key == "" {
			return "", fmt.Errorf("comes from the environment variable %s, which is not set", name)
		}
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("must be printable ASCII without spaces")
	}
	if len(key) < minKey {
		return "", fmt.Errorf("must have at least %d characters: a report could not hide a shorter one", minKey)
	}
	return key, nil
}

// isImageURL accepts what the contract permits for imageUrl, without checking the rest of it.
var isImageURL = regexp.MustCompile(`^(?:https?://[^/]|data:)`)

// maxKeys is the size of the largest keys file, in bytes.
const maxKeys = 1 << 20

// readKeys reads the file and refuses unknown fields, because a misspelled scenario would otherwise skip cases
// silently.
func readKeys(path string) (f keysFile, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, fmt.Errorf("cannot read the keys file: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxKeys+1))
	if err != nil {
		return f, fmt.Errorf("cannot read the keys file: %w", err)
	}
	if len(text) > maxKeys {
		return f, fmt.Errorf("the keys file %s is longer than 1 MiB", path)
	}
	if err := strictjson.Settings(text, &f); err != nil {
		return f, fmt.Errorf(`invalid keys file %s; expected {"keys": {"ok": "...", ...}, "images": {...}}: %w`, path, err)
	}
	return f, nil
}
