// SPDX-License-Identifier: Apache-2.0
// Bursts on the links of I/O controllers: wires as wide as an NPU's, used in bursts at the
// controller's average rate (links/link.h, Bursts).
#include <fmt/format.h>

#include <array>

#include "base/units.h"
#include "links/link_scheme.h"

namespace fredsim {
namespace {

constexpr std::string_view kBurst = "io.burst";
constexpr int kMaxBurst = 4096;  // flits

class BurstScheme final : public LinkScheme {
 public:
  std::string_view name() const override { return "burst"; }

  std::span<const FabricKey> keys() const override {
    static constexpr std::array kKeys = {
        FabricKey{.path = kBurst,
                  .meaning = "flits per burst on the link of an I/O controller, at the rate of an "
                             "NPU's port; 0: no bursts",
                  .holds = Holds::kInteger,
                  .default_value = "24",
                  .from_zero = true}};
    return kKeys;
  }

  // A link with failed lanes sends its bursts more slowly, too.
  LinkStage stage() const override { return LinkStage::kBuilt; }

  LinkChange change(const FabricKeys& keys) const override {
    const int burst = keys.has("io") ? keys.integer(kBurst, 0, kMaxBurst) : 0;
    if (burst == 0) return {};
    return [burst](Topology& topology) {
      const std::uint64_t peak = topology.first_link_out(topology.npus.front()).bytes_per_second;
      const auto is_io = [&](NodeId node) { return topology.nodes[node].kind == NodeKind::kIo; };
      for (Link& link : topology.links) {
        if ((!is_io(link.from) && !is_io(link.to)) || peak <= link.bytes_per_second) continue;
        link.burst = burst;
        link.peak = link_rate(peak, topology.clock_hz);
      }
    };
  }

  std::string describe(const Link& link) const override {
    if (link.burst == 0) return {};
    return fmt::format(", in bursts of {} flits at {}/{} flit per cycle each", link.burst,
                       link.peak.num, link.peak.den);
  }
};

}  // namespace

const LinkScheme& burst_scheme() {
  static const BurstScheme kScheme;
  return kScheme;
}

}  // namespace fredsim
