package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// linked lists the files that the dynamic linker opens for a program.
type linked struct {
	linker string   // empty for a static program
	files  []string // shared libraries, and the cache of the linker
}

const (
	listTimeout = 10 * time.Second // for the linker to list the libraries, which takes milliseconds
	maxPath     = 4096             // bytes; PATH_MAX of linux/limits.h
)

// libraries returns the shared libraries that a program will load. It asks the dynamic linker, so that the answer is right for
// this machine and environment. If libraries are missing, the error names them.
func libraries(ctx context.Context, program string, env []string) (linked, error) {
	linker, err := interpreter(program)
	if err != nil || linker == "" {
		return linked{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, linker, "--list", program) //nolint:gosec // the program that is going to be started, and its own linker
	cmd.Env = append([]string{}, env...)                       // must be the environment of the program, because of LD_LIBRARY_PATH
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	files, missing := parseList(out)
	// If the program itself needs a missing library, it is on the list; if a library needs it, the linker exits with a message.
	if m := notLoaded.FindSubmatch(stderr.Bytes()); m != nil {
		missing = append(missing, string(m[1]))
	}
	if len(missing) > 0 {
		return linked{}, fmt.Errorf("%s needs libraries that are not installed: %s", program, strings.Join(missing, ", "))
	}
	// Any other failure is reported with the linker's message.
	if err != nil {
		return linked{}, fmt.Errorf("list the libraries of %s: %w: %.300s", program, err, strings.TrimSpace(stderr.String()))
	}
	return linked{linker: linker, files: append(files, "/etc/ld.so.cache")}, nil
}

// ErrNotProgram means that the file of the program has another format.
var ErrNotProgram = errors.New("is not an executable program")

// notLoaded matches the message of the GNU linker about a missing library.
var notLoaded = regexp.MustCompile(`error while loading shared libraries: ([^:\s]+): cannot open`)

// interpreter returns the path of the dynamic linker that an ELF program names, or "" for a static program.
func interpreter(program string) (string, error) {
	f, err := elf.Open(program)
	if format := (*elf.FormatError)(nil); errors.As(err, &format) || errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s %w", program, ErrNotProgram)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	// The name is in the program header PT_INTERP: elf(5).
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < maxPath {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err != nil {
				return "", fmt.Errorf("read the name of the linker from %s: %w", program, err)
			}
			return string(bytes.TrimRight(name, "\x00")), nil
		}
	}
	return "", nil
}

// parseList parses the output of the linker: lines such as "libm.so.6 => /lib/libm.so.6 (0x7f...)" and "libx.so => not found".
func parseList(out []byte) (files, missing []string) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	// Lines without an arrow name the linker itself and the kernel's vDSO, which is not a file.
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		name, target, arrow := strings.Cut(line, " => ")
		if !arrow {
			target = line
		}
		if arrow && strings.HasPrefix(target, "not found") {
			missing = append(missing, name)
			continue
		}
		if path, _, _ := strings.Cut(target, " ("); strings.HasPrefix(path, "/") {
			files = append(files, path)
		}
	}
	return files, missing
}
