#include "collective/mesh_plan.h"

#include <algorithm>
#include <numeric>

#include "collective/split.h"
#include "routing/mesh_routing.h"

namespace fredsim {
namespace {

class TreeBuilder {
 public:
  TreeBuilder(const Topology& topology, const std::vector<NodeId>& members)
      : topology_(topology), members_(members) {
    TreeRank rank;
    rank.contributes = true;
    rank.receives = true;
    tree_.ranks.assign(members.size(), rank);
  }

  // Calls with the same receiver are its additions, in order.
  void reduce(int from, int to) {
    tree_.ranks[from].reduce_to.push_back(send(from, to));
    tree_.ranks[to].reduce_from.push_back(from);
  }
  void pass_on(int from, int to) { tree_.ranks[from].broadcast_to.push_back(send(from, to)); }

  Tree finish(int root, std::uint64_t first_flit, std::uint64_t flits) {
    tree_.first_flit = first_flit;
    tree_.flits = flits;
    append_sum(root);
    return std::move(tree_);
  }

 private:
  Send send(int from, int to) const {
    return {to, mesh_nic_port(topology_, members_[from], topology_.nodes[members_[to]].address)};
  }
  void append_sum(int rank) {
    tree_.order.postfix.push_back(rank);
    for (const int from : tree_.ranks[rank].reduce_from) {
      append_sum(from);
      tree_.order.postfix.push_back(SumOrder::kAdd);
    }
  }

  const Topology& topology_;
  const std::vector<NodeId>& members_;
  Tree tree_;
};

// Owner `k` of all cells: along diagonals, so that any few owners that are evenly spaced in k lie
// in different rows and columns.
MeshPosition diagonal_cell(int width, int height, int k) {
  return {k % width, (k + k * std::gcd(width, height) / (width * height)) % height};
}

// One half of hier_ring. `ranks[b * inner + a]` is the rank at position a of inner ring b; the
// inner rings reduce first, then the outer ring of position `i`.
Tree hierarchical_tree(TreeBuilder builder, const std::vector<int>& ranks, int inner, int outer,
                       int i, int j, std::uint64_t first_flit, std::uint64_t flits) {
  const auto rank = [&](int a, int b) { return ranks[b % outer * inner + a % inner]; };
  for (int b = 0; b < outer; ++b)
    for (int a = i + 1; a < i + inner; ++a) builder.reduce(rank(a, b), rank(a + 1, b));
  for (int b = j + 1; b < j + outer; ++b) builder.reduce(rank(i, b), rank(i, b + 1));

  for (int b = j; b < j + outer - 1; ++b) builder.pass_on(rank(i, b), rank(i, b + 1));
  for (int b = 0; b < outer; ++b)
    for (int a = i; a < i + inner - 1; ++a) builder.pass_on(rank(a, b), rank(a + 1, b));
  return builder.finish(rank(i, j), first_flit, flits);
}

}  // namespace

Rational rows_first_share(int width, int height) {
  // Loads per D with share s rows first: row links 2a (s + (1-s)/h), column links 2b ((1-s) + s/w),
  // where a = (w-1)/w and b = (h-1)/h. Equal at this s, which lies in (0, 1) for all w, h > 1.
  const auto w = static_cast<std::uint64_t>(width);
  const auto h = static_cast<std::uint64_t>(height);
  return Rational::reduced(w * (h - 1) - (w - 1), 2 * (w - 1) * (h - 1));
}

std::vector<int> mesh_ring(int width, int height) {
  // A snake through the rows; for a cycle it leaves column 0 free as the way back.
  const bool cycle = width > 1 && height > 1 && width * height % 2 == 0;
  const bool transposed = cycle && height % 2 != 0;
  const int columns = transposed ? height : width;
  const int rows = transposed ? width : height;
  const auto cell = [&](int x, int y) { return transposed ? x * width + y : y * width + x; };
  const int first = cycle ? 1 : 0;
  std::vector<int> ring;
  for (int y = 0; y < rows; ++y)
    for (int k = first; k < columns; ++k)
      ring.push_back(cell(y % 2 == 0 ? k : columns - 1 + first - k, y));
  if (cycle)
    for (int y = rows - 1; y >= 0; --y) ring.push_back(cell(0, y));
  return ring;
}

std::vector<int> ranks_by_cell(const Topology& topology, const std::vector<NodeId>& members) {
  std::vector<int> ranks(members.size());
  for (std::size_t r = 0; r < members.size(); ++r) {
    const MeshPosition at = mesh_position(topology.nodes[members[r]].address);
    ranks[at.y * topology.mesh.width + at.x] = static_cast<int>(r);
  }
  return ranks;
}

std::vector<Tree> ring_trees(const Topology& topology, const std::vector<NodeId>& members,
                             const std::vector<int>& ring, std::uint64_t flits) {
  std::vector<Tree> trees;
  const std::size_t n = ring.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t begin = share_begin(flits, n, k);
    const std::uint64_t end = share_begin(flits, n, k + 1);
    if (begin == end) continue;
    TreeBuilder builder(topology, members);
    for (std::size_t p = k + 1; p < k + n; ++p) builder.reduce(ring[p % n], ring[(p + 1) % n]);
    for (std::size_t p = k; p + 1 < k + n; ++p) builder.pass_on(ring[p % n], ring[(p + 1) % n]);
    trees.push_back(builder.finish(ring[k], begin, end - begin));
  }
  return trees;
}

std::vector<Tree> hier_ring_trees(const Topology& topology, const std::vector<NodeId>& members,
                                  std::uint64_t flits) {
  const int width = topology.mesh.width;
  const int height = topology.mesh.height;
  const int cells = width * height;
  const std::vector<int> by_row = ranks_by_cell(topology, members);
  std::vector<int> by_column(by_row.size());
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height; ++y) by_column[x * height + y] = by_row[y * width + x];

  // Nearest whole number of flits; the quotient keeps the product within 64 bits.
  const Rational share = rows_first_share(width, height);
  const std::uint64_t rows_first =
      flits / share.den * share.num + (flits % share.den * share.num + share.den / 2) / share.den;

  const TreeBuilder empty(topology, members);
  std::vector<Tree> trees;
  for (int k = 0; k < cells; ++k) {
    const std::uint64_t begin = share_begin(rows_first, cells, k);
    const std::uint64_t end = share_begin(rows_first, cells, k + 1);
    if (begin == end) continue;
    const MeshPosition owner = diagonal_cell(width, height, k);
    trees.push_back(
        hierarchical_tree(empty, by_row, width, height, owner.x, owner.y, begin, end - begin));
  }
  for (int k = 0; k < cells; ++k) {
    const std::uint64_t begin = rows_first + share_begin(flits - rows_first, cells, k);
    const std::uint64_t end = rows_first + share_begin(flits - rows_first, cells, k + 1);
    if (begin == end) continue;
    // Half a round on: where one order has the owner of its few flits, the other has another.
    const MeshPosition owner = diagonal_cell(width, height, (k + cells / 2) % cells);
    trees.push_back(
        hierarchical_tree(empty, by_column, height, width, owner.y, owner.x, begin, end - begin));
  }
  return trees;
}

}  // namespace fredsim
