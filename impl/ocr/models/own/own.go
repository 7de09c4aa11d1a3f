// Package own holds the models that the project trained and ships; see README.md beside this file. They are embedded
// in every program that imports it, 5 MB.
package own

import _ "embed"

// Names of the models.
const (
	// EarlyPrint reads print before about 1800: roman, italic and Gothic types, Fraktur.
	EarlyPrint = "early_print"
	// HandFrench reads single lines of French handwriting of the 17th to the 20th century.
	HandFrench = "hand_fr"
)

var (
	//go:embed early_print.traineddata
	earlyPrint []byte
	//go:embed hand_fr.traineddata
	handFrench []byte
)

// Models maps names to the content of traineddata files, which must not be changed.
func Models() map[string][]byte {
	return map[string][]byte{EarlyPrint: earlyPrint, HandFrench: handFrench}
}
