// SPDX-License-Identifier: Apache-2.0
#include "topology/fat_tree/fat_tree.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "topology/assembly.h"
#include "topology/detail/exact_limits.h"
#include "topology/unicast_paths.h"

namespace fredsim {
namespace {

// Numbers of nodes: NPUs, edge, aggregation, core.
struct FatTreeShape {
  int half = 0;          // k/2
  int npus_on_edge = 0;  // r*k/2

  int pods() const { return 2 * half; }
  int edges() const { return pods() * half; }
  int npus() const { return edges() * npus_on_edge; }
  NodeId edge(int pod, int i) const { return npus() + pod * half + i; }
  NodeId aggregation(int pod, int i) const { return npus() + edges() + pod * half + i; }
  NodeId core(int j) const { return npus() + 2 * edges() + j; }
};

class FatTreePaths final : public UnicastPaths {
 public:
  FatTreePaths(const FatTreeShape& shape, std::optional<std::uint64_t> seed)
      : shape_(shape), seed_(seed) {}

  int port(int chiplet, std::uint16_t address) const override {
    const int place = address % shape_.npus_on_edge;
    const int edge = address / shape_.npus_on_edge;
    const int pod = edge / shape_.half;
    int number = chiplet - shape_.npus();
    if (number < shape_.edges())
      return number == edge ? place : shape_.npus_on_edge + up(chiplet, address, place);
    number -= shape_.edges();
    if (number >= shape_.edges()) return pod;
    return number / shape_.half == pod ? edge % shape_.half
                                       : shape_.half + up(chiplet, address, edge);
  }

 private:
  // One of the k/2 links up.
  int up(int chiplet, std::uint16_t address, int place) const {
    if (!seed_) return place % shape_.half;
    const std::uint64_t flow = (static_cast<std::uint64_t>(chiplet) << 16) | address;
    return static_cast<int>(mix64(mix64(*seed_) ^ flow) % static_cast<std::uint64_t>(shape_.half));
  }

  FatTreeShape shape_;
  std::optional<std::uint64_t> seed_;
};

FatTreeShape checked(const MachineSpec& machine, const FatTreeSpec& spec) {
  check_range("io.count", machine.io_controllers, 0, 0);
  check_range("fabric.radix", spec.radix, 2, kMaxFatTreeRadix);
  check_range("fabric.oversubscription", spec.oversubscription, 1, kMaxFatTreeNpus);
  if (spec.radix % 2 != 0) {
    throw BadInput(fmt::format(
        "fabric.radix: found {}, which is odd; allowed: an even number, since half of a "
        "switch's ports lead up",
        spec.radix));
  }
  const std::int64_t npus =
      std::int64_t{spec.radix} * spec.radix * spec.radix / 4 * spec.oversubscription;
  if (npus > kMaxFatTreeNpus) {
    throw BadInput(
        fmt::format("fabric.radix: found {}, which with fabric.oversubscription {} makes {} NPUs; "
                    "allowed: up to {}",
                    spec.radix, spec.oversubscription, npus, kMaxFatTreeNpus));
  }
  return {spec.radix / 2, spec.radix / 2 * spec.oversubscription};
}

class FatTreeBuilder {
 public:
  FatTreeBuilder(const MachineSpec& machine, const FatTreeSpec& spec)
      : machine_(machine),
        spec_(spec),
        shape_(checked(machine, spec)),
        assembly_(machine, fat_tree_kind()) {}

  Topology build() {
    add_nodes();
    const LinkClass link{
        "fabric.port_bandwidth", spec_.port_bandwidth,
        assembly_.latency("fabric.link_latency", "link latency", machine_.link_latency_ps)};
    for (int i = 0; i < shape_.npus(); ++i) {
      const int edge = i / shape_.npus_on_edge;
      assembly_.connect({i, 0}, {shape_.npus() + edge, i % shape_.npus_on_edge}, link);
    }
    for (int pod = 0; pod < shape_.pods(); ++pod) {
      for (int i = 0; i < shape_.half; ++i) {
        for (int j = 0; j < shape_.half; ++j) {
          assembly_.connect({shape_.edge(pod, i), shape_.npus_on_edge + j},
                            {shape_.aggregation(pod, j), i}, link);
          assembly_.connect({shape_.aggregation(pod, i), shape_.half + j},
                            {shape_.core(i * shape_.half + j), pod}, link);
        }
      }
    }
    Topology& topology = assembly_.topology();
    topology.dimensions = {{shape_.npus_on_edge}, {shape_.half}, {shape_.pods()}};
    topology.slices = 1;
    topology.flow_only = flow_only_reason(topology);
    topology.paths = std::make_shared<FatTreePaths>(shape_, spec_.path_seed);
    return assembly_.finish();
  }

 private:
  void add_nodes() {
    for (int i = 0; i < shape_.npus(); ++i) assembly_.add_npu(1, static_cast<std::uint16_t>(i));
    const int k = shape_.pods();
    for (int n = 0; n < shape_.edges(); ++n)
      add_switch(fmt::format("e{}_{}", n / shape_.half, n % shape_.half),
                 shape_.npus_on_edge + shape_.half, 1, n);
    for (int n = 0; n < shape_.edges(); ++n)
      add_switch(fmt::format("a{}_{}", n / shape_.half, n % shape_.half), k, 2, n);
    for (int n = 0; n < shape_.half * shape_.half; ++n) add_switch(fmt::format("c{}", n), k, 3, n);
  }

  void add_switch(std::string name, int ports, int level, int index) {
    Node node{};
    node.kind = NodeKind::kSwitch;
    node.name = std::move(name);
    node.ports = ports;
    node.switch_kind = switch_kind_of(machine_, fat_tree_kind());
    node.values = {{"P", ports}};
    node.level = level;
    node.slice = 0;
    node.switch_index = index;
    assembly_.add_switch(std::move(node));
  }

  const MachineSpec& machine_;
  const FatTreeSpec& spec_;
  FatTreeShape shape_;
  Assembly assembly_;
};

}  // namespace

Topology build_fat_tree(const MachineSpec& machine, const FatTreeSpec& spec) {
  return FatTreeBuilder(machine, spec).build();
}

}  // namespace fredsim
