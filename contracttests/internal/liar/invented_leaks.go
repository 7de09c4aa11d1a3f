package liar

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// inventedLeaks tell callers or caches what they must not know.
func inventedLeaks() []row {
	return []row{
		{"request-id-from-key", "status/200/record", instead(both(always, not(status(http.StatusUnauthorized))), func(honest server, c *call, a *reply) *reply {
			if k := c.key(); k != "" && c.status(honest).status != http.StatusUnauthorized {
				a.header.Set("X-Request-Id", base64.RawURLEncoding.EncodeToString([]byte(k[:min(18, len(k))])))
			}
			return a
		})},
		{"loopback-port-oracle", refusedAddress, on(both(extraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u, err := url.Parse(c.field("imageUrl"))
			if err != nil || !slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, strings.ToLower(u.Hostname())) || !slices.Contains([]string{"", "80", "443"}, u.Port()) {
				return
			}
			a.edit(func(o object) {
				fetch, ok := o["fetch"].(object)
				if !ok || fetch["reason"] != "refused-address" {
					return
				}
				const why = "dial tcp 127.0.0.1:80: connect: connection refused"
				o["fetch"] = object{"reason": "unreachable", "retryable": true, "retryAfter": 1}
				o["message"], o["details"] = why, object{"imageUrl": why}
			})
		})},
		{"model-name-is-path", enhanceCase, on(both(extracted, field("enhance", true)), edit(func(o object) {
			reader, _ := o["reader"].(object)
			models, _ := reader["models"].([]any)
			for _, m := range models {
				m, _ := m.(object)
				name, _ := m["name"].(string)
				path := "/var/lib/uncial/models/" + name + ".traineddata"
				m["name"] = path
				if d, ok := o["document"].(string); ok {
					o["document"] = strings.NewReplacer("model="+name+" ", "model="+path+" ", `type="model" value="`+name+`"`, `type="model" value="`+path+`"`,
						`content="`+name+" sha256", `content="`+path+" sha256").Replace(d)
				}
			}
		}))},
	}
}
