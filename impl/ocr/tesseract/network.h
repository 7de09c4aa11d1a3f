#pragma once

#include <stdbool.h>

// uncial_network_use says whether Tesseract uses the functions of network.c, and returns whether it did before: at first, if it has the
// version that they know.
bool uncial_network_use(bool use);
