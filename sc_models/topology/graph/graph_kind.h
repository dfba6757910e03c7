// SPDX-License-Identifier: Apache-2.0
// The kind graph.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& graph_kind();

}  // namespace fredsim
