package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kubernetesVersion is the version of k8s.io/kubernetes in go.mod. The linker embeds it, because programs built from source do
// not know their version.
const kubernetesVersion = "1.34.4"

// Images that the cluster runs. The service's are those of `make image TAG=cluster`.
const (
	imageTag      = "cluster"
	upgradeTag    = "cluster-next" // the same images under another name, for the upgrade
	pauseImage    = "uncial-pause:" + imageTag
	dnsImage      = "uncial-dns:" + imageTag
	postgresImage = "uncial-postgres:test" // that of the other tests
)

// buildLimit is the time limit of the build: Kubernetes takes 20 minutes on two idle cores.
const buildLimit = 60 * time.Minute

// images returns the names of all images that the node loads.
func images() []string {
	all := []string{pauseImage, dnsImage, postgresImage}
	for _, tag := range []string{imageTag, upgradeTag} {
		all = append(all, "uncial:"+tag, "uncial-engine:"+tag)
	}
	return all
}

// prepare builds missing programs and images, and saves the images to a file.
func (p paths) prepare() error {
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	if err := os.MkdirAll(p.run, 0o755); err != nil { //nolint:gosec // containers look into it as other users
		return err
	}
	if err := p.buildPrograms(ctx); err != nil {
		return fmt.Errorf("build the programs: %w", err)
	}
	if err := p.buildImages(ctx); err != nil {
		return fmt.Errorf("build the images: %w", err)
	}
	return command(ctx, p.root, "docker", append([]string{"save", "-o", p.imageFile()}, images()...)...)
}

// imageFile holds all images, as docker save writes them. The node has no registry to pull from.
func (p paths) imageFile() string { return filepath.Join(p.run, "images.tar") }

// buildPrograms builds kube, dns, pause and helm, unless the folder for their versions exists already.
func (p paths) buildPrograms(ctx context.Context) error {
	if _, err := os.Stat(p.bin); err == nil {
		return nil
	}
	fmt.Fprintln(os.Stderr, "cluster: building Kubernetes", kubernetesVersion, "in", p.bin, "(once; 10 to 40 minutes)")
	old, err := filepath.Glob(filepath.Join(filepath.Dir(p.bin), "bin-*"))
	if err != nil {
		return err
	}
	for _, folder := range old { // of other versions
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	const version = "k8s.io/component-base/version.git"
	major, rest, _ := strings.Cut(kubernetesVersion, ".")
	minor, _, _ := strings.Cut(rest, ".")
	flags := []string{
		"-s", "-w", "-X", version + "Version=v" + kubernetesVersion, "-X", version + "Major=" + major, "-X", version + "Minor=" + minor,
	}
	folder := p.bin + ".new" // renamed once it is complete, so that p.bin never holds only some of the programs
	// Niced, and two packages at a time, so that the machine stays usable meanwhile.
	if err := command(ctx, p.module, "nice", "-n", "10", "go", "build", "-p", "2", "-trimpath", "-ldflags", strings.Join(flags, " "),
		"-o", folder+"/", "./kube", "./dns", "./pause"); err != nil {
		return err
	}
	helm := exec.CommandContext(ctx, "go", "tool", "-modfile=gen/tools/helm/go.mod", "-n", "helm") // builds it and prints where it is
	helm.Dir = p.root
	built, err := helm.Output()
	if err != nil {
		return fmt.Errorf("build helm: %w", err)
	}
	if err := command(ctx, p.root, "cp", strings.TrimSpace(string(built)), folder); err != nil {
		return err
	}
	return os.Rename(folder, p.bin)
}

// buildImages builds the images of the service as an operator does, and those of the cluster from its programs.
// All builds run even if one fails, so that a single run reports all that is wrong.
func (p paths) buildImages(ctx context.Context) error {
	build := func(tag, folder, dockerfile string) error {
		cmd := exec.CommandContext(ctx, "docker", "build", "-q", "-t", tag, "-f", "-", folder) //nolint:gosec // our names
		cmd.Stdin = strings.NewReader(dockerfile)
		return run(cmd)
	}
	single := func(program string) string {
		return fmt.Sprintf("FROM scratch\nCOPY %s /%s\nENTRYPOINT [\"/%s\"]\n", program, program, program)
	}
	return errors.Join(
		command(ctx, p.root, "make", "--no-print-directory", "image", "TAG="+imageTag),
		command(ctx, p.root, "docker", "tag", "uncial:"+imageTag, "uncial:"+upgradeTag),
		command(ctx, p.root, "docker", "tag", "uncial-engine:"+imageTag, "uncial-engine:"+upgradeTag),
		command(ctx, p.root, "docker", "build", "-q", "-t", postgresImage, "testcontainers/postgres"),
		build(pauseImage, p.bin, single("pause")),
		build(dnsImage, p.bin, single("dns")),
	)
}

// command runs a program in a folder. The error holds the end of its output.
func command(ctx context.Context, folder, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // our names
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // the Makefile enables it where it is needed
	return run(cmd)
}

// run runs a command. The error holds the end of its output, where compilers and package managers say what failed.
func run(cmd *exec.Cmd) error {
	const shown = 4000 // bytes of output in an error
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out[max(0, len(out)-shown):])
	}
	return nil
}
