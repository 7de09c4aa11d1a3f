//go:build !amd64

#include "layers.h"

// Elsewhere Tesseract's own layers and products serve: compilers for other processors join multiplications and additions, so that the
// last digit might differ.
bool uncial_layers_find(void) { return true; }

void uncial_products_use(bool use) { (void)use; }
