// SPDX-License-Identifier: Apache-2.0
// halving_doubling: recursive halving to the owners, recursive doubling back from them, in groups
// of 2^k ranks.
//
// Trees: of owner k, rank r sends its sum to r with the highest bit flipped in which r and k
//   differ, and gets the result from there. So k steps each way, in which partners p/2, p/4, … 1
//   ranks apart exchange 1/2, 1/4, … 1/p of the vector, and as many bytes as on a ring.
// Steps overlap: packets of a later one leave as soon as theirs of the one before are added.
// Source: Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in
//   MPICH, 2005, §4.
#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"

namespace fredsim {
namespace {

class HalvingDoubling final : public Algorithm {
 public:
  HalvingDoubling() : Algorithm("halving_doubling") {}
  std::string_view aliases() const override {
    return "rhd hd rabenseifner recursive_halving recursive_doubling butterfly swing";
  }
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kAllRanks;
  }
  std::string refusal(const Topology& topology, const Part& part) const override {
    if (std::has_single_bit(part.members.size())) return {};
    return fmt::format(
        "halving_doubling needs a group of 2, 4, 8 … members, this one on {} has {}; allowed: {}",
        topology.name, part.members.size(), allowed_algorithms(part.collective));
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    RingBox box;
    box.sides = {part.ranks()};
    box.ranks.resize(part.members().size());
    std::iota(box.ranks.begin(), box.ranks.end(), 0);
    box.shape = LineShape::kHalving;
    part.add_box(box);
  }
  // Estimates would take it where it is no faster.
  bool is_weighed() const override { return false; }
  Layout layout() const override { return Layout::kStar; }
  bool goes_by_ranks() const override { return true; }
};

}  // namespace

const Algorithm& halving_doubling_algorithm() {
  static const HalvingDoubling algorithm;
  return algorithm;
}

}  // namespace fredsim
