package tesseract

/*
#include "network.h"
*/
import "C"

// useNetwork says whether Tesseract uses the functions of network.c, and returns whether it did before.
func useNetwork(use bool) (before bool) { return bool(C.uncial_network_use(C.bool(use))) }
