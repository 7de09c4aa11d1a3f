package cases

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptrace"
	"time"

	"uncial/contracttests/internal/model"
)

// lostRows repeat requests whose answer did not arrive. A client cannot know whether such a request was carried out, so the
// Idempotency-Key decides whether it pays once or twice.
var lostRows = []row{
	{
		// No special image is needed: the caller hangs up by itself. The server may finish the first request or start
		// again.
		name: "extract/200/caller-hung-up", points: 10 * triesAtOnce, extractions: 3 * triesAtOnce,
		check:       func(ctx context.Context, s *session) error { return checkLost(ctx, s, s.overlapping(), hangUp) },
		explanation: "A caller that hung up repeats its request with the same Idempotency-Key, gets the answer and pays once.",
	},
	lostRow("reset", model.ImageReset, "whose connection was reset"),
	lostRow("cut", model.ImageCut, "whose answer was cut off"),
	lostRow("wrong-length", model.ImageLength, "whose answer came with a wrong Content-Length"),
}

// hangUp is the time after which an impatient caller hangs up.
const hangUp = 50 * time.Millisecond

// lostRow is a case whose image makes the server lose its first answer.
func lostRow(name, image, caller string) row {
	return row{
		name: "extract/200/answer-" + name, points: 10, extractions: 3, needs: []string{needImage(image)},
		check:       func(ctx context.Context, s *session) error { return checkLost(ctx, s, image, 0) },
		explanation: "A caller " + caller + " repeats its request with the same Idempotency-Key, gets the answer and pays once.",
	}
}

// checkLost sends a request whose answer does not arrive, either because the caller waits only that long or, if patience is
// 0, because of the image. Then it repeats the request twice. If the answer came before the caller hung up, it tries again.
func checkLost(ctx context.Context, s *session, image string, patience time.Duration) error {
	tries := 1
	if patience > 0 {
		tries = triesAtOnce
	}
	a, err := s.account(ctx, model.KeyOK, int64(3*tries), int64(tries))
	if err != nil {
		return err
	}
	for range tries {
		if isLost, err := s.loseOnce(ctx, a, image, patience); err != nil || isLost {
			return err
		}
	}
	return nil // the server was faster than the caller, and repeated its answers
}

// loseOnce is one try of checkLost. isLost is false if the answer arrived after all.
func (s *session) loseOnce(ctx context.Context, a *model.Account, image string, patience time.Duration) (isLost bool, err error) {
	if err := s.paceAll(ctx, a, 3); err != nil {
		return false, err
	}
	c := &senders{map[who]*model.Account{first: a}, s.idempotencyKey()}
	lost, err := s.sendWithLostAnswer(ctx, s.request(read(image).keyed("a"), c), patience)
	if err != nil {
		return false, err
	}
	repeat := s.request(read(image).keyed("a"), c)
	repeat.Concurrent = true // whether the first request counted is not known
	x, err := s.send(ctx, repeat)
	if err != nil {
		return false, err
	}
	if x.Status != http.StatusOK {
		return true, fail(x, "the repeat of a request whose answer was lost must be 200, not %d", x.Status)
	}
	if y, problem := a.Absorb([]*model.Exchange{lost, x}); problem != "" {
		return true, fail(y, "%s", problem)
	}
	a.Unsure = true
	_, err = s.send(ctx, s.request(read(image).keyed("a"), c))
	return !json.Valid(lost.Body), err
}

// sendWithLostAnswer sends a request whose answer is lost. The error is a *failure if a server that should lose it did not.
func (s *session) sendWithLostAnswer(ctx context.Context, r *model.Request, patience time.Duration) (*model.Exchange, error) {
	r.Complete(s.Target)
	r.Concurrent = true
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	if patience > 0 { // since the request was sent: a busy machine may need longer for that
		waiting = httptrace.WithClientTrace(waiting, &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) { time.AfterFunc(patience, stop) },
		})
	}
	s.Client.CloseIdleConnections() // net/http repeats such a request by itself if it was lost on a reused connection
	x, err := s.Exchange(waiting, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.record(x)
	if patience == 0 && err == nil && json.Valid(x.Body) {
		return x, fail(x, "the target promises to lose the first answer to this image, but it arrived")
	}
	return x, nil
}
