package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/dashboard"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/browsertest"
)

// visitor is a user with a browser.
type visitor struct {
	*browsertest.Browser
	testing.TB
	base   string
	checks bool // whether check checks pages
}

func newVisitor(tb testing.TB, base string) *visitor {
	tb.Helper()
	return &visitor{Browser: browsertest.New(tb), TB: tb, base: base}
}

// path opens the page of the dashboard with that path.
func (v *visitor) path(path string) {
	v.Helper()
	v.Open(v.base + "/dashboard" + path)
}

// fill enters values into the fields of a form, by name.
func (v *visitor) fill(fields ...string) {
	v.Helper()
	for i := 0; i < len(fields); i += 2 {
		v.Do(chromedp.SetValue(fmt.Sprintf("main [name=%q]", fields[i]), fields[i+1], chromedp.ByQuery))
	}
}

// send presses the button of the form with that action, and waits for the page that follows.
func (v *visitor) send(action string) {
	v.Helper()
	selector := fmt.Sprintf("main form[action$=%q] button:not([type=button])", action)
	v.Do(browsertest.Follow(chromedp.Click(selector, chromedp.ByQuery)))
}

// signUp creates an account on the plan "free".
func (v *visitor) signUp(email string) {
	v.Helper()
	v.path("/sign-up")
	v.fill("email", email, "name", "A. Reader", "password", "correct horse battery staple", "account", "Reading room")
	v.send("/sign-up")
}

// read sends an image in the playground and waits for the result.
func (v *visitor) read(file string) {
	v.Helper()
	v.path("/playground")
	v.Do(chromedp.SetUploadFiles("#try-file", []string{file}, chromedp.ByQuery))
	v.send("/playground")
	require.Contains(v, v.Text(".reading .summary"), "10 points charged")
}

// mustWrite writes a file for an upload.
func mustWrite(tb testing.TB, name string, content []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, content, 0o600))
	return path
}

func TestBrowser_Playground(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	page, words := knownPage(t)
	files := map[string]string{
		"a PNG": mustWrite(t, "page.png", ocrtest.MustPNG(t, page)), "a JPEG rotated by Exif": mustWrite(t, "page.jpg", rotatedJPEG(t, page)),
	}
	a := apptest.Start(t, app.Options{Dashboard: app.DashboardOptions{SignUp: dashboard.Open}})
	for name, file := range files {
		t.Run("shows "+name, func(t *testing.T) {
			t.Parallel()
			v := newVisitor(t, "http://"+a.Addr())
			v.signUp(strings.ReplaceAll(name, " ", "-") + "@example.org")
			v.path("/playground")
			v.Check("playground")
			v.read(file)
			v.Check("playground-reading")
			v.requireBoxesOnInk(words)
			for _, zoom := range []string{"2", "4"} {
				v.Do(chromedp.Click(".zoom [value=\""+zoom+"\"]", chromedp.ByQuery))
				v.requireBoxesOnInk(words)
			}
			v.requireHoverLinks()
			v.requireDownloads("Aprille")
			require.Contains(t, v.Text(".reading details pre"), "base64 < "+filepath.Base(file))
			v.requireOwnRowAndCap(file)
		})
	}
}

// requireBoxesOnInk compares the boxes on the screen with the words of the page, and with the dark pixels of its picture.
func (v *visitor) requireBoxesOnInk(words []printedWord) {
	v.Helper()
	// Boxes in pixels of the page, from where the browser shows them and the picture.
	boxes := browsertest.Eval[[]struct {
		Text                string
		X, Y, Width, Height float64
	}](v.Browser, `(() => {
		const picture = document.querySelector(".scan image").getBoundingClientRect();
		const view = document.querySelector(".scan svg").viewBox.baseVal;
		const scale = view.width / picture.width;
		return [...document.querySelectorAll(".scan .box")].map((box) => {
			const r = box.getBoundingClientRect();
			return { Text: document.getElementById(box.dataset.word).textContent, X: (r.x - picture.x) * scale,
				Y: (r.y - picture.y) * scale, Width: r.width * scale, Height: r.height * scale };
		});
	})()`)
	require.Len(v, boxes, len(words))
	const near = 8 // pixels of the page: the line around a box, and the blur of letters
	for i, b := range boxes {
		w := words[i]
		require.Equal(v, w.text, b.Text)
		assert.InDelta(v, w.ink.Min.X, b.X, near, w.text)
		assert.InDelta(v, w.ink.Min.Y, b.Y, near, w.text)
		assert.InDelta(v, w.ink.Dx(), b.Width, 2*near, w.text)
		assert.InDelta(v, w.ink.Dy(), b.Height, 2*near, w.text)
	}
	share := browsertest.Eval[float64](v.Browser, `(async () => {
		const svg = document.querySelector(".scan svg"), picture = new Image();
		picture.src = svg.querySelector("image").getAttribute("href");
		await picture.decode();
		const canvas = document.createElement("canvas"), [w, h] = [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
		const pen = canvas.getContext("2d");
		pen.drawImage(picture, 0, 0);
		const dark = () => { const p = pen.getImageData(0, 0, w, h).data; let n = 0; for (let i = 0; i < p.length; i += 4) n += p[i] < 128; return n; };
		const all = dark(), scale = w / svg.viewBox.baseVal.width;
		pen.fillStyle = "white";
		for (const { x, y, width, height } of svg.querySelectorAll(".box")) {
			pen.fillRect(x.baseVal.value * scale - 2, y.baseVal.value * scale - 2, width.baseVal.value * scale + 4, height.baseVal.value * scale + 4);
		}
		return 1 - dark() / all;
	})()`)
	require.Greater(v, share, 0.98, "the boxes cover the ink of the picture")
}

// requireHoverLinks moves the mouse over a box and over a word.
func (v *visitor) requireHoverLinks() {
	v.Helper()
	lit := func() string {
		return browsertest.Eval[string](v.Browser, `[...document.querySelectorAll(".lit")].map((e) => e.dataset.word).join(" ")`)
	}
	v.Do(chromedp.Click(`.zoom [value="1"]`, chromedp.ByQuery))
	for _, selector := range []string{`.box[data-word="p1-w3"]`, `.word[data-word="p1-w3"]`} {
		at := browsertest.Eval[browsertest.Box](v.Browser, `(() => { const e = document.querySelector('`+selector+`');
			e.scrollIntoView({behavior: "instant", block: "center"});
			const r = e.getBoundingClientRect();
			return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()`)
		v.Do(chromedp.MouseEvent(input.MouseMoved, at.X, at.Y))
		require.Equal(v, "p1-w3 p1-w3", lit(), "both the word and its box")
		v.Do(chromedp.MouseEvent(input.MouseMoved, 1, 1))
		require.Empty(v, lit())
	}
}

// requireDownloads fetches every format, which must contain a word and cost nothing.
func (v *visitor) requireDownloads(word string) {
	v.Helper()
	got := browsertest.Eval[map[string]string](v.Browser, `(async () => {
		const files = {};
		for (const link of document.querySelectorAll(".downloads a")) files[link.textContent] = await (await fetch(link.href)).text();
		return files;
	})()`)
	require.Len(v, got, 7)
	require.True(v, strings.HasPrefix(got["PDF"], "%PDF-"))
	delete(got, "PDF") // its text is compressed
	for name, content := range got {
		require.Contains(v, content, word, name)
	}
	require.Contains(v, got["ALTO"], "http://www.loc.gov/standards/alto")
	require.True(v, json.Valid([]byte(got["JSON"])))
}

// "Try it" on the page of a real service: the extraction is charged to the pasted key, which stays only in the memory of the
// page.
func TestBrowser_TryIt(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	page, words := knownPage(t)
	a := apptest.Start(t, app.Options{})
	_, key := apptest.Key(t, a, "free")
	v := newVisitor(t, "http://"+a.Addr())
	v.Open(v.base + "/docs")
	v.Do(
		chromedp.SendKeys("#try-key", "ocr_live_wrong", chromedp.ByQuery),
		chromedp.SetUploadFiles("#try-file", []string{mustWrite(t, "page.jpg", rotatedJPEG(t, page))}, chromedp.ByQuery),
		chromedp.Click(".try [type=submit]", chromedp.ByQuery),
		chromedp.WaitVisible(".problem:not([hidden])", chromedp.ByQuery),
	)
	require.Contains(t, v.Text(".problem"), "The API key is not valid.")
	v.Do(
		chromedp.Evaluate(`document.querySelector("#try-key").value = ""`, nil),
		chromedp.SendKeys("#try-key", key+"\t", chromedp.ByQuery),
		chromedp.Poll(`document.querySelector(".balance").textContent.includes("300 points left")`, nil),
		chromedp.Click(".try [type=submit]", chromedp.ByQuery),
		chromedp.WaitReady(`.scan image[href^="blob:"]`, chromedp.ByQuery),
		chromedp.Poll(`document.querySelector(".balance").textContent.includes("290 points left")`, nil),
	)
	v.requireBoxesOnInk(words)
	v.requireHoverLinks()
	v.Check("docs-try")
	v.ScreenshotOf("docs-try-section", "#try")

	kept := browsertest.Eval[string](v.Browser, `JSON.stringify([location.href, document.cookie, history.state,
		{...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])`)
	require.NotContains(t, kept, key, "the key is only in the value of its field")
	require.Equal(t, key, browsertest.Eval[string](v.Browser, `document.querySelector("#try-key").value`))
	v.Open(v.base + "/openapi.json")
	v.Do(chromedp.NavigateBack())
	require.Empty(t, browsertest.Eval[string](v.Browser, `document.querySelector("#try-key").value`), "the page forgets the key when the visitor leaves it")
}

// Images and addresses can be dropped on the form and pasted into the page.
func TestBrowser_DropAndPaste(t *testing.T) {
	t.Parallel()
	browsertest.Enable(t)
	a := apptest.Start(t, app.Options{})
	v := newVisitor(t, "http://"+a.Addr())
	v.Open(v.base + "/docs")
	image := `const data = new DataTransfer(); data.items.add(new File(["x"], "page.png", {type: "image/png"}));`
	address := `const data = new DataTransfer(); data.setData("text/plain", " https://images.example.org/a.jpg ");`
	drop := `document.querySelector("form.try").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));`
	paste := `document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));`
	state := `[document.querySelector("#try-file").files[0]?.name ?? "", document.querySelector("#try-url").value].join(" ")`
	for _, c := range []struct{ what, how, want string }{
		{image, drop, "page.png "},
		{address, drop, " https://images.example.org/a.jpg"},
		{image, paste, "page.png "},
		{address, paste, " https://images.example.org/a.jpg"},
		{`const data = new DataTransfer(); data.setData("text/plain", "no address");`, paste, " https://images.example.org/a.jpg"},
	} {
		require.Equal(t, c.want, browsertest.Eval[string](v.Browser, "(() => {"+c.what+c.how+"return "+state+"})()"), c.what+c.how)
	}
}

// requireOwnRowAndCap finds the row of the playground in the usage, and reaches its cap.
func (v *visitor) requireOwnRowAndCap(file string) {
	v.Helper()
	v.path("/usage")
	require.Regexp(v, `Playground\s+1\s+10`, v.Text("main"))
	v.path("/playground")
	v.fill("cap", "15")
	v.send("/playground/cap")
	require.Contains(v, v.Text("main"), "may still spend 5 points")
	v.Do(chromedp.SetUploadFiles("#try-file", []string{file}, chromedp.ByQuery))
	v.send("/playground")
	require.Contains(v, v.Text(".problem"), "Only 5 points are left under the playground's monthly cap.")
	require.Contains(v, v.Text(".problem"), "Nothing was charged.")
}
