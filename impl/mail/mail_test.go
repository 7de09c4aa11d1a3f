package mail_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/mail"
	"uncial/internal/logtest"
)

// server is an SMTP server of the test. refuse returns the reply to the n-th MAIL command, "" for success.
type server struct {
	listener net.Listener
	refuse   func(n int) string

	mu       sync.Mutex
	attempts int
	messages []string
}

func mustServe(tb testing.TB, refuse func(n int) string) *server {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	s := &server{listener: l, refuse: refuse}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.talk(conn) })
		}
	})
	tb.Cleanup(func() { _ = l.Close(); running.Wait() })
	return s
}

// talk is one dialogue (RFC 5321) without extensions.
func (s *server) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second)) // clients that stay connected must not hold up the test
	in := bufio.NewReader(conn)
	fmt.Fprintf(conn, "220 test\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
		switch {
		case verb == "MAIL" && s.refusal() != "":
			fmt.Fprintf(conn, "%s\r\n", s.lastRefusal())
		case verb == "DATA":
			fmt.Fprintf(conn, "354 go on\r\n")
			s.receive(in)
			fmt.Fprintf(conn, "250 ok\r\n")
		case verb == "QUIT":
			fmt.Fprintf(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprintf(conn, "250 ok\r\n")
		}
	}
}

func (s *server) refusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts++
	return s.refuse(s.attempts)
}

func (s *server) lastRefusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse(s.attempts)
}

func (s *server) receive(in *bufio.Reader) {
	var text bytes.Buffer
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			break
		}
		text.WriteString(line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, text.String())
}

func (s *server) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.messages...)
}

func always(reply string) func(int) string { return func(int) string { return reply } }

// mustRun starts a mailer until the test ends and returns a function that stops it earlier.
func mustRun(tb testing.TB, url string, log io.Writer) (m *mail.Mailer, stop func()) {
	tb.Helper()
	m, err := mail.New(mail.Options{
		URL: url, From: "Uncial <uncial@example.org>", Pauses: []time.Duration{time.Millisecond, time.Millisecond},
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	require.NoError(tb, err)
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); m.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	tb.Cleanup(stop)
	return m, stop
}

func TestMailer_Send(t *testing.T) {
	t.Parallel()
	s := mustServe(t, always(""))
	m, stop := mustRun(t, "smtp+plain://"+s.listener.Addr().String(), io.Discard)
	require.NoError(t, m.Send(t.Context(), "ada@example.org", "Grüße", "Hello Ada\n.\nbye"))
	require.ErrorIs(t, m.Send(t.Context(), "ada@example.org\r\nBcc: eve@example.org", "x", "y"), mail.ErrTo)
	stop() // sends what waits
	require.Len(t, s.received(), 1)
	text := s.received()[0]
	for _, want := range []string{"From: \"Uncial\" <uncial@example.org>", "To: <ada@example.org>", "Auto-Submitted: auto-generated", "Hello Ada", "Message-ID: <"} {
		require.Contains(t, text, want)
	}
	require.Contains(t, text, "bye", "a line with a dot does not end the message")
	require.Equal(t, mail.Stats{Sent: 1}, m.Stats())
}

func TestMailer_Run(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse                func(n int) string
		attempts              int
		sent, failed          uint64
		logged, neverInTheLog string
	}{
		"tries again after a temporary refusal": {func(n int) string {
			if n < 3 {
				return "451 try later"
			}
			return ""
		}, 3, 1, 0, "", "451"},
		"gives up after three attempts":       {always("451 try later"), 3, 0, 1, "SMTP code 451", "ada"},
		"does not repeat a permanent refusal": {always("550 <ada@example.org> unknown"), 1, 0, 1, "SMTP code 550", "ada"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, log := mustServe(t, c.refuse), &logtest.Buffer{}
			m, stop := mustRun(t, "smtp+plain://"+s.listener.Addr().String(), log)
			require.NoError(t, m.Send(t.Context(), "ada@example.org", "x", "y"))
			require.Eventually(t, func() bool { return m.Stats().Sent+m.Stats().Failed == 1 }, 10*time.Second, time.Millisecond)
			stop()
			require.Equal(t, mail.Stats{Sent: c.sent, Failed: c.failed}, m.Stats())
			s.mu.Lock()
			defer s.mu.Unlock()
			require.Equal(t, c.attempts, s.attempts)
			require.Contains(t, log.String(), c.logged)
			require.NotContains(t, log.String(), c.neverInTheLog)
		})
	}
}

func TestMailer_Run_RequiresEncryption(t *testing.T) {
	t.Parallel()
	s, log := mustServe(t, always("")), &logtest.Buffer{}
	m, _ := mustRun(t, "smtp://name:hunter2@"+s.listener.Addr().String(), log)
	require.NoError(t, m.Send(t.Context(), "ada@example.org", "x", "y"))
	require.Eventually(t, func() bool { return m.Stats().Failed == 1 }, 10*time.Second, time.Millisecond)
	require.Empty(t, s.received(), "the server offers no STARTTLS")
	require.Contains(t, log.String(), "check --mail-server")
	require.NotContains(t, log.String(), "hunter2")
}

func TestMailer_Send_Full(t *testing.T) {
	t.Parallel()
	m, err := mail.New(mail.Options{URL: "smtp+plain://127.0.0.1:1", From: "uncial@example.org"})
	require.NoError(t, err)
	for range 1000 {
		require.NoError(t, m.Send(t.Context(), "ada@example.org", "x", "y"))
	}
	require.ErrorIs(t, m.Send(t.Context(), "ada@example.org", "x", "y"), mail.ErrFull)
	require.Equal(t, 1000, m.Stats().Waiting)
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://mail.example.org:x", "smtp://mail.example.org/path",
		"smtp+plain://name:hunter2@mail.example.org",
	} {
		_, err := mail.New(mail.Options{URL: url, From: "uncial@example.org"})
		require.ErrorIs(t, err, mail.ErrURL, url)
		require.NotContains(t, err.Error(), "hunter2")
	}
	for _, from := range []string{"", "nobody", "a@b\r\nBcc: c@d"} {
		_, err := mail.New(mail.Options{URL: "smtps://mail.example.org", From: from})
		require.ErrorIs(t, err, mail.ErrFrom, from)
	}
}
