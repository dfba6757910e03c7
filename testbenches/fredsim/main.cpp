#include "cli/fredsim_main.h"

int main(int argc, char** argv) { return fredsim::fredsim_main(argc, argv); }
