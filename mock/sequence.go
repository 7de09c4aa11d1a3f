package mock

import "net/http"

// sequence tells a request apart from all equal ones. It depends only on earlier requests with the same key or, for
// requests without a key of the mock, on earlier equal requests.
type sequence struct {
	number     uint64 // from 1, among the requests with the key, or among equal requests without one
	generation uint64 // number of times that counts were dropped before: numbers repeat only in another generation
}

// maxUnkeyed is the maximum number of different requests without a key that are counted. At the limit all counts start
// again, in a new generation.
const maxUnkeyed = 1024

// nextSequence returns the sequence of the request. Only requests of the API belong to keys.
func (s *state) nextSequence(r *http.Request, token string, isAPI bool) sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isAPI {
		if k := s.find(token); k != nil {
			k.requests++
			return sequence{k.requests, k.generation}
		}
	}
	id := digest(r.Method, r.URL.Path, r.URL.RawQuery, token)
	if _, known := s.unkeyed[id]; !known && len(s.unkeyed) >= maxUnkeyed {
		clear(s.unkeyed)
		s.generation++
	}
	s.unkeyed[id]++
	return sequence{s.unkeyed[id], s.generation}
}
