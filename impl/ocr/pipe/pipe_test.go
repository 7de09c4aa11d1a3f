package pipe_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/timing"
	"uncial/internal/document"
	"uncial/internal/document/documenttest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func frame(header, payload string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(header)))
	b = append(b, header...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	return append(b, payload...)
}

func reader(b []byte) *pipe.Conn { return pipe.New(bytes.NewReader(b), io.Discard) }

func hello() pipe.Hello {
	return pipe.Hello{Version: "engine 1", Protocol: pipe.Protocol, Languages: []string{"de", "en"}, Models: []string{"deu", "eng"}}
}

func page() document.Page {
	box := document.Box{X: 1, Y: 2, W: 30, H: 10}
	return document.Page{Width: 100, Height: 50, Blocks: []document.Block{{Box: box, Lines: []document.Line{{
		Box:      box,
		Baseline: []document.Point{{X: 1, Y: 11}, {X: 30, Y: 11}},
		Words:    []document.Word{{Box: box, Text: "Waſſer", Confidence: 0.5, Model: "frk"}},
	}}}}}
}

func doc() *document.Document {
	return &document.Document{Pages: []document.Page{page()}, Language: "de-Latf", Confidence: 0.5}
}

func preview(tb testing.TB, width int) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, 2)), nil))
	return b.Bytes()
}

func TestConn(t *testing.T) {
	t.Parallel()
	var toParent, toChild bytes.Buffer
	parent, child := pipe.New(&toParent, &toChild), pipe.New(&toChild, &toParent)

	require.NoError(t, child.SendHello(hello()))
	h, err := parent.ReceiveHello()
	require.NoError(t, err)
	require.Equal(t, hello(), h)

	want := pipe.Request{ID: 7, Language: "en", Enhance: true, Preview: true, Deadline: 60_000, Threads: 2}
	require.NoError(t, parent.SendRequest(want, []byte("image bytes")))
	got, image, err := child.ReceiveRequest()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, "image bytes", string(image))

	want = pipe.Request{ID: 8, Language: "en", Deadline: 60_000, Cut: &pipe.Cut{
		Width: 100, Height: 50, Lines: []pipe.Band{{Baseline: []float64{1, 20, 90, 21.5}, X0: 1, X1: 90, Up: 12, Down: 4}},
	}}
	require.NoError(t, parent.SendRequest(want, []byte("image bytes")))
	got, _, err = child.ReceiveRequest()
	require.NoError(t, err)
	require.Equal(t, want, got)
	strips := pipe.Answer{ID: 8, Strips: &pipe.Strips{Widths: []int{2, 0, 1}, Ink: bytes.Repeat([]byte{7}, 3*pipe.StripHeight)}}
	require.NoError(t, child.SendAnswer(strips))
	want.Cut.Lines = make([]pipe.Band, 3)
	answer, err := parent.ReceiveAnswer(want, nil)
	require.NoError(t, err)
	require.Equal(t, strips, answer)

	shown := doc()
	shown.Pages[0].Preview = preview(t, document.MaxPreviewSide)
	for _, a := range []pipe.Answer{
		{ID: 7, Document: doc()},
		{ID: 7, Document: shown},
		{ID: 8, Error: &pipe.Error{Kind: pipe.InvalidImage, Message: "not an image"}},
	} {
		require.NoError(t, child.SendAnswer(a))
		got, err := parent.ReceiveAnswer(pipe.Request{ID: a.ID, Language: doc().Language, Enhance: true, Preview: true}, nil)
		require.NoError(t, err)
		require.Equal(t, a, got)
	}
	_, err = parent.ReceiveAnswer(want, nil)
	require.Equal(t, io.EOF, err, "the pipe ends between two frames")
}

func TestConn_SendRequest(t *testing.T) {
	t.Parallel()
	t.Run("carries any request", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			want := pipe.Request{
				ID:       rapid.Uint64().Draw(t, "id"),
				Language: rapid.StringN(1, 40, 200).Draw(t, "language"),
				Enhance:  rapid.Bool().Draw(t, "enhance"),
				Deadline: rapid.Int64Min(1).Draw(t, "deadline"),
			}
			image := rapid.SliceOfN(rapid.Byte(), 1, 4096).Draw(t, "image")
			var b bytes.Buffer
			require.NoError(t, pipe.New(nil, &b).SendRequest(want, image))
			got, gotImage, err := pipe.New(iotest.OneByteReader(&b), nil).ReceiveRequest()
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, image, gotImage)
		})
	})
	t.Run("refuses an invalid request", func(t *testing.T) {
		t.Parallel()
		good := pipe.Request{ID: 1, Language: "en", Deadline: 1}
		late, mute := good, good
		late.Deadline, mute.Language = 0, ""
		c := pipe.New(nil, io.Discard)
		require.NoError(t, c.SendRequest(good, []byte("i")))
		require.Error(t, c.SendRequest(late, []byte("i")))
		require.Error(t, c.SendRequest(mute, []byte("i")))
		require.Error(t, c.SendRequest(good, nil))
		require.Error(t, c.SendRequest(good, make([]byte, ocr.MaxBytes+1)))
	})
}

func TestConn_ReceiveAnswer_undetermined(t *testing.T) {
	t.Parallel()
	asked := pipe.Request{ID: 1, Language: "und"}
	for language, isRight := range map[string]bool{"de-Latf": true, "und": true, "it-x-old": true, "<x>": false, "en\n": false, "": false} {
		header, err := json.Marshal(map[string]any{"id": 1, "document": map[string]any{
			"language": language, "confidence": 0, "pages": []any{map[string]any{"width": 1, "height": 1, "confidence": 0}},
		}})
		require.NoError(t, err)
		_, err = reader(frame(string(header), "")).ReceiveAnswer(asked, nil)
		require.Equal(t, isRight, err == nil, "%q: %v", language, err)
	}
}

func TestConn_ReceiveAnswer(t *testing.T) {
	t.Parallel()
	header := func(text string) string { return string(frame(text, "")) }
	const failure = `"error":{"kind":"image","message":"m"}`
	good := header(`{"id":1,` + failure + `}`)
	asked := pipe.Request{ID: 1, Language: "en"}
	page := func(more string) string {
		return `"pages":[{"width":1,"height":1,"confidence":0` + more + `}],"confidence":0`
	}
	for name, raw := range map[string]string{
		"a frame cut in the length":           good[:2],
		"a frame cut in the header":           good[:20],
		"a frame without a payload":           good[:len(good)-4],
		"a header over the limit":             "\xff\xff\xff\xff",
		"a payload":                           string(frame(`{"id":1,`+failure+`}`, "x")),
		"a header that is not JSON":           header(`garbage`),
		"an empty header":                     header(``),
		"data after the JSON value":           header(`{"id":1,` + failure + `}{}`),
		"an unknown field":                    header(`{"id":1,` + failure + `,"x":1}`),
		"neither document nor error":          header(`{"id":1}`),
		"an unknown kind":                     header(`{"id":1,"error":{"kind":"x","message":"m"}}`),
		"an empty message":                    header(`{"id":1,"error":{"kind":"image","message":""}}`),
		"a message that SendAnswer changes":   header(`{"id":1,"error":{"kind":"image","message":"two\nlines"}}`),
		"a negative id":                       header(`{"id":-1,` + failure + `}`),
		"an answer to another request":        header(`{"id":2,` + failure + `}`),
		"another language":                    header(`{"id":1,"document":{"language":"de",` + page("") + `}}`),
		"a language that is not a tag":        header(`{"id":1,"document":{"language":"<x>",` + page("") + `}}`),
		"corrections that were not requested": header(`{"id":1,"document":{"language":"en","enhanced":true,` + page("") + `}}`),
		"a preview that was not requested":    string(frame(`{"id":1,"images":[1],"document":{"language":"en",`+page("")+`}}`, "x")),
		"a picture that was not requested":    string(frame(`{"id":1,"images":[0,1],"document":{"language":"en",`+page("")+`}}`, "x")),
		"a text that is not UTF-8":            header("{\"id\":1,\"error\":{\"kind\":\"image\",\"message\":\"\xff\"}}"),
		"an array of nulls":                   header(`{"id":1,"document":{"pages":[` + strings.Repeat("null,", 3_000_000) + `null]}}`),
		"a document without pages":            header(`{"id":1,"document":{"pages":[],"language":"en","confidence":0}}`),
		"more elements than allowed":          header(`{"id":1,"document":{"pages":[` + strings.Repeat("0,", 4<<20) + `0]}}`),
		"an answer nested too deeply":         header(strings.Repeat(`[`, 1<<20)),
		"text instead of a frame":             "Error opening data file\n",
		"both a document and an error":        header(`{"id":1,` + failure + `,"document":{"pages":[{"width":1,"height":1}],"language":"en","confidence":0}}`),
	} {
		_, err := reader([]byte(raw)).ReceiveAnswer(asked, nil)
		require.Error(t, err, name)
		require.NotEqual(t, io.EOF, err, name)
	}
	_, err := reader([]byte(good)).ReceiveAnswer(asked, nil)
	require.NoError(t, err, "the frame from which the others are made")
}

func TestConn_SendAnswer(t *testing.T) {
	t.Parallel()
	t.Run("accepts every normalized document", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			d := documenttest.Any().Draw(t, "document")
			d.Language, d.Enhanced = "en", true
			for i := range d.Pages {
				p := &d.Pages[i]
				p.Width, p.Height = min(p.Width, ocr.MaxSide), min(p.Height, ocr.MaxSide)
			}
			for i := range d.Edits {
				d.Edits[i].Rule = "vote"
			}
			require.NoError(t, pipe.New(nil, io.Discard).SendAnswer(pipe.Answer{ID: 1, Document: d.Normalized()}))
		})
	})
	t.Run("carries any message", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			kind := rapid.SampledFrom([]pipe.Kind{pipe.InvalidImage, pipe.TimedOut, pipe.Internal}).Draw(t, "kind")
			received(t, kind, "x"+string(rapid.SliceOf(rapid.Byte()).Draw(t, "message"))+rapid.String().Draw(t, "more"))
		})
	})
	for name, c := range map[string]struct {
		kind          pipe.Kind
		message, want string
	}{
		"puts a caller's message on one line":              {pipe.InvalidImage, "not\nan \x1b[31mimage\x00", "not an [31mimage"},
		"shortens a caller's message at a letter boundary": {pipe.InvalidImage, strings.Repeat("ä", 600), strings.Repeat("ä", 512)},
		"keeps the lines of an internal message":           {pipe.Internal, "panic:\n\tstack", "panic:\n\tstack"},
		"shortens an internal message to its own limit":    {pipe.Internal, strings.Repeat("x", 1<<20), strings.Repeat("x", 16<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, received(t, c.kind, c.message))
		})
	}
}

// received sends a message and returns the message that arrives.
func received(t require.TestingT, kind pipe.Kind, message string) string {
	var b bytes.Buffer
	require.NoError(t, pipe.New(nil, &b).SendAnswer(pipe.Answer{ID: 1, Error: &pipe.Error{Kind: kind, Message: message}}))
	a, err := pipe.New(&b, nil).ReceiveAnswer(pipe.Request{ID: 1, Language: "en"}, nil)
	require.NoError(t, err)
	return a.Error.Message
}

func TestConn_ReceiveHello(t *testing.T) {
	t.Parallel()
	_, err := reader(frame(`{"version":"v","protocol":99,"languages":["en"],"models":[]}`, "")).ReceiveHello()
	require.ErrorContains(t, err, "protocol 99")
	_, err = reader(frame(`{"version":"v","protocol":6,"languages":[],"models":[]}`, "")).ReceiveHello()
	require.ErrorContains(t, err, "cannot read any language")
	_, err = reader(nil).ReceiveHello()
	require.Equal(t, io.EOF, err)
}

func TestConn_ReceiveAnswer_Steps(t *testing.T) {
	t.Parallel()
	answer := func(steps string) error {
		text := `{"id":1,"error":{"kind":"timeout","message":"late"},"steps":` + steps + `}`
		_, err := reader(frame(text, "")).ReceiveAnswer(pipe.Request{ID: 1, Language: "en"}, nil)
		return err
	}
	require.NoError(t, answer(`[{"name":"early-print","start_us":5,"length_us":1000}]`))
	require.ErrorContains(t, answer(`[{"name":"Bad name","start_us":5,"length_us":1000}]`), "invalid name")
	require.ErrorContains(t, answer(`[{"name":"","start_us":5,"length_us":1000}]`), "invalid name")
	require.ErrorContains(t, answer(`[{"name":"print","start_us":-1,"length_us":1000}]`), "invalid time")
	require.ErrorContains(t, answer(`[{"name":"print","start_us":1,"length_us":9223372036854775807}]`), "invalid time")
	one := `{"name":"print","start_us":1,"length_us":1}`
	require.ErrorContains(t, answer("["+strings.Repeat(one+",", timing.MaxSteps)+one+"]"), "at most 500")
}

// FuzzConn reads arbitrary bytes from a worker. Messages that are accepted must not change in another round trip.
func FuzzConn(f *testing.F) {
	var b bytes.Buffer
	c := pipe.New(nil, &b)
	require.NoError(f, c.SendHello(hello()))
	require.NoError(f, c.SendAnswer(pipe.Answer{ID: 1, Document: doc()}))
	f.Add(b.Bytes())
	f.Add(frame(`{"id":1,"error":{"kind":"image","message":"m"}}`, ""))
	f.Add(frame(`{"id":1,"language":"en","deadline":5}`, "image"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if h, err := reader(raw).ReceiveHello(); err == nil {
			require.NoError(t, pipe.New(nil, io.Discard).SendHello(h))
		}
		if r, image, err := reader(raw).ReceiveRequest(); err == nil {
			require.NoError(t, pipe.New(nil, io.Discard).SendRequest(r, image))
		}
		for c := reader(raw); ; {
			asked := pipe.Request{ID: 1, Language: doc().Language, Enhance: true, Preview: true}
			a, err := c.ReceiveAnswer(asked, nil)
			if err != nil {
				break
			}
			var once, twice bytes.Buffer
			require.NoError(t, pipe.New(nil, &once).SendAnswer(a))
			again, err := reader(once.Bytes()).ReceiveAnswer(asked, nil)
			require.NoError(t, err)
			require.NoError(t, pipe.New(nil, &twice).SendAnswer(again))
			require.Equal(t, once.Bytes(), twice.Bytes())
		}
	})
}

func TestConn_Strips(t *testing.T) {
	t.Parallel()
	t.Run("refuses strips that do not fit their bytes", func(t *testing.T) {
		t.Parallel()
		_, err := reader(frame(`{"id":1,"strips":{"widths":[2]}}`, strings.Repeat("x", pipe.StripHeight))).ReceiveAnswer(cut(1), nil)
		require.ErrorContains(t, err, "strips of 2 columns have 48 bytes")
	})
	t.Run("refuses an invalid width", func(t *testing.T) {
		t.Parallel()
		for _, width := range []string{"-1", "9000000000"} {
			_, err := reader(frame(`{"id":1,"strips":{"widths":[`+width+`]}}`, "")).ReceiveAnswer(cut(1), nil)
			require.ErrorContains(t, err, "pixels wide")
		}
	})
	t.Run("refuses a payload that was not requested", func(t *testing.T) {
		t.Parallel()
		_, err := reader(frame(`{"id":1,"strips":{"widths":[1]}}`, strings.Repeat("x", pipe.StripHeight))).ReceiveAnswer(pipe.Request{ID: 1, Language: "en"}, nil)
		require.ErrorContains(t, err, "at most 0 are allowed")
	})
	t.Run("refuses a request to cut nothing", func(t *testing.T) {
		t.Parallel()
		err := reader(nil).SendRequest(pipe.Request{ID: 1, Language: "en", Deadline: 1, Cut: &pipe.Cut{}}, []byte("x"))
		require.ErrorContains(t, err, "request.cut has 0 lines")
	})
}

// cut is a request for the strips of n lines.
func cut(n int) pipe.Request {
	return pipe.Request{ID: 1, Language: "en", Cut: &pipe.Cut{Lines: make([]pipe.Band, n)}}
}
