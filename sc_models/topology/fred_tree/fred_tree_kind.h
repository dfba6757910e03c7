// SPDX-License-Identifier: Apache-2.0
// The kind fred_tree.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& fred_tree_kind();

}  // namespace fredsim
