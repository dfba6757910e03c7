// SPDX-License-Identifier: Apache-2.0
#include "routing/micro_switches.h"

namespace fredsim {

MicroSwitchCount count_micro_switches(const FredSwitchShape& shape) {
  MicroSwitchCount count;
  int networks = 1;  // sub-networks on this level of the recursion
  int ports = shape.ports;
  for (; ports > 2; ports = (ports + 1) / 2) {
    count.reduce += networks * (ports / 2);
    count.distribute += networks * (ports / 2);
    count.demuxes += networks * (ports % 2);
    count.muxes += networks * (ports % 2);
    networks *= shape.middle;
  }
  count.reduce_distribute = networks;
  return count;
}

}  // namespace fredsim
