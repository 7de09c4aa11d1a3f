package app_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
)

func TestModels_NamesTheFlag(t *testing.T) {
	t.Parallel()
	worker := apptest.Binary(t, "./impl/cmd/uncial-worker")
	folder := func(file string) []string {
		dir := t.TempDir()
		if file != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("no model"), 0o600))
		}
		return []string{dir}
	}
	empty, printed, written := folder(""), folder("deu.traineddata"), folder("ours.uhm")
	for name, c := range map[string]struct {
		o    app.EngineOptions
		want string
	}{
		"an empty folder":             {app.EngineOptions{Worker: worker, Models: empty}, "--models: " + empty[0] + " has no *.traineddata and no *.uhm"},
		"a damaged model of print":    {app.EngineOptions{Worker: worker, Models: printed}, "--models: " + printed[0] + "/deu.traineddata: not a little-endian traineddata file"},
		"a damaged handwriting model": {app.EngineOptions{Worker: worker, Models: written}, "--models: "},
		"a program that ends":         {app.EngineOptions{Worker: "/bin/true"}, "--worker: /bin/true is not uncial-worker: it ended with exit status 0"},
		"a program that fails":        {app.EngineOptions{Worker: "/bin/false"}, "--worker: /bin/false ended with exit status 1"},
		"a program that prints":       {app.EngineOptions{Worker: "/bin/pwd"}, "--worker: /bin/pwd is not uncial-worker: "},
		"a file that is no program":   {app.EngineOptions{Worker: "/etc/passwd"}, "--worker: /etc/passwd is not an executable program"},
	} {
		t.Run("names it for "+name, func(t *testing.T) {
			t.Parallel()
			_, err := app.Models(t.Context(), c.o, slog.New(slog.DiscardHandler))
			require.Error(t, err)
			require.True(t, strings.HasPrefix(err.Error(), c.want), "%v", err)
			if c.o.Models != nil {
				require.Contains(t, err.Error(), c.o.Models[0])
			}
		})
	}
	t.Run("refuses an empty folder before anything is opened", func(t *testing.T) {
		t.Parallel()
		_, err := app.New(app.Options{Engine: app.EngineOptions{Worker: worker, Models: empty}, Logger: slog.New(slog.DiscardHandler)})
		require.ErrorContains(t, err, "--models: "+empty[0])
		err = app.RunEngine(t.Context(), "127.0.0.1:0", "", app.EngineOptions{Worker: worker, Models: empty}, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "--models: "+empty[0])
	})
}
