// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/multi_tree.h"

#include <algorithm>
#include <limits>

#include "plan/members.h"
#include "routing/mesh_routing.h"

namespace fredsim {
namespace {

// Roots along a spine that is a ring: with as many as it has cells its links carry the same; few
// are enough where it is long.
constexpr int kRootsPerRing = 8;

// One line of a comb: from a place outwards, both ways.
struct Line {
  int length = 1;
  int from = 0;
  bool ring = false;
  bool longer_ahead = false;  // if a ring cannot be cut in two equal arcs

  int ahead() const { return ring ? (length - (longer_ahead ? 0 : 1)) / 2 : length - 1 - from; }
  int back() const { return ring ? length - 1 - ahead() : from; }
  // Calls hop(from, to), outwards.
  void walk(const auto& hop) const {
    for (int k = 0; k < ahead(); ++k) hop((from + k) % length, (from + k + 1) % length);
    for (int k = 0; k < back(); ++k)
      hop((from + length - k) % length, (from + length - k - 1) % length);
  }
};

int depth(const GridBox& box, const Comb& comb) {
  const Line row{box.width, comb.x, box.ring_x, true};
  const Line column{box.height, comb.y, box.ring_y, true};
  return std::max(row.ahead(), row.back()) + std::max(column.ahead(), column.back());
}

// Places of roots on a line of one comb's spine.
std::vector<int> roots(int length, bool ring) {
  if (!ring) return {length / 2};
  const int count = std::min(length, kRootsPerRing);
  std::vector<int> places;
  places.reserve(count);
  for (int k = 0; k < count; ++k) places.push_back(k * length / count);
  return places;
}

}  // namespace

std::optional<GridBox> grid_box(const Topology& topology, const std::vector<NodeId>& members) {
  if (!are_on_grid(topology, members)) return {};
  int left = std::numeric_limits<int>::max();
  int top = left;
  int right = -1;
  int bottom = -1;
  for (const NodeId member : members) {
    const MeshPosition at = mesh_position(topology.nodes[member].address);
    left = std::min(left, at.x);
    right = std::max(right, at.x);
    top = std::min(top, at.y);
    bottom = std::max(bottom, at.y);
  }
  GridBox box;
  box.width = right - left + 1;
  box.height = bottom - top + 1;
  if (box.width * box.height != std::ssize(members)) return {};
  box.ring_x = box.width == topology.grid.rings.columns;
  box.ring_y = box.height == topology.grid.rings.rows;
  box.ranks.resize(members.size());
  for (std::size_t r = 0; r < members.size(); ++r) {
    const MeshPosition at = mesh_position(topology.nodes[members[r]].address);
    box.ranks[(at.y - top) * box.width + at.x - left] = static_cast<int>(r);
  }
  return box;
}

void add_comb(TreeBuilder& builder, const GridBox& box, const Comb& comb, Roles roles) {
  const auto rank = [&](int x, int y) { return box.ranks[y * box.width + x]; };
  const Line row{box.width, comb.x, box.ring_x, comb.longer_ahead};
  const Line column{box.height, comb.y, box.ring_y, comb.longer_ahead};
  const auto hop = [&](int from, int to) {
    if (reduces(roles)) builder.reduce(to, from, builder.vc());
    if (broadcasts(roles)) builder.pass_on(from, to, builder.vc());
  };
  const auto along_row = [&](int y) {
    row.walk([&](int from, int to) { hop(rank(from, y), rank(to, y)); });
  };
  const auto along_column = [&](int x) {
    column.walk([&](int from, int to) { hop(rank(x, from), rank(x, to)); });
  };
  if (comb.row_spine) {
    along_row(comb.y);
    for (int x = 0; x < box.width; ++x) along_column(x);
  } else {
    along_column(comb.x);
    for (int y = 0; y < box.height; ++y) along_row(y);
  }
}

Tree comb_tree(TreeBuilder builder, const GridBox& box, const Comb& comb, Roles roles,
               const FlitRange& range) {
  add_comb(builder, box, comb, roles);
  return builder.finish(roles, box.ranks[comb.y * box.width + comb.x], range);
}

Rational comb_share(const GridBox& box, bool blocks) {
  // Data on a link of a column with share s on row spines, per tooth's own load a: a (s + (1 - s) /
  // w); on a link of a row: b (1 - s + s / h). Equal at s = (b - a / w) / (a (1 - 1 / w) + b (1 - 1
  // / h)). A line of n cells has n - 1 of its n - 1 links in a tree, n - 1 of n as a ring; with a
  // root at every cell, each way carries (n - 1) / n, half of it on a ring.
  if (box.height == 1) return {1, 1};
  if (box.width == 1) return {0, 1};
  const auto w = static_cast<std::uint64_t>(box.width);
  const auto h = static_cast<std::uint64_t>(box.height);
  const auto load = [&](std::uint64_t n, bool ring) {
    if (!blocks) return ring ? Rational{n - 1, n} : Rational{1, 1};
    return Rational::reduced(n - 1, ring ? 2 * n : n);
  };
  const Rational a = load(h, box.ring_y);
  const Rational b = load(w, box.ring_x);
  const std::uint64_t column = a.num * b.den;  // a and b over their common denominator
  const std::uint64_t row = b.num * a.den;
  return Rational::reduced(h * (w * row - column), column * (w - 1) * h + row * (h - 1) * w);
}

std::vector<WeightedComb> all_reduce_combs(const GridBox& box) {
  const Rational by_rows = comb_share(box, false);
  const std::vector<int> columns = roots(box.width, box.ring_x);
  const std::vector<int> rows = roots(box.height, box.ring_y);
  const auto part = [](std::uint64_t num, std::uint64_t den, std::size_t combs) {
    return Rational::reduced(num, den * combs);
  };
  std::vector<WeightedComb> combs;
  if (by_rows.num > 0) {
    const Rational weight = part(by_rows.num, by_rows.den, box.height * columns.size());
    for (int y = 0; y < box.height; ++y)
      for (const int x : columns) combs.push_back({{x, y, true, false}, weight});
  }
  if (by_rows.num < by_rows.den) {
    const Rational weight = part(by_rows.den - by_rows.num, by_rows.den, box.width * rows.size());
    for (int x = 0; x < box.width; ++x)
      for (const int y : rows) combs.push_back({{x, y, false, false}, weight});
  }
  std::ranges::stable_sort(combs, {}, [&](const WeightedComb& c) { return depth(box, c.comb); });
  return combs;
}

std::vector<std::uint64_t> comb_flits(const std::vector<WeightedComb>& combs, std::uint64_t flits) {
  std::vector<std::uint64_t> counts;
  std::uint64_t left = flits;
  for (const WeightedComb& c : combs) {
    // The quotient keeps the product within 64 bits.
    counts.push_back(flits / c.weight.den * c.weight.num +
                     flits % c.weight.den * c.weight.num / c.weight.den);
    left -= counts.back();
  }
  for (std::size_t k = 0; left > 0; ++k, --left) ++counts[k];
  return counts;
}

}  // namespace fredsim
