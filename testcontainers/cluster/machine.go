package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// plugins is the folder of the network plugins of Debian.
const plugins = "/usr/lib/cni"

// programs must be installed, all from Debian.
var programs = map[string]string{ // program: package
	"containerd": "containerd", "ctr": "containerd", "containerd-shim-runc-v2": "containerd", "runc": "runc", "docker": "docker.io",
	"iptables-restore": "iptables", "nft": "nftables", "ip": "iproute2", "mount": "mount",
	filepath.Join(plugins, "ptp"): "containernetworking-plugins",
}

// controllers are the controllers of cgroup v1 that a kubelet and runc need.
var controllers = []string{"cpu", "cpuacct", "cpuset", "devices", "freezer", "memory", "pids"}

// need begins the errors about things that only a privileged machine has.
const need = "a cluster needs a privileged Linux machine: "

// requireRoot returns an error for other users: network namespaces, mounts and cgroups need root.
func requireRoot() error {
	if os.Geteuid() != 0 {
		return errors.New(need + "run `make cluster` as root")
	}
	return nil
}

// requireMachine returns an error that says what this machine lacks, or nil.
func requireMachine() error {
	for program, from := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing; install the Debian package %s", program, from)
		}
	}
	if err := requireCgroups(); err != nil {
		return fmt.Errorf(need+"%w", err)
	}
	// One probe tries everything: a network of its own with a pair of interfaces, address translation, and a filter of nftables.
	const probe = `mount --make-rprivate / && ip link add veth0 type veth peer name veth1 && iptables -t nat -L -n &&
nft 'table inet t { chain c { type filter hook forward priority filter; ct state established accept; }; }'`
	cmd := exec.Command("sh", "-c", probe)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf(need+"namespaces, interfaces or firewall rules cannot be created: %w: %s", err, out)
	}
	return nil
}

// requireCgroups returns an error that says which control groups a kubelet needs and this machine lacks, or nil. It creates
// groups and removes them again, because a mounted hierarchy may be read-only.
func requireCgroups() error {
	folders, err := hierarchies()
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		return errors.New("no cgroups are mounted below " + cgroupRoot)
	}
	if !unified() {
		mounted := strings.Join(folders, ",")
		for _, c := range controllers {
			if !slices.ContainsFunc(strings.FieldsFunc(mounted, func(r rune) bool { return r == ',' || r == '/' }), func(s string) bool { return s == c }) {
				return fmt.Errorf("the cgroup controller %s is not mounted below %s", c, cgroupRoot)
			}
		}
	}
	return errors.Join(createCgroups(), removeCgroups())
}
