package cases

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"uncial/contracttests/internal/model"
)

// made is a request with a credential that a program makes from the key; shell is how a report shows it.
func made(shell string, value func(key string) string) ask {
	return ask{credentials: []credential{func(key string) model.Credential { return model.Credential{Value: value(key), Shell: shell} }}}
}

// bearer is a request whose bearer token is made from the key. A token that would equal the key is made longer.
func bearer(what string, token func(key string) string) ask {
	return made("Bearer <the key "+what+">", func(key string) string {
		t := token(key)
		if t == key {
			t += "x"
		}
		return "Bearer " + t
	})
}

// longestCut is the maximum number of characters that are cut off a key. A longer cut would leave a prefix that many keys
// share.
const longestCut = 12

// similarKeys are tokens that a careless comparison takes for the key: cut at both ends, extended by every character of a
// token, with other letters, and in every usual encoding.
func similarKeys() []ask {
	all := []ask{
		ask{}.auth("Bearer " + madeUp), ask{}.auth("Bearer $UNCIAL_KEY$UNCIAL_KEY"), ask{}.auth("Bearer x$UNCIAL_KEY.x"),
		made("Bearer $(printf k%.0s {1..3000})", func(string) string { return "Bearer " + strings.Repeat("k", 3000) }),
		bearer("without the character in its middle", func(k string) string { return k[:len(k)/2] + k[len(k)/2+1:] }),
		bearer("with another character in its middle", func(k string) string {
			return k[:len(k)/2] + strings.Map(nextLetter, k[len(k)/2:len(k)/2+1]) + k[len(k)/2+1:]
		}),
	}
	for _, token := range placeholders {
		all = append(all, ask{}.auth("Bearer "+token))
	}
	for n := 1; n <= longestCut; n++ {
		all = append(all, bearer(fmt.Sprintf("without its last %d characters", n), func(k string) string { return k[:max(1, len(k)-n)] }),
			bearer(fmt.Sprintf("without its first %d characters", n), func(k string) string { return k[min(len(k)-1, n):] }),
			bearer(fmt.Sprintf("with other letters in its last %d characters", n), func(k string) string {
				i := max(0, len(k)-n)
				return k[:i] + strings.Map(nextLetter, k[i:])
			}))
	}
	for _, c := range []string{"x", "0", "A", ".", "_", "-", "/", "~", "+", "AA", "=", "=="} {
		all = append(all, ask{}.auth("Bearer $UNCIAL_KEY"+c))
		if c[0] != '=' {
			all = append(all, ask{}.auth("Bearer "+c+"$UNCIAL_KEY"))
		}
	}
	return append(all, encodedKeys()...)
}

// placeholders are tokens from examples and tests, and names of variables that were not set.
var placeholders = strings.Fields(`x 0 1 true null undefined None nil NaN test demo dev debug admin root guest anonymous public default changeme secret password token key API_KEY YOUR_API_KEY your-api-key ocr_live_ ocr_test_
	ocr_live ocr_live_test ocr_live_demo ocr_live_x ocr_test_0 ocr_live_ok uncial`)

// nextLetter is a different letter or digit.
func nextLetter(r rune) rune {
	if r == 'z' || r == 'Z' || r == '9' || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return 'a'
	}
	return r + 1
}

// encodedKeys are the key in a different letter case and in those encodings that have the form of a token.
func encodedKeys() []ask {
	return []ask{
		bearer("in capitals", strings.ToUpper), bearer("in lower case", strings.ToLower), bearer("with swapped letter case", swapCase),
		bearer("whose prefix is in capitals", func(k string) string { return strings.ToUpper(k[:min(8, len(k))]) + k[min(8, len(k)):] }),
		bearer("whose first letter is in the other case", func(k string) string { return swapCase(k[:1]) + k[1:] }),
		bearer("whose last letters are in the other case", func(k string) string { return k[:max(0, len(k)-4)] + swapCase(k[max(0, len(k)-4):]) }),
		bearer("with hyphens for underscores", replacing("_", "-")), bearer("with dots for underscores", replacing("_", ".")), bearer("without underscores", replacing("_", "")),
		bearer("in base64", func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) }),
		bearer("in base64url", func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte(k)) }),
		bearer("in hex", func(k string) string { return hex.EncodeToString([]byte(k)) }),
		bearer("backwards", backwards),
		bearer("rotated by 13 letters", func(k string) string { return strings.Map(rot13, k) }),
	}
}

func replacing(old, replacement string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, replacement) }
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// swapCase makes a different key, because keys are case-sensitive.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLower(r) {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, s)
}

// malformedKeys are headers that hold the key and something else.
func malformedKeys() (all []ask) {
	for _, value := range []string{
		"Bearer $UNCIAL_KEY $UNCIAL_KEY", "Bearer $UNCIAL_KEY,$UNCIAL_KEY", "Bearer\t$UNCIAL_KEY", `Bearer \"$UNCIAL_KEY\"`, "Bearer '$UNCIAL_KEY'", "Bearer <$UNCIAL_KEY>", "Bearer [$UNCIAL_KEY]",
		"Bearer $UNCIAL_KEY x", "Bearer x $UNCIAL_KEY", "Bearer Bearer $UNCIAL_KEY", "Bearer key=$UNCIAL_KEY", "Bearer token=$UNCIAL_KEY", "Bearer=$UNCIAL_KEY", "Bearer:$UNCIAL_KEY", "Bearer,$UNCIAL_KEY",
		"Bearer: $UNCIAL_KEY", "Bearer = $UNCIAL_KEY", "Bearer$UNCIAL_KEY", "Bearer x, Bearer $UNCIAL_KEY", "Bearer $UNCIAL_KEY, Bearer x", "Basic eDp4, Bearer $UNCIAL_KEY", "Bearer $UNCIAL_KEY, Basic eDp4",
		"Bearer $UNCIAL_KEY\u00e9", "Bearer \u00e9$UNCIAL_KEY", "Bearer ocr_live_\u043a\u043b\u044e\u0447", "Bearer \xff\xfe", "Bearer $UNCIAL_KEY\u200b", "Bearer $UNCIAL_KEY%00", "Bearer $UNCIAL_KEY%20", "Bearer %20$UNCIAL_KEY",
	} {
		all = append(all, ask{}.auth(value))
	}
	for _, sign := range ";,:?#*&!@%()|" {
		all = append(all, ask{}.auth("Bearer $UNCIAL_KEY"+string(sign)))
	}
	return append(all,
		bearer("with a space in it", func(k string) string { return k[:len(k)/2] + " " + k[len(k)/2:] }),
		bearer("with a space behind its 12th character", func(k string) string { return k[:min(12, len(k)-1)] + " " + k[min(12, len(k)-1):] }),
		bearer("with a percent-encoded letter", func(k string) string { return fmt.Sprintf("%%%02X", k[0]) + k[1:] }),
		bearer("with percent-encoded underscores", replacing("_", "%5F")), bearer("percent-encoded", percentEncoded),
		ask{}.auth("Bearer $UNCIAL_KEY", "Bearer x"), ask{}.auth("Bearer x", "Bearer $UNCIAL_KEY"), ask{}.auth("Bearer $UNCIAL_KEY", "Basic eDp4"), ask{}.auth("Bearer $UNCIAL_KEY", "Bearer $UNCIAL_KEY"),
	)
}

// percentEncoded writes every byte as an escape.
func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// otherSchemes present the key, or an encoding of it, by another scheme.
func otherSchemes() (all []ask) {
	for _, scheme := range []string{
		"", "Token ", "Key ", "ApiKey ", "Api-Key ", "X-API-Key ", "Digest ", "Negotiate ", "OAuth ", "JWT ", "DPoP ", "Bear ", "Beare ", "Bearers ", "XBearer ", "X-Bearer ", "MAC ", "HOBA ", "GNAP ", "SharedKey ",
	} {
		all = append(all, ask{}.auth(scheme+"$UNCIAL_KEY"))
	}
	for _, user := range []string{"$UNCIAL_KEY:", ":$UNCIAL_KEY", "$UNCIAL_KEY", "$UNCIAL_KEY:$UNCIAL_KEY", "api:$UNCIAL_KEY", "$UNCIAL_KEY:x"} {
		all = append(all, made("Basic $(printf %s "+user+" | base64 -w0)", func(k string) string {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(user, model.KeyVariable, k)))
		}))
	}
	return all
}

// headersOfAddress are the headers in which proxies name the address of a caller.
var headersOfAddress = []string{
	"X-Forwarded-For", "X-Real-Ip", "X-Client-Ip", "Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip", "X-Cluster-Client-Ip", "X-Originating-Ip", "X-Remote-Ip", "X-Remote-Addr", "X-Forwarded", "X-Azure-Clientip",
	"X-Appengine-User-Ip", "X-Envoy-External-Address",
}

// claimedAddresses name addresses that are inside the ranges of model.KeyOutside, or of the server's own network.
func claimedAddresses() (all []ask) {
	for _, address := range []string{"192.0.2.7", "127.0.0.1"} {
		for _, name := range headersOfAddress {
			all = append(all, ask{}.header(name, address))
		}
		all = append(all, ask{}.header("Forwarded", "for="+address), ask{}.header("X-Forwarded-For", address+", 203.0.113.9"), ask{}.header("X-Forwarded-For", "203.0.113.9, "+address))
	}
	return all
}

// trustedHeaders claim to come from inside, from a proxy that has checked the caller, or for tests.
func trustedHeaders() []ask {
	all := claimedAddresses()
	for _, h := range []string{
		"X-Forwarded-User: admin", "X-Remote-User: admin", "Remote-User: admin", "X-User: admin", "X-User-Id: 1", "X-Auth-User: admin", "X-Auth-Request-User: admin", "X-Auth-Request-Email: admin@example.org", "X-Authenticated-User: admin", "X-Webauth-User: admin",
		"X-Account: 1", "X-Account-Id: 1", "X-Tenant-Id: 1", "X-Consumer-Username: admin", "X-Consumer-Id: 1", "X-Credential-Identifier: admin", "X-Anonymous-Consumer: false", "X-Ms-Client-Principal-Id: 1", "X-Goog-Authenticated-User-Email: admin@example.org",
		"X-Ssl-Client-Verify: SUCCESS", "Ssl-Client-Verify: SUCCESS", "X-Ssl-Client-Cn: admin", "X-Forwarded-Client-Cert: By=x;Subject=\"CN=admin\"", "X-Client-Verify: SUCCESS",
		"X-Internal: true", "X-Internal-Request: 1", "X-Envoy-Internal: true", "X-From-Gateway: true", "X-Debug: 1", "X-Test: 1", "X-Dev-Mode: true", "X-Bypass-Auth: 1", "X-Skip-Auth: true", "X-Auth-Bypass: 1", "X-Health-Check: 1", "X-Synthetic: true", "X-Admin: true", "X-Role: admin",
		"X-Original-Url: /healthz", "X-Rewrite-Url: /healthz", "X-Original-Uri: /healthz", "X-Forwarded-Uri: /healthz", "X-Forwarded-Prefix: /docs", "X-Forwarded-Host: localhost", "X-Http-Method-Override: OPTIONS", "X-Original-Method: OPTIONS",
		"User-Agent: kube-probe/1.30", "User-Agent: ELB-HealthChecker/2.0", "User-Agent: GoogleHC/1.0", "User-Agent: Prometheus/2.50", "Referer: http://localhost/docs", "Origin: http://localhost", "Prefer: code=200", "Sec-Fetch-Site: same-origin",
	} {
		name, value, _ := strings.Cut(h, ": ")
		all = append(all, ask{}.header(name, value))
	}
	return all
}

// The names under which APIs take keys in other places.
var (
	keyHeaders = []string{
		"X-Api-Key", "Api-Key", "Apikey", "X-Apikey", "X-Auth-Token", "X-Access-Token", "X-Token", "Token", "X-Auth", "Auth", "X-Authorization", "Authentication", "Proxy-Authorization", "X-Forwarded-Authorization",
		"X-Original-Authorization", "X-Uncial-Key", "X-Uncial-Api-Key", "X-Secret", "X-Session-Token", "X-Client-Key", "Ocp-Apim-Subscription-Key", "X-Goog-Api-Key", "X-Amz-Security-Token", "X-Rapidapi-Key",
		"X-Vault-Token", "Private-Token", "X-User-Token", "Access-Token", "Key", "X-Key", "X-Ocr-Key", "X-Ocr-Api-Key", "X-Service-Key", "X-Authentication-Token", "From", "Referer", "Sec-Websocket-Protocol",
	}
	keyNames = []string{
		"key", "api_key", "apikey", "apiKey", "api-key", "token", "access_token", "access-token", "accessToken", "auth", "auth_token", "authorization", "Authorization", "bearer", "jwt", "session", "sid", "secret",
		"uncial_key", "subscription-key", "sig", "password", "k",
	}
	keyFields = []string{"apiKey", "api_key", "apikey", "key", "token", "access_token", "accessToken", "authorization", "auth", "secret"}
)

// keysElsewhere are otherwise valid requests with the key in every usual place but its own, alone and after "Bearer".
func keysElsewhere() (all []ask) {
	for _, name := range keyHeaders {
		all = append(all, ask{}.header(name, "$UNCIAL_KEY"), ask{}.header(name, "Bearer $UNCIAL_KEY"))
	}
	for _, name := range keyNames {
		all = append(all, ask{}.query(name+"=$UNCIAL_KEY"), ask{}.query(url.QueryEscape(name)+"=Bearer%20$UNCIAL_KEY"),
			ask{}.header("Cookie", name+"=$UNCIAL_KEY"), ask{}.header("Cookie", name+"=Bearer%20$UNCIAL_KEY"))
	}
	for _, name := range keyFields {
		for _, value := range []string{model.KeyVariable, "Bearer " + model.KeyVariable} {
			all = append(all, body(fmt.Sprintf(`{"imageUrl":"https://images.example.org/page.png",%q:%q}`, name, value)))
		}
	}
	return append(all, body("access_token="+model.KeyVariable).header("Content-Type", "application/x-www-form-urlencoded"))
}
