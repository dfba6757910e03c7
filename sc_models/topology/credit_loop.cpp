// SPDX-License-Identifier: Apache-2.0
#include "topology/credit_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/flit.h"
#include "base/units.h"

namespace fredsim {
namespace {

// Cycles from a flit at an input pin to its credit at the output pin, if it is forwarded at once,
// as measured behind chiplets of FRED and crossbars; routers of a mesh take 8 to 11 cycles more.
constexpr int kPipelineCycles = 2;

std::string size_of(int flits) {
  return format_size(static_cast<std::uint64_t>(flits) * kFlitBytes);
}

// Control packets of one flit: acknowledgements for kAcknowledgedPackets data packets each,
// whatever their length.
int control_for(int data_flits) {
  constexpr int kAcknowledgedPackets = 16;
  return std::max(BufferShape{}.control_flits, data_flits / kAcknowledgedPackets);
}

bool is_auto(const BufferShape& buffers) {
  return buffers.data_flits == kAutoBuffer || buffers.control_flits == kAutoBuffer ||
         buffers.receive_flits == kAutoBuffer;
}

}  // namespace

int credit_round_trip(const Link& link) {
  return static_cast<int>(link.flit_cycles()) + link.latency + kPipelineCycles;
}

int covering_flits(const Link& link, int packet_flits) {
  const Rational& rate = link.flit_rate();
  const std::uint64_t cycles = static_cast<std::uint64_t>(credit_round_trip(link));
  return static_cast<int>((cycles * rate.num + rate.den - 1) / rate.den) + packet_flits;
}

int depth_behind(const Topology& topology, const Link& link) {
  const Node& to = topology.nodes[link.to];
  return to.is_endpoint() ? topology.buffers.receive_flits : topology.buffers_of(to).data_flits;
}

double carried_bytes_per_second(const Topology& topology, const Link& link) {
  const double flits =  // per cycle
      static_cast<double>(depth_behind(topology, link)) / credit_round_trip(link);
  return static_cast<double>(link.bytes_per_second) * std::min(1.0, flits / link.rate.value());
}

void size_auto_buffers(Topology& topology) {
  const BufferShape asked = topology.buffers;
  if (!is_auto(asked)) return;
  std::vector<int> needed;  // flits, by the links into a node
  for (const Node& node : topology.nodes)
    needed.push_back(node.is_endpoint() ? BufferShape{}.receive_flits : BufferShape{}.data_flits);
  const Link* largest = nullptr;
  for (const Link& link : topology.links) {
    const int flits = covering_flits(link, topology.packet_flits);
    needed[link.to] = std::max(needed[link.to], std::min(flits, kMaxAutoFlits));
    if (flits > kMaxAutoFlits) largest = &link;
  }
  BufferShape& common = topology.buffers;
  const auto shape_of = [&](int flits) {
    BufferShape shape = asked;
    if (asked.data_flits == kAutoBuffer) shape.data_flits = flits;
    if (asked.control_flits == kAutoBuffer) shape.control_flits = control_for(shape.data_flits);
    return shape;
  };
  for (std::size_t n = 0; n < topology.nodes.size(); ++n) {
    const Node& node = topology.nodes[n];
    if (node.is_endpoint()) {
      if (asked.receive_flits == kAutoBuffer)
        common.receive_flits = std::max(common.receive_flits, needed[n]);
      continue;
    }
    const BufferShape own = node.buffers ? *node.buffers : shape_of(needed[n]);
    common.data_flits = std::max(common.data_flits, own.data_flits);
    common.control_flits = std::max(common.control_flits, own.control_flits);
  }
  for (std::size_t n = 0; n < topology.nodes.size(); ++n) {
    Node& node = topology.nodes[n];
    if (node.is_endpoint() || node.buffers) continue;
    const BufferShape own = shape_of(needed[n]);
    if (own.data_flits == common.data_flits && own.control_flits == common.control_flits) continue;
    node.buffers = common;
    node.buffers->data_flits = own.data_flits;
    node.buffers->control_flits = own.control_flits;
  }
  if (largest == nullptr) return;
  topology.notes.push_back(
      fmt::format("auto buffers have {} at most, where link {} needs {}: they limit its bandwidth",
                  size_of(kMaxAutoFlits), largest->name,
                  size_of(covering_flits(*largest, topology.packet_flits))));
}

Topology with_covering_buffers(const Topology& topology, const WhichBuffers& which) {
  Topology sized = topology;
  sized.buffers.data_flits = sized.buffers.receive_flits = kAutoBuffer;
  for (Node& node : sized.nodes) node.buffers.reset();
  size_auto_buffers(sized);
  Topology covering = topology;
  if (which.of_npus)
    covering.buffers.receive_flits =
        std::max(topology.buffers.receive_flits, sized.buffers.receive_flits);
  for (std::size_t n = 0; n < topology.nodes.size() && which.of_switches; ++n) {
    const BufferShape& own = topology.buffers_of(topology.nodes[n]);
    const int flits = sized.buffers_of(sized.nodes[n]).data_flits;
    if (topology.nodes[n].is_endpoint() || flits <= own.data_flits) continue;
    covering.nodes[n].buffers = own;
    covering.nodes[n].buffers->data_flits = flits;
  }
  for (SystemBlock& block : covering.blocks)
    block.topology =
        std::make_shared<const Topology>(with_covering_buffers(*block.topology, which));
  return covering;
}

WhichBuffers larger_buffers(const Topology& one, const Topology& other) {
  WhichBuffers larger{.of_switches = false,
                      .of_npus = one.buffers.receive_flits > other.buffers.receive_flits};
  for (std::size_t n = 0; n < one.nodes.size(); ++n)
    larger.of_switches = larger.of_switches || one.buffers_of(one.nodes[n]).data_flits >
                                                   other.buffers_of(other.nodes[n]).data_flits;
  for (std::size_t b = 0; b < one.blocks.size(); ++b) {
    const WhichBuffers of_block =
        larger_buffers(*one.blocks[b].topology, *other.blocks[b].topology);
    larger.of_switches = larger.of_switches || of_block.of_switches;
    larger.of_npus = larger.of_npus || of_block.of_npus;
  }
  return larger;
}

}  // namespace fredsim
