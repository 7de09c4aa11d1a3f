package account

// NewToken makes a key without keeping it.
var NewToken = newToken
