package answer_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/answer"
)

const (
	result  = `{"success":true,"text":"a page","enhanced":false,"language":"en","confidence":0.9,"pointsUsed":10,"remainingPoints":9990,"processingTime":12}`
	record  = `{"success":true,"status":"active","plan":"pro","pointsUsed":10,"pointsRemaining":9990,"pointsTotal":10000,"rateLimit":{"limit":60,"remaining":59,"reset":1767225660},"rateLimitRemaining":59}`
	invalid = `{"success":false,"error":"The request is not valid.","code":"INVALID_REQUEST","message":"format: must be one of json","details":{"format":"must be one of json"}}`
	noKey   = `{"success":false,"error":"The API key is not valid.","code":"INVALID_API_KEY","message":"the key is unknown"}`
	unpaid  = `{"success":false,"error":"Not enough points.","code":"INSUFFICIENT_POINTS","message":"2 are left","remainingPoints":2,"nextReset":"2026-02-01T00:00:00Z"}`
	limited = `{"success":false,"error":"Too many requests.","code":"RATE_LIMITED","message":"try again","remainingPoints":9990}`
)

// mustLoad returns the contract. Tests that need its error call answer.Load.
func mustLoad() *answer.Contract {
	c, err := answer.Load()
	if err != nil {
		panic(err) // it is embedded
	}
	return c
}

// good returns an answer with the headers that its status requires.
func good(method, path string, status int, body string) answer.Answer {
	h := http.Header{
		"Content-Type": {"application/json"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}, "X-Request-Id": {"01JD4Y9QJ6"},
		"Cache-Control": {"no-store"}, "Link": {`</openapi.yaml>; rel="service-desc"`},
	}
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusNotFound:
	case http.StatusMethodNotAllowed:
		h.Set("Allow", map[string]string{"/status": "GET", "/extract": "POST"}[path])
	default:
		h.Set("RateLimit", `"account";r=59;t=42`)
		h.Set("RateLimit-Policy", `"account";q=60;w=60`)
	}
	if status == http.StatusTooManyRequests {
		h.Set("Retry-After", "42")
	}
	return answer.Answer{Method: method, Path: path, Status: status, Header: h, Body: []byte(body), Served: mustLoad(), Secrets: answer.NewSecrets([]string{"ocr_live_secret17"})}
}

func TestContract_Check_acceptsValidAnswers(t *testing.T) {
	t.Parallel()
	c, err := answer.Load()
	require.NoError(t, err)
	for name, a := range map[string]answer.Answer{
		"a result":                   good("POST", "/extract", 200, result),
		"a result with a charset":    with(good("POST", "/extract", 200, result), "Content-Type", "application/json; charset=utf-8"),
		"the smallest result":        good("POST", "/extract", 200, `{"success":true,"text":"","confidence":0,"pointsUsed":10}`),
		"a text about code":          good("POST", "/extract", 200, strings.Replace(result, "a page", "json: cannot unmarshal, see /usr/lib and 10.0.0.1", 1)),
		"a record":                   good("GET", "/status", 200, record),
		"a bad request":              good("POST", "/extract", 400, invalid),
		"a missing key":              good("GET", "/status", 401, noKey),
		"missing points":             good("POST", "/extract", 402, unpaid),
		"the end of a key by chance": leak("page et17 is missing; the list ends with page te17 ... et18"),
		"an address of an office":    leak("if this goes on, write to support@ocr.example.org"),
		"a used-up window":           good("POST", "/extract", 429, limited),
		"an unknown path":            good("GET", "/nowhere", 404, invalid),
		"a wrong method":             good("PUT", "/status", 405, invalid),
		"a wrong method, no body":    good("HEAD", "/status", 405, ""),
		"a quotation of the caller":  quoting(good("POST", "/extract", 400, strings.ReplaceAll(invalid, "must be one", "10.1.2.3 must be one")), "http://10.1.2.3/a.png"),
		"fields of a later version":  ofAnotherVersion(good("GET", "/status", 200, strings.Replace(record, `"limit"`, `"burst":{"limit":1},"limit"`, 1))),
	} {
		_, problems := c.Check(a)
		assert.Empty(t, problems, name)
	}
}

func with(a answer.Answer, name, value string) answer.Answer {
	a.Header = a.Header.Clone()
	if a.Header.Del(name); value != "" {
		a.Header.Set(name, value)
	}
	return a
}

func ofAnotherVersion(a answer.Answer) answer.Answer {
	a.Served = nil
	return a
}

func quoting(a answer.Answer, request string) answer.Answer {
	a.Request = []byte(request)
	return a
}

func TestContract_Check_reportsProblems(t *testing.T) {
	t.Parallel()
	c, err := answer.Load()
	require.NoError(t, err)
	r := func(old, replacement string) answer.Answer {
		require.Contains(t, result, old)
		return good("POST", "/extract", 200, strings.Replace(result, old, replacement, 1))
	}
	for name, f := range map[string]struct {
		answer answer.Answer
		want   string
	}{
		"a status of another operation": {good("GET", "/status", 402, unpaid), "GET /status must answer with one of 200, 400, 401, 500, not with 402"},
		"a redirect":                    {good("GET", "/status", 301, ""), "not with 301"},
		"a 200 on an unknown path":      {good("GET", "/nowhere", 200, record), "the answer must be 404"},
		"a 200 for a wrong method":      {good("PUT", "/status", 200, record), "the answer must be 405"},
		"no content type":               {with(good("GET", "/status", 200, record), "Content-Type", ""), "Content-Type occurs 0 times"},
		"plain text":                    {with(good("GET", "/status", 200, record), "Content-Type", "text/plain"), "must be application/json"},
		"another charset":               {with(good("GET", "/status", 200, record), "Content-Type", "application/json; charset=latin1"), "must be application/json"},
		"no request id":                 {with(good("GET", "/status", 200, record), "X-Request-Id", ""), "X-Request-Id is missing"},
		"an answer to be stored":        {with(good("GET", "/status", 200, record), "Cache-Control", "max-age=1"), "Cache-Control"},
		"a policy of an hour":           {with(good("GET", "/status", 200, record), "RateLimit-Policy", `"account";q=60;w=3600`), "RateLimit-Policy"},
		"a window on a 401":             {with(good("GET", "/status", 401, noKey), "RateLimit", `"account";r=1;t=1`), "RateLimit must not be part of a 401"},
		"a late Retry-After":            {with(good("POST", "/extract", 429, limited), "Retry-After", "61"), "Retry-After"},
		"Retry-After as a date":         {with(good("POST", "/extract", 429, limited), "Retry-After", "Thu, 01 Jan 2026 00:00:00 GMT"), "must consist of digits"},
		"Allow with too much":           {with(good("PUT", "/status", 405, invalid), "Allow", "GET, POST"), `"GET", not "GET, POST"`},
		"no date":                       {with(good("GET", "/status", 200, record), "Date", ""), "Date occurs 0 times"},
		"an old date":                   {with(good("GET", "/status", 200, record), "Date", "Thu, 01 Jan 1970 00:00:00 GMT"), "differs from our clock"},
		"a coding":                      {with(good("GET", "/status", 200, record), "Content-Encoding", "gzip"), "did not offer"},
		"no body":                       {good("GET", "/status", 200, ""), "the body is empty"},
		"an array":                      {good("GET", "/status", 200, "["+record+"]"), "must be an object"},
		"a missing field":               {r(`"text":"a page",`, ""), "/text: is missing"},
		"an unknown field":              {r(`"text"`, `"debug":1,"text"`), "/debug: the contract has no such field"},
		"an unknown field, deeper":      {good("GET", "/status", 200, strings.Replace(record, `"limit"`, `"burst":1,"limit"`, 1)), "/rateLimit/burst: the contract has no such field"},
		"a string for a number":         {r(`0.9`, `"0.9"`), "/confidence: must be a number"},
		"a confidence beyond 1":         {r(`0.9`, `90`), "/confidence:"},
		"an integer with a point":       {r(`"pointsUsed":10`, `"pointsUsed":10.0`), "/pointsUsed: 10.0 is not written as an integer"},
		"an integer with an exponent":   {r(`"remainingPoints":9990`, `"remainingPoints":1e3`), "1e3 is not written as an integer"},
		"a number out of range":         {r(`"remainingPoints":9990`, `"remainingPoints":1e999`), "/remainingPoints:"},
		"a tab in the text":             {r(`a page`, `a\tpage`), `the character U+0009, which no page has, after "a"`},
		"a replacement character":       {r(`a page`, `a \ufffd page`), "the character U+FFFD"},
		"a line separator":              {r(`a page`, `a\u2028page`), "the character U+2028"},
		"a soft hyphen":                 {r(`a page`, `a pa\u00adge`), "the character U+00AD"},
		"another code":                  {good("POST", "/extract", 400, strings.Replace(invalid, "INVALID_REQUEST", "BAD", 1)), "/code:"},
		"a blank error":                 {good("POST", "/extract", 400, strings.Replace(invalid, "The request is not valid.", " ", 1)), `/error: " " contains no words`},
		"details without words":         {good("POST", "/extract", 400, strings.Replace(invalid, `{"format":"must be one of json"}`, `{"format":"-"}`, 1)), "contains no words"},
		"a retry without a time":        {good("POST", "/extract", 400, strings.Replace(invalid, `"details"`, `"fetch":{"reason":"busy","retryable":true},"details"`, 1)), "/fetch/retryAfter must be present"},
		"a time without a retry":        {good("POST", "/extract", 400, strings.Replace(invalid, `"details"`, `"fetch":{"reason":"tls","retryable":false,"retryAfter":3},"details"`, 1)), "/fetch/retryAfter must be present"},
		"a day that does not exist":     {good("POST", "/extract", 402, strings.Replace(unpaid, "2026-02-01", "2026-02-30", 1)), "/nextReset:"},
		"a time that is not in UTC":     {good("POST", "/extract", 402, strings.Replace(unpaid, "00:00:00Z", "01:00:00+01:00", 1)), "not in UTC"},
		"a key":                         {good("POST", "/extract", 400, strings.Replace(invalid, "not valid.", "not valid for ocr_live_secret17", 1)), "repeats an API key"},
		"a key in a header":             {with(good("GET", "/status", 200, record), "X-Trace", "ocr_live_secret17"), "repeats an API key"},
		"a trace":                       {leak("panic: x\\ngoroutine 7 [running]"), "a stack trace"},
		"a Go type":                     {leak("expected *gen.ExtractionRequest"), "a type name from the server's code"},
		"an error of a library":         {leak("json: cannot unmarshal string"), "an error message of a library"},
		"a path":                        {leak("open /var/lib/uncial.db"), "a file path"},
		"a query":                       {leak("SELECT id FROM accounts"), "a database query or error message"},
		"a reference":                   {leak("#/components/schemas/Format"), "a $ref or schema keyword of the contract"},
		"an address inside":             {leak("the host 10.0.3.7 did not answer"), "an IP address: \"10.0.3.7\""},
		"HTML":                          {leak("<pre>no</pre>"), "HTML"},
		"the number of an account":      {leak("account 4711 is limited"), `an internal identifier: "account 4711"`},
		"the id of an account":          {leak("user_id: 17"), "an internal identifier"},
		"a name of an account":          {leak("tenant acc_17"), "an internal identifier"},
		"a worker":                      {leak("worker 3 failed"), "an internal identifier"},
		"an e-mail address":             {leak("owner: archive@example.org"), "a personal e-mail address"},
		"a header of a framework":       {with(good("GET", "/status", 200, record), "X-Powered-By", "Express"), "what is behind the service"},
		"a header of a cluster":         {with(good("GET", "/status", 200, record), "X-Served-By", "cache-17"), "what is behind the service"},
		"a library in a server's name":  {with(good("GET", "/status", 200, record), "Server", "api (Werkzeug/2.3.7)"), "the name of a library"},
	} {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			_, problems := c.Check(f.answer)
			assert.Contains(t, strings.Join(problems, "; "), f.want)
		})
	}
}

func TestContract_Check_acceptsLimits(t *testing.T) {
	t.Parallel()
	c := mustLoad()
	for _, words := range []string{"requests per minute and account: 60", "an account 60 times a minute", "this account: 300 points"} {
		_, problems := c.Check(leak(words))
		assert.Empty(t, problems, words)
	}
}

// TestContract_Check_endsOfKeys looks for the last characters of a key after a mask.
func TestContract_Check_endsOfKeys(t *testing.T) {
	t.Parallel()
	c := mustLoad()
	for words, key := range map[string]string{
		"the key ****Rf9y": "Rf9y", "*Rf9y": "Rf9y", "•Rf9y": "Rf9y", "…rf9y": "Rf9y", "...Rf9y": "Rf9y", ".....Rf9y": "Rf9y", "xxxxRf9y": "Rf9y",
		"xxxxxRf9y": "Rf9y", "XXXX-XXXX-Rf9y": "Rf9y", "###Rf9y": "Rf9y", "----Rf9y": "Rf9y", "last four: Rf9y": "Rf9y", "it ends in `Rf9y`": "Rf9y",
		"ending with Rf9y": "Rf9y", "... page Rf9y": "", "the page a1Rf9y": "", "... page": "page",
		"ns-v4#Rf9y": "", "v3z7dki3xxxRf9y": "", "Xx+Rf9y": "", "X-Frame-Rf9y": "", "color: #Rf9y": "",
	} {
		a := leak(words)
		a.Secrets = answer.NewSecrets([]string{"ocr_live_k7Qm2Zt" + cmp.Or(key, "Rf9y")})
		_, problems := c.Check(a)
		// "page" is a word of the contract: an answer may use it.
		assert.Equal(t, key == "Rf9y", strings.Contains(strings.Join(problems, "; "), "repeats an API key"), words)
	}
}

// leak returns a 400 whose message contains internal details.
func leak(words string) answer.Answer {
	return good("POST", "/extract", 400, strings.Replace(invalid, "format: must", words+" must", 1))
}

func TestParseJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":[true,null,"x"]}`:   "",
		` {"a":{"b":{}}} `:              "",
		`"\ud83d\ude00"`:                "",
		`"\\ud83d"`:                     "",
		``:                              "empty",
		" \n":                           "empty",
		"\ufeff{}":                      "byte order mark",
		"\"\xff\"":                      "not valid UTF-8",
		`{"a":1,"a":1}`:                 "/a is given twice",
		`{"a":[{"b":1},{"b":1,"b":2}]}`: "/a/1/b is given twice",
		`{} {}`:                         "unexpected text after",
		`{}x`:                           "unexpected text after",
		`{"a":`:                         "not JSON",
		`{"a"}`:                         "not JSON",
		`[1,]`:                          "not JSON",
		`NaN`:                           "not JSON",
		`"\ud83d"`:                      "half of a surrogate pair",
		`"\ude00\ud83d"`:                "half of a surrogate pair",
		`"\ud83dx\ude00"`:               "half of a surrogate pair",
		strings.Repeat("[", 100) + "1" + strings.Repeat("]", 100): "nests deeper",
	} {
		_, err := answer.ParseJSON([]byte(text))
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
}

// FuzzParseJSON compares the strict reader with a tolerant one: what it accepts, both must read the same.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{result, record, invalid, `{"a":1,"a":2}`, `"\ud83d"`, `{"a":[1e5,-0.1]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := answer.ParseJSON(text)
		if err != nil {
			return
		}
		var other any
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		if err := d.Decode(&other); err != nil {
			t.Fatalf("accepted, but %v", err)
		}
		if !assert.ObjectsAreEqual(other, value) {
			t.Fatalf("read as %v, by others as %v", value, other)
		}
	})
}
