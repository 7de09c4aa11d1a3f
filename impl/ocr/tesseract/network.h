#pragma once

#include <stdbool.h>
#include <stdint.h>

// uncial_network_use switches the functions of network.c, layers_amd64.c and products_amd64.c on or off, and returns whether they were
// on. At first they are on if they know the version of Tesseract.
bool uncial_network_use(bool use);

// uncial_layers_computed returns how many LSTM layers ours have computed in this process; always 0 on processors other than AMD64.
int64_t uncial_layers_computed(void);
