// Package own holds the models that the project trained and ships. They are embedded in every program that imports it,
// which adds 5 MB. README.md in this folder has their figures, licences and training data.
package own

import _ "embed"

// Names of the models, which a file of the same name in a model directory replaces.
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

// Models returns the contents of the traineddata files by name. The caller must not change them.
func Models() map[string][]byte {
	return map[string][]byte{EarlyPrint: earlyPrint, HandFrench: handFrench}
}
