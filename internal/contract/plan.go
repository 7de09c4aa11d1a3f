package contract

// Plan is what an account may use.
type Plan struct {
	Name     string `json:"-"`
	Points   int64  `json:"points"`            // allowance for a calendar month, 1 to MaxPoints
	Requests int64  `json:"requestsPerMinute"` // extractions that a rate-limit window allows, 1 to MaxRequests
	// Weight is the account's share of a busy server: 2 gets twice as much as 1. The accounts of one weight together never
	// outweigh a single account with a higher weight. 1 to MaxWeight; 0 counts as 1.
	Weight int `json:"weight,omitempty"`
}

// Upper bounds of a plan.
const (
	MaxPoints   = 1_000_000_000_000
	MaxRequests = 1_000_000
	MaxWeight   = 100
)

// DefaultPlans returns the catalogue that both servers start with, by name. An operator may give the service another
// one; the mock always has this one.
func DefaultPlans() map[string]Plan {
	return map[string]Plan{
		"free":    {Name: "free", Points: 300, Requests: 10, Weight: 1},
		"pro":     {Name: "pro", Points: 10_000, Requests: 60, Weight: 2},
		"archive": {Name: "archive", Points: 1_000_000, Requests: 600, Weight: 4},
	}
}
