// Package testcontainers runs Postgres, the Tesseract engine and the whole service in containers, for tests.
//
// Every container carries the label uncial.test and is removed when the test that asked for it ends; a watchdog
// process removes what a killed test left. Images are built from this repository's own Dockerfiles.
package testcontainers

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	tc "github.com/testcontainers/testcontainers-go"
)

// requireEnv, set to 1, turns a missing container engine from a visible skip into a failure.
const requireEnv = "UNCIAL_REQUIRE_CONTAINERS"

var engineState = sync.OnceValue(func() error {
	settings := map[string]string{
		// The reaper is an image that may not be had; the watchdog does its work.
		"TESTCONTAINERS_RYUK_DISABLED": "true",
	}
	if engineIsHere() {
		// "localhost" may mean ::1, where a published port accepts and then leads nowhere.
		settings["TESTCONTAINERS_HOST_OVERRIDE"] = "127.0.0.1"
	}
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	// The library would pass over a DOCKER_HOST that does not answer and take another engine, and Docker's own command not.
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

// Require ends the test where no container engine answers: it fails where UNCIAL_REQUIRE_CONTAINERS is 1, as in
// `make test`, and is skipped, visibly, elsewhere.
func Require(tb testing.TB) {
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
