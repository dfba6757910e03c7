// SPDX-License-Identifier: Apache-2.0
// Systems: NPUs in several dimensions. A block joins each group of NPUs that differ only in one
// dimension: a ring, full connection, a switch, or a whole wafer. So an NPU has NIC ports in every
// dimension.
//
// NPUs: the lowest dimension varies fastest; number = c0 + s0 * (c1 + s1 * (c2 + …)), c the places
// and s the sizes. Groups of a dimension are numbered alike, with that dimension left out.
// Nodes: NPUs; then switches of the blocks, by dimension, group and their order in the block; then
// the blocks' I/O controllers likewise.
// Links: by dimension and group, in the order of the block's.
// Buffers of switches: the block's (Node::buffers); receive buffers of NPUs have the maximum size
// of all blocks.
// Addresses: relative to the block; a packet stays in the dimension that it is sent in.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

class SystemPlaces {
 public:
  explicit SystemPlaces(const std::vector<SystemBlock>& blocks);
  explicit SystemPlaces(const Topology& system) : SystemPlaces(system.blocks) {}

  int dimensions() const { return static_cast<int>(sides_.size()); }
  int npus() const { return npus_; }
  int size(int dimension) const { return sides_[dimension].size; }
  int groups(int dimension) const { return npus_ / sides_[dimension].size; }
  // Place of an NPU in a dimension, and its group there.
  int place(int npu, int dimension) const {
    return npu / sides_[dimension].stride % sides_[dimension].size;
  }
  int group(int npu, int dimension) const;
  // Number of the NPU at a place of a group.
  int npu(int dimension, int group, int place) const;
  // System node or link of a block's node or link. NPUs, switches and controllers of a block follow
  // each other in this order.
  NodeId node(int dimension, int group, NodeId of_block) const;
  int link(int dimension, int group, int of_block) const {
    const Side& side = sides_[dimension];
    return side.first_link + group * side.links + of_block;
  }

 private:
  struct Side {
    int size = 0, stride = 1;
    int switches = 0, controllers = 0, links = 0;  // counts in a block
    int first_switch = 0, first_controller = 0, first_link = 0;
  };
  std::vector<Side> sides_;
  int npus_ = 1;
};

// Address that packets carry to an endpoint in a dimension of a system; of no system, dimension -1,
// its only one.
std::uint16_t address_in(const Topology& topology, NodeId endpoint, int dimension);
// Dimension of a NIC port of a system's NPU; of no system -1.
int dimension_of_port(const Topology& topology, int port);
// Addresses of a system's NPU by NIC port; for other endpoints empty: all ports have one address.
std::vector<std::uint16_t> port_addresses(const Topology& topology, NodeId endpoint);

}  // namespace fredsim
