#pragma once

#include <stdbool.h>

// uncial_network_use switches the functions of network.c, layers_amd64.c and products_amd64.c on or off, and returns whether they were
// on. At first they are on if they know the version of Tesseract.
bool uncial_network_use(bool use);
