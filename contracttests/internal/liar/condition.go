package liar

import (
	"net/http"
	"slices"
	"strings"
)

// when says for which exchanges a defect shows. It sees the call and the honest answer.
type when func(c *call, a *reply) bool

// always holds for every answer of the API, errors for unknown paths included.
func always(c *call, _ *reply) bool { return c.isAPI() }

// isExtraction holds for POST /extract, however it ends.
func isExtraction(c *call, _ *reply) bool { return c.isExtract() }

// isResult holds for results: extractions that were charged, and replays of them.
func isResult(c *call, a *reply) bool { return c.isExtract() && a.status == http.StatusOK }

// isStatusRecord holds for status records.
func isStatusRecord(c *call, a *reply) bool { return c.isStatus() && a.status == http.StatusOK }

// isError holds for errors, whatever their status.
func isError(c *call, a *reply) bool { return c.isAPI() && a.status >= 400 }

// status holds for answers of the API with one of the statuses, 404 and 405 of unknown paths and methods included.
func status(codes ...int) when {
	return func(c *call, a *reply) bool { return c.isAPI() && slices.Contains(codes, a.status) }
}

// isKeyed holds for extractions with an Idempotency-Key.
func isKeyed(c *call, _ *reply) bool { return c.isExtract() && c.idempotencyKey() != "" }

// isBlank holds for results without text.
func isBlank(c *call, a *reply) bool { return isResult(c, a) && a.object()["text"] == "" }

// isUnfetched holds for the 400 of an image that cannot be fetched or read.
func isUnfetched(c *call, a *reply) bool {
	return c.isExtract() && a.status == http.StatusBadRequest && strings.Contains(string(a.body), "image could not")
}

// isUnread holds for extractions that could be paid but produced no text: their points are released.
func isUnread(c *call, a *reply) bool {
	return isUnfetched(c, a) || c.isExtract() && a.status == http.StatusInternalServerError
}

// isConflict holds for the 400 of another request with a used Idempotency-Key.
func isConflict(c *call, a *reply) bool {
	return isKeyed(c, a) && a.status == http.StatusBadRequest && strings.Contains(string(a.body), `"Idempotency-Key"`)
}

func both(a, b when) when {
	return func(c *call, r *reply) bool { return a(c, r) && b(c, r) }
}

func not(w when) when {
	return func(c *call, a *reply) bool { return !w(c, a) }
}

// callIs holds for calls, whatever is answered.
func callIs(f func(c *call) bool) when {
	return func(c *call, _ *reply) bool { return f(c) }
}

// field holds for extractions with a field of this value.
func field(name string, value any) when {
	return func(c *call, _ *reply) bool { return c.isExtract() && c.fields()[name] == value }
}

// isContractAsYAML holds for the contract that the server serves, in the form of YAML.
func isContractAsYAML(c *call, _ *reply) bool { return c.request.URL.Path == asYAML }

// isKeyless holds for calls without an API key.
func isKeyless(c *call, _ *reply) bool { return c.key() == "" }

func method(name string) when {
	return func(c *call, _ *reply) bool { return c.request.Method == name }
}

// bodyHas holds for answers that contain a text.
func bodyHas(part string) when {
	return func(_ *call, a *reply) bool { return strings.Contains(string(a.body), part) }
}
