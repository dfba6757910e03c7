// SPDX-License-Identifier: Apache-2.0
// The kind bigraph.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& bigraph_kind();

}  // namespace fredsim
