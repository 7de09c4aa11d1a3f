// Package mail sends messages of plain text through an SMTP server, in the background. What they say and who gets them is
// up to the callers: package dashboard and package notice. Start with Mailer.Send, then Run.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	gomail "github.com/wneessen/go-mail"
)

const (
	// maxQueue bounds the messages that wait; each is about a kilobyte.
	maxQueue = 1000
	// sendTimeout bounds one attempt: connecting, TLS and the dialogue.
	sendTimeout = 30 * time.Second
	// drainTimeout is how long Run keeps sending after its context has ended.
	drainTimeout = 5 * time.Second
)

// pauses are the times between attempts to send one message. Later messages wait in the meantime, because the server is down
// for them too.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second}

// Errors of options and messages.
var (
	errURL  = errors.New("invalid mail server; expected smtp://USER:PASSWORD@HOST:587, smtps://USER:PASSWORD@HOST:465, or smtp+plain://HOST:25 without encryption or a password")
	ErrFrom = errors.New("invalid sender; use an address such as uncial@example.org or Uncial <uncial@example.org>")
	errFull = errors.New("too many messages are waiting to be sent; try again later")
	errTo   = errors.New("invalid recipient address")
)

// Options of a Mailer.
type Options struct {
	// URL locates the server and says how to reach it: smtp://USER:PASSWORD@HOST:587, smtps://USER:PASSWORD@HOST:465, or
	// smtp+plain://HOST:25 without encryption or a password. smtp requires STARTTLS. Required.
	URL string
	// From is the sender. Required.
	From string
	// Pauses are the times between attempts. Default: 5 s and 30 s, so that there are three attempts.
	Pauses []time.Duration
	// Log receives failures, without addresses and texts. Default: slog.Default().
	Log *slog.Logger
}

// Mailer queues messages and sends them one after the other. It is safe for concurrent use. Messages wait in memory: those
// that cannot be sent before the process ends are lost.
type Mailer struct {
	client *gomail.Client
	dialer *dialer
	from   string
	queue  chan message
	pauses []time.Duration
	log    *slog.Logger
	sent   atomic.Uint64
	failed atomic.Uint64
}

type message struct{ to, subject, text string }

// New checks the options; it connects to nothing. Errors: ErrFrom, or what is wrong with the URL.
func New(o Options) (*Mailer, error) {
	d := &dialer{}
	client, err := newClient(o.URL, d)
	if err != nil {
		return nil, errURL // not the error itself, which may repeat the password
	}
	from, err := mail.ParseAddress(o.From)
	if err != nil {
		return nil, ErrFrom
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Pauses == nil {
		o.Pauses = pauses
	}
	return &Mailer{
		client: client, dialer: d, from: from.String(), queue: make(chan message, maxQueue), pauses: o.Pauses, log: o.Log,
	}, nil
}

// schemes are the ways to reach a server, with their usual ports.
var schemes = map[string]struct {
	port   int
	option gomail.Option
}{
	"smtp":       {587, gomail.WithTLSPolicy(gomail.TLSMandatory)},
	"smtps":      {465, gomail.WithSSL()},
	"smtp+plain": {25, gomail.WithTLSPolicy(gomail.NoTLS)},
}

// dialer keeps the connection of the current attempt. The library leaves it open after some failures, such as a server
// without STARTTLS, so the Mailer closes it.
type dialer struct {
	encrypted bool // from the beginning, as for smtps
	conn      net.Conn
}

// dial connects to the mail server and remembers the connection for close.
func (d *dialer) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	if d.encrypted {
		conn, err = (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext(ctx, network, address)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
	}
	if err == nil {
		d.conn = conn
	}
	return conn, err
}

// close closes the connection of the attempt.
func (d *dialer) close() {
	if d.conn != nil {
		_ = d.conn.Close() // usually closed already
		d.conn = nil
	}
}

// newClient parses the URL of a mail server. Errors: errURL, also for a password that would cross the network unencrypted.
func newClient(text string, d *dialer) (*gomail.Client, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	scheme, known := schemes[u.Scheme]
	if !known || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errURL
	}
	port := scheme.port
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, err
		}
	}
	d.encrypted = u.Scheme == "smtps"
	options := []gomail.Option{
		gomail.WithPort(port), gomail.WithTimeout(sendTimeout), gomail.WithDialContextFunc(d.dial), scheme.option,
	}
	if password, has := u.User.Password(); has {
		if u.Scheme == "smtp+plain" { // a password must not cross the network unencrypted
			return nil, errURL
		}
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return gomail.NewClient(u.Hostname(), options...)
}

// Send queues a message of plain text. It returns at once; whether the message could be sent appears only in the log. It fails
// if the address is invalid, or if too many messages are waiting.
func (m *Mailer) Send(_ context.Context, to, subject, text string) error {
	if _, err := mail.ParseAddress(to); err != nil {
		return errTo
	}
	select {
	case m.queue <- message{to, subject, text}:
		return nil
	default:
		return errFull
	}
}

// Stats are counts since the start of the process.
type Stats struct {
	Waiting      int
	Sent, Failed uint64
}

// Stats returns the counts.
func (m *Mailer) Stats() Stats {
	return Stats{Waiting: len(m.queue), Sent: m.sent.Load(), Failed: m.failed.Load()}
}

// Run sends queued messages until ctx ends, and then spends at most 5 s on those still waiting. Only one call may run.
func (m *Mailer) Run(ctx context.Context) {
	for {
		select {
		case next := <-m.queue:
			m.deliver(ctx, next)
		case <-ctx.Done():
			m.drain(context.WithoutCancel(ctx))
			return
		}
	}
}

// drain tries each waiting message once before the process ends.
func (m *Mailer) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for {
		select {
		case next := <-m.queue:
			if ctx.Err() != nil {
				m.log.Warn("messages not sent before shutdown", "messages", len(m.queue)+1)
				return
			}
			m.finish(m.try(ctx, next))
		default:
			return
		}
	}
}

// deliver tries to send a message until it is sent or refused permanently, or the attempts are used up. A shutdown ends the
// pauses between the attempts, and the message gets its last one.
func (m *Mailer) deliver(ctx context.Context, next message) {
	sending := context.WithoutCancel(ctx) // an attempt that has begun has its own timeout
	err := m.try(sending, next)
	for _, pause := range m.pauses {
		if err == nil || !isTemporary(err) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		err = m.try(sending, next)
	}
	m.finish(err)
}

// finish counts the outcome and logs a failure.
func (m *Mailer) finish(err error) {
	if err == nil {
		m.sent.Add(1)
		return
	}
	m.failed.Add(1)
	m.log.Error("message not sent", "reason", reason(err))
}

// try sends a message once, on a connection of its own.
func (m *Mailer) try(ctx context.Context, next message) error {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(m.from), msg.To(next.to)); err != nil {
		return err
	}
	msg.Subject(next.subject)
	msg.SetDate()
	msg.SetMessageID()
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // so that vacation replies stay away (RFC 3834, section 5)
	msg.SetBodyString(gomail.TypeTextPlain, next.text)
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	defer m.dialer.close()
	return m.client.DialAndSendWithContext(ctx, msg)
}

// isTemporary reports whether another attempt may succeed: the server says so (RFC 5321, section 4.2.1, replies 4yz), or it
// could not be reached.
func isTemporary(err error) bool {
	var network net.Error
	if refused, ok := errors.AsType[*gomail.SendError](err); ok {
		return refused.IsTemp() || refused.Reason == gomail.ErrConnCheck
	}
	return errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded)
}

// reason returns what went wrong without the address of the recipient, which errors of the server may repeat.
func reason(err error) string {
	var network net.Error
	if refused, ok := errors.AsType[*gomail.SendError](err); ok {
		return fmt.Sprintf("%s (SMTP code %d)", refused.Reason, refused.ErrorCode())
	}
	switch {
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "the mail server does not answer; check --mail-server"
	case errors.As(err, &network):
		return "the mail server cannot be reached; check --mail-server"
	}
	return "the mail server refused the connection, the encryption or the password; check --mail-server"
}
