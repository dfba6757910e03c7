// SPDX-License-Identifier: Apache-2.0
// The kind fat_tree.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& fat_tree_kind();

}  // namespace fredsim
