// Package sample holds the page for demonstrations and tests: the opening of Edward Gibbon's "The History of the Decline
// and Fall of the Roman Empire" (1776), set in Junicode, a typeface modelled on the Oxford types of about 1700, on
// artificially aged paper. The command in the folder generate draws the image; it is not a scan.
package sample

import _ "embed" // for the image and its text

//go:generate go run ./generate -font /usr/share/fonts/opentype/junicode/JunicodeTwoBeta-Regular.otf -text page.txt -out page.jpg

// Image is the page, a JPEG of 1,500 x 2,000 pixels.
//
//go:embed page.jpg
var Image []byte

// Text is the text of the page, with the page's line breaks.
//
//go:embed page.txt
var Text string
