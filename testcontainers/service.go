package testcontainers

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// ServiceOptions describe the parts of a System.
type ServiceOptions struct {
	Replicas int    // of the API, behind a load balancer if more than one. Default: 1
	Engines  int    // Default: 1
	Plans    string // path of a plan catalogue on this machine. Default: that of the service
	// Images serves what the API may fetch from this machine, which must run the container engine. Default: nothing
	Images http.Handler
}

// System is the whole service in containers: API replicas, engines and Postgres, in networks like those of the compose
// file. The API shares one network with the engines and another with Postgres; neither network leads anywhere else.
type System struct {
	// URL is the base URL of the API, without a path; of the load balancer if there are several replicas.
	URL string
	// Images is the base URL of ServiceOptions.Images, as the API sees it.
	Images   string
	Replicas []tc.Container
	Engines  []tc.Container
	Postgres tc.Container
}

// The secret and the database of every System. Nothing outside reaches its Postgres, so it needs no TLS; see PostgresTLS for
// that.
const (
	systemSecret = "a test secret that is long enough"
	systemDB     = "postgres://uncial@postgres:5432/postgres?sslmode=disable"
)

// hardened applies the restrictions of impl/deploy/compose.yaml: nothing writable, no capabilities, no new privileges. A
// service that needs more therefore fails in tests first.
func hardened(h *container.HostConfig) {
	h.ReadonlyRootfs = true
	h.CapDrop = []string{"ALL"}
	h.SecurityOpt = []string{"no-new-privileges"}
}

// networks holds the names of the networks of a System.
type networks struct{ outside, engines, database string }

// Service starts the whole service from its production images. It is removed when the test ends.
func Service(tb testing.TB, o ServiceOptions) *System {
	tb.Helper()
	b := mustImages(tb)
	o.Replicas, o.Engines = max(1, o.Replicas), max(1, o.Engines)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	// The engines and the database are in networks without a way out, like those of production.
	n := networks{
		outside: mustNetwork(ctx, tb), engines: mustNetwork(ctx, tb, isolated...), database: mustNetwork(ctx, tb, isolated...),
	}
	s := &System{}
	api := apiRequest(b, o.Plans)
	// The address guard refuses private addresses, so this machine must be allowed explicitly.
	if o.Images != nil {
		host := mustGateway(ctx, tb, n.outside)
		s.Images = mustServe(tb, host, o.Images)
		api.Env["UNCIAL_FETCH_ALLOW"] = host + "/32"
	}
	// Postgres and the engines start first: a replica becomes ready only with both.
	s.Postgres = mustJoin(ctx, tb, "postgres", mustRequest(tb, postgresRequest), n.database)
	for range o.Engines {
		s.Engines = append(s.Engines, mustJoin(ctx, tb, "engine", engineRequest(b), n.engines))
	}
	for i := range o.Replicas {
		s.Replicas = append(s.Replicas, mustJoin(ctx, tb, fmt.Sprintf("api%d", i+1), api, n.outside, n.engines, n.database))
	}
	entry := s.Replicas[0]
	if o.Replicas > 1 {
		request := mustRequest(tb, func() (tc.ContainerRequest, error) { return balancerRequest(o.Replicas) })
		entry = mustJoin(ctx, tb, "balancer", request, n.outside)
	}
	s.URL = "http://" + mustEndpoint(tb, entry, "8080/tcp")
	return s
}

// mustRequest returns what request describes. It fails the test if an embedded folder cannot be read.
func mustRequest(tb testing.TB, request func() (tc.ContainerRequest, error)) tc.ContainerRequest {
	tb.Helper()
	req, err := request()
	if err != nil {
		tb.Fatal(err)
	}
	return req
}

// mustJoin starts a container that has the same host name in all the networks.
func mustJoin(ctx context.Context, tb testing.TB, name string, req tc.ContainerRequest, networks ...string) tc.Container {
	tb.Helper()
	req.Networks, req.NetworkAliases = networks, map[string][]string{}
	for _, n := range networks {
		req.NetworkAliases[n] = []string{name}
	}
	c, err := start(ctx, req)
	removeAfterTest(tb, c)
	if err != nil {
		tb.Fatalf("start %s: %v", name, err)
	}
	return c
}

// isolated holds the options of networks whose members reach each other and nothing else, as in the compose file.
var isolated = []string{"--internal", "--opt", "com.docker.network.bridge.inhibit_ipv4=true"}

// mustNetwork creates a network that is removed when the test ends, and returns its name.
func mustNetwork(ctx context.Context, tb testing.TB, options ...string) (name string) {
	tb.Helper()
	if _, err := watchdog(); err != nil {
		tb.Fatal(err)
	}
	name = "uncial-test-" + strings.ToLower(rand.Text())
	mustDocker(ctx, tb, append([]string{"network", "create", "--label", label + "=" + run}, append(options, name)...)...)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_, _ = docker(ctx, "network", "rm", name) // if it fails, the watchdog removes the network later
	})
	return name
}

// mustGateway returns this machine's address in the network, at which containers reach servers of the test.
func mustGateway(ctx context.Context, tb testing.TB, network string) string {
	tb.Helper()
	return mustDocker(ctx, tb, "network", "inspect", "--format", "{{(index .IPAM.Config 0).Gateway}}", network)
}

// mustServe serves on an address of this machine until the test ends, and returns the URL.
func mustServe(tb testing.TB, host string, h http.Handler) (url string) {
	tb.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		tb.Fatalf("listen for containers: %v", err)
	}
	server := &httptest.Server{Listener: ln, Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
	server.Start()
	tb.Cleanup(server.Close)
	return server.URL
}

// apiRequest describes a replica of the API, hardened as in production.
func apiRequest(b built, plans string) tc.ContainerRequest {
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
		Image: b.api, Env: env, ExposedPorts: []string{"8080/tcp"}, HostConfigModifier: host,
		WaitingFor: wait.ForHTTP("/readyz").WithPort("8080/tcp").WithStartupTimeout(time.Minute),
	}
}

// Run runs the command uncial inside a replica, with the database and the secret of the service, and returns its standard
// output.
func (s *System) Run(tb testing.TB, replica int, args ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	status, output, err := s.Replicas[replica].Exec(ctx, append([]string{"/uncial"}, args...))
	if err != nil {
		tb.Fatalf("uncial %s: %v", strings.Join(args, " "), err)
	}
	var stdout, stderr bytes.Buffer
	if _, err := stdcopy.StdCopy(&stdout, &stderr, output); err != nil || status != 0 {
		tb.Fatalf("uncial %s: exit status %d, %v\n%s%s", strings.Join(args, " "), status, err, &stdout, &stderr)
	}
	return stdout.String()
}

// CreateAccount creates an account on the plan, with the operator's command.
func (s *System) CreateAccount(tb testing.TB, plan string) (id string) {
	tb.Helper()
	var account struct {
		ID string `json:"id"`
	}
	mustDecode(tb, s.Run(tb, 0, "account", "create", "--name", "test", "--plan", plan, "--json"), &account)
	return account.ID
}

// CreateKey creates a key of the account. The flags are those of `uncial key create`.
func (s *System) CreateKey(tb testing.TB, accountID string, flags ...string) (id, token string) {
	tb.Helper()
	var key struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}
	mustDecode(tb, s.Run(tb, 0, append([]string{"key", "create", "--account", accountID, "--json"}, flags...)...), &key)
	return key.ID, key.Secret
}

// CreateAccountWithKey creates an account on the plan, and a key for it.
func (s *System) CreateAccountWithKey(tb testing.TB, plan string) (accountID, token string) {
	tb.Helper()
	accountID = s.CreateAccount(tb, plan)
	_, token = s.CreateKey(tb, accountID)
	return accountID, token
}

// mustDecode decodes what a command printed with --json.
func mustDecode(tb testing.TB, text string, v any) {
	tb.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		tb.Fatalf("%v: %s", err, text)
	}
}

// Kill ends a container with SIGKILL, like a crash. Kill, Restart and Unplug may be called from any goroutine: unlike most
// helpers here they return an error instead of ending the test.
func Kill(ctx context.Context, c tc.Container) error {
	_, err := docker(ctx, "kill", c.GetContainerID())
	return err
}

// Restart kills a container and starts it again.
func Restart(ctx context.Context, c tc.Container) error {
	if err := Kill(ctx, c); err != nil {
		return err
	}
	return c.Start(ctx)
}

// Unplug disconnects a container from its networks, like a pulled cable: no connection is closed, so that its peers notice
// only by their own timeouts. Nothing here reconnects it.
func Unplug(ctx context.Context, c tc.Container) error {
	names, err := docker(ctx, "inspect", "--format", "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}", c.GetContainerID())
	if err != nil {
		return err
	}
	// "docker network disconnect" removes the interface; the processes inside are not told.
	for n := range strings.FieldsSeq(names) {
		if _, err := docker(ctx, "network", "disconnect", "--force", n, c.GetContainerID()); err != nil {
			return err
		}
	}
	return nil
}

//go:embed balancer
var balancerFiles embed.FS

// balancerRequest describes a load balancer in front of the replicas api1, api2, ...
func balancerRequest(replicas int) (tc.ContainerRequest, error) {
	image, err := dockerfile(balancerFiles, "balancer")
	return tc.ContainerRequest{
		FromDockerfile: image,
		Cmd:            []string{strconv.Itoa(replicas)},
		ExposedPorts:   []string{"8080/tcp"},
		WaitingFor:     wait.ForHTTP("/readyz").WithPort("8080/tcp").WithStartupTimeout(time.Minute),
	}, err
}
