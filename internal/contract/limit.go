package contract

// Limit says whose points are used up, in the field limitedBy of a 402.
type Limit string

// The limit with fewer points left is named; if they are equal, LimitedByAccount.
const (
	LimitedByAccount Limit = "account" // the allowance of the account's plan
	LimitedByKey     Limit = "key"     // the monthly cap of the key
)
