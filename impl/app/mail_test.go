package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
)

// smtpServer accepts messages (RFC 5321) and sends their text to the channel.
func smtpServer(tb testing.TB) (address string, messages <-chan string) {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = ln.Close() })
	received := make(chan string, 10)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			receive(conn, received)
		}
	}()
	return ln.Addr().String(), received
}

// receive talks to one client until it disconnects.
func receive(conn net.Conn, received chan<- string) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	fmt.Fprint(conn, "220 test\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch command := strings.ToUpper(line); {
		case strings.HasPrefix(command, "DATA"):
			fmt.Fprint(conn, "354 go on\r\n")
			var text strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				text.WriteString(line)
			}
			received <- text.String()
			fmt.Fprint(conn, "250 ok\r\n")
		case strings.HasPrefix(command, "QUIT"):
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 ok\r\n")
		}
	}
}

// mailedCode returns the one-time code in a message, whose long lines are broken.
func mailedCode(tb testing.TB, text string) string {
	tb.Helper()
	code := regexp.MustCompile(`/dashboard/link#(\w+)`).FindStringSubmatch(strings.ReplaceAll(text, "=\r\n", ""))
	require.Len(tb, code, 2, text)
	return code[1]
}

func TestApp_Dashboard_Mail(t *testing.T) {
	t.Parallel()
	address, messages := smtpServer(t)
	a := apptest.Start(t, app.Options{
		Dashboard: app.DashboardOptions{SignUp: dashboard.Open},
		Mail:      app.MailOptions{Server: "smtp+plain://" + address, From: "Uncial <uncial@example.org>"},
	})
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: trusting{jar}}
	post := func(path string, form url.Values) (string, string) {
		res, err := client.PostForm("http://"+a.Addr()+"/dashboard"+path, form)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.Request.URL.Path, string(body)
	}
	login := url.Values{"email": {"anna@example.org"}, "password": {"correct horse battery staple"}}
	path, body := post("/sign-up", url.Values{"email": login["email"], "name": {"Anna"}, "password": login["password"], "account": {"Map room"}})
	require.Equal(t, "/dashboard/sent", path, body)
	select {
	case text := <-messages:
		_, body = post("/verify", url.Values{"code": {mailedCode(t, text)}})
		require.Contains(t, body, "The e-mail address is verified.")
	case <-time.After(10 * time.Second):
		t.Fatal("no message arrived")
	}
	path, body = post("/sign-in", login)
	require.Equal(t, "/dashboard/", path, body)
}
