// SPDX-License-Identifier: Apache-2.0
// The kind "mesh_reducing": a router of the 2D mesh that adds and multicasts along trees,
// rtl/mesh_reducing/mesh_reducing.sv and its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& mesh_reducing_kind();

}  // namespace fredsim
