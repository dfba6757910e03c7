// SPDX-License-Identifier: Apache-2.0
// The kind dimensions.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& dimensions_kind();

}  // namespace fredsim
