package expect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"uncial/contracttests/internal/model"
)

// webAddress matches a URL that is fetched.
var webAddress = regexp.MustCompile(`^(?i:https?)://`)

// CheckFetch permits fetch only where fetching an image may have failed, and requires a reason of the contract.
func (s *Readings) CheckFetch(x *model.Exchange, e Answer) []string {
	fetch := x.Object("fetch")
	if fetch == nil {
		return nil
	}
	var body struct{ ImageURL string }
	isFetched := x.Status == http.StatusBadRequest && slices.Equal(e.Fields, []string{"imageUrl"}) &&
		json.Unmarshal(x.Request.Body, &body) == nil && webAddress.MatchString(body.ImageURL)
	if !isFetched {
		return []string{"nothing was fetched, so fetch must be absent"}
	}
	if !s.isExact() {
		return nil
	}
	reason, _ := fetch["reason"].(string)
	retryable, known := model.IsRetryable(reason)
	switch {
	case !known:
		return []string{fmt.Sprintf("fetch.reason must be one of %s, not %q", strings.Join(model.FetchReasons(), ", "), reason)}
	case fetch["retryable"] != retryable:
		return []string{fmt.Sprintf("fetch.retryable must be %t if the reason is %s", retryable, reason)}
	}
	return nil
}
