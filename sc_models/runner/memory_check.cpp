// SPDX-License-Identifier: Apache-2.0
#include "runner/memory_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "nic/packet_extension.h"

namespace fredsim {
namespace {

// Bytes per node of a machine of twins: 53 KB on a mesh of 64 x 64.
constexpr std::uint64_t kPerNode = std::uint64_t{64} << 10;

// "2.3 GB", "140 GB"
std::string gigabytes(std::uint64_t bytes) {
  const double gb = static_cast<double>(bytes) / 1e9;
  return gb < 100 ? fmt::format("{:.2g} GB", gb) : fmt::format("{:.0f} GB", gb);
}

}  // namespace

void check_memory(const PlannedGraph& graph, std::uint64_t nodes, std::uint64_t available) {
  const std::uint64_t needed = graph.bytes + nodes * kPerNode;
  if (needed <= available) return;
  throw BadInput(fmt::format(
      "{}: needs about {} of memory for {} tasks and {} collectives, {} are free; "
      "allowed: what fits, such as larger buckets (--gradients bucket=SIZE), fewer "
      "--iterations, --microbatches or layers",
      graph.name, gigabytes(needed), graph.tasks, graph.operations, gigabytes(available)));
}

void check_memory(std::span<const PlannedWork> work, std::uint64_t nodes, std::uint64_t available) {
  std::uint64_t plans = 0;
  std::uint64_t run = 0;  // max, since runs are in sequence
  for (const PlannedWork& one : work) {
    plans += one.size.bytes;
    run = std::max(run, one.size.run_bytes);
  }
  const std::uint64_t needed = plans + run + nodes * kPerNode;
  if (needed > available) {
    const auto largest = std::ranges::max_element(
        work, {}, [](const PlannedWork& one) { return one.size.run_bytes; });
    throw BadInput(
        fmt::format("{}: needs about {} of memory{}, {} are free; allowed: what fits, such as a "
                    "smaller --group or machine, or fewer sizes and machines in one command",
                    largest == work.end() ? "the machines" : largest->name, gigabytes(needed),
                    work.size() > 1 ? " with all else of this command" : "", gigabytes(available)));
  }
  for (const PlannedWork& one : work) {
    if (2 * one.size.trees <= kMaxStreams) continue;
    throw BadInput(fmt::format("{}: plan: {} trees found, a run distinguishes {}", one.name,
                               one.size.trees, kMaxStreams / 2));
  }
}

}  // namespace fredsim
