package user

// Waiting returns how many sign-ins are being delayed.
func (d *Directory) Waiting() int {
	d.waiting.mu.Lock()
	defer d.waiting.mu.Unlock()
	return d.waiting.all
}
