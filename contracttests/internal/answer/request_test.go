package answer_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/answer"
)

func sent(method, path, body string) answer.Request {
	h := http.Header{"Authorization": {"Bearer ocr_live_secret"}}
	if body != "" {
		h.Set("Content-Type", "application/json; charset=utf-8")
	}
	return answer.Request{Method: method, Path: path, Header: h, Body: []byte(body)}
}

func headed(r answer.Request, name string, values ...string) answer.Request {
	r.Header = r.Header.Clone()
	r.Header[name] = values
	return r
}

func TestContract_CheckRequest(t *testing.T) {
	t.Parallel()
	c, err := answer.Load()
	require.NoError(t, err)
	good := sent("POST", "/extract", `{"imageUrl":"https://a.test/1.png","language":"de-Latf","enhance":true,"format":"alto"}`)
	query := sent("GET", "/status", "")
	query.Query = "page=1"
	for name, x := range map[string]struct {
		request answer.Request
		problem string // "" for a valid request
	}{
		"a full request":                      {good, ""},
		"an inline image":                     {sent("POST", "/extract", `{"imageUrl":"data:image/png;base64,AAAA"}`), ""},
		"an Idempotency-Key":                  {headed(good, "Idempotency-Key", "a-1"), ""},
		"a status":                            {sent("GET", "/status", ""), ""},
		"a scheme in a different letter case": {headed(good, "Authorization", "bearer x"), ""},
		"no key":                              {headed(good, "Authorization"), "the header Authorization must be one bearer token"},
		"two keys":                            {headed(good, "Authorization", "Bearer a", "Bearer b"), "must be one bearer token"},
		"another scheme":                      {headed(good, "Authorization", "Basic eDp5"), "must be one bearer token"},
		"no image":                            {sent("POST", "/extract", `{}`), "/imageUrl: is missing"},
		"an unknown field":                    {sent("POST", "/extract", `{"imageUrl":"https://a.test/","dpi":300}`), `the body has the field "dpi", which the contract does not have`},
		"a field twice":                       {sent("POST", "/extract", `{"imageUrl":"https://a.test/","imageUrl":"https://b.test/"}`), "/imageUrl is given twice"},
		"a string for a boolean":              {sent("POST", "/extract", `{"imageUrl":"https://a.test/","enhance":"yes"}`), "/enhance: must be a boolean"},
		"an unknown format":                   {sent("POST", "/extract", `{"imageUrl":"https://a.test/","format":"docx"}`), "/format:"},
		"an address of another scheme":        {sent("POST", "/extract", `{"imageUrl":"ftp://a.test/"}`), "/imageUrl"},
		"an empty body":                       {headed(sent("POST", "/extract", ""), "Content-Type", "application/json"), "the body is empty"},
		"broken JSON":                         {sent("POST", "/extract", `{"imageUrl"`), "the body is not JSON"},
		"another media type":                  {headed(good, "Content-Type", "text/plain"), "Content-Type must be application/json"},
		"a blank in Idempotency-Key":          {headed(good, "Idempotency-Key", "a b"), "the header Idempotency-Key"},
		"two Idempotency-Keys":                {headed(good, "Idempotency-Key", "a", "b"), "occurs 2 times"},
		"a query":                             {query, "status takes no query"},
		"a body of a status":                  {sent("GET", "/status", "{}"), "status takes no body"},
		"a wrong method":                      {sent("PUT", "/extract", "{}"), "/extract does not support PUT, only POST"},
		"an unknown path":                     {sent("GET", "/pages", ""), "there is nothing at /pages"},
	} {
		t.Run("checks "+name, func(t *testing.T) {
			t.Parallel()
			problems := c.CheckRequest(x.request)
			if x.problem == "" {
				assert.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0], x.problem)
		})
	}
}
