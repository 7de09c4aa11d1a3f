package mock

import "net/http"

// place tells a request from all others that were the same. It is a function of what came before with the same key, or,
// where there is none, from the same address.
type place struct {
	number uint64 // among those of its key, or those without one that are the same, from 1
	era    uint64 // of what was forgotten before: a number that was given before it comes again only in another era
}

// maxStrangers are the different requests without a key of the mock that are counted; beyond that all begin anew.
const maxStrangers = 1024

// arrive gives the request its place. called is whether it is one of the API's, to which keys belong.
func (w *world) arrive(r *http.Request, token string, called bool) place {
	w.mu.Lock()
	defer w.mu.Unlock()
	if called {
		if k := w.find(token); k != nil {
			k.requests++
			return place{k.requests, k.era}
		}
	}
	same := digest(r.Method, r.URL.Path, r.URL.RawQuery, token)
	if _, known := w.strangers[same]; !known && len(w.strangers) >= maxStrangers {
		clear(w.strangers)
		w.era++
	}
	w.strangers[same]++
	return place{w.strangers[same], w.era}
}
