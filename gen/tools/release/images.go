package main

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// manifest is an entry of manifest.json in what `docker save` writes: one image. Paths are those in the archive.
type manifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// repack writes images as an archive for `docker load` whose bytes depend only on their files and settings: no time in it is
// later than latest. saved is the folder that an archive of `docker save` was unpacked to, work one for temporary files.
func repack(w io.Writer, saved, work string, latest time.Time) error {
	var images []manifest
	if err := readJSON(filepath.Join(saved, "manifest.json"), &images); err != nil {
		return err
	}
	// Docker lists images in the order of their IDs, which depend on the time of the build.
	slices.SortFunc(images, func(a, b manifest) int { return slices.Compare(a.RepoTags, b.RepoTags) })
	files := map[string]string{} // path in the archive: path on disk
	for i := range images {
		if err := images[i].repack(saved, work, latest, files); err != nil {
			return fmt.Errorf("%v: %w", images[i].RepoTags, err)
		}
	}
	list := filepath.Join(work, "manifest.json")
	if err := writeJSON(list, images); err != nil {
		return err
	}
	files["manifest.json"] = list
	out := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := addFile(out, name, files[name], latest); err != nil {
			return err
		}
	}
	return out.Close()
}

// repack rewrites layers and settings of an image, adds them to files, and changes m to their new paths.
func (m *manifest) repack(saved, work string, latest time.Time, files map[string]string) error {
	var digests []string
	for i, layer := range m.Layers {
		digest, file, err := repackLayer(filepath.Join(saved, layer), work, latest)
		if err != nil {
			return fmt.Errorf("%s: %w", layer, err)
		}
		m.Layers[i] = digest + ".tar"
		files[m.Layers[i]] = file
		digests = append(digests, "sha256:"+digest)
	}
	config, err := repackConfig(filepath.Join(saved, m.Config), latest, digests)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(config)
	m.Config = hex.EncodeToString(sum[:]) + ".json"
	files[m.Config] = filepath.Join(work, m.Config)
	return os.WriteFile(files[m.Config], config, 0o600) //nolint:gosec // the name is a digest
}

// repackConfig returns the settings of an image without the times and the container of its build. The names are those of the
// OCI image specification, section "Image Configuration".
func repackConfig(file string, latest time.Time, layers []string) ([]byte, error) {
	var c map[string]any
	if err := readJSON(file, &c); err != nil {
		return nil, err
	}
	created := latest.UTC().Format(time.RFC3339)
	kept := map[string]any{"created": created, "rootfs": map[string]any{"type": "layers", "diff_ids": layers}}
	for _, name := range []string{"architecture", "os", "variant"} {
		if c[name] != nil {
			kept[name] = c[name]
		}
	}
	settings, ok := c["config"].(map[string]any)
	history, listed := c["history"].([]any)
	if !ok || !listed {
		return nil, errors.New("the image has no settings or no history")
	}
	delete(settings, "Image")    // the ID of the image before the last step
	delete(settings, "Hostname") // of a container that built it
	kept["config"] = settings
	for _, step := range history {
		if step, ok := step.(map[string]any); ok {
			step["created"] = created
		}
	}
	kept["history"] = history
	return json.Marshal(kept)
}

// repackLayer rewrites a layer into work and returns its digest and path.
func repackLayer(file, work string, latest time.Time) (digest, path string, err error) {
	in, err := os.Open(file) //nolint:gosec // a layer that docker save wrote
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.CreateTemp(work, "layer-*.tar")
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sum := sha256.New()
	from, to := tar.NewReader(in), tar.NewWriter(io.MultiWriter(out, sum))
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", "", err
		}
		if err := to.WriteHeader(withoutBuildTime(header, latest)); err != nil {
			return "", "", fmt.Errorf("%s: %w", header.Name, err)
		}
		if _, err := io.Copy(to, from); err != nil { //nolint:gosec // a layer that we built
			return "", "", fmt.Errorf("%s: %w", header.Name, err)
		}
	}
	if err := to.Close(); err != nil {
		return "", "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), out.Name(), nil
}

// withoutBuildTime changes the header of a file so that nothing in it depends on the time of the build, and returns it.
func withoutBuildTime(h *tar.Header, latest time.Time) *tar.Header {
	h.Format, h.AccessTime, h.ChangeTime = tar.FormatUnknown, time.Time{}, time.Time{}
	h.ModTime = h.ModTime.Truncate(time.Second)
	if h.ModTime.After(latest) {
		h.ModTime = latest
	}
	for _, name := range []string{"mtime", "atime", "ctime"} {
		delete(h.PAXRecords, name)
	}
	return h
}

// addFile copies a file into an archive. Mode and time are fixed, so that two builds are identical.
func addFile(out *tar.Writer, name, file string, at time.Time) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size(), ModTime: at}); err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

func readJSON(file string, v any) error {
	data, err := os.ReadFile(file) //nolint:gosec // settings that docker save wrote
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func writeJSON(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
