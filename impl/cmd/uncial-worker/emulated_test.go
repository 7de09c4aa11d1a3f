//go:build emulated

package main_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/sample"
	"uncial/internal/text"
)

// emulatedEnv is the path of a program that runs the worker of another processor; `make test-arm64` sets it.
const emulatedEnv = "UNCIAL_EMULATED_WORKER"

// TestWorker_ReadsTheSameOnOtherProcessors compares pages with those of the worker of this machine: floating-point sums in a
// different order may change a doubtful character, but no more.
func TestWorker_ReadsTheSameOnOtherProcessors(t *testing.T) {
	program := os.Getenv(emulatedEnv)
	require.NotEmpty(t, program, "%s: required", emulatedEnv)
	const limit = 20 * time.Minute
	here := mustStart(t, limit)
	emulated := exec.Command(program)
	emulated.Env = os.Environ()
	there := mustStartCommand(t, emulated, limit)
	for _, c := range []*child{here, there} {
		_, err := c.conn.ReceiveHello()
		require.NoError(t, err)
	}
	id := uint64(0)
	compare := func(name, language string, image []byte) {
		id++
		request := pipe.Request{ID: id, Language: language, Deadline: limit.Milliseconds()}
		want := here.mustRead(t, request, image)
		began := time.Now()
		got := there.mustRead(t, request, image)
		require.Nil(t, got.Error, name)
		a, b := []rune(want.Document.Text()), []rune(got.Document.Text())
		differ := text.Distance(a, b)
		t.Logf("%s: %d of %d characters differ; confidence %.4f and %.4f; %.0f s", name, differ, len(a), want.Document.Confidence, got.Document.Confidence, time.Since(began).Seconds())
		require.NotEmpty(t, a, name)
		require.LessOrEqual(t, differ, len(a)/500, "at most 0.2 %% of the characters differ:\n%s\n\n%s", string(a), string(b)) // as between the kernels of one processor
	}
	compare("the sample page", "en", sample.Image)
	folder := ocrtest.MustPages(t)
	for _, page := range folder.Pages {
		image, _, err := folder.Load(page)
		require.NoError(t, err)
		compare(page.ID, page.Language, image)
	}
}
