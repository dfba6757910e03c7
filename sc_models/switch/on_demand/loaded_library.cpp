// SPDX-License-Identifier: Apache-2.0
#include "switch/on_demand/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"

namespace fredsim {
namespace {

// The linker ends a library with the table of its sections. dlopen() does not look, and what is not there would end this program by
// a signal.
bool is_cut_short(const std::filesystem::path& library) {
  ElfW(Ehdr) header = {};
  std::ifstream file(library, std::ios::binary);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file) return false;  // dlopen() says what it is
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(library, failed);
  return !failed && bytes < header.e_shoff + std::uintmax_t{header.e_shnum} * header.e_shentsize;
}

[[noreturn]] void refuse(const std::filesystem::path& library, const std::string& reason) {
  throw BadInput(
      fmt::format("library of switch RTL '{}' cannot be loaded: {}; allowed: delete it, and it is "
                  "built again, or FREDSIM_CACHE=FOLDER elsewhere",
                  library.string(), reason));
}

}  // namespace

RegisteredSwitch load_switch(const std::filesystem::path& library) {
  using Entry = const RegisteredSwitch*();
  if (is_cut_short(library)) refuse(library, "it is cut short");
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = handle == nullptr ? nullptr : ::dlsym(handle, "fredsim_rtl_switch");
  if (symbol == nullptr) {
    const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc's is per thread
    refuse(library, reason == nullptr ? "no reason given" : reason);
  }
  return *reinterpret_cast<Entry*>(symbol)();
}

}  // namespace fredsim
