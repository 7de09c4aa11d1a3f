package tesseract

/*
#include "network.h"
*/
import "C"

// useNetwork switches our replacements for functions of Tesseract's network on or off, and returns whether they were on. Only a test needs it; tests cannot use cgo.
func useNetwork(use bool) (before bool) { return bool(C.uncial_network_use(C.bool(use))) }

// layersComputed returns how many layers our functions have computed. Only a test needs it.
func layersComputed() int64 { return int64(C.uncial_layers_computed()) }
