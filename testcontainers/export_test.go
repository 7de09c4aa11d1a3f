package testcontainers

var Require = requireEngine
