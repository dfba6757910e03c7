#include "memory_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "endpoint/packet_extension.h"

namespace fredsim {
namespace {

// Of a machine of twins: 53 KB on a mesh of 64 x 64.
constexpr std::uint64_t kPerNode = std::uint64_t{64} << 10;

double gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

}  // namespace

void check_memory(std::span<const PlannedWork> work, std::uint64_t nodes, std::uint64_t available) {
  std::uint64_t plans = 0;
  std::uint64_t run = 0;  // one after the other
  for (const PlannedWork& one : work) {
    plans += one.size.bytes;
    run = std::max(run, one.size.run_bytes);
  }
  const std::uint64_t needed = plans + run + nodes * kPerNode;
  if (needed > available) {
    const PlannedWork& largest = *std::ranges::max_element(
        work, {}, [](const PlannedWork& one) { return one.size.run_bytes; });
    throw BadInput(fmt::format(
        "{}: needs about {:.2g} GB of memory{}, {:.2g} GB are free; allowed: what fits, such as a "
        "smaller --group or machine, or fewer sizes and machines in one command",
        largest.name, gigabytes(needed), work.size() > 1 ? " with all else of this command" : "",
        gigabytes(available)));
  }
  for (const PlannedWork& one : work) {
    if (2 * one.size.trees <= kMaxStreams) continue;
    throw BadInput(fmt::format("{}: plan: {} trees found, a run distinguishes {}", one.name,
                               one.size.trees, kMaxStreams / 2));
  }
}

}  // namespace fredsim
