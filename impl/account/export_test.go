package account

// NewToken makes a key without keeping it.
var NewToken = newToken

// PlanName is the pattern of a plan's name.
var PlanName = planName.String()
