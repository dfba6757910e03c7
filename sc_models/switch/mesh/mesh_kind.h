// SPDX-License-Identifier: Apache-2.0
// The kind "mesh": the router of a 2D mesh or torus, rtl/mesh/mesh_router.sv and its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& mesh_kind();

}  // namespace fredsim
