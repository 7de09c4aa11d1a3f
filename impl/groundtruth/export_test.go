package groundtruth

// ErrNoPages is errNoPages.
var ErrNoPages = errNoPages
