package tesseract

/*
#include "network.h"
*/
import "C"

// useNetwork switches our replacements for functions of Tesseract's network on or off, and returns whether they were on. It
// serves a test, which cannot use cgo.
func useNetwork(use bool) (before bool) { return bool(C.uncial_network_use(C.bool(use))) }

// layersComputed returns the number of layers that our functions have computed. It serves a test.
func layersComputed() int64 { return int64(C.uncial_layers_computed()) }
