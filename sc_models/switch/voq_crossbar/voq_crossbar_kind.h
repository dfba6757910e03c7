// SPDX-License-Identifier: Apache-2.0
// The kind "voq_crossbar": a crossbar with virtual output queues and iSLIP, without phases,
// rtl/voq_crossbar/voq_crossbar.sv and its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& voq_crossbar_kind();

}  // namespace fredsim
