// SPDX-License-Identifier: Apache-2.0
// Trees along the rings of a box (collective/endpoint_trees.h), one per owner. The ranks of a tree
// are generated from the owner's place, the only difference between the N trees of N ranks, so that
// only the hops between neighbours are stored.
//
// Positions of a box: dimension 0 fastest. Tree of an owner: along dimension d, on lines whose
//   coordinates below d are the owner's, sums go from each position to the next one of its ring,
//   but not from the owner's coordinate; results the same way, but not to it. The roles say which
//   of the two a tree has, and which ranks contribute and receive.
// Acknowledgements: ranks of trees with only sums or only results acknowledge received packets to
// each other (plan/acknowledgements.h).
// Cost: O(N x dimensions) for a box, for a tree, and for the loads of all trees together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plan/tree_rank.h"
#include "routing/flows.h"

namespace fredsim {

class RingBoxTrees {
 public:
  // Hop of a position to the next position of its line.
  struct Hop {
    int from = 0;  // position
    int dimension = 0;
    bool is_result = false;
    Send send{};
    Send back{};  // its acknowledgement, if the trees have acknowledgements
  };
  // Hop between two ranks along a dimension, and the hop back for its acknowledgements.
  using SendOf = std::function<Send(int from, int to, int dimension, bool is_result)>;
  using BackOf = std::function<Send(int from, int to, const Send& send)>;

  // `ranks`: by position, each once, 0 … N-1. `back_of`: required where is_acknowledged().
  RingBoxTrees(std::vector<int> sides, std::vector<int> ranks, const SendOf& send_of,
               Roles roles = Roles::kAllToAll, const BackOf& back_of = {});

  int size() const { return static_cast<int>(ranks_.size()); }
  const std::vector<int>& sides() const { return sides_; }
  Roles roles() const { return roles_; }
  bool is_acknowledged() const { return roles_ != Roles::kAllToAll; }
  std::uint64_t receivers() const;  // per tree
  int rank_at(int position) const { return ranks_[position]; }
  int position_after(const Hop& hop) const {
    return next(lines_[line_of_[hop.dimension]], hop.from);
  }
  int rank_of(const Hop& hop) const { return ranks_[hop.from]; }
  // Hops of all trees together.
  const std::vector<Hop>& hops() const { return hops_; }
  // Virtual channels of the hops, a bit each.
  unsigned channels() const { return channels_; }
  bool has_hop(int owner, const Hop& hop) const;
  // Ring along one dimension; every tree has all of its hops except one of sums and one of results.
  bool is_ring() const { return lines_.size() == 1; }

  // Role of a rank in the tree of the owner at a position; `made` keeps the memory of its lists.
  void set_rank(int owner, int rank, TreeRank& made) const;
  // Ranks with their roles in one tree.
  std::vector<TreeRank> ranks_of(int owner) const;
  SumOrder order_of(int owner) const;

  // Calls back with each hop of an owner's tree.
  template <typename OnHop>
  void for_each_hop(int owner, const OnHop& on_hop) const {
    for (const Line& line : lines_) {
      const int own = owner / line.stride % line.side;
      for (int first = owner % line.stride; first < size(); first += line.stride * line.side) {
        for (int c = 0; c < line.side; ++c) {
          const int position = first + c * line.stride;
          if (has_sums() && c != own) on_hop(hops_[hop_at(line, position, false)]);
          if (has_results() && (c + 1 == line.side ? 0 : c + 1) != own)
            on_hop(hops_[hop_at(line, position, true)]);
        }
      }
    }
  }

  // Load by hop: sum of the loads of the trees that contain it.
  std::vector<std::uint64_t> hop_loads(std::vector<std::uint64_t> by_owner) const;

  bool has_sums() const { return reduces(roles_); }
  bool has_results() const { return broadcasts(roles_); }
  // Hop of sums, or of results, from a position of one ring.
  const Hop& hop_from(int position, bool is_result) const {
    return hops_[hop_at(lines_.front(), position, is_result)];
  }

 private:
  // Lines along a dimension of more than one position.
  struct Line {
    int stride = 1, side = 1;
    std::size_t first_hop = 0;  // for each position its hop of sums and its hop of results
  };
  std::size_t hop_at(const Line& line, int position, bool is_result) const {
    const auto place = static_cast<std::size_t>(position);
    if (!has_sums() || !has_results()) return line.first_hop + place;
    return line.first_hop + 2 * place + (is_result ? 1 : 0);
  }
  static int next(const Line& line, int position) {
    const bool is_last = position / line.stride % line.side == line.side - 1;
    return position + (is_last ? 1 - line.side : 1) * line.stride;
  }
  static int previous(const Line& line, int position) {
    const bool is_first = position / line.stride % line.side == 0;
    return position + (is_first ? line.side - 1 : -1) * line.stride;
  }
  static bool same_place(const Line& line, int a, int b) {
    return a / line.stride % line.side == b / line.stride % line.side;
  }
  static bool is_joined(const Line& line, int owner, int position) {
    return owner % line.stride == position % line.stride;
  }
  void append_sum(int owner, int position, std::vector<int>& postfix) const;
  void set_acknowledgements(int owner, int position, TreeRank& made) const;

  Roles roles_;
  std::vector<int> sides_;
  std::vector<int> ranks_;   // by position
  std::vector<int> places_;  // positions, by rank
  std::vector<Line> lines_;
  std::vector<int> line_of_;  // by dimension; -1: of one position
  std::vector<Hop> hops_;
  unsigned channels_ = 0;
};

}  // namespace fredsim
