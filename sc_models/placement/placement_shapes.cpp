// SPDX-License-Identifier: Apache-2.0
// Loads and latencies of a group, by the shape of its collective: ring, star, chain, box, uplinks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "placement/placement_load.h"
#include "plan/pattern.h"
#include "routing/mesh_routing.h"

namespace fredsim {
namespace {

// Longest path of a comb, per width and height: from the middle along a line and a tooth.
constexpr double kComb = 0.75;

}  // namespace

double PlacementLoad::add(int from, int to, double bytes) {
  const Path& links = path(from, to);
  for (int i = links.first; i < links.last; ++i) (*load_)[path_links_[i]] += bytes;
  steps_ += static_cast<std::uint64_t>(links.last - links.first);
  return links.ns;
}

// Integer bytes, so that subtracting a load restores the previous value exactly.
double PlacementLoad::ring(const Work& work, const std::vector<int>& at, double sign) {
  const auto n = static_cast<double>(at.size());
  const double share = passes(work.collective) * (n - 1) / n;
  const double bytes = sign * std::floor(work.bytes * share);
  double ns = 0;
  for (std::size_t i = 0; i < at.size(); ++i) ns += add(at[i], at[(i + 1) % at.size()], bytes);
  return ns * share;
}

double PlacementLoad::star(const Work& work, const std::vector<int>& at, double sign) {
  const auto n = static_cast<double>(at.size());
  const bool all = pattern_of(work.collective) == Pattern::kAllRanks ||
                   work.collective == Collective::kAllToAll ||
                   work.collective == Collective::kAllToAllV;
  const bool whole =
      pattern_of(work.collective) == Pattern::kOneRoot || work.collective == Collective::kUnicast;
  const double bytes = sign * std::floor(work.bytes * (whole ? 1 : passes(work.collective) / n));
  const bool inwards =
      work.collective == Collective::kReduce || work.collective == Collective::kGather;
  double longest = 0;
  for (std::size_t i = 0; i < (all ? at.size() : 1); ++i)
    for (std::size_t k = 0; k < at.size(); ++k)
      if (k != i)
        longest = std::max(longest, inwards ? add(at[k], at[i], bytes) : add(at[i], at[k], bytes));
  return longest * passes(work.collective);
}

double PlacementLoad::chain(const Work& work, const std::vector<int>& at, double bytes,
                            bool forwards) {
  const bool inwards = work.collective == Collective::kReduce;
  double ns = 0;
  const std::size_t n = at.size();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const int from = at[forwards ? i : (n - i) % n];
    const int to = at[forwards ? i + 1 : n - i - 1];
    ns += inwards ? add(to, from, bytes) : add(from, to, bytes);
  }
  return ns;
}

double PlacementLoad::streams(const Work& work, const std::vector<int>& at, double sign) {
  const auto roots = static_cast<std::size_t>(work.roots);
  const std::size_t others = at.size() - roots;
  const double bytes = sign * std::floor(work.bytes / work.roots);
  double longest = 0;
  std::vector<int> members(others + 1);
  for (std::size_t k = 0; k < roots; ++k) {
    std::size_t first = 0;  // the nearest
    for (std::size_t i = 1; i < others; ++i)
      if (path(at[k], at[roots + i]).ns < path(at[k], at[roots + first]).ns) first = i;
    members[0] = at[k];
    for (std::size_t i = 0; i < others; ++i) members[i + 1] = at[roots + (first + i) % others];
    longest = std::max(longest, chain(work, members, bytes, true));
  }
  return longest;
}

double PlacementLoad::box(const Work& work, const std::vector<int>& at, double sign,
                          Variant& variant) {
  int left = std::numeric_limits<int>::max(), top = left, right = -1, bottom = -1;
  for (const int npu : at) {
    const MeshPosition cell = mesh_position(topology_.nodes[topology_.npus[npu]].address);
    left = std::min(left, cell.x), right = std::max(right, cell.x);
    top = std::min(top, cell.y), bottom = std::max(bottom, cell.y);
  }
  const int width = right - left + 1, height = bottom - top + 1;
  steps_ += at.size();
  if (width * height != std::ssize(at)) {
    variant.misfits += sign > 0 ? 1 : -1;
    return 0;
  }
  // Fills in the NPU of each cell, then joins neighbours.
  std::vector<int>& cells = seen_;
  cells.assign(at.size(), 0);
  for (const int npu : at) {
    const MeshPosition cell = mesh_position(topology_.nodes[topology_.npus[npu]].address);
    cells[(cell.y - top) * width + cell.x - left] = npu;
  }
  const bool ring_x = width > 2 && width == topology_.grid.rings.columns;
  const bool ring_y = height > 2 && height == topology_.grid.rings.rows;
  const int edges = (width - (ring_x ? 0 : 1)) * height + (height - (ring_y ? 0 : 1)) * width;
  const double share =
      passes(work.collective) * (static_cast<double>(at.size()) - 1) / (2.0 * edges);
  const double bytes = sign * std::floor(work.bytes * share);
  double hop = 0;
  const auto join = [&](int a, int b) {
    hop = std::max({hop, add(a, b, bytes), add(b, a, bytes)});
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (x + 1 < width || ring_x) join(cells[y * width + x], cells[y * width + (x + 1) % width]);
      if (y + 1 < height || ring_y) join(cells[y * width + x], cells[(y + 1) % height * width + x]);
    }
  }
  return hop * passes(work.collective) * kComb * (width + height);
}

// Load of hops between members, one or two links long (collective/detail/packed_trees.h): equal on
// all hops, except that a member with one hop loads it with all of its data.
double PlacementLoad::packed(const Work& work, const std::vector<int>& at, double sign,
                             Variant& variant) {
  const int width = topology_.grid.width, height = topology_.grid.height;
  member_at_.resize(static_cast<std::size_t>(width) * height, -1);
  const auto cell_of = [&](int npu) {
    const MeshPosition place = mesh_position(topology_.nodes[topology_.npus[npu]].address);
    return place.y * width + place.x;
  };
  for (int k = 0; k < std::ssize(at); ++k) member_at_[cell_of(at[k])] = k;
  pairs_.clear();
  degrees_.assign(at.size(), 0);
  int left = width, top = height, right = -1, bottom = -1;
  for (int k = 0; k < std::ssize(at); ++k) {
    const int x = cell_of(at[k]) % width, y = cell_of(at[k]) / width;
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = std::max(bottom, y);
    // Cell at this offset; -1: outside.
    const auto cell_at = [&](int dx, int dy) {
      const MeshRings& rings = topology_.grid.rings;
      const int to_x = rings.columns > 0 ? (x + dx + width) % width : x + dx;
      const int to_y = rings.rows > 0 ? (y + dy) % height : y + dy;
      return to_x < 0 || to_x >= width || to_y >= height ? -1 : to_y * width + to_x;
    };
    const auto pair_with = [&](int cell) {
      if (cell < 0 || member_at_[cell] < 0 || member_at_[cell] == k) return false;
      pairs_.emplace_back(k, member_at_[cell]);
      ++degrees_[k], ++degrees_[member_at_[cell]];
      return true;
    };
    const auto is_free = [&](int cell) { return cell >= 0 && member_at_[cell] < 0; };
    const bool east = pair_with(cell_at(1, 0)), south = pair_with(cell_at(0, 1));
    // Pairs across a router without a member of this group.
    if (!east && width > 2) pair_with(cell_at(2, 0));
    if (!south && height > 2) pair_with(cell_at(0, 2));
    for (const int side : {1, -1})
      if (is_free(cell_at(side, 0)) && is_free(cell_at(0, 1))) pair_with(cell_at(side, 1));
  }
  for (const int npu : at) member_at_[cell_of(npu)] = -1;
  steps_ += at.size();
  // Sets of connected members (union-find), each represented by one member.
  std::vector<int>& set_of = seen_;
  set_of.resize(at.size());
  std::iota(set_of.begin(), set_of.end(), 0);
  const auto found = [&](int k) {
    while (set_of[k] != k) k = set_of[k] = set_of[set_of[k]];
    return k;
  };
  auto sets = std::ssize(at);
  for (const auto& [a, b] : pairs_) {
    if (found(a) == found(b)) continue;
    set_of[found(a)] = found(b);
    --sets;
  }
  if (sets > 1) {
    variant.misfits += sign > 0 ? 1 : -1;
    return 0;
  }
  const double share = (static_cast<double>(at.size()) - 1) / static_cast<double>(pairs_.size());
  double hop = 0;
  for (const auto& [a, b] : pairs_) {
    const double of_vector = std::min(degrees_[a], degrees_[b]) == 1 ? 1 : share;
    const double bytes = sign * std::floor(work.bytes * of_vector);
    hop = std::max({hop, add(at[a], at[b], bytes), add(at[b], at[a], bytes)});
  }
  return hop * passes(work.collective) * kComb * (right - left + bottom - top + 2);
}

double PlacementLoad::uplinks(const std::vector<int>& at, double sign) {
  const auto npus = static_cast<int>(topology_.npus.size());
  seen_.clear();
  for (const int endpoint : at)
    seen_.push_back(endpoint < npus ? topology_.npus[endpoint]
                                    : topology_.io_controllers[endpoint - npus]);
  for (int level = 1; level < topology_.tree.depth(); ++level) {
    for (int& node : seen_)
      if (topology_.nodes[node].above >= 0) node = topology_.nodes[node].above;
    std::ranges::sort(seen_);
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    steps_ += seen_.size();
    if (seen_.size() == 1) break;
    for (const int node : seen_) (*load_)[node] += sign;
  }
  return 0;
}

void PlacementLoad::apply(int number, double sign) {
  const Group& group = groups_[number];
  Work& work = works_[group.work];
  at_.clear();
  for (const int member : group.members) at_.push_back(place_of(member));
  for (Variant& variant : work.variants) {
    load_ = &variant.load;
    double& ns = variant.latency[number - work.first];
    switch (variant.shape) {
      case Shape::kRing:
        ns = ring(work, at_, sign);
        break;
      case Shape::kBox:
        ns = work.collective == Collective::kAllReduce ? packed(work, at_, sign, variant)
                                                       : box(work, at_, sign, variant);
        break;
      case Shape::kStar:
        ns = star(work, at_, sign);
        break;
      case Shape::kChain:
        ns = chain(work, at_, sign * work.bytes, true);
        break;
      case Shape::kBothWays: {
        const double half = std::floor(work.bytes / 2);
        ns = std::max(chain(work, at_, sign * half, true),
                      chain(work, at_, sign * (work.bytes - half), false));
        break;
      }
      case Shape::kStreams:
        ns = streams(work, at_, sign);
        break;
      case Shape::kUplinks:
        ns = uplinks(at_, sign);
        break;
    }
  }
}

}  // namespace fredsim
