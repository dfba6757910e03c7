// SPDX-License-Identifier: Apache-2.0
// Wafer links that find errors and send flits again (links/retransmission/reliable_link.h). Links on a die have no errors.
#pragma once

#include "links/retransmission/link_errors.h"
#include "topology/topology.h"

namespace fredsim {

// Gives its wafer links both ends of such links; their rates stay as they are.
void retransmit(Topology& topology, const LinkErrors& errors);

}  // namespace fredsim
