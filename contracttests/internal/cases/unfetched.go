package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"uncial/contracttests/internal/model"
)

// unfetchedRows check what a 400 says about an image that could not be fetched. Where fetch may occur, and what it may say, is
// checked for every answer.
var unfetchedRows = []row{
	{
		// The malformed request shows that fetch is left out where nothing was fetched.
		name: "extract/400/fetch-reason", extractions: 3, needs: []string{model.NeedAllFields}, build: unfetchable400s, then: checkFetchReported,
		explanation: "If an image cannot be fetched, fetch gives a reason of the contract, and says that it is useless to retry a missing image.",
	}, {
		name: "extract/400/fetch-busy", needs: []string{needImage(model.ImageBusy)}, asks: confirmed(read(model.ImageBusy)),
		explanation: "If the server of an image is busy, fetch says that the same request may succeed, and when to send it.",
		then: func(_ context.Context, _ *session, x []*model.Exchange) error {
			fetch := x[0].Object("fetch")
			if seconds, ok := model.Int(fetch, "retryAfter"); fetch["reason"] != "busy" || fetch["retryable"] != true || !ok || seconds < 1 {
				return fail(x[0], "the server of the image asks to try later: fetch must be busy and retryable, with a time, not %v", fetch)
			}
			return nil
		},
	}, {
		name: "extract/400/each-fetch-reason", extractions: int64(len(model.FetchReasons())), needs: []string{model.NeedAllFields, needImage(model.ImageFetch + "not-found")},
		build: eachReason, then: reasonsAreRight,
		explanation: "For each reason in the contract why an image cannot be fetched, fetch names that reason and says whether to try again.",
	}, {
		// No operator would make an exception for these addresses.
		name: "extract/400/refused-address", extractions: 33, needs: []string{model.NeedAllFields}, build: privateAddresses, then: refusalsAreEqual,
		explanation: "Addresses that are not public and internal names that do not exist are refused, always in the same words, whatever answers there.",
	},
}

// unfetchable400s are requests whose images cannot be fetched, and last a malformed one.
func unfetchable400s(s *session) []ask {
	asks := []ask{read(unfetchable)}
	if s.Images[model.ImageBusy] != "" {
		asks = append(asks, read(model.ImageBusy))
	}
	return append(asks, invalid())
}

// checkFetchReported requires fetch in all answers but the last.
func checkFetchReported(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	for _, y := range x[:len(x)-1] {
		if y.Object("fetch") == nil {
			return fail(y, "the image cannot be fetched, so fetch must say why")
		}
	}
	return nil
}

// eachReason asks for the images of the target that cannot be fetched.
func eachReason(s *session) (asks []ask) {
	for _, reason := range model.FetchReasons() {
		if url := s.Images[model.ImageFetch+reason]; url != "" {
			asks = append(asks, ask{Request: model.Request{Wrong: []string{"imageUrl"}, Job: &model.Job{Image: reason, URL: url, Unknown: true}}})
		}
	}
	return asks
}

// privateAddresses ask for images at addresses that are not public: this machine, the network, cloud metadata, the other blocks
// that IANA has set aside (RFC 6890). They also ask for names of internal networks, existing or not, but only if the server may
// not fetch from internal networks: a server that may has to resolve such a name first.
func privateAddresses(s *session) (asks []ask) {
	hosts := []string{"169.254.169.254", "[::1]", "0.0.0.0", "[fe80::1]", "224.0.0.1", "192.0.2.1", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "100.64.0.1", "100.127.255.254", "192.0.0.8", "198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "255.255.255.255", "[::]", "[100::1]", "[2001:db8::1]", "[ff02::1]", "[64:ff9b:1::a9fe:a9fe]", "[fc00::a9fe:a9fe]", "169.254.169.254:22", "192.0.2.1:6379", "[fe80::1]:8080", "198.18.0.1:443"}
	if !fetchesInternally(s.Images) {
		hosts = append(hosts, "uncial-contract", "uncial-contract.local", "metadata.google.internal", "UNCIAL-CONTRACT.LOCAL", "Uncial-Contract.Home.Arpa", "Uncial-Contract.lan")
	}
	for _, host := range hosts {
		asks = append(asks, body(fmt.Sprintf(`{"imageUrl":"http://%s/latest/meta-data"}`, host), "imageUrl"))
	}
	return asks
}

// fetchesInternally reports whether one of the images that the server is to fetch is in an internal network that is not this
// machine.
func fetchesInternally(images map[string]string) bool {
	for _, image := range images {
		u, err := url.Parse(image)
		if err != nil {
			continue
		}
		address, err := netip.ParseAddr(u.Hostname())
		isName := err != nil && u.Hostname() != "localhost"
		if isName && !strings.Contains(u.Hostname(), ".") || err == nil && address.IsPrivate() {
			return true
		}
	}
	return false
}

// refusalsAreEqual requires one answer to all addresses that are not public: otherwise answers would tell what is in the
// server's network.
func refusalsAreEqual(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	for _, y := range x {
		if fetch := y.Object("fetch"); fetch["reason"] != "refused-address" || fetch["retryable"] != false {
			return fail(y, "the address is not public: fetch must be refused-address and not retryable, not %v", fetch)
		}
		if a, b := mustText(x[0].JSON), mustText(y.JSON); a != b {
			return fail(y, "addresses that are not public must be refused in the same words: %s and %s", model.Shorten(a, 200), model.Shorten(b, 200))
		}
	}
	return nil
}

// mustText writes the members of an answer in a fixed order.
func mustText(members map[string]any) string {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(text)
}
