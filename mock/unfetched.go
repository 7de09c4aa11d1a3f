package mock

import (
	"net/url"
	"strings"
	"time"

	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
)

// askedToWait is the wait that the servers of the mock's images ask for. It differs from the wait that the service advises if a
// server names none, so that clients see which of the two they follow.
const askedToWait = 7 * time.Second

// fetchProblems say why an image cannot be fetched, in the words that production would use.
var fetchProblems = map[contract.FetchReason]string{
	contract.FetchInvalidURL:     "invalid URL; expected an http, https or data: URL",
	contract.FetchRefusedAddress: contract.NotPublic,
	contract.FetchNoAddress:      "the host name does not exist",
	contract.FetchUnreachable:    "the server refused the connection",
	contract.FetchTLS:            "the server's certificate has expired or is not valid yet",
	contract.FetchTimeout:        "the image did not arrive within 20 s",
	contract.FetchIncomplete:     "the connection was lost before the image was complete",
	contract.FetchRedirect:       "the server redirected more than 5 times",
	contract.FetchNotFound:       "the server returned 404; give the URL of an image",
	contract.FetchForbidden:      "the server returned 403; give the URL of an image that is publicly accessible",
	contract.FetchBusy:           "the server returned 503; it asks clients to try again later",
	contract.FetchServerError:    "the server returned 500; try again later",
	contract.FetchBadAnswer:      "the server sent no valid HTTP response",
	contract.FetchNotAnImage:     "the server sent a web page; give the URL of the image itself",
	contract.FetchTooLarge:       imagefile.TooLarge(imagefile.MaxBytes).Error(),
}

// hostOf returns the host of a valid web address, "" for other URLs.
func hostOf(imageURL string) string {
	scheme, rest, _ := strings.Cut(imageURL[:min(len(imageURL), maxWebURL)], "://")
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	u := url.URL{Host: rest}
	return u.Hostname()
}

// maxWebURL is the longest web address of the contract, in characters; a data: URL has up to 28 million.
const maxWebURL = 8192

func unfetchable(reason contract.FetchReason) imageScenario {
	return imageScenario{code: 400, problem: fetchProblems[reason], fetch: reason}
}
