// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/detour_flow.h"

#include <glpk.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <queue>
#include <stdexcept>

namespace fredsim {
namespace {

// Cost of a hop, as a fraction of the time in which a link carries the longest vector: small enough
// to decide only ties.
constexpr double kHopCost = 1e-6;
constexpr double kNoFlow = 1e-7;  // shares of the longest vector

using Pairs = std::vector<std::pair<int, int>>;

// Spanning trees of `n` nodes, enumerated by Prüfer sequence.
std::vector<Pairs> spanning_trees(int nodes) {
  std::vector<Pairs> trees;
  std::vector<int> sequence(static_cast<std::size_t>(nodes - 2), 0);
  while (true) {
    std::vector<int> degree(static_cast<std::size_t>(nodes), 1);
    for (const int node : sequence) ++degree[node];
    Pairs pairs;
    for (const int node : sequence) {
      const auto leaf = static_cast<int>(std::ranges::find(degree, 1) - degree.begin());
      pairs.emplace_back(std::min(leaf, node), std::max(leaf, node));
      --degree[leaf];
      --degree[node];
    }
    const auto last = std::ranges::find(degree, 1);
    pairs.emplace_back(static_cast<int>(last - degree.begin()),
                       static_cast<int>(std::find(last + 1, degree.end(), 1) - degree.begin()));
    trees.push_back(std::move(pairs));
    const auto next = std::ranges::find_if(sequence, [&](int node) { return node + 1 < nodes; });
    if (next == sequence.end()) return trees;
    std::fill(sequence.begin(), next, 0);
    ++*next;
  }
}

// A problem of GLPK, by rows and columns counted from 1.
class LinearProgram {
 public:
  LinearProgram() : problem_(glp_create_prob(), &glp_delete_prob) {
    glp_set_obj_dir(problem_.get(), GLP_MIN);
  }

  int add_variable(double cost) {
    const int column = glp_add_cols(problem_.get(), 1);
    glp_set_col_bnds(problem_.get(), column, GLP_LO, 0, 0);
    glp_set_obj_coef(problem_.get(), column, cost);
    return column;
  }
  int add_equal(double value) { return add_row(GLP_FX, value); }
  int add_at_most(double value) { return add_row(GLP_UP, value); }
  void set(int row, int column, double weight) {
    rows_.push_back(row);
    columns_.push_back(column);
    weights_.push_back(weight);
  }

  void minimise() {
    glp_load_matrix(problem_.get(), static_cast<int>(rows_.size()) - 1, rows_.data(),
                    columns_.data(), weights_.data());
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.presolve = GLP_ON;
    if (glp_simplex(problem_.get(), &options) != 0 || glp_get_status(problem_.get()) != GLP_OPT)
      throw std::logic_error("concurrent flow: no optimum found");
  }
  double value(int column) const { return std::max(0.0, glp_get_col_prim(problem_.get(), column)); }

 private:
  int add_row(int kind, double value) {
    const int row = glp_add_rows(problem_.get(), 1);
    glp_set_row_bnds(problem_.get(), row, kind, value, value);
    return row;
  }

  std::unique_ptr<glp_prob, void (*)(glp_prob*)> problem_;
  std::vector<int> rows_{0}, columns_{0};
  std::vector<double> weights_{0};
};

class FlowProgram {
 public:
  FlowProgram(const HopGraph& graph, const std::vector<DetourGroup>& groups)
      : graph_(graph), groups_(groups), over_(graph.hops().size()) {
    for (const DetourGroup& group : groups) unit_ = std::max(unit_, group.flits);
    time_ = program_.add_variable(1);
    for (const DetourGroup& group : groups) add_trees(group);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t source = 0; source + 1 < groups[g].members.size(); ++source)
        add_source(g, source);
    add_capacities();
  }

  ConcurrentFlow solve() {
    program_.minimise();
    ConcurrentFlow result;
    result.cycles = program_.value(time_) * unit_;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      DetourGroupFlow& flow = result.groups.emplace_back();
      for (std::size_t t = 0; t < trees_[g].size(); ++t) {
        const double weight = program_.value(weights_[g][t]);
        if (weight > kNoFlow) flow.trees.push_back({trees_[g][t], weight * unit_});
      }
      const std::size_t members = groups_[g].members.size();
      flow.paths.resize(members * members);
    }
    for (const Source& source : sources_) take_paths(source, result.groups[source.group]);
    return result;
  }

 private:
  // Flows from a member to later members. Columns by hop, from its `a` to its `b` and back; 0:
  // none.
  struct Source {
    std::size_t group = 0, place = 0;
    std::vector<std::pair<int, int>> columns{};
  };

  void add_trees(const DetourGroup& group) {
    trees_.push_back(spanning_trees(static_cast<int>(group.members.size())));
    std::vector<int>& weights = weights_.emplace_back();
    const int row = program_.add_equal(group.flits / unit_);
    for (std::size_t t = 0; t < trees_.back().size(); ++t) {
      weights.push_back(program_.add_variable(0));
      program_.set(row, weights.back(), 1);
    }
  }

  void add_source(std::size_t g, std::size_t place) {
    Source source{g, place, std::vector<std::pair<int, int>>(graph_.hops().size())};
    const std::vector<int>& members = groups_[g].members;
    const auto place_of = [&](int rank) {
      return std::ranges::find(members, rank) - members.begin();
    };
    const auto sends = [&](int rank) {
      const auto p = place_of(rank);
      return p == static_cast<std::ptrdiff_t>(place) || p == std::ssize(members);
    };
    const auto receives = [&](int rank) {
      return place_of(rank) > static_cast<std::ptrdiff_t>(place);
    };
    for (std::size_t h = 0; h < graph_.hops().size(); ++h) {
      const HopGraph::Hop& hop = graph_.hops()[h];
      const auto column = [&](int from, int to) {
        if (!sends(from) || !receives(to)) return 0;
        over_[h].push_back(program_.add_variable(kHopCost));
        return over_[h].back();
      };
      source.columns[h] = {column(hop.a, hop.b), column(hop.b, hop.a)};
    }
    for (int rank = 0; rank < graph_.size(); ++rank)
      if (receives(rank)) conserve(source, rank, place_of(rank));
    sources_.push_back(std::move(source));
  }

  // Inflow of an NPU goes on, or is the weight of the trees with the pair.
  void conserve(const Source& source, int rank, std::ptrdiff_t place) {
    const int row = program_.add_equal(0);
    for (const int h : graph_.at(rank)) {
      auto [out, in] = source.columns[h];
      if (graph_.hops()[h].b == rank) std::swap(out, in);
      if (in != 0) program_.set(row, in, 1);
      if (out != 0) program_.set(row, out, -1);
    }
    const std::pair<int, int> pair(source.place, place);
    const std::vector<Pairs>& trees = trees_[source.group];
    for (std::size_t t = 0; t < trees.size(); ++t)
      if (std::ranges::count(trees[t], pair) > 0) program_.set(row, weights_[source.group][t], -1);
  }

  // Capacities of hops, and of links that several hops share.
  void add_capacities() {
    for (std::size_t h = 0; h < graph_.hops().size(); ++h)
      limit({static_cast<int>(h)}, graph_.slowest(graph_.hops()[h]));
    for (int link = 0; link < static_cast<int>(graph_.links()); ++link)
      if (graph_.over(link).size() > 1) limit(graph_.over(link), graph_.rate(link));
  }
  void limit(const std::vector<int>& hops, double rate) {
    const int row = program_.add_at_most(0);
    program_.set(row, time_, -rate);
    for (const int h : hops)
      for (const int column : over_[h]) program_.set(row, column, 1);
  }

  void take_paths(const Source& source, DetourGroupFlow& flow) const {
    const std::vector<int>& members = groups_[source.group].members;
    std::vector<double> left;  // by hop, from `a` to `b`; negative: back
    for (const auto& [there, back] : source.columns) {
      const auto value = [&](int column) { return column == 0 ? 0 : program_.value(column); };
      left.push_back(value(there) - value(back));
    }
    for (std::size_t place = source.place + 1; place < members.size(); ++place) {
      double wanted = 0;
      for (const DetourGroupFlow::WeightedTree& tree : flow.trees)
        for (const auto& [low, high] : tree.pairs)
          if (low == static_cast<int>(source.place) && high == static_cast<int>(place))
            wanted += tree.flits / unit_;
      std::vector<DetourPath>& paths = flow.paths[source.place * members.size() + place];
      while (wanted > kNoFlow) {
        std::vector<int> hops = shortest(left, members[source.place], members[place]);
        if (hops.empty()) break;
        paths.push_back(taken(left, hops, members[source.place], wanted));
        wanted -= paths.back().flits;
        paths.back().flits *= unit_;
      }
    }
  }

  double flow_from(const std::vector<double>& left, int h, int rank) const {
    return graph_.hops()[h].a == rank ? left[h] : -left[h];
  }

  // Hops of a path with flow; none: there is no path.
  std::vector<int> shortest(const std::vector<double>& left, int from, int to) const {
    std::vector<int> by(graph_.size(), -1);
    std::queue<int> next({from});
    while (!next.empty() && by[to] < 0) {
      const int rank = next.front();
      next.pop();
      for (const int h : graph_.at(rank)) {
        const int other = graph_.hops()[h].other(rank);
        if (other == from || by[other] >= 0 || flow_from(left, h, rank) <= kNoFlow) continue;
        by[other] = h;
        next.push(other);
      }
    }
    std::vector<int> hops;
    for (int rank = to; rank != from && by[rank] >= 0; rank = graph_.hops()[by[rank]].other(rank))
      hops.push_back(by[rank]);
    std::ranges::reverse(hops);
    return hops;
  }

  // Subtracts the flow of a path, at most `most`, from `left`.
  DetourPath taken(std::vector<double>& left, const std::vector<int>& hops, int from,
                   double most) const {
    DetourPath path{{from}, most};
    for (const int h : hops) {
      path.flits = std::min(path.flits, flow_from(left, h, path.ranks.back()));
      path.ranks.push_back(graph_.hops()[h].other(path.ranks.back()));
    }
    for (std::size_t k = 0; k < hops.size(); ++k)
      left[hops[k]] -= graph_.hops()[hops[k]].a == path.ranks[k] ? path.flits : -path.flits;
    return path;
  }

  const HopGraph& graph_;
  const std::vector<DetourGroup>& groups_;
  double unit_ = 0;  // flits
  LinearProgram program_;
  int time_ = 0;                           // column
  std::vector<std::vector<Pairs>> trees_;  // by group
  std::vector<std::vector<int>> weights_;  // columns, by group and tree
  std::vector<Source> sources_;
  std::vector<std::vector<int>> over_;  // columns, by hop
};

}  // namespace

ConcurrentFlow concurrent_flow(const HopGraph& graph, const std::vector<DetourGroup>& groups) {
  return FlowProgram(graph, groups).solve();
}

}  // namespace fredsim
