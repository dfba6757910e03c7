// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/switch_rtl.h"

#include "runner/interrupt.h"
#include "runner/program_name.h"
#include "runner/rtl_build_line.h"

namespace fredsim {

void require_rtl(std::span<const NeededSwitch> needed, RtlBuild build, bool quiet) {
  RtlBuildLine line(stderr, progress_style(stderr), program_name());
  require_built(needed, rtl_build_options(build, &interrupt_flag(), quiet, line));
}

}  // namespace fredsim
