package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// mustSave writes what `docker save` writes of two images with the same two layers that were built at the given time. Their
// order depends on that time.
func mustSave(t *testing.T, built time.Time, container string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	layer := func(files ...*tar.Header) (name string) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range files {
			if err := errors.Join(w.WriteHeader(h), write(w, strings.Repeat("x", int(h.Size)))); err != nil {
				t.Fatal(err)
			}
		}
		name = "layer" + files[0].Name + ".tar"
		if err := errors.Join(w.Close(), os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	layers := []string{
		layer(&tar.Header{Name: "old", Mode: 0o755, Size: 3, ModTime: time.Unix(1000, 0), PAXRecords: map[string]string{"SCHILY.xattr.user.a": "b"}}),
		layer(&tar.Header{Name: "new", Mode: 0o4755, Size: 9, ModTime: built, AccessTime: built, Format: tar.FormatPAX},
			&tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "new", ModTime: built}),
	}
	images := []manifest{{Config: "c.json", RepoTags: []string{"uncial:1"}, Layers: layers}, {Config: "c.json", RepoTags: []string{"mock:1"}, Layers: layers}}
	if built.Unix()%2000 == 0 {
		slices.Reverse(images)
	}
	for name, v := range map[string]any{
		"manifest.json": images,
		"c.json": map[string]any{
			"architecture": "amd64", "os": "linux", "created": built, "container": container, "container_config": map[string]any{"Hostname": container},
			"config":  map[string]any{"User": "65532", "Image": container, "Healthcheck": map[string]any{"Interval": 10_000_000_000}},
			"history": []any{map[string]any{"created": built, "created_by": "COPY"}, map[string]any{"created": built, "created_by": "ADD"}},
			"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + container, "sha256:0"}},
		},
	} {
		if err := writeJSON(filepath.Join(folder, name), v); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func TestRepack(t *testing.T) {
	t.Parallel()
	latest := time.Unix(5000, 0).UTC()
	var one, two bytes.Buffer
	if err := errors.Join(repack(&one, mustSave(t, time.Unix(6000, 7), "a"), t.TempDir(), latest),
		repack(&two, mustSave(t, time.Unix(7000, 8), "b"), t.TempDir(), latest)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two builds differ")
	}

	files := mustUntar(t, one.Bytes())
	var images []manifest
	mustDecode(t, files["manifest.json"], &images)
	if len(images) != 2 || len(images[0].Layers) != 2 || images[0].RepoTags[0] != "mock:1" {
		t.Fatal(images)
	}
	var config struct {
		Created string
		Config  struct {
			User        string
			Healthcheck struct{ Interval int64 }
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	mustDecode(t, files[images[0].Config], &config)
	if config.Created != "1970-01-01T01:23:20Z" || config.Config.User != "65532" || config.Config.Healthcheck.Interval != 10_000_000_000 {
		t.Error(config)
	}
	for i, layer := range images[0].Layers {
		if config.RootFS.DiffIDs[i] != "sha256:"+strings.TrimSuffix(layer, ".tar") {
			t.Error("the settings name other layers", config.RootFS, images)
		}
	}
	var headers []string
	for _, layer := range images[0].Layers {
		for r := tar.NewReader(bytes.NewReader(files[layer])); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			headers = append(headers, h.Name+" "+h.ModTime.UTC().Format(time.TimeOnly)+" "+h.Linkname+h.PAXRecords["SCHILY.xattr.user.a"])
		}
	}
	if got := strings.Join(headers, "; "); got != "old 00:16:40 b; new 01:23:20 ; link 01:23:20 new" {
		t.Error(got)
	}
}

func mustUntar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func mustDecode(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}
