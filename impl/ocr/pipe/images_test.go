package pipe_test

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/pipe"
	"uncial/internal/document"
	"uncial/internal/fair"
)

func TestConn_ReceiveAnswer_Memory(t *testing.T) {
	t.Parallel()
	shown := doc()
	shown.Pages[0].Preview = preview(t, document.MaxPreviewSide)
	asked := pipe.Request{ID: 1, Language: shown.Language, Preview: true}
	send := func(tb testing.TB, b *bytes.Buffer) {
		tb.Helper()
		require.NoError(tb, pipe.New(nil, b).SendAnswer(pipe.Answer{ID: 1, Document: shown}))
	}
	t.Run("counts images", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		send(t, &b)
		places := fair.NewPlaces(1<<20, 0)
		reservation := places.Reserve(fair.Account{Label: "a"})
		a, err := pipe.New(&b, nil).ReceiveAnswer(asked, reservation)
		require.NoError(t, err)
		require.EqualValues(t, pipe.ImageBytes(a.Document), places.Used())
		reservation.Close()
		require.Zero(t, places.Used())
	})
	t.Run("carries pictures and their orientation", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		pictured := doc()
		pictured.Pages[0].Picture, pictured.Pages[0].Orientation = preview(t, 20), 6
		require.NoError(t, pipe.New(nil, &b).SendAnswer(pipe.Answer{ID: 1, Document: pictured}))
		a, err := pipe.New(&b, nil).ReceiveAnswer(pipe.Request{ID: 1, Language: pictured.Language, Enhance: true, Picture: true}, nil)
		require.NoError(t, err)
		require.Equal(t, pictured, a.Document)
	})
	t.Run("skips images for which there is no memory", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		send(t, &b)
		send(t, &b)
		places := fair.NewPlaces(int64(len(shown.Pages[0].Preview)-1), 0)
		c := pipe.New(&b, nil)
		_, err := c.ReceiveAnswer(asked, places.Reserve(fair.Account{Label: "a"}))
		require.ErrorIs(t, err, fair.ErrFull)
		require.Zero(t, places.Used())
		_, err = c.ReceiveAnswer(asked, nil)
		require.NoError(t, err, "the pipe is in step")
	})
	t.Run("counts the bytes that have arrived instead of those announced", func(t *testing.T) {
		t.Parallel()
		places := fair.NewPlaces(1<<20, 0)
		cut := append(frame(`{"id":1,"images":[41943040],"document":{}}`, ""), 0)
		copy(cut[len(cut)-5:], []byte{2, 128, 0, 0}) // announces 40 MiB
		_, err := pipe.New(bytes.NewReader(cut), nil).ReceiveAnswer(asked, places.Reserve(fair.Account{Label: "a"}))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.LessOrEqual(t, places.Used(), int64(64<<10))
	})
}

// maxDecoding is the maximum memory, in bytes, that the service may allocate for the worst possible answer, not counting
// images.
const maxDecoding = 320 << 20

func TestConn_ReceiveAnswer_BoundsMemory(t *testing.T) {
	word, err := json.Marshal(page().Blocks[0].Lines[0].Words[0])
	require.NoError(t, err)
	const maxWords = 490_000 // a few elements fewer than allowed, because not all elements are words
	for name, words := range map[string]string{
		"with as many words as it may have":       strings.TrimSuffix(strings.Repeat("{},", maxWords), ","),
		"with words of the usual length":          strings.TrimSuffix(strings.Repeat(string(word)+",", (16<<20)/(len(word)+1)-10), ","),
		"with one word of the whole length":       `{"text":"` + strings.Repeat("x", 16<<20-1000) + `"}`,
		"with escapes, which are shorter decoded": `{"text":"` + strings.Repeat(`\u00e4`, (16<<20-1000)/6) + `"}`,
	} {
		raw := frame(`{"id":1,"document":{"language":"en","pages":[{"width":1,"height":1,"blocks":[{"lines":[{"words":[`+words+`]}]}]}]}}`, "")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := reader(raw).ReceiveAnswer(pipe.Request{ID: 1, Language: "en"}, nil)
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, "pipe: page 0", "%s: it must be decoded before it is refused", name)
		t.Logf("an answer of %d KiB %s: %d MiB", len(raw)>>10, name, (after.TotalAlloc-before.TotalAlloc)>>20)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxDecoding), name)
	}
}
