// SPDX-License-Identifier: Apache-2.0
// A system of several dimensions (topology/system.h), each of whose groups is joined by a block:
// one of topology/dimensions/blocks.h, or another machine, whose NPUs are the places of its
// dimension.
//
//   Names: NPUs npu<i>, I/O controllers io<i>, all else <dimension>.<group>.<name in the block>.
//   Clock, flits, packets and buffers are the same everywhere, taken from the machine blocks.
// Errors: BadInput as topology/machine_spec.h says; more than kMaxSystemNpus NPUs; machine blocks
//   that contradict each other or the system's clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/dimensions/blocks.h"
#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

inline constexpr int kMaxSystemNpus = 65'536;

// One dimension: a block, or a machine.
struct DimensionSpec {
  std::string name{};
  std::string word{};
  BlockSpec block{};
  std::optional<Topology> machine{};
};

Topology build_dimensions(const MachineSpec& machine, std::vector<DimensionSpec> dimensions);

const TopologyKind& dimensions_kind();

}  // namespace fredsim
