package liar

func heldOutFormats() []Defect {
	d := func(name, explanation string, l lie) Defect {
		return Defect{Name: name, Area: "formats", Explanation: explanation, lie: l}
	}
	return []Defect{
		d("document-missing-for-blank", "A blank page comes without its document.", fields(extracted, func(o map[string]any) {
			if o["text"] == "" {
				delete(o, "document")
			}
		})),
		d("ids-begin-with-digit", "Ids in ALTO begin with a digit.", document("alto", regexpReplace(` ID="([^"]*)"`, ` ID="1$1"`))),
		d("alto-without-image-number", "Pages of ALTO have no PHYSICAL_IMG_NR.", document("alto", regexpReplace(` PHYSICAL_IMG_NR="\d+"`, ``))),
		d("alto-description-last", "The description of ALTO stands behind its layout.", document("alto", regexpReplace(`(?s)(<Description>.*</Description>)(\s*)(<Layout>.*</Layout>)`, `$3$2$1`))),
		d("page-text-before-words", "The text of a line of PAGE-XML stands before its words.", document("page", regexpReplace(`(?s)((?:<Word [^>]*>.*?</Word>\s*)+)(<TextEquiv[^>]*>.*?</TextEquiv>)`, `$2$1`))),
		d("page-baseline-off-the-page", "Baselines of PAGE-XML lie off the page.", document("page", regexpReplace(`<Baseline points="(\d+),(\d+)`, `<Baseline points="99$1,$2`))),
		d("page-order-indexes-alike", "All regions have the same index in the reading order of PAGE-XML.", document("page", regexpReplace(`index="\d+"`, `index="0"`))),
		d("document-shows-a-path", "hOCR shows where the server keeps its files.", document("hocr", regexpReplace(`image "[^"]*"|image &#34;.*?&#34;|image &quot;.*?&quot;`, `image &quot;/var/lib/uncial/spool/4711.png&quot;`))),
		d("hocr-confidence-as-fraction", "hOCR tells confidences between 0 and 1.", document("hocr", regexpReplace(`x_wconf (\d+)`, `x_wconf 0.$1`))),
		d("hocr-capabilities-incomplete", "hOCR has words that its capabilities do not name.", document("hocr", replacing(" ocrx_word ", " "))),
		d("document-not-enhanced", "The text is enhanced, its document is not.", func(honest server) server {
			return func(c *call) *reply {
				a := honest(c)
				if !extracted(c, a) || c.asks()["enhance"] != true || c.asksFor("format") == "" {
					return a
				}
				o := c.asks()
				o["enhance"] = false
				plain := c.with(encode(o)).as("ocr_test_archive_liar")
				plain.request.Header.Del("Idempotency-Key")
				doc := object(honest(plain).body)["document"]
				a.edit(func(o map[string]any) {
					if doc != nil {
						o["document"] = doc
					}
				})
				return a
			}
		}),
		d("edit-boxes-halved", "The boxes of edits are those of a picture at half the size.", edits(func(e map[string]any) {
			if b, ok := e["box"].(map[string]any); ok {
				for name := range b {
					b[name] = number(b, name) / 2
				}
			}
		})),
		d("edits-all-on-page-1", "All edits are told to be on page 1.", edits(func(e map[string]any) { e["page"] = 1 })),
		d("lines-by-line-separator", "Lines are separated by U+2028.", textOf(replacing("\n", "\u2028"))),
		d("edit-rule-as-sentence", "The rule of an edit is a sentence.", edits(func(e map[string]any) { e["rule"] = "Long s was read as f" })),
		d("confidence-over-1-when-enhanced", "The confidence of an enhanced page is a little over 1.", fields(extracted, func(o map[string]any) {
			if o["enhanced"] == true && o["text"] != "" {
				o["confidence"] = 1.02
			}
		})),
	}
}
