package ocrtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
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

// Language is one of the two languages that the scripted worker reads.
const Language = "en"

// startFile, in the first folder of models, is the script that a scripted worker runs before it sends its hello.
const startFile = "start"

// MaybeWorker must be called by TestMain before anything else. In a process that a pool started as a worker it does not
// return.
//
// That worker treats images as scripts, with one command per line. Anything else is a broken image.
//
//	text WORD                  add a word to the document
//	pages N                    return a document of N empty pages
//	sleep DURATION, hang       wait, for a time or forever
//	hold FILE                  wait until the file is deleted
//	image REASON               answer with an error that blames the image
//	internal REASON, timeout   answer with the other kinds of errors
//	crash, exit STATUS         end the process
//	garbage, huge              break the protocol
//	wrong id, wrong language, wrong enhancement    answer with something that was not requested
//	stderr BYTES               print to standard error
func MaybeWorker() {
	if os.Getenv(pipe.ProtocolEnv) == "" {
		return
	}
	if err := serveScripts(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// MustScriptStart returns a folder of models that makes scripted workers run the script before they send their hello. The
// script may also have "hello PROTOCOL" and "no languages", which replace the hello.
func MustScriptStart(tb testing.TB, script string) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	MustRewriteStart(tb, dir, script)
	return dir
}

// MustRewriteStart replaces the start script for workers that start from now on.
func MustRewriteStart(tb testing.TB, dir, script string) {
	tb.Helper()
	next := filepath.Join(dir, "next")
	require.NoError(tb, os.WriteFile(next, []byte(script), 0o600))
	require.NoError(tb, os.Rename(next, filepath.Join(dir, startFile)))
}

// serveScripts is worker.Run with scripts instead of images. It uses package pipe like the real worker, so that the
// protocol is tested too.
func serveScripts() error {
	conn := pipe.New(os.Stdin, os.Stdout)
	hello := pipe.Hello{Version: "scripted", Protocol: pipe.Protocol, Languages: []string{"de", Language}, Models: []string{"eng"}}
	dir, _, _ := strings.Cut(os.Getenv(pipe.ModelsEnv), string(os.PathListSeparator))
	if script, err := os.ReadFile(filepath.Join(dir, startFile)); err == nil { //nolint:gosec // the test wrote it
		if _, failed := play(script); failed != nil {
			return errors.New(failed.Message)
		}
	}
	if err := conn.SendHello(hello); err != nil {
		return err
	}
	for {
		req, script, err := conn.ReceiveRequest()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		a := pipe.Answer{ID: req.ID}
		if a.Document, a.Error = play(script); a.Document != nil {
			a.Document.Language = req.Language
			for i := range a.Document.Pages {
				if req.Preview {
					a.Document.Pages[i].Preview = preview()
				}
				if req.Picture {
					a.Document.Pages[i].Picture = preview()
				}
			}
		}
		switch {
		case bytes.Contains(script, []byte("wrong id")):
			a.ID++
		case bytes.Contains(script, []byte("wrong language")):
			a.Document.Language = "tlh"
		case bytes.Contains(script, []byte("wrong enhancement")):
			a.Document.Enhanced = true
		}
		if err := conn.SendAnswer(a); err != nil {
			return err
		}
	}
}

func preview() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64)), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// play runs the script. It returns the document that the script describes, or the error that it requests.
func play(script []byte) (*document.Document, *pipe.Error) {
	doc := &document.Document{Pages: []document.Page{{Width: 100, Height: 100}}}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimRight(script, "\n")))
	for lines.Scan() {
		command, argument, _ := strings.Cut(lines.Text(), " ")
		switch command {
		case "text":
			doc.Pages[0].Blocks = append(doc.Pages[0].Blocks, block(argument))
			doc.Confidence = 0.9
		case "pages":
			doc.Pages = make([]document.Page, number(argument))
			for i := range doc.Pages {
				doc.Pages[i] = document.Page{Width: 1, Height: 1}
			}
		case "image":
			return nil, &pipe.Error{Kind: pipe.InvalidImage, Message: argument}
		case "internal":
			return nil, &pipe.Error{Kind: pipe.Internal, Message: argument}
		case "timeout":
			return nil, &pipe.Error{Kind: pipe.TimedOut, Message: "gave up"}
		case "wrong", "": // see serveScripts
		default:
			misbehave, known := misbehaviours[command]
			if !known {
				return nil, &pipe.Error{Kind: pipe.InvalidImage, Message: "not a script"}
			}
			misbehave(argument)
		}
	}
	return doc, nil
}

// misbehaviours are the commands that affect the process instead of returning something.
var misbehaviours = map[string]func(argument string){
	"sleep": func(duration string) {
		d, err := time.ParseDuration(duration)
		if err != nil {
			panic(err)
		}
		time.Sleep(d)
	},
	"hold": func(file string) {
		for _, err := os.Stat(file); err == nil; _, err = os.Stat(file) {
			time.Sleep(time.Millisecond)
		}
	},
	"crash": func(string) { panic("crash at /usr/lib/engine.c:17") },
	"exit":  func(status string) { os.Exit(number(status)) },
	"hang":  func(string) { select {} },
	"spin": func(string) {
		for spins := uint64(0); ; spins++ { // uses up a core
			if spins == math.MaxUint64 {
				return
			}
		}
	},
	"stderr": func(size string) { fmt.Fprintln(os.Stderr, strings.Repeat("x", number(size))) },
	"empty":  func(size string) { fmt.Fprint(os.Stderr, strings.Repeat("\n", number(size))) },
	"garbage": func(string) {
		fmt.Println("Estimating resolution as 300")
		select {}
	},
	"huge":  func(string) { sendHuge() },
	"hello": func(protocol string) { sendHello(protocol, `["en"]`) },
	"no":    func(string) { sendHello(strconv.Itoa(pipe.Protocol), `[]`) },
}

// block returns a block with one line of one word.
func block(word string) document.Block {
	box := document.Box{X: 1, Y: 1, W: 10, H: 10}
	words := []document.Word{{Box: box, Text: word, Confidence: 0.9}}
	return document.Block{Box: box, Lines: []document.Line{{Box: box, Words: words}}}
}

// number parses an integer. It panics on anything else; the worker then exits, and the test fails.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// sendHello writes a hello without the checks of package pipe and exits.
func sendHello(protocol, languages string) {
	header := fmt.Sprintf(`{"version":"v","protocol":%s,"languages":%s,"models":[]}`, protocol, languages)
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(header)))
	frame = append(append(frame, header...), 0, 0, 0, 0)
	_, _ = os.Stdout.Write(frame)
	os.Exit(0)
}

// sendHuge begins an answer that is larger than allowed, and writes until the pipe is closed.
func sendHuge() {
	_, _ = os.Stdout.Write([]byte{0x7f, 0xff, 0xff, 0xff})
	for chunk := make([]byte, 1<<16); ; {
		if _, err := os.Stdout.Write(chunk); err != nil {
			os.Exit(0)
		}
	}
}

// Scripted returns a harness for recognizers that use scripted workers.
func Scripted(open func(testing.TB, Options) Subject) Harness {
	return Harness{
		Open:     open,
		Language: Language,
		Page: func(i int) ([]byte, string) {
			word := fmt.Sprintf("word%d", i)
			return fmt.Appendf(nil, "sleep %dms\ntext %s\n", i%3, word), word
		},
		steady: []byte("sleep 20ms\ntext a"),
		Broken: []byte("\xff\xd8 not a script"),
		Slow:   []byte("sleep 1h"),
		crash:  []byte("crash"),
		Short:  300 * time.Millisecond,
		Long:   time.Hour,
	}
}
