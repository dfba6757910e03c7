// SPDX-License-Identifier: Apache-2.0
// The kind torus2d.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& torus2d_kind();

}  // namespace fredsim
