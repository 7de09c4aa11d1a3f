package decode

// Inspect reads the headers without decoding the pixels.
var Inspect = inspect
