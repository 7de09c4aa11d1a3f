package testcontainers

// Require is requireEngine.
var Require = requireEngine
