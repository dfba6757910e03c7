// SPDX-License-Identifier: Apache-2.0
#include "cli/fredsim_main.h"

int main(int argc, char** argv) { return fredsim::fredsim_main(argc, argv); }
