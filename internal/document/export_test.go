package document

// MaxWeak is maxWeak.
const MaxWeak = maxWeak
