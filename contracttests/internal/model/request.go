package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// KeyVariable stands for the API key in credentials, headers and query strings. Reports show it instead of the key.
const KeyVariable = "$UNCIAL_KEY"

// Credential is a value of the Authorization header. Shell is how a shell writes it, with the key in $UNCIAL_KEY.
type Credential struct{ Value, Shell string }

// Bearer returns the regular credential for a key.
func Bearer(key string) Credential { return Credential{"Bearer " + key, "Bearer " + KeyVariable} }

// Template returns a credential in the form of a shell command; the key takes the place of $UNCIAL_KEY.
func Template(shell, key string) Credential {
	return Credential{strings.ReplaceAll(strings.ReplaceAll(shell, KeyVariable, key), `\"`, `"`), shell}
}

// Request is one request and what the suite knows about it.
type Request struct {
	Method   string // default: POST
	Path     string // relative to the base URL; default: /extract
	Query    string // raw, without "?"
	Absolute string // the whole URL, if it is not under the base URL
	Auth     []Credential
	Header   http.Header // besides Authorization; an empty list removes a header; a body is sent as application/json
	Body     []byte
	Chunked  bool
	OldHTTP  bool   // sent as HTTP/1.0
	Text     string // what is sent instead, on a connection of its own, whether it is HTTP or not
	Close    bool   // asks the server to close the connection

	Account    *Account // whose key it carries; nil if it carries no valid key
	Wrong      []string // the invalid fields that details must name; alternatives are separated by "|"
	Refusal    int      // the status with which HTTP requires the server to refuse the text; 0 if it is a request
	Job        *Job     // what it asks for; nil if the body does not follow from a job
	Rush       bool     // send it even if the window is used up
	Concurrent bool     // sent at the same time as others: the model of the account cannot predict its answer
}

// IsExtraction reports whether the request counts against the rate limit.
func (r *Request) IsExtraction() bool { return r.Method == http.MethodPost && r.Path == "/extract" }

// IsStatus reports whether the request asks for the status of the account.
func (r *Request) IsStatus() bool { return r.Method == http.MethodGet && r.Path == "/status" }

// IdempotencyKey returns the value of the header, or "" unless there is exactly one.
func (r *Request) IdempotencyKey() string {
	if values := r.Header["Idempotency-Key"]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// Complete fills in the defaults: method, path, credential and body.
func (r *Request) Complete(t Target) {
	if r.Method == "" {
		r.Method = http.MethodPost
	}
	if r.Path == "" {
		r.Path = "/extract"
	}
	if r.Account != nil && r.Auth == nil {
		r.Auth = []Credential{Bearer(r.Account.Key)}
	}
	if r.Job != nil && r.Body == nil {
		r.Body = WriteObject(r.Job.Members(t), "")
	}
}

// Uses reports whether the request has exactly this key, in the regular form.
func (r *Request) Uses(key string) bool {
	return len(r.Auth) == 1 && r.Auth[0].Value == Bearer(key).Value
}

// Job is what a valid request asks for. Zero values of Language, Format and Enhance omit their field.
type Job struct {
	Image    string // scenario
	Language string
	Format   string
	Enhance  *bool
	Unknown  bool   // nothing is known about what the image shows
	URL      string // of the image, if Image is not a scenario but only a name; without characters that JSON escapes
	Own      *Own   // what the image at URL shows, if the suite has drawn it
}

// Enhances reports whether the job asks for enhancement.
func (j *Job) Enhances() bool { return j.Enhance != nil && *j.Enhance }

// CarriesDocument reports whether the answer has the field document.
func (j *Job) CarriesDocument() bool {
	return j.Format != "" && j.Format != "json" && j.Format != "text"
}

// Member is one name and value of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members are the fields of the request body, in the order of the contract.
func (j *Job) Members(t Target) []Member {
	image := MustJSON(t.ImageURL(j.Image))
	if j.URL != "" {
		image = append(append(append(make([]byte, 0, len(j.URL)+2), '"'), j.URL...), '"') // it may have 28 MiB
	}
	members := []Member{{"imageUrl", image}}
	if j.Language != "" {
		members = append(members, Member{"language", MustJSON(j.Language)})
	}
	if j.Enhance != nil {
		members = append(members, Member{"enhance", MustJSON(*j.Enhance)})
	}
	if j.Format != "" {
		members = append(members, Member{"format", MustJSON(j.Format)})
	}
	return members
}

// WriteObject writes a JSON object with the given white space wherever JSON permits it.
func WriteObject(members []Member, space string) []byte {
	parts := [][]byte{nil, []byte("{")} // the empty parts at both ends put white space there
	for i, m := range members {
		if i > 0 {
			parts = append(parts, []byte(","))
		}
		parts = append(parts, MustJSON(m.Name), []byte(":"), m.Value)
	}
	return bytes.Join(append(parts, []byte("}"), nil), []byte(space))
}

// MustJSON encodes a value that always has a JSON form: strings, numbers, booleans, times, and maps of them.
func MustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a programming error
	}
	return b
}
