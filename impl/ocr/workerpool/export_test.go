package workerpool

// WithExhausting returns options with which an image is remembered that used a core for that part of its deadline.
func (o Options) WithExhausting(part int) Options {
	o.exhaustingShare = part
	return o
}
