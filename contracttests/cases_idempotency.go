package contracttests

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
)

func idempotencyCases() []Case {
	c := func(name string, status int, extractions, points int64, explanation string, check body, needs ...string) Case {
		return Case{
			Name: name, Operation: "extract", Status: status, Extractions: extractions, Points: points,
			Needs: append([]string{needKey(KeyOK)}, needs...), Explanation: explanation, Check: do(check),
		}
	}
	return []Case{
		c("extract/200/replay", 200, 5, 20, "A repeat with the same Idempotency-Key gets the stored answer and costs nothing, even when other calls came between; it still counts against the rate limit, and needs its API key.", replays),
		c("extract/400/replay-of-another-request", 400, 8, 10, "The same Idempotency-Key with another request, whichever field differs, is a 400 that names the header.", conflicts),
		c("extract/200/replay-apart", 200, 11, 90, "Idempotency keys are apart when they differ in case or in their last character, whichever that is, and when their accounts differ.", keysApart, needKey(KeySpare)),
		c("extract/200/errors-are-not-kept", 200, 4, 10, "After an error the Idempotency-Key is free again: the corrected request is carried out.", errorsFreeTheKey),
		c("extract/200/replay-at-once", 200, 6, 10, "A repeat waits while the first still runs: several at the same time get one answer and are charged once.", replayAtOnce),
		c("extract/400/replay-of-another-request-at-once", 400, 3, 10, "Another request with the Idempotency-Key of one that still runs is a 400, as it is later.", conflictAtOnce, needImage(ImageSlow)),
		c("extract/200/replay-at-once-without-points", 200, 5, 10, "A repeat waits for the first also where the points are enough for that one alone.", replayAtOnceWithoutPoints, needKey(KeyLow)),
		c("extract/200/replay-without-points", 200, 3, 10, "A repeat costs nothing, so it is answered where no points are left.", replayWithoutPoints, needKey(KeyLow)),
	}
}

// keyed is a request for the job with an Idempotency-Key.
func keyed(a *account, id string, j job) *request {
	return &request{account: a, job: &j, header: http.Header{"Idempotency-Key": {id}}}
}

// sendAll sends requests one after the other; what each answer must be the judges say.
func (s *session) sendAll(ctx context.Context, requests ...*request) error {
	for _, r := range requests {
		if _, err := s.send(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func replays(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 5, 2)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	j := job{image: ImagePrinted, format: "hocr"}
	if err := s.sendAll(ctx, keyed(a, id, j), keyed(a, id, j)); err != nil {
		return err
	}
	if err := s.settled(ctx, a); err != nil {
		return err
	}
	if _, err := s.extract(ctx, a, job{image: ImageOther}); err != nil {
		return err
	}
	stranger, nobody := keyed(nil, id, j), keyed(nil, id, j)
	stranger.auth = []credential{bearer("x" + a.key[:1])}
	if err := s.sendAll(ctx, keyed(a, id, j), stranger, nobody, keyed(a, id, j)); err != nil {
		return err
	}
	return nil
}

func conflicts(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 8, 1)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	first := job{image: ImagePrinted, language: "en", enhance: &no, format: "json"}
	if err := s.sendAll(ctx, keyed(a, id, first)); err != nil {
		return err
	}
	for _, other := range []job{
		{image: ImageOther, language: "en", enhance: &no, format: "json"},
		{image: ImagePrinted, language: "de", enhance: &no, format: "json"},
		{image: ImagePrinted, language: "en", enhance: &yes, format: "json"},
		{image: ImagePrinted, language: "en", enhance: &no, format: "tsv"},
	} {
		if err := s.sendAll(ctx, keyed(a, id, other)); err != nil {
			return err
		}
		if err := s.settled(ctx, a); err != nil {
			return err
		}
	}
	spoilt := &request{account: a, body: []byte(`{"imageUrl":7}`), faults: []string{"imageUrl"}, header: http.Header{"Idempotency-Key": {id}}}
	return s.sendAll(ctx, spoilt, keyed(a, id, first))
}

func keysApart(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 9, 8)
	if err != nil {
		return err
	}
	var other *account
	for _, candidate := range s.accounts[KeySpare] {
		if candidate != a {
			other = candidate
		}
	}
	if other == nil {
		return &skip{"another account is needed"}
	}
	if err := s.open(ctx, other); err != nil {
		return err
	}
	id := s.idempotencyKey() + "a"
	long := id + strings.Repeat("-", 254-len(id))
	if err := s.sendAll(ctx, keyed(a, id, job{image: ImagePrinted}), keyed(a, strings.ToUpper(id), job{image: ImageOther}),
		keyed(a, long+"1", job{image: ImagePrinted}), keyed(a, long+"2", job{image: ImageOther}), keyed(other, id, job{image: ImageOther}),
		keyed(a, long+"_", job{image: ImageBlank}), keyed(a, long+"%", job{image: ImageBlank, format: "text"}), keyed(a, long+"*", job{image: ImageBlank, format: "tsv"}),
		keyed(other, id, job{image: ImageOther}), keyed(a, id, job{image: ImagePrinted}),
	); err != nil {
		return err
	}
	if err := s.settled(ctx, other); err != nil {
		return err
	}
	return nil
}

func errorsFreeTheKey(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 4, 1)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	bad := &request{account: a, body: []byte(`{}`), faults: []string{"imageUrl"}, header: http.Header{"Idempotency-Key": {id}}}
	if err := s.sendAll(ctx, bad, keyed(a, id, job{image: ImageUnfetchable}), keyed(a, id, job{image: ImagePrinted}), keyed(a, id, job{image: ImagePrinted})); err != nil {
		return err
	}
	return nil
}

func replayAtOnce(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 6, 1)
	if err != nil {
		return err
	}
	image := s.overlapping()
	id := s.idempotencyKey()
	var requests []*request
	for range 4 {
		requests = append(requests, keyed(a, id, job{image: image}))
	}
	exchanges, err := s.race(ctx, a, requests)
	if err != nil {
		return err
	}
	for _, x := range exchanges {
		if x.Status != http.StatusOK || !sameJSON(x.Body, exchanges[0].Body) {
			return fail(x, "%d equal requests with one Idempotency-Key at the same time must all get the same 200", len(requests))
		}
	}
	if err := s.settled(ctx, a); err != nil {
		return err
	}
	a.remember(exchanges[0])
	return s.sendAll(ctx, keyed(a, id, job{image: image}), keyed(a, id, job{image: ImageBlank}))
}

// conflictAtOnce sends a request, waits until it runs, and sends another with its Idempotency-Key.
func conflictAtOnce(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyOK, 2, 1)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	first, other := keyed(a, id, job{image: ImageSlow}), keyed(a, id, job{image: ImageBlank})
	first.free, other.free = true, true
	var x *Exchange
	var errFirst error
	var running sync.WaitGroup
	running.Go(func() { x, errFirst = s.send(ctx, first) })
	err = s.untilUsed(ctx, a, a.points.used+cost, "an extraction runs, so its points are used")
	y, errOther := s.send(ctx, other)
	running.Wait()
	if err := errors.Join(errFirst, err, errOther); err != nil {
		return err
	}
	must := expectation{status: http.StatusBadRequest, why: "its Idempotency-Key is that of another request, which runs", fields: []string{"Idempotency-Key"}}
	if faults := must.check(y); len(faults) > 0 {
		return &failure{y, faults}
	}
	if x.Status != http.StatusOK {
		return fail(x, "the answer must be 200, not %d: another request with its Idempotency-Key changes nothing", x.Status)
	}
	if err := a.absorb([]*Exchange{x, y}); err != nil {
		return err
	}
	a.remember(x)
	return s.sendAll(ctx, keyed(a, id, job{image: ImageSlow}))
}

func replayAtOnceWithoutPoints(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyLow, 5, 1)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	var requests []*request
	for range 4 {
		requests = append(requests, keyed(a, id, job{image: s.overlapping()}))
	}
	exchanges, err := s.race(ctx, a, requests)
	if err != nil {
		return err
	}
	for _, x := range exchanges {
		if x.Status != http.StatusOK || !sameJSON(x.Body, exchanges[0].Body) {
			return fail(x, "%d equal requests with one Idempotency-Key at the same time must all get the same 200, where the points are enough for one", len(requests))
		}
	}
	if err := s.settled(ctx, a); err != nil {
		return err
	}
	_, err = s.extract(ctx, a, job{image: ImagePrinted})
	return err
}

func replayWithoutPoints(ctx context.Context, s *session) error {
	a, err := s.account(ctx, KeyLow, 3, 1)
	if err != nil {
		return err
	}
	id := s.idempotencyKey()
	if err := s.sendAll(ctx, keyed(a, id, job{image: ImagePrinted}), keyed(a, id, job{image: ImagePrinted}), keyed(a, s.idempotencyKey(), job{image: ImagePrinted})); err != nil {
		return err
	}
	return nil
}
