// Package sample is the page that the project ships for a first look and for tests: the opening of Edward Gibbon's
// "The History of the Decline and Fall of the Roman Empire" (1776), set in Junicode, a type after the Oxford types of
// about 1700, on paper that was aged by a program. The image is made by generate; nothing in it was scanned.
package sample

import _ "embed" // the page and its text are files

//go:generate go run ./generate -font /usr/share/fonts/opentype/junicode/JunicodeTwoBeta-Regular.otf -text page.txt -out page.jpg

// Image is the page, a JPEG of 1,500 x 2,000 pixels.
//
//go:embed page.jpg
var Image []byte

// Text is what stands on the page, line by line.
//
//go:embed page.txt
var Text string
