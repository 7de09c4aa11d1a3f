// Package testcontainers runs Postgres, the Tesseract engine and the whole service in containers, for tests. Start with
// Postgres, Engine, Service and, to inject network faults, Proxy. The tests themselves are elsewhere, most of them in
// contracttests/containers.
//
// Every container has the label uncial.test and is removed when its test ends; a watchdog process removes what a killed
// test left behind (start.go). Images are built from this repository's own Dockerfiles (image.go). Containers need a
// Docker engine and a base image, which setup.sh provides.
package testcontainers

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	tc "github.com/testcontainers/testcontainers-go"
)

// requireEnv, set to 1, makes tests fail instead of being skipped if there is no container engine.
const requireEnv = "UNCIAL_REQUIRE_CONTAINERS"

// engineState is nil if a container engine answers. It also sets up the environment for the testcontainers library.
var engineState = sync.OnceValue(func() error {
	settings := map[string]string{
		// The image of the library's reaper may be unavailable; our watchdog replaces it.
		"TESTCONTAINERS_RYUK_DISABLED": "true",
	}
	if isEngineLocal() {
		// "localhost" may resolve to ::1, where a published port accepts connections but does not forward them.
		settings["TESTCONTAINERS_HOST_OVERRIDE"] = "127.0.0.1"
	}
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	// If DOCKER_HOST does not answer, the library would use another engine, but the docker command would not. Use neither.
	if _, err := docker(ctx, "version", "--format", "{{.Server.Version}}"); err != nil {
		return err
	}
	provider, err := tc.NewDockerProvider()
	if err != nil {
		return err
	}
	defer func() { _ = provider.Close() }()
	return provider.Health(ctx)
})

// requireEngine ends the test if no container engine answers. The test fails if UNCIAL_REQUIRE_CONTAINERS is 1, as in
// `make test`; otherwise it is skipped, with the reason.
func requireEngine(tb testing.TB) {
	tb.Helper()
	err := engineState()
	switch {
	case err == nil:
	case os.Getenv(requireEnv) == "1":
		tb.Fatalf("no container engine answers; run `make containers`: %v", err)
	default:
		tb.Skipf("no container engine answers; run `make containers`: %v", err)
	}
}
