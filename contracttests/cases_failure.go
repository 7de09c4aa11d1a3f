package contracttests

import (
	"context"
	"net/http"
)

func failureCases() []Case {
	return []Case{{
		Name: "extract/500/image", Operation: "extract", Status: 500, Needs: []string{needKey(KeyOK), needImage(ImageError)}, Extractions: 5, Points: 10,
		Explanation: "Where the server fails it says so and nothing of its inside, charges nothing, and leaves the Idempotency-Key free.",
		Check: do(func(ctx context.Context, s *session) error {
			a, err := s.account(ctx, KeyOK, 5, 1)
			if err != nil {
				return err
			}
			id := s.idempotencyKey()
			for _, r := range []*request{
				{account: a, job: &job{image: ImageError}},
				keyed(a, id, job{image: ImageError}), keyed(a, id, job{image: ImageError}),
				keyed(a, id, job{image: ImagePrinted}), keyed(a, id, job{image: ImagePrinted}),
			} {
				if err := s.sendAll(ctx, r); err != nil {
					return err
				}
				if err := s.settled(ctx, a); err != nil {
					return err
				}
			}
			return nil
		}),
	}, {
		Name: "extract/500/key", Operation: "extract", Status: 500, Needs: []string{needKey(KeyError)}, Extractions: 1,
		Explanation: "A 500 has the form of every error and tells nothing of the server's inside.",
		Check: do(func(ctx context.Context, s *session) error {
			return s.sendAll(ctx, &request{account: s.accounts[KeyError][0], job: &job{image: ImagePrinted}})
		}),
	}, {
		Name: "status/500/key", Operation: "status", Status: 500, Needs: []string{needKey(KeyError)},
		Explanation: "A 500 of the status has the form of every error.",
		Check: do(func(ctx context.Context, s *session) error {
			return s.sendAll(ctx, &request{account: s.accounts[KeyError][0], method: http.MethodGet, path: "/status"})
		}),
	}}
}
