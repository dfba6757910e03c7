// SPDX-License-Identifier: Apache-2.0
#include "workload/gradient_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "topology/system.h"

namespace fredsim {

// ---- buffers

void GradientCut::add(int layer, std::uint64_t bytes) {
  if (bytes == 0) return;
  held_ += bytes;
  lowest_ = layer;
  if (bytes_ == 0) return finish();
  for (; held_ >= bytes_; held_ -= bytes_) complete_.push_back({bytes_, layer});
}

void GradientCut::finish() {
  if (held_ > 0) complete_.push_back({std::exchange(held_, 0), lowest_});
}

std::vector<GradientBuffer> GradientCut::take() { return std::exchange(complete_, {}); }

// ---- compression

std::uint64_t Compression::compressed(std::uint64_t bytes, Dimension dimension) const {
  const double ratio = dimension == Dimension::kMp ? mp : dimension == Dimension::kDp ? dp : pp;
  if (ratio == 1) return bytes;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / ratio));
}

// ---- nodes

int node_dimension(const std::vector<std::vector<int>>& groups, const std::vector<int>& npus,
                   const Topology& topology, int every) {
  constexpr auto kAllowed =
      "--gradients: found 'every={}' {}; allowed: on a system of dimensions, such as "
      "configs/systems/dgx_8_128.yaml, with replicas (--dp) in two of them or more";
  if (!topology.has_blocks())
    throw BadInput(fmt::format(kAllowed, every,
                               fmt::format("on {}, a machine without dimensions", topology.name)));
  const SystemPlaces places(topology);
  std::vector<int> covered;
  for (int d = 0; d < places.dimensions(); ++d) {
    const auto covers = [&](const std::vector<int>& group) {
      return std::ranges::any_of(group, [&](int w) {
        return places.place(npus[w], d) != places.place(npus[group.front()], d);
      });
    };
    if (std::ranges::any_of(groups, covers)) covered.push_back(d);
  }
  if (covered.size() < 2)
    throw BadInput(
        fmt::format(kAllowed, every,
                    fmt::format("with replicas in {} of {}",
                                covered.empty() ? "no dimension"
                                                : topology.blocks[covered.front()].name + " alone",
                                topology.name)));
  return covered.front();
}

std::vector<std::vector<int>> node_groups(const std::vector<std::vector<int>>& groups, int node,
                                          const std::vector<int>& npus, const Topology& topology) {
  const SystemPlaces places(topology);
  std::vector<std::vector<int>> found;
  for (const std::vector<int>& group : groups) {
    std::map<int, std::vector<int>> nodes;
    for (const int w : group) nodes[places.group(npus[w], node)].push_back(w);
    for (auto& [number, members] : nodes)
      if (members.size() > 1) found.push_back(std::move(members));
  }
  return found;
}

}  // namespace fredsim
