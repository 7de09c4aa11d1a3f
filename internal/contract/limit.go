package contract

// Limit says whose points are used up, in the field limitedBy of a 402.
type Limit string

// The limits of the contract.
const (
	LimitedByAccount Limit = "account" // the allowance of the account's plan
	LimitedByKey     Limit = "key"     // the monthly cap of the key
)
