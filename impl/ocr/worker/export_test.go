package worker

// Serve is Run with a reader instead of engines, and without the hello.
var Serve = serve
