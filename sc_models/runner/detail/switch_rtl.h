// SPDX-License-Identifier: Apache-2.0
// Provides the RTL of the switches of a command's machines according to --rtl-build: with progress
// on standard error, and Ctrl-C.
//
// Errors: errors of require_built(); Interrupted.
#pragma once

#include <span>

#include "switch/missing_sizes.h"

namespace fredsim {

void require_rtl(std::span<const NeededSwitch> needed, RtlBuild build, bool quiet);

}  // namespace fredsim
