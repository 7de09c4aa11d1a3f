package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// TestLibraries runs the script that makes the folder, with commands that print what ldd may print.
func TestLibraries(t *testing.T) {
	t.Parallel()
	libraries := func(t *testing.T, loaded string) (folder string, out []byte, err error) {
		t.Helper()
		folder = t.TempDir()
		out, err = exec.Command("../../../impl/deploy/release/libraries.sh", folder, "printf", loaded).CombinedOutput()
		return folder, out, err
	}
	t.Run("lists the packages of libraries", func(t *testing.T) {
		t.Parallel()
		folder, out, err := libraries(t, "\tlinux-vdso.so.1 (0x0)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x0)\n\tlibz.so.1 => /usr/lib/x86_64-linux-gnu/libz.so.1 (0x0)\n")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		list, err := readNative(folder)
		if err != nil || len(list) != 2 || list[0].name != "libc6" || list[1].name != "zlib1g" {
			t.Error(list, err)
		}
	})
	for name, c := range map[string]struct{ loaded, want string }{
		"refuses a program that loads nothing":        {"\tstatically linked\n", "no library is loaded"},
		"refuses a library that is missing":           {"\tlibx.so => not found\n", "a library is missing"},
		"refuses a library that comes from elsewhere": {"\tlibx.so => /etc/passwd (0x0)\n", "no package has /etc/passwd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, out, err := libraries(t, c.loaded); err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v: %q, want %q", err, out, c.want)
			}
		})
	}
}
