// SPDX-License-Identifier: Apache-2.0
// The kind fully_connected.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& fully_connected_kind();

}  // namespace fredsim
