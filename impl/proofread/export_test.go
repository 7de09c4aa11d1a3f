package proofread

// IsMisreading is exported for tests of single words.
var IsMisreading = isMisreading
