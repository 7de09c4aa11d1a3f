package cases

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

// unanswered says that the server does not answer, and why.
func (r *Run) unanswered(ctx context.Context, err error) error {
	why := whyNot(err)
	if ctx.Err() != nil {
		why = Ended(ctx)
	}
	return fmt.Errorf("%s does not answer: %s", r.BaseURL, why)
}

// whyNot says in a few words why there is no answer: the address is named already.
func whyNot(err error) string {
	if host, ok := errors.AsType[*net.DNSError](err); ok {
		return "the host " + host.Name + " was not found"
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err.Error()
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return "it answers without TLS; begin the base URL with http://"
	}
	return strings.TrimPrefix(err.Error(), "no answer: ")
}

// Ended says why a run did not complete. ctx must have ended; the text is the beginning of a Problem.
func Ended(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the time limit was reached"
	}
	return "interrupted"
}
