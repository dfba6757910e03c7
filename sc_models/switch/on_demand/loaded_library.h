// SPDX-License-Identifier: Apache-2.0
// Libraries of switch RTL as a part of this program (dlopen), which has Verilator's runtime, the base classes and the writer of
// waves for all of them: programs export their symbols.
//
// Files: dlopen() does not look whether all of a library is there: it is one that was found intact (switch/on_demand/rtl_cache.h).
// Errors: BadInput where a library cannot be loaded, with the linker's reason.
#pragma once

#include <filesystem>

#include "switch/switch_registry.h"

namespace fredsim {

// Its switch; it stays loaded.
RegisteredSwitch load_switch(const std::filesystem::path& library);

}  // namespace fredsim
