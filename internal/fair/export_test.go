package fair

// Waiting returns the number of requests in Wait.
func (g *Semaphore) Waiting() int {
	g.places.mu.Lock()
	defer g.places.mu.Unlock()
	return len(g.waiting)
}
