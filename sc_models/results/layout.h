// SPDX-License-Identifier: Apache-2.0
// Layout of the nodes of a fabric for drawings: rows and columns of a mesh; switches, chiplets and
// slices of a tree.
//
// Connections are not included: the links (results/results.h) name their two ends by the same
//   names.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fredsim {

struct GridPlace {
  int x = 0;  // column, 0 = west
  int y = 0;  // row, 0 = north
};

struct TreePlace {
  int level = 1;         // 1: the switches that NPUs are joined to
  int switch_index = 0;  // among the switches of its level
  int slice = 0;
  int chiplet = 0;  // index in this slice of the switch
};

struct LayoutNode {
  std::string name;
  std::string kind;  // "npu", "io", or a switch's RTL top: "fred_switch", "mesh_router"
  std::optional<GridPlace> grid;  // switches of a grid
  std::optional<TreePlace> tree;  // switches of a tree
  bool failed = false;            // from the start of the run, with all its links
  std::string above{};            // failed components: a switch that it was joined to, one level up
};

struct Layout {
  std::string kind;  // as `fabric.type` in a machine file: "mesh2d", "torus2d", "fred_tree"
  std::vector<LayoutNode> nodes;
};

}  // namespace fredsim
