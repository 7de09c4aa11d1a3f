package neural_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural"
)

// sketch is a small network whose weights are always the same.
type sketch struct {
	meta    map[string]string
	tensors map[string][]float32
	shapes  map[string][]int
	order   []string
}

const hidden = 64 // two panels of gates

var alphabet = []string{" ", "a", "b", "c", "é"}

func newSketch() *sketch {
	letters, _ := json.Marshal(alphabet)
	s := &sketch{
		meta:    map[string]string{"format": neural.Format, "height": "48", "version": "test", "licence": "CC0-1.0", "alphabet": string(letters)},
		tensors: map[string][]float32{}, shapes: map[string][]int{},
	}
	random := rand.New(rand.NewPCG(1, 2))
	add := func(name string, spread float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(random.NormFloat64() * spread)
		}
		s.order, s.tensors[name], s.shapes[name] = append(s.order, name), values, shape
	}
	in := 1
	for i, out := range []int{3, 5, 9, 10, 11} { // odd numbers leave half of the last pair empty
		side := 3
		if i == 0 {
			side = 5
		}
		name := "c" + string(rune('1'+i))
		add(name+".weight", 1/math.Sqrt(float64(in*side*side)), out, in, side, side)
		add(name+".bias", 0.1, out)
		in = out
	}
	for _, layer := range []string{"rnn.0", "rnn.1"} {
		for _, d := range []string{".f.", ".b."} {
			add(layer+d+"wi", 0.3, 4*hidden, in)
			add(layer+d+"wh", 0.14, 4*hidden, hidden)
			add(layer+d+"bias", 0.1, 4*hidden)
		}
		in = 2 * hidden
	}
	add("out.weight", 0.6, len(alphabet)+1, in)
	add("out.bias", 0.1, len(alphabet)+1)
	return s
}

// file returns the sketch as a file with 32-bit weights.
func (s *sketch) file() []byte {
	var data bytes.Buffer
	header := map[string]any{}
	for _, name := range s.order {
		from := data.Len()
		_ = binary.Write(&data, binary.LittleEndian, s.tensors[name])
		header[name] = map[string]any{"dtype": "F32", "shape": s.shapes[name], "data_offsets": []int{from, data.Len()}}
	}
	sum := sha256.Sum256(data.Bytes())
	if _, ok := s.meta["sha256"]; !ok {
		s.meta["sha256"] = hex.EncodeToString(sum[:])
	}
	header["__metadata__"] = s.meta
	text, _ := json.Marshal(header)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), data.Bytes()...)
}

func mustLoad(tb testing.TB, data []byte) *neural.Model {
	tb.Helper()
	m, err := neural.Load(data)
	require.NoError(tb, err)
	return m
}

func TestLoad_ReadsTheDescription(t *testing.T) {
	t.Parallel()
	info := mustLoad(t, newSketch().file()).Info()
	require.Equal(t, "test", info.Version)
	require.Equal(t, alphabet, info.Alphabet)
	require.Len(t, info.Digest, 64)
}

func TestLoad_RefusesDamagedFiles(t *testing.T) {
	t.Parallel()
	shape := func(name string, shape ...int) func(*sketch) {
		return func(s *sketch) { s.shapes[name] = shape }
	}
	gates := func(rows int) func(*sketch) {
		return func(s *sketch) {
			s.tensors["rnn.0.f.wi"], s.shapes["rnn.0.f.wi"] = make([]float32, rows*11), []int{rows, 11}
		}
	}
	for name, c := range map[string]struct {
		change func(s *sketch)
		reason string
	}{
		"another version of the format":       {func(s *sketch) { s.meta["format"] = "uncial-lines-2" }, `"uncial-lines-2"; this program reads "uncial-lines-1"`},
		"lines of another height":             {func(s *sketch) { s.meta["height"] = "64" }, `"64" pixels`},
		"a digest of other weights":           {func(s *sketch) { s.meta["sha256"] = strings.Repeat("0", 64) }, "damaged"},
		"an alphabet that is not a list":      {func(s *sketch) { s.meta["alphabet"] = "abc" }, "alphabet"},
		"no alphabet":                         {func(s *sketch) { s.meta["alphabet"] = "[]" }, "0 characters"},
		"a character that occurs twice":       {func(s *sketch) { s.meta["alphabet"] = `["a", "b", "a"]` }, `"a" twice`},
		"an entry of two characters":          {func(s *sketch) { s.meta["alphabet"] = `["ab"]` }, `"ab"`},
		"a weight that is not a number":       {func(s *sketch) { s.tensors["c2.bias"][0] = float32(math.NaN()) }, "c2.bias"},
		"an infinite weight":                  {func(s *sketch) { s.tensors["out.bias"][0] = float32(math.Inf(1)) }, "out.bias"},
		"a missing tensor":                    {func(s *sketch) { s.order = s.order[1:] }, "c1.weight"},
		"a shape that does not fit its bytes": {shape("c3.bias", 8), "c3.bias"},
		"a shape of other dimensions":         {shape("c3.bias", 9, 1), "c3.bias"},
		"a negative dimension":                {shape("c3.bias", -9), "c3.bias"},
		"a dimension beyond all bounds":       {shape("c1.weight", 1<<40, 1, 5, 5), "c1.weight"},
		"layers that do not fit each other":   {shape("rnn.0.f.wi", 4*hidden*11, 1), "rnn.0.f.wi"},
		"an LSTM of an odd size":              {gates(4 * 33), "rnn.0.f.wi has 132 rows, which is not four times a multiple of 32"},
		"an LSTM without whole gates":         {gates(4*hidden + 2), "rnn.0.f.wi has 258 rows, which is not four times a multiple of 32"},
		"more classes than characters":        {shape("out.bias", 7), "out.bias"},
		"a version that goes on and on":       {func(s *sketch) { s.meta["version"] = strings.Repeat("1.", 600) }, "1200 bytes"},
		"a layer of a newer network": {func(s *sketch) {
			s.order = append(s.order, "rnn.9.f.wi")
			s.tensors["rnn.9.f.wi"], s.shapes["rnn.9.f.wi"] = make([]float32, 4), []int{4}
		}, `"rnn.9.f.wi" is unknown`},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			s := newSketch()
			c.change(s)
			_, err := neural.Load(s.file())
			require.ErrorIs(t, err, neural.ErrModel)
			require.ErrorContains(t, err, c.reason)
		})
	}
	for name, data := range map[string][]byte{
		"nothing":                     nil,
		"a header that never ends":    append(binary.LittleEndian.AppendUint64(nil, 1<<62), "{}"...),
		"a header that is not JSON":   append(binary.LittleEndian.AppendUint64(nil, 4), "{{{{"...),
		"a header without metadata":   append(binary.LittleEndian.AppendUint64(nil, 2), "{}"...),
		"a file that was cut short":   newSketch().file()[:5000],
		"a picture of something else": []byte("\x89PNG\r\n\x1a\n0000000000000000000000000000"),
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := neural.Load(data)
			require.ErrorIs(t, err, neural.ErrModel)
		})
	}
}

func TestOpen_NamesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hands.uhm")
	require.NoError(t, os.WriteFile(path, newSketch().file(), 0o600))
	m, err := neural.Open(path)
	require.NoError(t, err)
	require.Equal(t, alphabet, m.Info().Alphabet)
	for name, content := range map[string]string{"an empty file": "", "a text": "this is a text and not a model"} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := neural.Open(path)
		require.ErrorIs(t, err, neural.ErrModel, name)
		require.ErrorContains(t, err, path, name)
	}
	_, err = neural.Open(filepath.Join(t.TempDir(), "absent.uhm"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzLoad(f *testing.F) {
	f.Add(newSketch().file())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := neural.Load(data)
		if (m == nil) == (err == nil) {
			t.Fatal("a model and an error, or neither")
		}
	})
}
