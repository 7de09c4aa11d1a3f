#pragma once

#include <stdbool.h>
#include <stdint.h>

// uncial_network_use switches the functions of network.c, layers_amd64.c and products_amd64.c on or off, and returns whether
// they were on. Initially they are on if they know the version of Tesseract.
bool uncial_network_use(bool use);

// uncial_layers_computed returns the number of LSTM layers that our functions have computed in this process. It is always 0 on
// processors other than AMD64.
int64_t uncial_layers_computed(void);
