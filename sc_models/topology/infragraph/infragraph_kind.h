// SPDX-License-Identifier: Apache-2.0
// The kind infragraph.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& infragraph_kind();

}  // namespace fredsim
