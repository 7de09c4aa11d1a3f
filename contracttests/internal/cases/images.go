package cases

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"image"
	"slices"
	"strings"
	"sync"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/images"
	"uncial/contracttests/internal/model"
)

// imageRows send images as data: URLs. Only their content counts, not the type that they declare.
var imageRows = []row{
	{
		// One image of each format, each in a different form of URL; the seed decides which ones.
		name: "extract/200/image-formats", points: 50, build: someImages, extractions: 5,
		explanation: "JPEG, PNG, TIFF, BMP and WebP are read, whatever type the data: URL declares.",
	}, {
		name: "extract/200/every-image", points: 5000, extractions: 500, needs: []string{model.NeedThorough}, build: everyImage,
		explanation: "Every variant of every format is read, from one pixel to the limits of bytes, pixels, sides and pages, and in every form of data: URL.",
	}, {
		// Their boxes are compared with those of the words that the suite has drawn, and those of edits with the words of the
		// document.
		name: "extract/200/turned-image", points: 60, build: func(s *session) []ask { return turned(s, s.Seed, 2) }, extractions: 6,
		explanation: "A page is read upright if its file says that it is turned or mirrored, and all boxes are those of the upright page.",
	}, {
		name: "extract/200/every-turned-image", points: 960, extractions: 96, needs: []string{model.NeedThorough}, build: func(s *session) []ask { return turned(s, 0, 32) },
		explanation: "A page is read upright in each orientation that JPEG, TIFF and PNG can declare, and all boxes are those of the upright page.",
	}, {
		// Its page is as wide as the stored picture is high.
		name: "extract/200/turned-webp", points: 20, extractions: 2, needs: []string{model.NeedReading}, build: turnedWebP,
		explanation: "The page of a WebP whose metadata say that it is turned has the upright size.",
	}, {
		name: "extract/400/every-other-file", extractions: 60, build: otherFiles,
		explanation: "A file of another format, a damaged file, and an image beyond a limit get a 400 that names imageUrl, and the points are released.",
	},
}

// inline asks for an image in a data: URL. Its content is not known to the model, only whether it can be read.
func inline(name, url string) ask {
	begin := crc32.ChecksumIEEE([]byte(url[:min(len(url), 1<<16)])) // the beginning tells long URLs apart
	return ask{Request: model.Request{Job: &model.Job{Image: fmt.Sprintf("inline %s %08x", name, begin), URL: url, Unknown: true}}}
}

// dataURL writes a file as a data: URL of the type.
func dataURL(media string, data []byte) string {
	var url strings.Builder // of up to 28 MiB, which would otherwise be copied
	url.Grow(len("data:;base64,") + len(media) + base64.StdEncoding.EncodedLen(len(data)))
	_, _ = url.WriteString("data:" + media + ";base64,") // a strings.Builder never fails
	encoder := base64.NewEncoder(base64.StdEncoding, &url)
	_, _ = encoder.Write(data)
	_ = encoder.Close()
	return url.String()
}

// urlForms are the forms of data: URLs that the pattern of the contract allows, given a file.
func urlForms() []func(f images.File) string {
	as := func(media string) func(f images.File) string {
		return func(f images.File) string { return dataURL(media, f.Data) }
	}
	escaped := func(escapes ...string) func(f images.File) string {
		return func(f images.File) string {
			return "data:image/" + f.Format + ";base64," + strings.NewReplacer(escapes...).Replace(base64.StdEncoding.EncodeToString(f.Data))
		}
	}
	return []func(f images.File) string{
		func(f images.File) string { return dataURL("image/"+f.Format, f.Data) }, as(""), as("image/png"), as("image/jpeg"), as("application/octet-stream"), as("text/plain"), as("image"), as("IMAGE/PNG"), as("image/x-unknown"), as("image/vnd.example.page"), as("image/gif"), as("image/tiff"), as("image/svg+xml"), as("application/pdf"), as("text/html"), as(";charset=utf-8"),
		as("image/png;charset=utf-8"), as("text/plain;charset=US-ASCII"), as("image/png;name=page.png"), as("image/png;name=page.png;x=y"), as("image/" + strings.Repeat("x", 140)), as("image/" + strings.Repeat("y", 249)),
		func(f images.File) string { return "DATA" + dataURL("image/"+f.Format, f.Data)[4:] }, func(f images.File) string {
			return "Data" + strings.Replace(dataURL("image/"+f.Format, f.Data), ";base64,", ";Base64,", 1)[4:]
		},
		func(f images.File) string {
			return strings.Replace(dataURL("image/"+f.Format, f.Data), ";base64,", ";BASE64,", 1)
		},
		escaped("+", "%2B", "/", "%2F", "=", "%3D"), escaped("+", "%2b", "/", "%2f", "=", "%3d"), escaped("=", "%3D"), escaped("A", "%41", "a", "%61", "Q", "%51"),
	}
}

// ofFormat are the light files of a format.
func ofFormat(format string) (all []images.File) {
	for _, f := range images.Valid() {
		if f.Format == format && !f.Heavy && len(f.Data) < 4096 {
			all = append(all, f)
		}
	}
	return all
}

var imageFormats = []string{"jpeg", "png", "tiff", "bmp", "webp"}

// someImages are a file of each format, each in a different form of data: URL. The seed draws files and forms; the report names
// those left out.
func someImages(s *session) (asks []ask) {
	forms := urlForms()
	var files, used []string
	for i, format := range imageFormats {
		f, n := s.draw(format, i)
		files, used = append(files, f.Name), append(used, fmt.Sprint("form ", n%len(forms)))
		asks = append(asks, inline(f.Name, forms[n%len(forms)](f)))
	}
	s.choseFrom("forms of data: URLs", numbered(forms), used)
	s.choseFrom("image files", namesOf(images.Valid()), files)
	return asks
}

// draw is a light file of the i-th format, and a number to choose its form by: both change with the seed.
func (s *session) draw(format string, i int) (f images.File, n int) {
	files, seed := ofFormat(format), int(s.Seed%1_000_003)+i
	return files[seed%len(files)], seed*len(imageFormats) + i
}

// numbered are names for the forms of data: URLs.
func numbered(forms []func(f images.File) string) (names []string) {
	for i := range forms {
		names = append(names, fmt.Sprint("form ", i))
	}
	return names
}

func namesOf(files []images.File) (names []string) {
	for _, f := range files {
		names = append(names, f.Name)
	}
	return names
}

// anyFormat are the formats that everyImage asks for in turn.
var anyFormat = append([]string{""}, documents.Formats...)

// everyImage sends every file once, and every form of URL with a file whose base64 has every sign.
func everyImage(s *session) (asks []ask) {
	var used []string
	for i, f := range images.Valid() {
		used = append(used, f.Name)
		// The files are asked for in all formats in turn, because documents state more about an image than the text alone does.
		a, format := inline(f.Name, dataURL("image/"+f.Format, f.Data)), anyFormat[i%len(anyFormat)]
		if strings.Contains(f.Name, "thumbnail") {
			format = "hocr"
		}
		if asks = append(asks, a.format(format)); len(f.Data) < longImage { // what two formats say of an image must agree
			next := slices.Index(documents.Formats, format) + 1
			asks = append(asks, a.format(documents.Formats[next%len(documents.Formats)]))
		}
	}
	for i, form := range urlForms() {
		for _, size := range []int{0, longImage, largerImage} {
			f := images.Medium()
			if f.Data = append(slices.Clone(f.Data), make([]byte, size)...); size < largerImage || i%8 == 0 {
				asks = append(asks, inline(fmt.Sprintf("%s and %d in form %d", f.Name, size, i), form(f)))
			}
		}
	}
	for i, form := range urlForms() {
		files := slices.DeleteFunc(ofFormat(imageFormats[i%len(imageFormats)]), func(f images.File) bool {
			text := base64.StdEncoding.EncodeToString(f.Data)
			return !strings.Contains(text, "+") || !strings.Contains(text, "/") || !strings.HasSuffix(text, "=")
		})
		if len(files) == 0 {
			files = ofFormat("png")
		}
		f := files[i%len(files)]
		asks = append(asks, inline(fmt.Sprintf("%s in form %d", f.Name, i), form(f)))
	}
	s.choseFrom("forms of data: URLs", numbered(urlForms()), numbered(urlForms()))
	s.choseFrom("image files", namesOf(images.Valid()), used)
	return asks
}

// turnedWebP is an image whose Exif data say that it lies on its side, so that the page is as wide as the file is high.
func turnedWebP(*session) (asks []ask) {
	f := fileNamed("webp-turned.webp")
	width, height := f.Size()
	for _, format := range []string{"alto", "hocr"} {
		a := inline(f.Name, dataURL("image/webp", f.Data)).format(format)
		a.Job.Own = &model.Own{Width: height, Height: width}
		asks = append(asks, a)
	}
	return asks
}

// turnedPages are the files of turned pages, and what they show.
var turnedPages = sync.OnceValue(func() (t struct {
	upright *image.Gray
	files   []images.File
	own     model.Own
},
) {
	page, own := model.Draw(model.KnownText)
	t.upright, t.files, t.own = page, images.Turned(page), own
	return t
})

// turned reads as many files of turned pages, verbatim and enhanced. The first is the seed's.
func turned(s *session, seed uint64, n int) (asks []ask) {
	pages := turnedPages()
	var used []string
	for i := range n {
		f := pages.files[(int(seed%1_000_003)*5+i*7)%len(pages.files)] // files of all formats, in orientations that differ
		used = append(used, f.Name)
		a := inline(f.Name, dataURL("image/"+f.Format, f.Data))
		a.Job.Own = &pages.own
		asks = append(asks, a.format("alto"), a.format("alto").enhance(true), a.format(documents.Formats[i%len(documents.Formats)]))
	}
	s.choseFrom("turned pages", namesOf(pages.files), used)
	return asks
}

// otherFiles sends every file that must be refused, heavy ones only in a thorough run.
func otherFiles(s *session) (asks []ask) {
	var used []string
	for _, f := range images.Invalid() {
		if f.Heavy && !s.IsThorough() {
			continue
		}
		used = append(used, f.Name)
		media := "image/" + f.Format
		if f.Format == "" {
			media = "image/png"
		}
		a := inline(f.Name, dataURL(media, f.Data)).wrong("imageUrl")
		asks = append(asks, a)
	}
	s.choseFrom("files that must be refused", namesOf(images.Invalid()), used)
	return append(asks, status())
}
