// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace fredsim {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& library, const std::string& reason) {
  throw BadInput(
      fmt::format("library of switch RTL '{}' cannot be loaded: {}; allowed: delete it, and it is "
                  "built again, or FREDSIM_CACHE=FOLDER elsewhere",
                  library.string(), reason));
}

}  // namespace

RegisteredSwitch load_switch(const std::filesystem::path& library) {
  using Entry = const RegisteredSwitch*();
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = handle == nullptr ? nullptr : ::dlsym(handle, "fredsim_rtl_switch");
  if (symbol == nullptr) {
    const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc's is per thread
    refuse(library, reason == nullptr ? "no reason given" : reason);
  }
  return *reinterpret_cast<Entry*>(symbol)();
}

}  // namespace fredsim
