package testcontainers

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	tc "github.com/testcontainers/testcontainers-go"
	tcexec "github.com/testcontainers/testcontainers-go/exec"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

// ServiceOptions say what stands around the API.
type ServiceOptions struct {
	Replicas int    // of the API, behind a load balancer where there are several. Default: 1
	Engines  int    // Default: 1
	Plans    string // file with the catalogue of plans, on this machine. Default: that of the service
}

// System is the whole service in containers, in a network of its own: API replicas, engines, Postgres.
type System struct {
	// URL is the base URL of the API, without a path: of the load balancer where there are several replicas.
	URL      string
	Replicas []tc.Container
	Engines  []tc.Container
	Postgres tc.Container
}

const (
	systemSecret = "a secret of tests, long enough to be one"
	systemDB     = "postgres://uncial@postgres:5432/postgres?sslmode=disable"
)

// hardened is how production runs our images: nothing writable, no capability, no new privileges.
func hardened(h *container.HostConfig) {
	h.ReadonlyRootfs = true
	h.CapDrop = []string{"ALL"}
	h.SecurityOpt = []string{"no-new-privileges"}
}

// Service starts the production images talking to each other; all of it goes with the test.
func Service(tb testing.TB, o ServiceOptions) *System {
	tb.Helper()
	mustImages(tb)
	o.Replicas, o.Engines = max(1, o.Replicas), max(1, o.Engines)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := watchdog(); err != nil {
		tb.Fatal(err)
	}
	inside, err := network.New(ctx, network.WithLabels(ownLabels()))
	if err != nil {
		tb.Fatalf("make a network: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = inside.Remove(ctx)
	})
	join := func(req tc.ContainerRequest, alias string) tc.Container {
		tb.Helper()
		req.Networks = []string{inside.Name}
		req.NetworkAliases = map[string][]string{inside.Name: {alias}}
		c, err := start(ctx, req)
		removed(tb, c)
		if err != nil {
			tb.Fatalf("start %s: %v", alias, err)
		}
		return c
	}
	s := &System{}
	database, done, err := postgresRequest()
	if err != nil {
		tb.Fatal(err)
	}
	s.Postgres = join(database, "postgres")
	done()
	for range o.Engines {
		s.Engines = append(s.Engines, join(engineRequest(), "engine"))
	}
	for i := range o.Replicas {
		s.Replicas = append(s.Replicas, join(apiRequest(o.Plans), fmt.Sprintf("api%d", i+1)))
	}
	s.URL = "http://" + mustEndpoint(tb, s.Replicas[0], "8080/tcp")
	if o.Replicas > 1 {
		balancer, done, err := balancerRequest(o.Replicas)
		if err != nil {
			tb.Fatal(err)
		}
		s.URL = "http://" + mustEndpoint(tb, join(balancer, "balancer"), "8080/tcp")
		done()
	}
	return s
}

func apiRequest(plans string) tc.ContainerRequest {
	env := map[string]string{
		"UNCIAL_DATABASE": systemDB, "UNCIAL_KEY_SECRET": systemSecret, "UNCIAL_ENGINE": "http://engine:8090",
	}
	host := hardened
	if plans != "" {
		env["UNCIAL_PLANS"] = "/etc/uncial/plans.json"
		host = func(h *container.HostConfig) {
			hardened(h)
			h.Binds = []string{plans + ":/etc/uncial/plans.json:ro"}
		}
	}
	return tc.ContainerRequest{
		Image: "uncial:" + tag, Env: env, ExposedPorts: []string{"8080/tcp"}, HostConfigModifier: host,
		WaitingFor: wait.ForHTTP("/readyz").WithPort("8080/tcp").WithStartupTimeout(time.Minute),
	}
}

// Run runs uncial inside the replica, with the service's database and secret, and returns what it printed.
func (s *System) Run(tb testing.TB, replica int, args ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	status, out, err := s.Replicas[replica].Exec(ctx, append([]string{"/uncial"}, args...), tcexec.Multiplexed())
	if err != nil {
		tb.Fatalf("uncial %s: %v", strings.Join(args, " "), err)
	}
	text, err := io.ReadAll(out)
	if err != nil || status != 0 {
		tb.Fatalf("uncial %s: exit status %d, %v\n%s", strings.Join(args, " "), status, err, text)
	}
	return string(text)
}

// Key makes an account on the plan, by the operator's own commands, and a key for it.
func (s *System) Key(tb testing.TB, plan string) (accountID, token string) {
	tb.Helper()
	var account struct {
		ID string `json:"id"`
	}
	mustDecode(tb, s.Run(tb, 0, "account", "create", "--name", "test", "--plan", plan, "--json"), &account)
	var key struct {
		Secret string `json:"secret"`
	}
	mustDecode(tb, s.Run(tb, 0, "key", "create", "--account", account.ID, "--json"), &key)
	return account.ID, key.Secret
}

func mustDecode(tb testing.TB, text string, v any) {
	tb.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		tb.Fatalf("%v: %s", err, text)
	}
}

// Kill ends a container as a crash would, with SIGKILL.
func Kill(tb testing.TB, c tc.Container) {
	tb.Helper()
	signal(tb, c, "SIGKILL")
}

// Restart ends a container as a crash would and starts it again.
func Restart(tb testing.TB, c tc.Container) {
	tb.Helper()
	signal(tb, c, "SIGKILL")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		tb.Fatalf("start again: %v", err)
	}
}

func signal(tb testing.TB, c tc.Container, name string) {
	tb.Helper()
	cmd := exec.Command("docker", "kill", "--signal", name, c.GetContainerID()) //nolint:gosec // a container of ours
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v: %s", name, err, out)
	}
}

//go:embed balancer
var balancerFiles embed.FS

// balancerRequest is a load balancer in front of the replicas api1, api2, ...
func balancerRequest(replicas int) (req tc.ContainerRequest, done func(), err error) {
	dir, done, err := unpack(balancerFiles, "balancer")
	return tc.ContainerRequest{
		FromDockerfile: tc.FromDockerfile{Context: dir, Repo: "uncial-balancer", Tag: tag, KeepImage: true},
		Cmd:            []string{strconv.Itoa(replicas)},
		ExposedPorts:   []string{"8080/tcp"},
		WaitingFor:     wait.ForHTTP("/readyz").WithPort("8080/tcp").WithStartupTimeout(time.Minute),
	}, done, err
}

// RevokeKeys revokes every key of the account.
func (s *System) RevokeKeys(tb testing.TB, accountID string) {
	tb.Helper()
	var keys []struct {
		ID string `json:"id"`
	}
	mustDecode(tb, s.Run(tb, 0, "key", "list", "--account", accountID, "--json"), &keys)
	for _, k := range keys {
		s.Run(tb, 0, "key", "revoke", k.ID)
	}
}
