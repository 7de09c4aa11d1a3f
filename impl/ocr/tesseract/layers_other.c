//go:build !amd64

#include "layers.h"
#include "network.h"

// Other processors use Tesseract's own layers and products, because their compilers fuse multiplications and additions, which
// may change the last digit.
bool uncial_layers_find(void) { return true; }

int64_t uncial_layers_computed(void) { return 0; }

void uncial_products_use(bool use) { (void)use; }
