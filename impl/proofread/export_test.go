package proofread

// IsMisreading is tested word by word.
var IsMisreading = isMisreading
