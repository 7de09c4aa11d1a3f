package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestReadNative(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"packages.tsv":   "liba\t1:2.0-1\tamd64\nlibb\t3\tarm64\nlibc\t4\tamd64\n",
		"liba.copyright": "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nLicense: MIT\n\nFiles: x\nLicense: Apache-2.0\n\nLicense: MIT\n text\n",
		"libb.copyright": "See /usr/share/common-licenses/LGPL-2.1.\nAnd /usr/share/common-licenses/GPL-2.\n",
		"libc.copyright": "You may do what you like.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := readNative(dir)
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	for i, want := range [][]string{{"Apache-2.0", "MIT"}, {"GPL-2", "LGPL-2.1"}, nil} {
		if !slices.Equal(list[i].licences, want) {
			t.Errorf("%s: %q, want %q", list[i].name, list[i].licences, want)
		}
	}
	if c := *list[2].choices(); c[0].License.Text.Content != "You may do what you like.\n" {
		t.Error("a file that names no licence is attached", c)
	}
	if err := os.Remove(filepath.Join(dir, "libb.copyright")); err != nil {
		t.Fatal(err)
	}
	if _, err := readNative(dir); err == nil {
		t.Error("a package without licences is an error")
	}
}
