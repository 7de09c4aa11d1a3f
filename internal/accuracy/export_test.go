package accuracy

// Strict is tested beside Folded.
var Strict = strict
