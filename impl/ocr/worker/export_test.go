package worker

// Serve is Run without engines.
var Serve = serve
