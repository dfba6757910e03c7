// Errors on wafer links, and retransmission, as a topology has them.
#pragma once

#include "topology/topology.h"

namespace fredsim {

// Once the links are there. With retransmission a flit takes longer on the wire, by what protects it:
// the links' rates become so much lower, and a note says so.
void set_link_errors(Topology& topology, const LinkErrors& errors);

}  // namespace fredsim
