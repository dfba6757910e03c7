// SPDX-License-Identifier: Apache-2.0
#include "optimize/topology_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace fredsim {
namespace {

std::vector<std::vector<int>> all_nodes(int nodes) {
  std::vector<int> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

int interfaces_of_jump(JumpKind kind) { return kind.both_ways ? 2 : 1; }

class TopologyFinder {
 public:
  TopologyFinder(const JobDemand& demand, const FinderOptions& options)
      : demand_(demand), options_(options) {
    found_.kind = options.kind;
  }

  DirectTopology find() {
    split();
    deal_out_rings();
    found_.matchings = matching_rounds(demand_.pairs, found_.pair_interfaces);
    connect();
    if (!found_.network.joins_all()) {
      join_all();
      connect();
    }
    return std::move(found_);
  }

 private:
  void split() {
    const int each = interfaces_of_jump(options_.kind);
    double rings = 0;
    for (const RingGroups& set : demand_.rings) rings += set.bytes;
    const double all = rings + demand_.pairs.total();
    const int degree = options_.degree;
    int wanted = all > 0 ? static_cast<int>(std::ceil(degree * (rings / all))) : degree;
    wanted = std::clamp(wanted, each, degree);
    found_.ring_interfaces = wanted / each * each;
    found_.pair_interfaces = demand_.pairs.total() > 0 ? degree - found_.ring_interfaces : 0;
    bytes_of_rings_ = rings;
  }

  void deal_out_rings() {
    const int each = interfaces_of_jump(options_.kind);
    const int all = found_.ring_interfaces / each;
    std::vector<const RingGroups*> sets;
    for (const RingGroups& set : demand_.rings) sets.push_back(&set);
    std::ranges::stable_sort(sets, std::greater{}, &RingGroups::bytes);
    int left = all;
    for (const RingGroups* set : sets) {
      if (left == 0) break;
      const int share = static_cast<int>(std::ceil(all * (set->bytes / bytes_of_rings_)));
      const int jumps = std::clamp(share, 1, left);
      found_.rings.push_back({set->groups, jumps_of(set->members(), jumps)});
      left -= jumps;
    }
    if (sets.empty())
      found_.rings.push_back({all_nodes(demand_.nodes), jumps_of(demand_.nodes, all)});
  }

  std::vector<int> jumps_of(int members, int count) const {
    const auto possible = static_cast<int>(possible_jumps(members, options_.kind).size());
    std::vector<int> jumps = choose_jumps(members, std::min(count, possible), options_.kind);
    for (std::size_t again = 0; std::ssize(jumps) < count; ++again) jumps.push_back(jumps[again]);
    return jumps;
  }

  void join_all() {
    const auto most = std::ranges::max_element(found_.rings, {},
                                               [](const RingSet& set) { return set.jumps.size(); });
    const bool takes_matching =
        most->jumps.size() < 2 && !found_.matchings.empty() &&
        found_.matchings.size() >= static_cast<std::size_t>(interfaces_of_jump(options_.kind));
    if (takes_matching) {
      for (int i = 0; i < interfaces_of_jump(options_.kind); ++i) {
        found_.matchings.pop_back();
        --found_.pair_interfaces;
        ++found_.ring_interfaces;
      }
    } else if (most->jumps.size() >= 2) {
      const auto members = static_cast<int>(most->groups.front().size());
      most->jumps = jumps_of(members, static_cast<int>(most->jumps.size()) - 1);
    } else {
      found_.rings.pop_back();  // ring set with the fewest bytes
    }
    found_.rings.push_back({all_nodes(demand_.nodes), {1}});
    found_.has_joining_ring = true;
  }

  void connect() {
    found_.network = DirectNetwork(demand_.nodes);
    for (const RingSet& set : found_.rings)
      for (const std::vector<int>& group : set.groups)
        for (const int jump : set.jumps) add_ring(group, jump);
    for (const std::vector<NodePair>& matching : found_.matchings) {
      for (const auto& [i, j] : matching) {
        found_.network.add(i, j);
        found_.network.add(j, i);
      }
    }
  }

  void add_ring(const std::vector<int>& group, int jump) {
    const std::size_t members = group.size();
    for (std::size_t i = 0; i < members; ++i) {
      const int next = group[(i + static_cast<std::size_t>(jump)) % members];
      found_.network.add(group[i], next);
      if (options_.kind.both_ways) found_.network.add(next, group[i]);
    }
  }

  const JobDemand& demand_;
  const FinderOptions& options_;
  DirectTopology found_;
  double bytes_of_rings_ = 0;
};

}  // namespace

void check_degree(const FinderOptions& options, int nodes) {
  if (options.degree < interfaces_of_jump(options.kind)) {
    throw BadInput(
        fmt::format("found a degree of {}; allowed: {} or more, below the number of nodes{}",
                    options.degree, interfaces_of_jump(options.kind),
                    options.kind.both_ways ? ", since a ring both ways takes two" : ""));
  }
  if (options.degree >= nodes) {
    throw BadInput(fmt::format(
        "found a degree of {} for {} nodes; allowed: below the number of nodes, up to {}",
        options.degree, nodes, nodes - 1));
  }
}

DirectTopology find_topology(const JobDemand& demand, const FinderOptions& options) {
  check_degree(options, demand.nodes);
  return TopologyFinder(demand, options).find();
}

DirectTopology ring_topology(int nodes, const FinderOptions& options) {
  check_degree(options, nodes);
  choose_jumps(nodes, options.degree / interfaces_of_jump(options.kind), options.kind);
  JobDemand demand;
  demand.nodes = nodes;
  demand.pairs = PairDemand(nodes);
  return TopologyFinder(demand, options).find();
}

}  // namespace fredsim
