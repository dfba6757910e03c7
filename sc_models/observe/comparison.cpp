#include "observe/comparison.h"

#include <cassert>
#include <limits>

namespace fredsim {

namespace {

double reduction(std::uint64_t base, std::uint64_t run) {
  return base == 0 ? 0 : 1 - static_cast<double>(run) / static_cast<double>(base);
}

// A group of one NPU takes no time at all.
double speedup(double base_ns, double run_ns) {
  if (run_ns > 0) return base_ns / run_ns;
  return base_ns > 0 ? std::numeric_limits<double>::infinity() : 1;
}

}  // namespace

Comparison compare_to_base(const RunResult& base, const RunResult& run) {
  assert(base.size_bytes == run.size_bytes);
  return {.speedup = speedup(base.time_ns, run.time_ns),
          .injected_traffic_reduction = reduction(base.injected_bytes, run.injected_bytes),
          .link_traffic_reduction = reduction(base.link_bytes, run.link_bytes)};
}

}  // namespace fredsim
