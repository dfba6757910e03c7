// SPDX-License-Identifier: Apache-2.0
// RTL of the switches of a command's machines, as --rtl-build says: with progress on standard
// error, and Ctrl-C.
//
// Errors: those of require_built(); Interrupted.
#pragma once

#include <span>

#include "switch/missing_sizes.h"

namespace fredsim {

void require_rtl(std::span<const NeededSwitch> needed, RtlBuild build, bool quiet);

}  // namespace fredsim
