// SPDX-License-Identifier: Apache-2.0
// The kind torus3d.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& torus3d_kind();

}  // namespace fredsim
