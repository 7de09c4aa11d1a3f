package dashboard

// messages tell visitors what they have just done, by the code that Call.Redirect puts into the address. The codes are
// fixed, so that nobody can make the page say something else.
var messages = map[string]string{
	"account-deleted":       "The account was deleted.",
	"account-renamed":       "The account was renamed.",
	"account-resumed":       "The account was resumed. Its keys work again.",
	"account-suspended":     "The account was suspended. Its keys are refused from now on.",
	"cap-changed":           "The monthly cap was changed.",
	"email-changed":         "The e-mail address was changed.",
	"email-sent":            "A message is on its way to the new address. The change takes effect when you follow the link in it.",
	"expired":               "Your session has ended, and nothing was changed. Sign in and send the form again.",
	"granted":               "The points were granted.",
	"invited":               "The invitation was made.",
	"joined":                "You joined the account.",
	"key-renamed":           "The key was renamed.",
	"key-revoked":           "The key was revoked. Requests with it are refused from now on.",
	"left":                  "You left the account.",
	"member-removed":        "The member was removed from the account.",
	"name-changed":          "Your name was changed.",
	"password-changed":      "The password was changed, and all other sessions were ended.",
	"plan-changed":          "The plan was changed.",
	"ranges-changed":        "The address ranges were changed.",
	"role-changed":          "The role was changed.",
	"session-ended":         "The session was ended.",
	"signed-out":            "You are signed out.",
	"signed-out-everywhere": "You are signed out in all browsers.",
	"switched":              "You work in another account now.",
	"user-deleted":          "Your user was deleted.",
	"verified":              "The e-mail address is verified.",
	"welcome":               "Welcome. Create a key to make your first call.",
}
