package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"uncial/gen"
	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/client/source"
	"uncial/impl/volume"
	"uncial/internal/contract/imagefile"
)

// run is the state of one run of the command. Its goroutines share it: a page belongs to the goroutine that reads it, and the
// rest is guarded by mu or safe by itself.
type run struct {
	*plan
	api   *apiClient
	pace  *pace
	hosts *hosts

	// halt stops sending further pages. Pages being read are left to finish, because they may be charged.
	halt context.CancelCauseFunc

	// storing is held while space is taken or given up, so that no page takes the space of an answer that is about to be stored.
	storing sync.Mutex

	mu        sync.Mutex
	used      int64    // points
	remaining *int64   // points after the last answer that was charged; nil if none was
	problems  []string // files that were not written, and why
}

// all reads every page that is not done, as many at a time as the pace allows, and writes the results in the order of the
// pages. A result whose predecessor is not finished waits in memory. Then it writes the files of the whole volume.
func (r *run) all(ctx context.Context) error {
	started := time.Now()
	for _, failure := range r.failures {
		r.console.note("%s: %v", failure.Source, failure.Err)
	}
	sending, halt := context.WithCancelCause(ctx)
	defer halt(nil)
	r.halt = halt
	// The capacity bounds how many results can wait for an earlier one.
	pending := make(chan chan []byte, 4**r.cmd.Jobs)
	go func() {
		defer close(pending)
		for _, one := range r.pages {
			if sending.Err() != nil {
				return
			}
			if one.isDone {
				r.again(ctx, one)
				continue
			}
			if r.pace.enter(sending) != nil {
				return
			}
			done := make(chan []byte, 1)
			pending <- done
			go func() {
				content, isRead := r.read(ctx, sending, one)
				r.pace.leave(isRead)
				done <- content
			}()
		}
	}()
	for done := range pending {
		if content := <-done; len(content) > 0 {
			if err := r.console.result(content); err != nil {
				halt(&failure{1, durable.Explain("the result", err).Error()})
			}
		}
	}
	return r.finish(ctx, context.Cause(sending), started)
}

// again writes the files of a page that was read before, where they are missing.
func (r *run) again(ctx context.Context, one *page) {
	if one.Reason != "" {
		r.console.note("%s: %s", one.Source, one.Reason)
	}
	if !one.State.IsRead() {
		return
	}
	if err := r.writeFiles(ctx, one); err != nil && ctx.Err() == nil {
		r.halt(&failure{1, err.Error()})
	}
}

// read reads one page, remembers the outcome, and returns the bytes to write to stdout: nil if it failed or was written to
// files. sending ends when no further page should be sent.
func (r *run) read(ctx, sending context.Context, one *page) (content []byte, isRead bool) {
	release, err := r.hosts.wait(sending, one.from.Host)
	if err != nil || sending.Err() != nil {
		return nil, false
	}
	defer release()
	folder, err := os.MkdirTemp(r.store.temporary, "page-")
	if err != nil {
		r.halt(&failure{1, durable.Explain("temporary files", err).Error()})
		return nil, false
	}
	defer func() { _ = os.RemoveAll(folder) }()
	held, err := r.reserve()
	if err != nil {
		r.halt(&failure{1, durable.Explain("to "+fmt.Sprintf("%q", r.cmd.Out), err).Error()})
		return nil, false
	}
	defer held.free()
	answer, err := r.extract(ctx, one, folder)
	if err == nil {
		one.ReadAt, one.Master, one.Sent, one.isNew, one.State = answer.ReadAt, answer.Master, answer.Sent, true, volume.Read
		if answer.Answer.Text == "" {
			one.State = volume.Empty
		}
		if content, err = r.keep(ctx, one, answer, held); err != nil {
			one.isNew, one.State = false, volume.Waiting
		}
	}
	r.conclude(ctx, one, err)
	return content, one.State.IsRead()
}

// extract makes the page ready, sends it, and returns the answer. While the client retries, the user sees why and for how long
// on stderr.
func (r *run) extract(ctx context.Context, one *page, folder string) (*journal.Answer, error) {
	bounded, cancel := context.WithTimeout(ctx, r.cmd.Timeout)
	image, err := one.from.Load(bounded, folder)
	isLate := bounded.Err() != nil && ctx.Err() == nil
	cancel()
	switch {
	case isLate:
		return nil, &loadError{fmt.Errorf("the image was not ready within %v", r.cmd.Timeout)}
	case err != nil:
		return nil, &loadError{err}
	}
	imageURL := image.URL
	if imageURL == "" {
		if imageURL, err = inline(image.Path); err != nil {
			return nil, &loadError{err}
		}
	}
	format := r.wireFormat(image)
	request := gen.ExtractionRequest{ImageURL: imageURL, Format: &format}
	if r.cmd.Language != "" {
		request.Language = &r.cmd.Language
	}
	if r.cmd.Enhance {
		request.Enhance = &r.cmd.Enhance
	}
	result, err := r.send(ctx, one, request)
	if err != nil {
		return nil, err
	}
	r.count(result)
	return &journal.Answer{
		Source: one.Source, ReadAt: time.Now().UTC().Truncate(time.Second), Generation: one.generation, Points: result.Points,
		Master: image.Master, Sent: image.Sent, Answer: result.Answer,
	}, nil
}

// maxGenerations bounds how many Idempotency-Keys are tried for a page while the service knows them from other requests.
const maxGenerations = 8

// send announces and sends a request. The service may know the key from a request with another copy of the same page, made for
// an output folder that no longer exists. Then send uses the key of the next generation, unless this journal says that such a
// request may have been charged.
func (r *run) send(ctx context.Context, one *page, request gen.ExtractionRequest) (*reply, error) {
	for try := 1; ; try++ {
		key, err := r.announce(ctx, one)
		if err != nil {
			return nil, err
		}
		result, err := r.api.extract(ctx, key, request, func(failed error, wait time.Duration) {
			one.isDoubtful = one.isDoubtful || mayBeCharged(failed)
			r.slowDown(one, failed, wait)
			r.console.note("%s: %v; retrying in %v", one.Source, failed, wait.Round(100*time.Millisecond))
		})
		var refused *refusedAnswer
		isOther := errors.As(err, &refused) && refused.IsIdempotencyKeyReused && (!one.isPending || r.cmd.Force)
		if !isOther || try == maxGenerations {
			return result, err
		}
		one.generation++
		one.isDoubtful = false
	}
}

// wireFormat returns the format to ask the service for. For pages that are stored, or whose boxes are mapped, that is PAGE-XML,
// because all other formats can be made from it.
func (r *run) wireFormat(image *source.Image) gen.Format {
	format := gen.Format(r.cmd.Format[0])
	isPlain := format == gen.Text || format == gen.JSON
	if format == gen.Pdf && r.store.Journal == nil {
		return format // its boxes fit the pictures in it
	}
	if r.store.Journal != nil || !isPlain && image.Master != image.Sent {
		return gen.Page
	}
	return format
}

// announce writes to the journal that the page will be sent, and returns the key to send it with. Without a journal, keys are
// random. Errors: *failure, *loadError, ctx's error.
func (r *run) announce(ctx context.Context, one *page) (key string, err error) {
	if r.store.Journal == nil {
		return rand.Text(), ctx.Err()
	}
	if one.id == "" { // the file was missing when the run began
		content, err := one.from.Content(ctx)
		if err != nil {
			return "", &loadError{err}
		}
		one.id = journal.PageID(one.from.Position, content, "language="+r.cmd.Language, fmt.Sprintf("enhance=%t", r.cmd.Enhance))
	}
	event := journal.Event{Kind: journal.Sent, Page: one.id, Generation: one.generation, Source: one.Source}
	if err := r.store.Append(event); err != nil {
		return "", &failure{1, durable.Explain("the journal", err).Error()}
	}
	return journal.Key(one.id, one.generation), nil
}

// slowDown stops sending to the service, or to the server of an image, for as long as it asked clients to wait.
func (r *run) slowDown(one *page, failed error, wait time.Duration) {
	var refused *refusedAnswer
	switch {
	case !errors.As(failed, &refused) || refused.Wait < 0:
	case refused.IsFetchTemporary:
		r.hosts.recordPause(one.from.Host, wait)
	default:
		r.pace.slowDown(wait)
	}
}

// count adds up the points of an answer. The balance in a stored answer is out of date.
func (r *run) count(result *reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if result.Points == 0 {
		return
	}
	r.used += result.Points
	// Answers about pages that are read at the same time may not arrive in the order of their charges; the lowest balance is the
	// latest. A balance that is too high for the points of this run was reset in the meantime.
	if left := result.Answer.RemainingPoints; r.remaining == nil || left == nil || *left < *r.remaining || *left > *r.remaining+r.used {
		r.remaining = left
	}
	r.console.spent(r.used)
}

// inline returns the data: URL of an image file. Errors do not name the file.
func inline(path string) (string, error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return "", durable.WithoutPath(err)
	}
	defer func() { _ = file.Close() }()
	var image bytes.Buffer
	if about, err := file.Stat(); err == nil {
		image.Grow(int(min(about.Size(), imagefile.MaxBytes)) + bytes.MinRead)
	}
	_, err = image.ReadFrom(io.LimitReader(file, imagefile.MaxBytes+1))
	switch {
	case err != nil:
		return "", durable.WithoutPath(err)
	case image.Len() > imagefile.MaxBytes:
		return "", imagefile.TooLarge(imagefile.MaxBytes)
	}
	var url strings.Builder // grown once, because it may reach 28 MB
	url.Grow(len("data:application/octet-stream;base64,") + base64.StdEncoding.EncodedLen(image.Len()))
	url.WriteString("data:" + imagefile.MediaType(image.Bytes()) + ";base64,")
	encoder := base64.NewEncoder(base64.StdEncoding, &url)
	_, _ = encoder.Write(image.Bytes())
	_ = encoder.Close()
	return url.String(), nil
}
