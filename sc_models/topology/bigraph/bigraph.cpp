// SPDX-License-Identifier: Apache-2.0
#include "topology/bigraph/bigraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "topology/assembly.h"
#include "topology/detail/exact_limits.h"
#include "topology/unicast_paths.h"

namespace fredsim {
namespace {

int count_npus(const BigraphSpec& spec) { return (spec.lower + spec.upper) * spec.npus_per_switch; }

// Switches by number: the lower ones first.
class BigraphPaths final : public UnicastPaths {
 public:
  explicit BigraphPaths(const BigraphSpec& spec)
      : spec_(spec), turning_(std::max(1, spec.lower / 2)) {}

  int port(int chiplet, std::uint16_t address) const override {
    const int here = chiplet - count_npus(spec_);
    const int there = address / spec_.npus_per_switch;
    if (here == there) return address % spec_.npus_per_switch;
    const bool is_upper = here >= spec_.lower;
    const bool to_upper = there >= spec_.lower;
    if (is_upper != to_upper) return port_to(to_upper ? there - spec_.lower : there, address);
    if (is_upper) return port_to(address % turning_, address / turning_);
    const bool both_turn = here < turning_ && there < turning_;
    return both_turn ? port_to(0, address) : port_to(address % spec_.upper, address / spec_.upper);
  }

 private:
  int port_to(int other, int choice) const {
    return spec_.npus_per_switch + other * spec_.pair_links + choice % spec_.pair_links;
  }

  BigraphSpec spec_;
  int turning_;
};

void check(const MachineSpec& machine, const BigraphSpec& spec) {
  check_range("io.count", machine.io_controllers, 0, 0);
  check_range("fabric.upper", spec.upper, 1, kMaxBigraphNpus);
  check_range("fabric.lower", spec.lower, 1, kMaxBigraphNpus);
  check_range("fabric.npus_per_switch", spec.npus_per_switch, 1, kMaxBigraphNpus);
  check_range("fabric.pair_links", spec.pair_links, 1, kMaxBigraphNpus);
  const std::int64_t npus = (std::int64_t{spec.lower} + spec.upper) * spec.npus_per_switch;
  if (npus > kMaxBigraphNpus) {
    throw BadInput(
        fmt::format("fabric.npus_per_switch: found {}, with {} upper and {} lower switches {} "
                    "NPUs; allowed: up to {}",
                    spec.npus_per_switch, spec.upper, spec.lower, npus, kMaxBigraphNpus));
  }
  constexpr std::int64_t kMaxLinks = 1 << 20;
  if (const std::int64_t links = std::int64_t{spec.lower} * spec.upper * spec.pair_links;
      links > kMaxLinks)
    throw BadInput(
        fmt::format("fabric.pair_links: found {}, {} links between switches in all; allowed "
                    "is up to {}",
                    spec.pair_links, links, kMaxLinks));
}

}  // namespace

Topology build_bigraph(const MachineSpec& machine, const BigraphSpec& spec) {
  check(machine, spec);
  Assembly assembly(machine, bigraph_kind());
  const int npus = count_npus(spec);
  for (int i = 0; i < npus; ++i) assembly.add_npu(1, static_cast<std::uint16_t>(i));
  for (int s = 0; s < spec.lower + spec.upper; ++s) {
    const bool is_upper = s >= spec.lower;
    Node node{};
    node.kind = NodeKind::kSwitch;
    node.name = is_upper ? fmt::format("upper{}", s - spec.lower) : fmt::format("lower{}", s);
    node.ports = spec.npus_per_switch + (is_upper ? spec.lower : spec.upper) * spec.pair_links;
    node.switch_kind = switch_kind_of(machine, bigraph_kind());
    node.values = {{"P", node.ports}};
    node.level = 1;
    node.slice = 0;
    node.switch_index = s;
    assembly.add_switch(std::move(node));
  }
  const LinkClass link{
      "fabric.port_bandwidth", spec.port_bandwidth,
      assembly.latency("fabric.link_latency", "link latency", machine.link_latency_ps)};
  for (int i = 0; i < npus; ++i)
    assembly.connect({i, 0}, {npus + i / spec.npus_per_switch, i % spec.npus_per_switch}, link);
  for (int lower = 0; lower < spec.lower; ++lower) {
    for (int upper = 0; upper < spec.upper; ++upper) {
      for (int q = 0; q < spec.pair_links; ++q) {
        assembly.connect(
            {npus + lower, spec.npus_per_switch + upper * spec.pair_links + q},
            {npus + spec.lower + upper, spec.npus_per_switch + lower * spec.pair_links + q}, link);
      }
    }
  }
  Topology& topology = assembly.topology();
  topology.dimensions = {{spec.npus_per_switch}, {spec.lower + spec.upper}};
  topology.layers = {.lower = spec.lower, .upper = spec.upper, .pair_links = spec.pair_links};
  topology.slices = 1;
  topology.flow_only = flow_only_reason(topology);
  topology.paths = std::make_shared<BigraphPaths>(spec);
  return assembly.finish();
}

}  // namespace fredsim
