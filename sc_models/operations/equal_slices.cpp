// SPDX-License-Identifier: Apache-2.0
#include "operations/equal_slices.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <utility>

namespace fredsim {
namespace {

constexpr int kUnused = -1;  // the tree sends nothing
constexpr int kSeveral = -2;

// NIC port of each tree, kUnused or kSeveral; a sum at every rank has the port of its operands.
std::vector<int> slice_ports(const Plan& plan) {
  std::vector<int> ports;
  for (const Tree& tree : plan.trees)
    ports.push_back(tree.operands > 0 ? ports.back() : slice_port(tree));
  return ports;
}

// Collects the NIC ports at which a tree's ranks send.
void add_ports(const Tree& tree, std::set<int>& ports) {
  for (const TreeRank& rank : tree.ranks) {
    if (rank.switch_port >= 0) ports.insert(rank.switch_port);
    for (const auto* sends :
         {&rank.reduce_to, &rank.broadcast_to, &rank.acknowledge_sums, &rank.acknowledge_results})
      for (const Send& send : *sends) ports.insert(send.port);
  }
}

bool same_sends(const std::vector<Send>& a, const std::vector<Send>& b) {
  return std::ranges::equal(a, b, [](const Send& x, const Send& y) {
    return x.rank == y.rank && x.vc == y.vc && x.due == y.due;
  });
}

bool same_rank(const TreeRank& a, const TreeRank& b) {
  return a.rank == b.rank && a.contributes == b.contributes && a.receives == b.receives &&
         a.phase == b.phase && a.reduce_from == b.reduce_from &&
         same_sends(a.reduce_to, b.reduce_to) && same_sends(a.broadcast_to, b.broadcast_to) &&
         same_sends(a.acknowledge_sums, b.acknowledge_sums) &&
         same_sends(a.acknowledge_results, b.acknowledge_results) &&
         a.sums_acknowledged == b.sums_acknowledged &&
         a.results_acknowledged == b.results_acknowledged;
}

bool same_tree(const Tree* a, const Tree* b) {
  return a->transport == b->transport && a->part == b->part && a->step == b->step &&
         a->flits == b->flits && a->bytes == b->bytes && a->is_acknowledged == b->is_acknowledged &&
         a->interval == b->interval && a->operands == b->operands && a->to_sum == b->to_sum &&
         std::ranges::equal(a->ranks, b->ranks, same_rank);
}

// Maps the slice behind one NIC port onto the slice behind another.
class Overlay {
 public:
  Overlay(const Topology& topology, int port, int model_port)
      : topology_(topology), port_(port), model_port_(model_port) {
    for (NodeId id = 0; id < std::ssize(topology.nodes) && fits_; ++id) {
      if (topology.nodes[id].is_endpoint()) join(id, port, id, model_port);
    }
    for (; !found_.empty() && fits_; found_.pop()) {
      const NodeId node = found_.front();
      for (int p = 0; p < topology.nodes[node].ports; ++p) join(node, p, nodes_.at(node), p);
    }
  }

  bool fits() const { return fits_; }
  const std::map<int, int>& links() const { return links_; }
  const std::map<NodeId, NodeId>& nodes() const { return nodes_; }

 private:
  void join(NodeId node, int port, NodeId like, int like_port) {
    const auto other_end = [&](int link, int like_link, NodeId Link::*end, int Link::*end_port) {
      if (!match(link, like_link) || link < 0) return;
      const Link& a = topology_.links[link];
      const Link& b = topology_.links[like_link];
      pair(a.*end, a.*end_port, b.*end, b.*end_port);
    };
    other_end(topology_.link_out(node, port), topology_.link_out(like, like_port), &Link::to,
              &Link::to_port);
    other_end(topology_.link_in(node, port), topology_.link_in(like, like_port), &Link::from,
              &Link::from_port);
  }

  bool match(int link, int like) {
    if (link < 0 || like < 0) {
      fits_ = fits_ && link < 0 && like < 0;
      return fits_;
    }
    const Link& a = topology_.links[link];
    const Link& b = topology_.links[like];
    fits_ = fits_ && a.rate == b.rate && a.latency == b.latency && a.burst == b.burst &&
            a.peak == b.peak && a.policy == b.policy && a.on_die == b.on_die;
    links_[link] = like;
    return fits_;
  }

  void pair(NodeId node, int port, NodeId like, int like_port) {
    const Node& a = topology_.nodes[node];
    const Node& b = topology_.nodes[like];
    if (a.is_endpoint()) {  // shared by the slices
      fits_ = fits_ && node == like && port == port_ && like_port == model_port_;
      return;
    }
    fits_ = fits_ && b.is_switch() && port == like_port && a.level == b.level &&
            a.ports == b.ports && a.switch_kind == b.switch_kind && a.values == b.values;
    const auto [place, is_new] = nodes_.emplace(node, like);
    fits_ = fits_ && place->second == like;
    if (is_new) found_.push(node);
  }

  const Topology& topology_;
  int port_, model_port_;
  bool fits_ = true;
  std::map<int, int> links_;
  std::map<NodeId, NodeId> nodes_;
  std::queue<NodeId> found_;  // switches whose ports are not yet mapped
};

// Trees and rows of a plan by slice.
struct SlicedPlan {
  std::vector<std::vector<const Tree*>> trees;                              // by NIC port
  std::map<NodeId, std::map<int, const std::vector<std::uint32_t>*>> rows;  // by phase

  bool same_rows(NodeId node, NodeId like) const {
    const auto a = rows.find(node);
    const auto b = rows.find(like);
    if (a == rows.end() || b == rows.end()) return a == rows.end() && b == rows.end();
    return std::ranges::equal(a->second, b->second, [](const auto& x, const auto& y) {
      return x.first == y.first && *x.second == *y.second;
    });
  }

  bool does_the_same(int port, int model_port, const Overlay& overlay) const {
    return std::ranges::equal(trees[port], trees[model_port], same_tree) &&
           std::ranges::all_of(overlay.nodes(), [this](const auto& pair) {
             return same_rows(pair.first, pair.second);
           });
  }
};

// Splits a plan by slice; empty if a tree uses several slices.
std::optional<SlicedPlan> slice(const Plan& plan, int ports) {
  SlicedPlan sliced;
  sliced.trees.resize(static_cast<std::size_t>(ports));
  const std::vector<int> port_of = slice_ports(plan);
  for (std::size_t t = 0; t < port_of.size(); ++t) {
    if (port_of[t] == kSeveral) return std::nullopt;
    if (port_of[t] != kUnused) sliced.trees[port_of[t]].push_back(&plan.trees[t]);
  }
  for (const PhaseProgram& program : plan.programs)
    sliced.rows[program.node][program.phase] = &program.row;
  return sliced;
}

}  // namespace

int slice_port(const Tree& tree) {
  std::set<int> ports;
  add_ports(tree, ports);
  return ports.empty() ? kUnused : ports.size() == 1 ? *ports.begin() : kSeveral;
}

Plan EqualSlices::simulated(Plan plan) const {
  if (port_like.empty()) return plan;
  const std::vector<int> port_of = slice_ports(plan);
  std::vector<Tree> kept;
  for (std::size_t t = 0; t < port_of.size(); ++t) {
    const int port = port_of[t];
    if (port == kUnused || port_like[port] == port) kept.push_back(std::move(plan.trees[t]));
  }
  plan.trees = std::move(kept);
  return plan;
}

std::vector<int> EqualSlices::copies(const Plan& simulated) const {
  if (port_like.empty()) return std::vector<int>(simulated.trees.size(), 1);
  std::vector<int> copies;
  for (const int port : slice_ports(simulated))
    copies.push_back(port == kUnused ? 1 : static_cast<int>(std::ranges::count(port_like, port)));
  return copies;
}

EqualSlices all_slices(const Topology& topology) {
  EqualSlices result{
      {}, std::vector<int>(topology.links.size()), std::vector<NodeId>(topology.nodes.size())};
  std::iota(result.link_like.begin(), result.link_like.end(), 0);
  std::iota(result.switch_like.begin(), result.switch_like.end(), 0);
  return result;
}

int slices_used(const Topology& topology, const Plan& plan) {
  if (!topology.has_slices()) return 0;
  std::set<int> ports;
  for (const Tree& tree : plan.trees) add_ports(tree, ports);
  return static_cast<int>(ports.size());
}

EqualSlices find_equal_slices(const Topology& topology, const Plan& plan) {
  const Plan* const plans[] = {&plan};
  return find_equal_slices(topology, plans);
}

EqualSlices find_equal_slices(const Topology& topology, std::span<const Plan* const> plans) {
  EqualSlices result = all_slices(topology);
  if (!topology.has_slices()) return result;
  const int slices = topology.slices;
  std::vector<SlicedPlan> sliced;
  for (const Plan* const plan : plans) {
    std::optional<SlicedPlan> one = slice(*plan, slices);
    if (!one) return result;
    sliced.push_back(std::move(*one));
  }
  result.port_like.resize(static_cast<std::size_t>(slices));
  std::iota(result.port_like.begin(), result.port_like.end(), 0);
  for (int port = 1; port < slices; ++port) {
    for (int model = 0; model < port; ++model) {
      if (result.port_like[model] != model) continue;
      const Overlay overlay(topology, port, model);
      if (!overlay.fits() || !std::ranges::all_of(sliced, [&](const SlicedPlan& plan) {
            return plan.does_the_same(port, model, overlay);
          }))
        continue;
      result.port_like[port] = model;
      for (const auto& [link, like] : overlay.links()) result.link_like[link] = like;
      for (const auto& [node, like] : overlay.nodes()) result.switch_like[node] = like;
      break;
    }
  }
  return result;
}

}  // namespace fredsim
