// Package recorder fills a folder of fixtures with the answers of a real service, for the mock to replay. It sends one
// request at a time, and writes each answer and the list of the folder before the next request, so that no answer that was
// paid for is lost: a second run continues where the first one stopped. Package folder defines the layout of the folder.
//
// Start with Recorder.Record; send.go talks to the service.
package recorder

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/language"
	"uncial/mock/folder"
)

// Recorder records answers. Progress and Pause are optional, Enhance and Again are false by default; all other fields are
// required.
type Recorder struct {
	From      string   // address of the service, with or without /api/v1
	Key       string   // API key, which is never written
	Dir       string   // folder, which is created if necessary
	Language  string   // tag that the requests ask for
	Languages []string // tags that the mock supports
	Formats   []gen.Format
	Enhance   bool // also record the enhanced answers
	Again     bool // replace what was recorded before
	// Progress is called after each request. Default: nil.
	Progress func(image, what string, err error)
	// Pause before the second try of a request; it doubles with each further one. Default: half a second.
	Pause time.Duration
}

// Summary counts the answers of a run.
type Summary struct{ Recorded, Known, Failed int }

// wanted is one answer to record.
type wanted struct {
	format  gen.Format
	enhance bool
}

// String is what progress and errors call an answer, such as "alto, enhanced".
func (w wanted) String() string {
	if w.enhance {
		return string(w.format) + ", enhanced"
	}
	return string(w.format)
}

// Check returns what is wrong with the settings, before anything is sent. It creates the folder.
func (r *Recorder) Check() error {
	if _, err := r.endpoint(); err != nil {
		return err
	}
	if r.Key == "" || strings.ContainsFunc(r.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("the API key must be visible ASCII without spaces")
	}
	tag, err := language.Match(r.Language, r.Languages)
	if err != nil {
		return fmt.Errorf("--language: %w", err)
	}
	r.Language = tag
	made := func(f gen.Format) bool { return f == gen.Alto || f == gen.Page }
	if slices.ContainsFunc(r.Formats, func(f gen.Format) bool { return f == gen.Hocr || f == gen.Tsv || f == gen.Pdf }) && !slices.ContainsFunc(r.Formats, made) {
		return errors.New("--format: hocr, tsv and pdf need alto or page too, from which the mock makes the other formats")
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil { //nolint:gosec // the umask decides
		return fmt.Errorf("--to: %w", err)
	}
	return nil
}

// wanted are the answers to record for each image.
func (r *Recorder) wanted() (all []wanted) {
	for _, enhance := range []bool{false, true} {
		for _, f := range r.Formats {
			if !enhance || r.Enhance {
				all = append(all, wanted{f, enhance})
			}
		}
	}
	return all
}

// Cost is the maximum price in points of recording the images: 10 for each answer that the folder lacks. Images that cannot be
// read cost nothing. It reads the images and sends nothing.
func (r *Recorder) Cost(images []string) (points int, err error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return 0, fmt.Errorf("--to: %w", err)
	}
	defer func() { _ = root.Close() }()
	manifest, err := readManifest(root)
	if err != nil {
		return 0, err
	}
	for _, image := range images {
		source, err := readSource(image)
		if err != nil {
			continue // Record reports it
		}
		for _, w := range r.wanted() {
			if r.isWanted(&manifest, source, w) {
				points += contract.Price
			}
		}
	}
	return points, nil
}

// isWanted reports whether the answer must be requested.
func (r *Recorder) isWanted(m *folder.Manifest, s source, w wanted) bool {
	return r.Again || !isKnown(m, s, r.Language, w)
}

// readManifest reads the list of the folder, which is empty before the first answer.
func readManifest(root *os.Root) (folder.Manifest, error) {
	manifest, err := folder.ReadManifest(root)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest, nil
	}
	return manifest, err
}

// Record records the images one after another; each is a file or an http or https address. An image that fails is reported to
// Progress, and the others are still recorded. The error says why the run ended early.
func (r *Recorder) Record(ctx context.Context, images []string) (s Summary, err error) {
	if err := r.Check(); err != nil {
		return s, err
	}
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return s, fmt.Errorf("--to: %w", err)
	}
	defer func() { _ = root.Close() }()
	manifest, err := readManifest(root)
	if err != nil {
		return s, err
	}
	for _, image := range images {
		source, err := readSource(image)
		if err != nil {
			s.Failed += len(r.wanted())
			r.progress(image, "", err)
			continue
		}
		for _, w := range r.wanted() {
			if !r.isWanted(&manifest, source, w) {
				s.Known++
				continue
			}
			err := r.recordOne(ctx, root, &manifest, source, w)
			if ctx.Err() != nil {
				return s, errors.New("interrupted; run the same command again to continue")
			}
			r.progress(image, w.String(), err)
			if err == nil {
				s.Recorded++
				continue
			}
			s.Failed++
			if isFatal(err) {
				return s, err
			}
		}
	}
	return s, nil
}

// progress reports one request, or an image that could not be read if what is "".
func (r *Recorder) progress(image, what string, err error) {
	if r.Progress != nil {
		r.Progress(image, what, err)
	}
}

// isFatal reports whether the next image would fail too: the key is refused, the points are used up, the address of the service
// is wrong (404), or the disk is full.
func isFatal(err error) bool {
	refused, ok := errors.AsType[*refusal](err)
	_, unwritable := errors.AsType[*writeError](err)
	return unwritable || ok && (refused.status == http.StatusUnauthorized || refused.status == http.StatusPaymentRequired || refused.status == http.StatusNotFound)
}

// source is an image to record.
type source struct {
	entry    folder.Entry // selects the image in the list of the folder
	imageURL string       // as it is sent
	name     string       // beginning of the names of its files
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// readSource reads a file, or takes an address as it is.
func readSource(image string) (s source, err error) {
	if u, err := url.Parse(image); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if strings.Contains(image, "*") {
			return s, errors.New("an address with * cannot be recorded, because * is a pattern in the list of the folder")
		}
		s = source{folder.Entry{URL: image}, image, path.Base(u.Path)}
		s.name = nameOf(s.name, image)
		return s, nil
	}
	info, err := os.Stat(image)
	switch {
	case err != nil:
		return s, errors.New("no such file")
	case info.IsDir():
		return s, errors.New("is a folder; give the files in it")
	case info.Size() > imagefile.MaxBytes:
		return s, fmt.Errorf("is larger than %d MiB, the limit of the service", imagefile.MaxBytes>>20)
	}
	content, err := os.ReadFile(image)
	if err != nil {
		return s, err
	}
	if _, err := imagefile.Identify(content); err != nil {
		return s, err
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	inline := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(content)
	return source{folder.Entry{SHA256: digest}, inline, nameOf(filepath.Base(image), digest)}, nil
}

// nameOf is a name for files: readable, and different for different images of the same name.
func nameOf(base, identity string) string {
	const longest = 60 // characters
	stem := notInNames.ReplaceAllString(strings.TrimSuffix(base, path.Ext(base)), "-")
	sum := sha256.Sum256([]byte(identity))
	return stem[:min(len(stem), longest)] + "-" + hex.EncodeToString(sum[:4])
}

// isKnown reports whether the folder has the answer.
func isKnown(m *folder.Manifest, s source, tag string, w wanted) bool {
	i := find(m, s, tag)
	return i >= 0 && slices.ContainsFunc(m.Fixtures[i].Answers, func(a folder.RecordedAnswer) bool {
		return gen.Format(a.Format) == w.format && a.Enhance == w.enhance
	})
}

// find returns the index of the image's entry in the language, -1 if there is none.
func find(m *folder.Manifest, s source, tag string) int {
	return slices.IndexFunc(m.Fixtures, func(e folder.Entry) bool {
		return e.URL == s.entry.URL && e.SHA256 == s.entry.SHA256 && e.Language == tag
	})
}

// recordOne sends one request and writes its answer and the list of the folder.
func (r *Recorder) recordOne(ctx context.Context, root *os.Root, m *folder.Manifest, s source, w wanted) error {
	body, err := r.send(ctx, s, w)
	if err != nil {
		return err
	}
	a, err := folder.NewAnswer(body, r.Language, w.format, w.enhance)
	if err != nil {
		return fmt.Errorf("the answer %w", err)
	}
	if a.Result.Language == nil || a.Result.Enhanced == nil {
		return errors.New("the answer lacks optional fields; a mock needs language and enhanced")
	}
	i := find(m, s, r.Language)
	if i >= 0 && len(m.Fixtures[i].Answers) == 0 {
		return errors.New("the folder has a file for this image already; remove it from " + folder.ManifestName)
	}
	name := fmt.Sprintf("%s-%s-%s.json", s.name, r.Language, w.format)
	if w.enhance {
		name = fmt.Sprintf("%s-%s-%s-enhanced.json", s.name, r.Language, w.format)
	}
	if err := writeFile(root, name, body); err != nil {
		return err
	}
	recorded := folder.RecordedAnswer{Format: string(w.format), Enhance: w.enhance, File: name}
	if i < 0 {
		entry := s.entry
		entry.Language, entry.Answers = r.Language, []folder.RecordedAnswer{recorded}
		m.Fixtures = append(m.Fixtures, entry)
	} else if !isKnown(m, s, r.Language, w) {
		m.Fixtures[i].Answers = append(m.Fixtures[i].Answers, recorded)
	}
	return writeManifest(root, *m)
}
