// SPDX-License-Identifier: Apache-2.0
// Shared parts of the builders: adding nodes and links to a topology under construction.
// Errors: BadInput naming the configuration key, as machine_spec.h says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

// A link carries more than a flit per cycle; the clock that it needs.
class SlowClock final : public BadInput {
 public:
  SlowClock(const std::string& what, std::uint64_t min_hz) : BadInput(what), min_hz_(min_hz) {}
  std::uint64_t min_hz() const { return min_hz_; }

 private:
  std::uint64_t min_hz_;
};

// Common settings of all links of one class.
struct LinkClass {
  std::string key;  // configuration key the bandwidth comes from
  std::uint64_t bytes_per_second = 0;
  int latency = 1;  // cycles
  bool on_die = false;
  Rational efficiency{1, 1};  // share of the rate that carries flits, the rest is protocol
};

// One end of a link.
struct PortRef {
  NodeId node = 0;
  int port = 0;
};

class Assembly {
 public:
  Assembly(const MachineSpec& machine, const TopologyKind& kind);

  Topology& topology() { return topology_; }
  NodeId add_npu(int ports, std::uint16_t address);
  NodeId add_io(int ports, std::uint16_t address);
  NodeId add_adder(int ports, std::uint16_t address);
  NodeId add_switch(Node node);
  // Connects both directions, with the wires inside switches (topology/switch_wires.h); SlowClock
  // if the rate is above one flit per cycle.
  void connect(PortRef a, PortRef b, const LinkClass& link);
  // Connects one way, in a topology with one-way links.
  void connect_one_way(PortRef from, PortRef to, const LinkClass& link);
  // Cycles of a latency; notes the rounded value of `what`, given by `key`.
  int latency(std::string_view key, std::string_view what, std::uint64_t time_ps);
  // Indexes and checks the topology. Call once: the assembly is used up.
  Topology finish();

 private:
  NodeId add_endpoint(NodeKind kind, std::string_view stem, int ports, std::uint16_t address,
                      std::vector<NodeId>& list);

  // Cycles from the middle of the node to the pins of a link.
  int wires_of(NodeId node, const LinkClass& link) const;

  Topology topology_;
  int wire_cycles_;
};

// Kind of the switches that have none of their own.
std::string switch_kind_of(const MachineSpec& machine, const TopologyKind& kind);

// Share of part i, where `count` are dealt out over `parts` as evenly as possible: the first parts
// get one more.
int dealt_to(int count, int parts, int i);

// `bandwidth` / `parts`, exact; BadInput naming `key` and the unit of `parts` if there is a
// remainder.
std::uint64_t divide_bandwidth(std::uint64_t bandwidth, int parts, std::string_view key,
                               std::string_view counted);

// BadInput "key: found value, …" unless low <= value <= high.
void check_range(std::string_view key, std::int64_t value, std::int64_t low, std::int64_t high);

}  // namespace fredsim
