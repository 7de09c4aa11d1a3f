package cluster_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// suiteLimit is the time limit of the suite, two minutes of which are waits for rate limits to reset.
const suiteLimit = 20 * time.Minute

// passesSuite runs uncial-contract on the Service, with keys that the operator's commands made, as contracttests/README.md
// says.
func (in *installation) passesSuite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.json")
	data, err := json.Marshal(map[string]any{"keys": in.suiteKeys(t), "images": suiteImages, "enhances": true, "plans": map[string]any{
		"archive": map[string]int{"points": 1_000_000, "limit": 600}, "free": map[string]int{"points": 300, "limit": 10},
		"twelve": map[string]int{"points": 12, "limit": 600}, "ten": map[string]int{"points": 10, "limit": 600},
		"one": map[string]int{"points": 1, "limit": 600},
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), suiteLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "../../bin/uncial-contract", "--base-url", in.url+"/api/v1", "--keys", file,
		"--timeout", suiteLimit.String()).CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
}

// suiteKeys makes a key for each scenario that a deployment can offer.
func (in *installation) suiteKeys(t *testing.T) map[string]any {
	t.Helper()
	newKey := func(plan string, flags ...string) string {
		_, secret := in.key(t, in.account(t, plan), flags...)
		return secret
	}
	ok, revoking := in.account(t, "archive"), in.account(t, "free")
	_, first := in.key(t, ok)
	_, sibling := in.key(t, ok)
	var capped, uncapped []string
	for range 4 {
		owner := in.account(t, "archive")
		_, cap12 := in.key(t, owner, "--points", "12")
		_, free := in.key(t, owner)
		capped, uncapped = append(capped, cap12), append(uncapped, free)
	}
	id, revoked := in.key(t, revoking)
	in.uncial(t, nil, "key", "revoke", id)
	keys := map[string]any{
		"ok": first, "sibling": sibling, "spare": []string{newKey("archive"), newKey("archive"), newKey("archive")},
		"low": []string{newKey("twelve"), newKey("twelve"), newKey("twelve")}, "exact": newKey("ten"), "empty": newKey("one"),
		"capped": capped, "uncapped": uncapped, "expired": newKey("free", "--expires", "1s"), "revoked": revoked,
		"ratelimited": []string{newKey("free"), newKey("free")},
	}
	time.Sleep(time.Second) // until the expired key has expired
	return keys
}

// audit fails if the entries of the ledger contradict each other.
func (in *installation) audit(t *testing.T) {
	t.Helper()
	out := in.mustKubectl(t, "--namespace", namespace, "exec", "deploy/uncial-api", "--", "/uncial", "audit")
	t.Log(strings.TrimSpace(out))
}
