// SPDX-License-Identifier: Apache-2.0
// Graphs for tests, written link by link.
#pragma once

#include <cstdint>
#include <string>

#include "support.h"
#include "topology/graph/graph.h"

namespace fredsim {

inline constexpr std::uint64_t kBandwidth =
    50'000'000'000;  // bytes/s; links that name none have it

inline MachineSpec bare() {
  MachineSpec machine = wafer();
  machine.npus = 0;
  machine.io_controllers = 0;
  return machine;
}

// Lists NPUs n0, n1, … and switches s0, s1, ….
class Sketch {
 public:
  Sketch(int npus, int switches) {
    for (int i = 0; i < npus; ++i)
      spec_.nodes.push_back({"n" + std::to_string(i), false, "npu " + std::to_string(i)});
    for (int i = 0; i < switches; ++i)
      spec_.nodes.push_back({"s" + std::to_string(i), true, "switch " + std::to_string(i)});
    npus_ = npus;
    spec_.label = "sketch";
  }
  int npu(int i) const { return i; }
  int chip(int i) const { return npus_ + i; }
  void link(int from, int to, std::uint64_t bandwidth = kBandwidth, int count = 1) {
    spec_.links.push_back(
        {from, to, bandwidth, 20'000, count, "link " + std::to_string(spec_.links.size())});
  }
  const GraphSpec& spec() const { return spec_; }
  GraphSpec& spec() { return spec_; }
  Topology build() const {
    check_graph(spec_);
    return build_graph(bare(), spec_);
  }

 private:
  GraphSpec spec_;
  int npus_ = 0;
};

inline Topology ring_of(int npus) {
  Sketch sketch(npus, 0);
  for (int i = 0; i < npus; ++i) sketch.link(i, (i + 1) % npus);
  return sketch.build();
}

}  // namespace fredsim
