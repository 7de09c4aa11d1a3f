package workerpool

// WithExhausting returns options of a pool that remembers images which used a core for that part of their deadline.
func (o Options) WithExhausting(part int) Options {
	o.exhaustingShare = part
	return o
}
