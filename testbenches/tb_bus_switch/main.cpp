// SPDX-License-Identifier: Apache-2.0
// fredsim with one kind of switch more: every command, and `switch.kind: bus` in a machine file.
#include "bus_switches.h"
#include "cli/fredsim_main.h"

int main(int argc, char** argv) {
  fredsim::add_bus_switches();
  return fredsim::fredsim_main(argc, argv, "fredsim_bus");
}
