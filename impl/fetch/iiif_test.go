package fetch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
	"uncial/impl/ocr"
)

// info1, info2 and info3 are info.json documents of the three versions, with the members that matter put in.
func info1(members string) string {
	return `{"@context":"http://library.stanford.edu/iiif/image-api/1.1/context.json","@id":"https://iiif.test/a%2Fb",` + members + `}`
}

func info2(members string) string {
	return `{"@context":"http://iiif.io/api/image/2/context.json","@id":"https://iiif.test/a%2Fb",` +
		`"protocol":"http://iiif.io/api/image",` + members + `}`
}

func info3(members string) string {
	return `{"@context":["http://example.org/ext.json","http://iiif.io/api/image/3/context.json"],"id":"https://iiif.test/a%2Fb",` +
		`"type":"ImageService3","protocol":"http://iiif.io/api/image",` + members + `}`
}

func TestInfo_ImageURLs(t *testing.T) {
	t.Parallel()
	const (
		level1of1 = `"profile":"http://library.stanford.edu/iiif/image-api/1.1/compliance.html#level1"`
		level0of2 = `"profile":["http://iiif.io/api/image/2/level0.json"]`
		level2of2 = `"profile":["http://iiif.io/api/image/2/level2.json",{"supports":["cors"],"maxArea":0}]`
		small     = `"width":3000,"height":4000,`
		huge      = `"width":40000,"height":20000,`
	)
	for _, c := range []struct {
		name, info string
		want       []string // size and quality
	}{
		{"1.1", info1(small + level1of1), []string{"full/0/native", "1500,/0/native", "750,/0/native"}},
		{"1.1 without a profile", info1(`"width":3000,"height":4000`), []string{"full/0/native"}},
		{"2, level 2", info2(small + level2of2), []string{"full/0/default", "1500,/0/default", "750,/0/default"}},
		{"2, level 2, named by one string", info2(small + `"profile":"http://iiif.io/api/image/2/level2.json"`), []string{"full/0/default", "1500,/0/default", "750,/0/default"}},
		{"2, level 0", info2(small + level0of2), []string{"full/0/default"}},
		{"2, level 0 with listed sizes", info2(small + `"sizes":[{"width":750,"height":1000},{"width":3000,"height":4000},{"width":1500,"height":2000}],` + level0of2), []string{"full/0/default", "1500,/0/default", "750,/0/default"}},
		{"2, level 0 that scales by width", info2(small + `"profile":["http://iiif.io/api/image/2/level0.json",{"supports":["sizeByW"]}]`), []string{"full/0/default", "1500,/0/default", "750,/0/default"}},
		{"2, a largest width", info2(small + `"profile":["http://iiif.io/api/image/2/level2.json",{"maxWidth":1000}]`), []string{"750,/0/default", "375,/0/default", "187,/0/default"}},
		{"2, a largest width without scaling", info2(small + `"profile":["http://iiif.io/api/image/2/level0.json",{"maxWidth":1000,"maxHeight":5000}]`), []string{"max/0/default"}},
		{"2, a largest area", info2(small + `"profile":["http://iiif.io/api/image/2/level2.json",{"maxArea":3000000}]`), []string{"1499,/0/default", "749,/0/default", "374,/0/default"}},
		{"2, too large", info2(huge + level2of2), []string{"14140,/0/default", "7070,/0/default", "3535,/0/default"}},
		{"2, too large, but with listed sizes", info2(huge + `"sizes":[{"width":20000,"height":10000},{"width":10000,"height":5000}],` + level0of2), []string{"10000,/0/default"}},
		{"2, too wide", info2(`"width":65534,"height":100,` + level2of2), []string{"32767,/0/default", "16383,/0/default", "8191,/0/default"}},
		{"3, level 2", info3(small + `"profile":"level2"`), []string{"max/0/default", "1500,2000/0/default", "750,1000/0/default"}},
		{"3, level 0", info3(small + `"profile":"level0"`), []string{"max/0/default"}},
		{"3, level 0 with listed sizes", info3(small + `"profile":"level0","sizes":[{"width":300,"height":400}]`), []string{"max/0/default", "300,400/0/default"}},
		{"3, extra features", info3(small + `"profile":"level0","extraFeatures":["sizeByWh"]`), []string{"max/0/default", "1500,2000/0/default", "750,1000/0/default"}},
		{"3, a largest width", info3(small + `"profile":"level1","maxWidth":1500`), []string{"max/0/default", "562,750/0/default", "281,375/0/default"}},
		{"3, a largest area that still is too large", info3(huge + `"profile":"level1","maxArea":200000000`), []string{"14141,7070/0/default", "7070,3535/0/default", "3535,1767/0/default"}},
		{"3, tiny", info3(`"width":1,"height":2,"profile":"level2"`), []string{"max/0/default"}},
		{"a byte order mark", "\xef\xbb\xbf" + info3(small+`"profile":"level0"`), []string{"max/0/default"}},
	} {
		t.Run("reads "+c.name, func(t *testing.T) {
			t.Parallel()
			urls, err := fetch.ImageURLs([]byte(c.info), &url.URL{Scheme: "https"})
			require.NoError(t, err)
			var got []string
			for _, u := range urls {
				got = append(got, u.String())
			}
			for i := range c.want {
				c.want[i] = "https://iiif.test/a%2Fb/full/" + c.want[i] + ".jpg"
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestInfo_ImageURLs_Invalid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, info, reason string }{
		{"any JSON", `{"a":1}`, "other than a IIIF info.json"},
		{"broken JSON", info3(`"width":`), "other than a IIIF info.json"},
		{"a fraction of a pixel", info3(`"width":1.5,"height":2`), "other than a IIIF info.json"},
		{"trailing data", info3(`"width":1,"height":2`) + "{}", "other than a IIIF info.json"},
		{"far too long", info3(`"width":1,"height":2,"x":"` + strings.Repeat("x", 1<<20) + `"`), "other than a IIIF info.json"},
		{"a manifest", `{"@context":"http://iiif.io/api/presentation/3/context.json","id":"https://iiif.test/m"}`, "a IIIF manifest"},
		{"a future version", `{"@context":"http://iiif.io/api/image/4/context.json","protocol":"http://iiif.io/api/image"}`, "1.1, 2 and 3"},
		{"no size", info3(`"profile":"level2"`), "no usable width and height"},
		{"a negative size", info3(`"width":-1,"height":5`), "no usable width and height"},
		{"a size beyond all bounds", info3(`"width":4000000000,"height":5`), "no usable width and height"},
		{"too large and not scaled", info3(`"width":20000,"height":20000,"profile":"level0"`), "offers no smaller one"},
		{"no id", `{"@context":"http://iiif.io/api/image/3/context.json","width":1,"height":1}`, "no valid id"},
		{"an id that is a file", `{"@context":"http://iiif.io/api/image/3/context.json","id":"file:///etc","width":1,"height":1}`, "no valid id"},
		{"an id with a query", `{"@context":"http://iiif.io/api/image/3/context.json","id":"http://a.test/?x=1","width":1,"height":1}`, "no valid id"},
		{"an id with a user", `{"@context":"http://iiif.io/api/image/3/context.json","id":"http://a:b@a.test","width":1,"height":1}`, "no valid id"},
	} {
		t.Run("refuses "+c.name, func(t *testing.T) {
			t.Parallel()
			_, err := fetch.ImageURLs([]byte(c.info), &url.URL{Scheme: "https"})
			assert.Contains(t, mustFail(t, err).Text, c.reason)
		})
	}
}

func TestInfo_ImageURLs_HTTPS(t *testing.T) {
	t.Parallel()
	info := strings.Replace(info3(`"width":3,"height":4`), "https://iiif.test", "http://iiif.test", 1)
	for _, scheme := range []string{"http", "https"} {
		urls, err := fetch.ImageURLs([]byte(info), &url.URL{Scheme: scheme})
		require.NoError(t, err)
		assert.Equal(t, scheme+"://iiif.test/a%2Fb/full/max/0/default.jpg", urls[0].String())
	}
}

func TestFetcher_Fetch_IIIF(t *testing.T) {
	t.Parallel()
	const members = `"width":3000,"height":4000,"profile":"level1"`
	var base string
	base = mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]string{
			"/page/info.json":                       strings.Replace(info3(members), "https://iiif.test/a%2Fb", base+"/page/", 1),
			"/page/full/max/0/default.jpg":          "the image",
			"/heavy/info.json":                      strings.Replace(info3(members), "https://iiif.test/a%2Fb", base+"/heavy", 1),
			"/heavy/full/max/0/default.jpg":         strings.Repeat("x", 5000),
			"/heavy/full/1500,2000/0/default.jpg":   "the smaller image",
			"/shy/info.json":                        strings.Replace(info3(members), "https://iiif.test/a%2Fb", base+"/shy", 1),
			"/shy/full/750,1000/0/default.jpg":      "the size that is allowed",
			"/heavier/info.json":                    strings.Replace(info3(members), "https://iiif.test/a%2Fb", base+"/heavier", 1),
			"/heavier/full/max/0/default.jpg":       strings.Repeat("x", 5000),
			"/heavier/full/1500,2000/0/default.jpg": strings.Repeat("x", 5000),
			"/heavier/full/750,1000/0/default.jpg":  strings.Repeat("x", 5000),
			"/metadata/info.json":                   strings.Replace(info3(members), "https://iiif.test/a%2Fb", "http://169.254.169.254/latest", 1),
			"/gone/info.json":                       strings.Replace(info3(members), "https://iiif.test/a%2Fb", base+"/gone", 1),
			"/other/info.json":                      `{"some":"JSON"}`,
		}
		if r.URL.Path == "/page" {
			http.Redirect(w, r, "/page/info.json", http.StatusSeeOther)
			return
		}
		answer, found := answers[r.URL.Path]
		switch {
		case !found && strings.HasPrefix(r.URL.Path, "/shy/"):
			w.WriteHeader(http.StatusForbidden)
		case !found:
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, answer)
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback, MaxBytes: 4096})
	for path, want := range map[string]string{
		"/page/info.json":  "the image",
		"/page":            "the image",
		"/heavy/info.json": "the smaller image",
		"/shy/info.json":   "the size that is allowed",
	} {
		requireFetch(t, f, base+path, want)
	}
	for path, reason := range map[string]string{
		"/heavier/info.json":  "limit of 4096 bytes",
		"/metadata/info.json": "the address is not public",
		"/gone/info.json":     "the server returned 404",
		"/other/info.json":    "other than a IIIF info.json",
	} {
		assertReason(t, f, base+path, reason)
	}
}

func FuzzInfo_ImageURLs(f *testing.F) {
	f.Add(info1(`"width":1,"height":2`))
	f.Add(info2(`"width":30000,"height":40000,"profile":["level2",{"maxArea":9,"supports":["sizeByW"]}],"sizes":[{"width":1,"height":1}]`))
	f.Add(info3(`"width":30000,"height":40000,"maxWidth":7,"maxHeight":9,"extraFeatures":["sizeByWh"]`))
	f.Fuzz(func(t *testing.T, body string) {
		urls, err := fetch.ImageURLs([]byte(body), &url.URL{Scheme: "https"})
		if err != nil {
			var failure *fetch.Error
			require.ErrorAs(t, err, &failure)
			return
		}
		assert.NotEmpty(t, urls)
		assert.LessOrEqual(t, len(urls), 3)
		for _, u := range urls {
			assert.Equal(t, "https", u.Scheme)
			assert.NotEmpty(t, u.Hostname())
			assert.Nil(t, u.User)
			var width, height int
			parts := strings.Split(u.EscapedPath(), "/")
			parameter := parts[len(parts)-3]
			if n, _ := fmt.Sscanf(parameter, "%d,%d", &width, &height); n > 0 {
				assert.Positive(t, width)
				assert.LessOrEqual(t, width, ocr.MaxSide)
				assert.LessOrEqual(t, height, ocr.MaxSide)
				assert.LessOrEqual(t, width*height, ocr.MaxPixels)
			} else {
				assert.Contains(t, []string{"full", "max"}, parameter)
			}
		}
	})
}
