package source_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/client/source/sourcetest"
)

func TestReader_Expand_Unsupported(t *testing.T) {
	t.Parallel()
	const accepted = "give a file, a folder, or an http:, https: or data: URL"
	for argument, want := range map[string]string{
		"ftp://images.example.org/1.jpg": "the scheme ftp: is not supported; " + accepted, "file:///scans/1.jpg": "the scheme file: is not supported; " + accepted,
		"": "the argument is empty; give a file, a folder, an http:, https: or data: URL, or -",
	} {
		set := mustExpand(t, mustReader(t), argument)
		require.Empty(t, set.Pages)
		require.EqualError(t, set.Failures[0].Err, want)
		require.NotEmpty(t, set.Failures[0].Source)
	}
	set := mustExpand(t, mustReader(t), "scans/http://1.jpg", sourcetest.Write(t, t.TempDir(), "a:/1.jpg", []byte("\xff\xd8\xff")))
	require.Empty(t, set.Failures, "names of files")
}
