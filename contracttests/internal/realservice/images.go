// Package realservice holds what tests need to run the suite against a real service: images to read, a clock that stands
// still, and a plan catalogue with a key for every scenario. Starting the service is left to the tests, which do so in
// their own process, as a program, and in containers.
//
// Start with Handler and Images, then MustKeys.
package realservice

import (
	"net/http"
	"testing"
	"time"

	"uncial/contracttests"
)

// files are the paths of the images by scenario. Nothing is served at /none.png, which therefore gets a 404. There is
// no image for the scenario error, because the real service does not fail on purpose.
var files = map[string]string{
	contracttests.ImagePrinted: "/printed.png", contracttests.ImageOther: "/other.png", contracttests.ImageBlank: "/blank.png",
	contracttests.ImageNotAnImage: "/text.png", contracttests.ImageUnfetchable: "/none.png", contracttests.ImageBusy: "/busy.png", contracttests.ImageSlow: "/slow.png",
	contracttests.ImagePages: "/pages.tif", contracttests.ImageStuck: "/stuck.png", contracttests.ImageEnhance: "/small.png", contracttests.ImageBroken: "/broken.png", contracttests.ImageIllustrated: "/illustrated.png",
}

// Images are the URLs of the images by scenario. base is the URL of the server that runs Handler.
func Images(base string) map[string]string {
	images := map[string]string{}
	for scenario, path := range files {
		images[scenario] = base + path
	}
	return images
}

// Handler serves the images. The slow one takes 120 ms, a little more than the 100 ms that its scenario promises; the stuck
// one takes 10 s, twice as long as promised, or until the caller disconnects.
func Handler(tb testing.TB) http.Handler {
	tb.Helper()
	mux := http.NewServeMux()
	for path, data := range map[string][]byte{
		"/printed.png": contracttests.PagePNG("A page of print."), "/other.png": contracttests.PagePNG("Quite another page."),
		"/slow.png": contracttests.PagePNG("A page of print."), "/blank.png": contracttests.PagePNG(""), "/text.png": []byte("no image at all"),
		"/pages.tif": mustTIFF(tb, "The first page.", "The second page."), "/small.png": mustSmallPrint(tb),
		"/broken.png":      mustLines(tb, "It was so in the begin-", "ning, and it was so", "from the beginning."),
		"/illustrated.png": mustIllustrated(tb),
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			if path == "/slow.png" {
				time.Sleep(120 * time.Millisecond)
			}
			_, _ = w.Write(data) // the client may be gone
		})
	}
	// Without Retry-After, because the service would leave the host of all images alone.
	mux.HandleFunc("GET /busy.png", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	mux.HandleFunc("GET /stuck.png", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	})
	return mux
}
