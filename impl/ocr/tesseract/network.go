package tesseract

/*
#include "network.h"
*/
import "C"

// useNetwork switches our functions of Tesseract's network on or off, and returns whether they were on. Only a test needs it; tests cannot use cgo.
func useNetwork(use bool) (before bool) { return bool(C.uncial_network_use(C.bool(use))) }
