package decode

// Inspect gives the tests the headers without the pixels.
var Inspect = inspect
