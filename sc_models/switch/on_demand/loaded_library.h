// SPDX-License-Identifier: Apache-2.0
// Libraries of switch RTL, loaded into this program (dlopen). The program has Verilator's runtime,
// the base classes and the wave writer for all of them: programs export their symbols.
//
// Files: dlopen() does not check that a library is complete: callers pass one that was found intact
//   (switch/on_demand/rtl_cache.h).
// Errors: BadInput if a library cannot be loaded, with the linker's reason.
#pragma once

#include <filesystem>

#include "switch/switch_registry.h"

namespace fredsim {

// Returns the library's switch; the library stays loaded.
RegisteredSwitch load_switch(const std::filesystem::path& library);

}  // namespace fredsim
