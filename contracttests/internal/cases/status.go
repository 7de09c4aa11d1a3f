package cases

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"uncial/contracttests/internal/generate"
	"uncial/contracttests/internal/model"
)

// statusRows check GET /status, which is free and not limited. That its numbers are right is checked after every case,
// because session.confirmAll asks for the status of each account.
var statusRows = []row{
	{
		// Two queries in a row also find servers whose status changes something.
		name: "status/200/record", check: checkAllRecords,
		explanation: "The status reports plan, points and rate limit; used and remaining points add up to the total, and both forms of the rate limit agree with the headers.",
	}, {
		name: "status/200/free-and-never-limited", explanation: "Asking for the status costs nothing, does not count, and is always answered.",
		// One request that counts starts the window, which the many status queries must leave alone.
		asks: append([]ask{invalid()}, slices.Repeat([]ask{status()}, maxExtractions)...),
	}, {
		// Frameworks react by themselves to much that the contract does not offer, such as conditional and range requests.
		name: "status/200/always-json", explanation: "Answers are JSON, whatever the request prefers, and never partial or \"not modified\".",
		asks: append([]ask{
			status().header("Accept", "text/html"), status().header("Accept-Encoding", "identity"), status().header("Accept-Encoding", "gzip"), status().header("Content-Type", "application/json"),
			status().header("X-Http-Method-Override", "DELETE"), status().header("X-Request-Id", "two words"), status().header("If-None-Match", "*"), status().header("Range", "bytes=0-3"),
		}, negotiated(status(), false)...),
	}, {
		// Bodies are sent with a length and without: servers that look only at Content-Length miss the others, and those that decode
		// the body miss spaces.
		name: "status/400/takes-nothing", explanation: "The status takes no parameters and no body; the answer names what it refuses.",
		asks: slices.Concat(queriedStatus(), statusWithBody(), []ask{
			status().query("verbose=true").wrong("verbose"), status().query("key=x&plan=pro").wrong("key", "plan"),
		}),
	},
}

// statusWithBody asks for the status with bodies of every kind, from a single byte on.
func statusWithBody() (all []ask) {
	types := [][]string{{"application/json"}, {}, {"text/plain"}, {"application/x-www-form-urlencoded"}, {"application/octet-stream"}}
	for i, text := range []string{
		" ", "\n", "\t", "\r\n", "\x00", "\xff", "\ufeff", "0", "x", "{}", " {}\n", "[]", "null", "false", `""`, `{"plan":"pro"}`, "plan=pro", "&", "=", "<status/>", "{", "hello", strings.Repeat(" ", 5000), strings.Repeat("x", 100_000),
	} {
		for _, chunked := range []bool{false, true} {
			a := with(model.Request{Method: http.MethodGet, Path: "/status", Body: []byte(text), Chunked: chunked, Wrong: []string{"body"}})
			all = append(all, a.header("Content-Type", types[i%len(types)]...))
		}
	}
	return all
}

// queriedStatus asks for the status with every kind of query.
func queriedStatus() (all []ask) {
	for _, r := range generate.QueryRules() {
		b := generate.Break(nil, 1, r)
		all = append(all, status().query(b.Draft.Query).wrong(b.Fields()...))
	}
	return all
}

// checkAllRecords asks for the status of every account twice: the second answer must equal the first.
func checkAllRecords(ctx context.Context, s *session) error {
	for _, scenario := range []string{model.KeyOK, model.KeySpare, model.KeyLow, model.KeyEmpty, model.KeyExact, model.KeyRateLimited, model.KeyCapped} {
		for _, a := range s.accounts[scenario] {
			if err := s.open(ctx, a); err != nil {
				return err
			}
			if err := s.confirm(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// elsewhereRows check what is outside the operations: unknown paths, unsupported methods, and the contract itself.
var elsewhereRows = []row{
	{
		// Similar paths find routers that normalize: letter case, trailing slashes, suffixes, path parameters, empty segments.
		name: "elsewhere/404/unknown-paths", explanation: "An unknown path gets a 404 in the form of every error, with a key and without.",
		build: func(s *session) (asks []ask) {
			for _, path := range []string{
				"/", "/extract/", "/status/", "/Status", "/EXTRACT", "/status.json", "/extract/1", "/extracts", "/usage", "/status;v=1",
				"/extract%20", "/status.", "/status/1", "/extract.json", "/v1/status", "/api/v1/status", "/extract;v=1", "/extract/status", "/Extract", "/status%09", "/status%23", "/*", "//status", "//extract", "/./status", "/x/../status", "/%2e%2e/v1/status", "/status/.", "/status%2f", "/status%00", "/status%3fx", "/status%ff", "/%ff", "/st%c3%28tus", "/%00", "/stat%75s/", "/\u017ftatus",
				"/..%2f..%2fetc/passwd", "/metrics", "/debug/pprof/", "/debug/vars", "/actuator/env", "/.env", "/.git/config", "/admin", "/internal", "/health", "/healthz", "/version", "/keys", "/accounts", "/openapi.yaml", "/docs", "/graphql",
				drawPath(s.Seed), drawPath(s.Seed + 1),
			} {
				post := body(`{}`)
				post.Path = path
				asks = append(asks, get(path), post, get(path).sentBy(nobody))
			}
			return asks
		},
	}, {
		// The model of the account reveals a method that has an effect after all. HEAD and OPTIONS are not
		// implicit.
		name: "elsewhere/405/wrong-methods", explanation: "An unsupported method gets a 405 that lists the supported ones, and has no effect.",
		build: wrongMethods,
	}, {
		// Clients are generated from the served contract, so it must not drift from the one that the suite was
		// built with.
		name: "elsewhere/document", needs: []string{model.NeedAllFields}, check: checkServedContract,
		explanation: "The header Link leads to the contract that the server implements.",
	},
}

// registeredMethods are the methods in IANA's registry other than the common ones, without CONNECT and PRI, which do not
// request a path.
var registeredMethods = []string{
	"ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
	"MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPFIND", "PROPPATCH", "QUERY", "REBIND", "REPORT", "SEARCH", "UNBIND", "UNCHECKOUT",
	"UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
}

// wrongMethods tries all methods that are registered, one in lower case (methods are case-sensitive, RFC 9110, section 9.1) and
// an invented one.
func wrongMethods(s *session) (asks []ask) {
	valid := model.WriteObject((&model.Job{Image: printed}).Members(s.Target), "")
	for _, op := range s.contract.Operations() {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", strings.ToLower(op.Method), drawMethod(s.Seed)} {
			if slices.Contains(s.contract.Methods(op.Path), method) {
				continue
			}
			a := with(model.Request{Method: method, Path: op.Path})
			if method == "POST" || method == "PUT" || method == "PATCH" {
				a.Body = valid
			}
			asks = append(asks, a, a.sentBy(nobody))
			for _, name := range []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"} {
				asks = append(asks, a.header(name, op.Method))
			}
			asks = append(asks, a.query("_method="+op.Method))
		}
		for _, method := range registeredMethods {
			asks = append(asks, with(model.Request{Method: method, Path: op.Path, Body: valid}))
		}
	}
	return asks
}

// drawPath is a path that no server of the contract has.
func drawPath(seed uint64) string {
	return rapid.StringMatching(`/[a-z]{1,6}(/[a-z0-9]{1,6}){0,2}/nowhere`).Example(int(seed & math.MaxInt))
}

// drawMethod is a method that does not exist.
func drawMethod(seed uint64) string {
	return rapid.StringMatching(`X[A-Z]{2,9}`).Example(int(seed & math.MaxInt))
}
