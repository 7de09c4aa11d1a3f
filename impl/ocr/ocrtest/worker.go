package ocrtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"uncial/impl/ocr/pipe"
	"uncial/internal/document"

	"github.com/stretchr/testify/require"
)

// Language is what the scripted worker reads.
const Language = "en"

// startFile, in a directory of models, tells the scripted worker how to start.
const startFile = "start"

// MaybeWorker must be called by TestMain, before all else. In a process that a pool started as a worker it does not
// return.
//
// That worker's images are scripts, a command a line: "text WORD" reads a word; "sleep DURATION", "pages N",
// "image REASON", "internal REASON", "timeout", "crash", "exit STATUS", "hang", "garbage", "huge", "wrong id",
// "stderr BYTES" do what they say. Anything else is no image.
func MaybeWorker() {
	if os.Getenv(pipe.ProtocolEnv) == "" {
		return
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// MustScriptStart is a directory of models that makes scripted workers run the script before they say hello. It may say
// what an image may, and "hello PROTOCOL", "no languages", "hold FILE" (until the file is gone).
func MustScriptStart(tb testing.TB, script string) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	MustRewriteStart(tb, dir, script)
	return dir
}

// MustRewriteStart changes what the workers to come will do.
func MustRewriteStart(tb testing.TB, dir, script string) {
	tb.Helper()
	next := filepath.Join(dir, "next")
	require.NoError(tb, os.WriteFile(next, []byte(script), 0o600))
	require.NoError(tb, os.Rename(next, filepath.Join(dir, startFile)))
}

func work() error {
	conn := pipe.New(os.Stdin, os.Stdout)
	hello := pipe.Hello{Version: "scripted", Protocol: pipe.Protocol, Languages: []string{"de", Language}, Models: []string{"eng"}}
	dir, _, _ := strings.Cut(os.Getenv(pipe.ModelsEnv), string(os.PathListSeparator))
	if script, err := os.ReadFile(filepath.Join(dir, startFile)); err == nil { //nolint:gosec // the test's own
		if _, failed := play(script); failed != nil {
			return errors.New(failed.Message)
		}
	}
	if err := conn.SendHello(hello); err != nil {
		return err
	}
	for {
		req, image, err := conn.ReceiveRequest()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		a := pipe.Answer{ID: req.ID}
		if a.Document, a.Error = play(image); a.Document != nil {
			a.Document.Language = req.Language
		}
		if bytes.Contains(image, []byte("wrong id")) {
			a.ID++
		}
		if err := conn.SendAnswer(a); err != nil {
			return err
		}
	}
}

// play does what the script says.
func play(script []byte) (*document.Document, *pipe.Error) {
	doc := &document.Document{Pages: []document.Page{{Width: 100, Height: 100}}}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimRight(script, "\n")))
	for lines.Scan() {
		command, rest, _ := strings.Cut(lines.Text(), " ")
		switch command {
		case "text":
			doc.Pages[0].Blocks = append(doc.Pages[0].Blocks, block(rest))
			doc.Confidence = 0.9
		case "pages":
			doc.Pages = make([]document.Page, number(rest))
			for i := range doc.Pages {
				doc.Pages[i] = document.Page{Width: 1, Height: 1}
			}
		case "sleep":
			d, err := time.ParseDuration(rest)
			if err != nil {
				return nil, &pipe.Error{Kind: pipe.Internal, Message: err.Error()}
			}
			time.Sleep(d)
		case "hold":
			for hold(rest) {
				time.Sleep(time.Millisecond)
			}
		case "image":
			return nil, &pipe.Error{Kind: pipe.ImageFault, Message: rest}
		case "internal":
			return nil, &pipe.Error{Kind: pipe.Internal, Message: rest}
		case "timeout":
			return nil, &pipe.Error{Kind: pipe.TimeoutFault, Message: "gave up"}
		case "crash":
			panic("crash at /usr/lib/engine.c:17")
		case "exit":
			os.Exit(number(rest))
		case "hang":
			select {}
		case "garbage":
			fmt.Println("Estimating resolution as 300")
			select {}
		case "huge":
			huge()
		case "hello":
			sendRaw(fmt.Sprintf(`{"version":"v","protocol":%s,"languages":["en"],"models":[]}`, rest))
			os.Exit(0)
		case "no":
			sendRaw(fmt.Sprintf(`{"version":"v","protocol":%d,"languages":[],"models":[]}`, pipe.Protocol))
			os.Exit(0)
		case "stderr":
			fmt.Fprintln(os.Stderr, strings.Repeat("x", number(rest)))
		case "wrong", "":
		default:
			return nil, &pipe.Error{Kind: pipe.ImageFault, Message: "not a script"}
		}
	}
	return doc, nil
}

func block(word string) document.Block {
	box := document.Box{X: 1, Y: 1, W: 10, H: 10}
	words := []document.Word{{Box: box, Text: word, Confidence: 0.9}}
	return document.Block{Box: box, Lines: []document.Line{{Box: box, Words: words}}}
}

// hold is true while the file is there.
func hold(file string) bool {
	_, err := os.Stat(file) //nolint:gosec // the test's own
	return err == nil
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// sendRaw writes a frame past all checks.
func sendRaw(header string) {
	n := len(header)
	_, _ = os.Stdout.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	_, _ = os.Stdout.WriteString(header)
	_, _ = os.Stdout.Write(make([]byte, 4))
}

// huge begins an answer that is larger than allowed, and writes on for as long as someone reads.
func huge() {
	_, _ = os.Stdout.Write([]byte{0x7f, 0xff, 0xff, 0xff})
	for chunk := make([]byte, 1<<16); ; {
		if _, err := os.Stdout.Write(chunk); err != nil {
			os.Exit(0)
		}
	}
}

// Scripted is a harness for recognizers above scripted workers.
func Scripted(open func(testing.TB, Options) Subject) Harness {
	return Harness{
		Open:     open,
		Language: Language,
		Page: func(i int) ([]byte, string) {
			word := fmt.Sprintf("word%d", i)
			return fmt.Appendf(nil, "sleep %dms\ntext %s\n", i%3, word), word
		},
		Broken: []byte("\xff\xd8 not a script"),
		Slow:   []byte("sleep 1h"),
		Crash:  []byte("crash"),
		Short:  300 * time.Millisecond,
		Long:   time.Hour,
	}
}
