// SPDX-License-Identifier: Apache-2.0
#include "plan/system_box.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"

namespace fredsim {

MemberBox places_of(const SystemPlaces& places, const std::vector<NodeId>& npus, NodeId root) {
  MemberBox box;
  for (int d = 0; d < places.dimensions(); ++d) {
    std::set<int> in;
    for (const NodeId npu : npus) in.insert(places.place(npu, d));
    const auto at = in.find(places.place(root, d));
    box.root.push_back(at == in.end() ? 0 : static_cast<int>(std::distance(in.begin(), at)));
    box.places.emplace_back(in.begin(), in.end());
  }
  return box;
}

std::size_t npus_of(const MemberBox& box) {
  std::size_t npus = 1;
  for (const auto& in : box.places) npus *= in.size();
  return npus;
}

MemberBox box_of(const Topology& system, const SystemPlaces& places,
                 const std::vector<NodeId>& members, NodeId root) {
  MemberBox box = places_of(places, members, root);
  const std::size_t size = npus_of(box);
  if (size == members.size()) return box;
  throw BadInput(fmt::format(
      "group: found {} NPUs of {}, which have {} places in its dimensions; allowed: a group that "
      "fills its dimensions, all {} NPUs at these places",
      members.size(), system.name,
      fmt::join(
          [&] {
            std::vector<std::size_t> sizes;
            for (const auto& in : box.places) sizes.push_back(in.size());
            return sizes;
          }(),
          " x "),
      size));
}

std::vector<BoxHop> path_to(const SystemPlaces& places, NodeId npu, const MemberBox& box) {
  std::vector<BoxHop> path;
  for (int d = 0; d < places.dimensions(); ++d) {
    const int from = places.place(npu, d), to = box.places[d][box.root[d]];
    if (from == to) continue;
    const int group = places.group(npu, d);
    path.push_back({d, group, from, to});
    npu = places.npu(d, group, to);
  }
  return path;
}

std::vector<int> groups_of(const SystemPlaces& places, const MemberBox& box, int dimension,
                           bool rooted) {
  std::vector<int> npus{0};
  int stride = 1;
  for (int d = 0; d < places.dimensions(); ++d) {
    std::vector<int> in = box.places[d];
    // Data comes from, or goes to, the root's places below the dimension.
    if (d == dimension || (rooted && d < dimension)) in = {in[d == dimension ? 0 : box.root[d]]};
    std::vector<int> more;
    for (const int place : in)
      for (const int npu : npus) more.push_back(npu + stride * place);
    npus = std::move(more);
    stride *= places.size(d);
  }
  std::vector<int> groups;
  groups.reserve(npus.size());
  for (const int npu : npus) groups.push_back(places.group(npu, dimension));
  std::ranges::sort(groups);
  return groups;
}

}  // namespace fredsim
