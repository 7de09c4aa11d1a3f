package training_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural/training"
)

// mustPython makes a shell script serve as Python.
func mustPython(tb testing.TB, script string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "python")
	require.NoError(tb, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	training.SetPython(tb, path)
}

func TestCheck(t *testing.T) { //nolint:paralleltest // replaces Python
	t.Run("asks for PyTorch if a module is missing", func(t *testing.T) {
		mustPython(t, `echo "ModuleNotFoundError: No module named 'torch'" >&2; exit 1`)
		require.ErrorIs(t, training.Check(t.Context()), training.ErrNoTorch)
	})
	t.Run("asks for PyTorch if Python is missing", func(t *testing.T) {
		training.SetPython(t, "/absent/python3")
		require.ErrorIs(t, training.Check(t.Context()), training.ErrNoTorch)
	})
	t.Run("says why PyTorch cannot be loaded", func(t *testing.T) {
		mustPython(t, `echo "ImportError: libopenblas.so.0: cannot open shared object file" >&2; exit 1`)
		err := training.Check(t.Context())
		require.NotErrorIs(t, err, training.ErrNoTorch)
		require.ErrorContains(t, err, "PyTorch cannot be loaded: exit status 1: ImportError: libopenblas.so.0")
	})
	t.Run("does not blame PyTorch for an interrupt", func(t *testing.T) {
		mustPython(t, "exec sleep 60")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		require.ErrorIs(t, training.Check(ctx), context.Canceled)
	})
}

func TestRun_Ends(t *testing.T) { //nolint:paralleltest // replaces Python
	options := training.Options{Minutes: 0.001, Passes: 1, Threads: 1}
	report := func(training.Event) {}
	t.Run("stops a training that hangs", func(t *testing.T) {
		mustPython(t, "exec sleep 60")
		training.SetOverrun(t, 100*time.Millisecond)
		require.ErrorIs(t, training.Run(t.Context(), options, report), training.ErrOverrun)
	})
	t.Run("does not blame an interrupted training that had nothing to save", func(t *testing.T) {
		mustPython(t, "exec sleep 60")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		require.ErrorIs(t, training.Run(ctx, options, report), context.Canceled)
	})
}

func TestModelFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ program, want string }{
		"a text": {`
open(path, 'w').write('This is a text.')
modelfile.read(path)`, "is not a model file"},
		"a short file": {`
open(path, 'w').write('short')
modelfile.read(path)`, "is not a model file"},
		"a header without entries": {`
open(path, 'wb').write((2).to_bytes(8, 'little') + b'{}')
modelfile.read(path)`, "is not a model file"},
		"weights that are not numbers": {`
net = network.Network(3)
net.out.bias.data[1] = float('nan')
modelfile.write(path, net, ['a', 'b'], {})`, "the training failed: the weights out.bias are not numbers, or too large"},
		"weights that are too large": {`
net = network.Network(3)
net.out.bias.data[1] = 2e4
modelfile.write(path, net, ['a', 'b'], {})`, "the training failed: the weights out.bias are not numbers, or too large"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "model.uhm")
			out, err := exec.Command("/usr/bin/python3", "-c", "import sys\nimport modelfile, network\npath = sys.argv[1]"+c.program, path).CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), "ValueError")
			require.Contains(t, string(out), c.want)
		})
	}
}
