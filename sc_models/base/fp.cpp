// SPDX-License-Identifier: Apache-2.0
#include "base/fp.h"

namespace fredsim {

std::string_view to_string(FpFormat format) { return format == FpFormat::kFp16 ? "fp16" : "bf16"; }

}  // namespace fredsim
