package testcontainers

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	tc "github.com/testcontainers/testcontainers-go"
)

// label marks every container of ours with the process that started it.
const label = "uncial.test"

// start runs a container that goes when this process does, at the latest.
func start(ctx context.Context, req tc.ContainerRequest) (tc.Container, error) {
	if err := watchdog(); err != nil {
		return nil, err
	}
	req.Labels = ownLabels()
	return tc.GenericContainer(ctx, tc.GenericContainerRequest{ContainerRequest: req, Started: true})
}

func ownLabels() map[string]string { return map[string]string{label: strconv.Itoa(os.Getpid())} }

// watchdog starts a process of its own session that outlives this one, even where it is killed, and then removes the
// containers and networks that it left. It ends by itself.
var watchdog = sync.OnceValue(func() error {
	const script = `while kill -0 "$1" 2>/dev/null; do sleep 1; done
c=$(docker ps -aq --filter "label=$2=$1"); [ -z "$c" ] || docker rm -fv $c
n=$(docker network ls -q --filter "label=$2=$1"); [ -z "$n" ] || docker network rm $n`
	cmd := exec.Command("sh", "-c", script, "watchdog", strconv.Itoa(os.Getpid()), label) //nolint:gosec // constants and a number
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
})
