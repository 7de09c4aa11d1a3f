// Package origin is the web server of the images that the suite has a real service read, for tests.
package origin

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"uncial/contracttests"
)

// Handler serves the images.
func Handler(tb testing.TB) http.Handler {
	tb.Helper()
	page := func(text string) http.HandlerFunc {
		data := contracttests.PagePNG(text)
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }
	}
	printed := page("A page of print.")
	pages, small := mustTIFF(tb, "The first page.", "The second page."), mustSmallPrint(tb)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /printed.png", printed)
	mux.HandleFunc("GET /other.png", page("Quite another page."))
	mux.HandleFunc("GET /blank.png", page(""))
	mux.HandleFunc("GET /text.png", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "no image at all") })
	mux.HandleFunc("GET /pages.tif", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(pages) })
	mux.HandleFunc("GET /small.png", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(small) })
	mux.HandleFunc("GET /stuck.png", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(10 * time.Second):
		}
	})
	mux.HandleFunc("GET /slow.png", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(120 * time.Millisecond)
		printed(w, r)
	})
	return mux
}

// Images are the URLs of the images by scenario, where base is the URL of the server.
func Images(base string) map[string]string {
	images := map[string]string{
		contracttests.ImagePrinted: "/printed.png", contracttests.ImageOther: "/other.png", contracttests.ImageBlank: "/blank.png",
		contracttests.ImageNotAnImage: "/text.png", contracttests.ImageUnfetchable: "/none.png", contracttests.ImageSlow: "/slow.png",
		contracttests.ImagePages: "/pages.tif", contracttests.ImageStuck: "/stuck.png", contracttests.ImageEnhance: "/small.png",
	}
	for scenario, path := range images {
		images[scenario] = base + path
	}
	return images
}
