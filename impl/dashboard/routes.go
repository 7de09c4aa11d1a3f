package dashboard

import "net/http"

// table lists the pages and changes of this package.
func (d *Dashboard) table() []Route {
	get := func(path string, access Access, serve func(*Call) error) Route {
		return Route{Method: http.MethodGet, Path: path, Access: access, Serve: serve}
	}
	post := func(path string, access Access, serve func(*Call) error) Route {
		return Route{Method: http.MethodPost, Path: path, Access: access, Serve: serve}
	}
	return []Route{
		get("/assets/{name}", Anyone, serveAsset),

		// Strangers can call all of these. Package user counts and delays their attempts, and no answer tells whether an
		// address is known, except that of a sign-up that is open without mail, which only this machine can reach.
		get("/sign-in", Anyone, showSignIn), post("/sign-in", Anyone, signIn),
		get("/sign-up", Anyone, showSignUp), post("/sign-up", Anyone, signUp),
		get("/forgot", Anyone, showForgot), post("/forgot", Anyone, forgot),
		get("/sent", Anyone, showSent),
		get(linkPath, Anyone, showLink), post(linkPath, Anyone, openLink),
		post("/accept", Anyone, accept),
		post("/verify", Anyone, verify),
		post("/reset", Anyone, resetPassword),
		post("/sign-out", Anyone, signOut),
		get("/openid", Anyone, startOpenID), get("/openid/callback", Anyone, finishOpenID),

		get("/{$}", Member, showHome),

		// Members see keys and use; only owners change what a key may do.
		get("/keys", Member, showKeys), post("/keys", Owner, createKey),
		get("/keys/new", Owner, showNewKey),
		get("/keys/{key}", Member, showKey),
		post("/keys/{key}/name", Owner, changeKey("key-renamed", renameKey)),
		post("/keys/{key}/ranges", Owner, changeKey("ranges-changed", changeRanges)),
		post("/keys/{key}/cap", Owner, changeKey("cap-changed", changeCap)),
		post("/keys/{key}/revoke", Owner, changeKey("key-revoked", revokeKey)),
		post("/keys/{key}/rotate", Owner, rotateKey),

		get("/usage", Member, showUsage), get("/usage.csv", Member, usageCSV),

		get("/account", SignedIn, showAccount),
		post("/account/rename", Owner, change("account-renamed", renameAccount)),
		post("/account/name", SignedIn, change("name-changed", renameUser)),
		post("/account/password", SignedIn, change("password-changed", changePassword)),
		post("/account/email", SignedIn, changeEmail),
		post("/account/openid", SignedIn, change("openid-confirmed", confirmLink)),
		post("/account/openid/remove", SignedIn, change("openid-removed", unlinkOpenID)),
		post("/account/delete", Owner, deleteAccount),
		post("/account/delete-user", SignedIn, deleteUser),
		post("/members", Owner, inviteMember),
		post("/members/invitations/{invitation}/revoke", Owner, revokeInvitation),
		post("/members/leave", Member, leave),
		post("/members/{user}/role", Owner, changeMember("role-changed", setRole)),
		post("/members/{user}/remove", Owner, changeMember("member-removed", removeMember)),
		post("/sessions/end", SignedIn, endSessions),
		post("/sessions/{session}/end", SignedIn, endSession),

		// Changes by operators are recorded in the operator log; see manage.
		get("/admin", Operator, showAdmin),
		get("/admin/accounts/{account}", Operator, showManaged),
		post("/admin/accounts/{account}/plan", Operator, manage("change plan", "plan-changed", changePlan)),
		post("/admin/accounts/{account}/grant", Operator, manage("grant points", "granted", grant)),
		post("/admin/accounts/{account}/suspend", Operator, manage("suspend account", "account-suspended", suspend)),
		post("/admin/accounts/{account}/resume", Operator, manage("resume account", "account-resumed", resume)),
		post("/admin/accounts/{account}/users/{user}/reset", Operator, resetUser),
		post("/admin/invitations", Operator, inviteAccount),
		post("/admin/invitations/{invitation}/revoke", Operator, revokeAccountInvitation),
		get("/admin/audit", Operator, d.auditing()),
		get("/admin/log", Operator, showLog),
		post("/join", SignedIn, joinAccount),
		post("/switch", SignedIn, switchAccount),
	}
}
