package accuracy

// Strict is exported for the tests that compare it with Folded.
var Strict = strict
