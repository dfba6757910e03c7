// SPDX-License-Identifier: Apache-2.0
// Builder of the libraries of switch RTL that the cache does not have, with Verilator and the
// compiler.
//
// A library in the cache that differs from its digest is built again.
// Sizes are built in parallel, with as many commands at a time as there are hardware threads. A
//   size that another process is building is waited for. A library is there completely or not at
//   all, however this ends.
// Errors: BadInput if the cache cannot be written or others may write it, a tool is missing or of
//   another version, or a command fails: then with the command, the end of its output and the file
//   that has all of it. Interrupted once `stop` is set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "switch/on_demand/rtl_size.h"

namespace fredsim {

enum class RtlBuild : std::uint8_t { kAuto, kNever };
// The value of an option --rtl-build. BadInput for an unknown name.
RtlBuild parse_rtl_build(std::string_view text);

struct RtlBuildProgress {
  std::span<const std::string> entries;  // sizes that were missing
  std::span<const std::string>
      damaged{};            // sizes whose library differed from its digest, or had none
  std::size_t done = 0;     // number of complete sizes
  std::string step{};       // "Verilator: fred P=16 …"
  bool waits = false;       // true: other processes build all that is left
  double seconds_left = 0;  // an estimate
  std::filesystem::path cache{};
};

struct RtlBuildOptions {
  RtlBuild build = RtlBuild::kNever;
  const std::atomic<bool>* stop = nullptr;
  // called ten times a second, and at the end
  std::function<void(const RtlBuildProgress&)> on_progress{};
};

// Libraries of the sizes, in the order given, in the cache.
std::vector<std::filesystem::path> build_libraries(std::span<const RtlSize> sizes,
                                                   const RtlToolchain& tools,
                                                   const RtlLocations& where,
                                                   const std::filesystem::path& cache,
                                                   const RtlBuildOptions& options);

}  // namespace fredsim
