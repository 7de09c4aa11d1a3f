// Package own holds the models that the project trained and ships. They are embedded in every program that imports it,
// which adds 41 MB. README.md in this folder has their figures, licences and training data.
package own

import _ "embed"

// Names of the models.
const (
	// EarlyPrint reads print before about 1800: roman, italic and Gothic types, Fraktur. A file of the same name in a model folder
	// replaces it.
	EarlyPrint = "early_print"
	// Hands reads single lines of handwriting in French, Latin and English. It is a network of package neural.
	Hands = "hands"
	// Print reads single lines of print in Latin letters of any time. It is a network of package neural.
	Print = "print"
	// Greek reads single lines of print in Latin and Greek letters, mixed or not. It is a network of package neural.
	Greek = "greek"
	// Iberian reads single lines of print in Spanish and Portuguese. It is a network of package neural.
	Iberian = "iberian"
	// Lines finds lines of handwriting. It is a network of package neural.
	Lines = "lines"
)

var (
	//go:embed early_print.traineddata
	earlyPrint []byte
	//go:embed hands.uhm
	handsNetwork []byte
	//go:embed hands.ngram
	handsLanguage []byte
	//go:embed french.ngram
	frenchCharacterModel []byte
	//go:embed english.ngram
	englishCharacterModel []byte
	//go:embed latin.ngram
	latinCharacterModel []byte
	//go:embed print.uhm
	printNetwork []byte
	//go:embed greek.uhm
	greekNetwork []byte
	//go:embed iberian.uhm
	iberianNetwork []byte
	//go:embed lines.uff
	linesNetwork []byte
)

// Models returns the contents of the traineddata files by name. The caller must not change them.
func Models() map[string][]byte {
	return map[string][]byte{EarlyPrint: earlyPrint}
}

// LinesFile returns the content of the file of the network that finds lines. The caller must not change it.
func LinesFile() []byte { return linesNetwork }

// printNetworks has the files of the networks that read print, by name.
var printNetworks = map[string][]byte{Print: printNetwork, Greek: greekNetwork, Iberian: iberianNetwork}

// PrintNetworks returns the contents of the files of the networks that read print, by name. The caller must not change them.
func PrintNetworks() map[string][]byte { return printNetworks }

// ReadsPrint reports whether a name is that of a network that reads print.
func ReadsPrint(name string) bool {
	_, ok := printNetworks[name]
	return ok
}

// IsNetwork reports whether a name is that of a network that reads lines.
func IsNetwork(name string) bool { return name == Hands || ReadsPrint(name) }

// FrenchCharacterModel returns the content of a character model built from French transcriptions and print. The caller must
// not change it.
func FrenchCharacterModel() []byte { return frenchCharacterModel }

// EnglishCharacterModel returns the content of a character model built from English transcriptions and print. The caller must
// not change it.
func EnglishCharacterModel() []byte { return englishCharacterModel }

// LatinCharacterModel returns the content of a character model built from Latin transcriptions, which abbreviate most words.
// The caller must not change it.
func LatinCharacterModel() []byte { return latinCharacterModel }

// HandsFiles returns the contents of the network's file and of its character model's. The caller must not change them.
func HandsFiles() (network, language []byte) { return handsNetwork, handsLanguage }
