#include "collective/equal_slices.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "switch/node_shape.h"

namespace fredsim {
namespace {

// The NIC port of a tree that uses one; -1 of another.
int slice_port(const Tree& tree) {
  if (tree.transport != Transport::kInSwitch || tree.ranks.empty()) return -1;
  const int port = tree.ranks.front().switch_port;
  const bool same = std::ranges::all_of(
      tree.ranks, [port](const TreeRank& rank) { return rank.switch_port == port; });
  return same ? port : -1;
}

bool same_part(const TreeRank& a, const TreeRank& b) {
  return a.rank == b.rank && a.contributes == b.contributes && a.receives == b.receives &&
         a.phase == b.phase;
}

// Tries to lay the slice of one tree over that of another, from the members' NIC ports on.
class Correspondence {
 public:
  Correspondence(const Topology& topology, const Plan& plan) : topology_(topology) {
    for (const PhaseProgram& program : plan.programs) {
      if (!program_of_.emplace(program.node, &program).second) several_phases_ = true;
    }
  }

  // `port`, `model_port`: NIC ports of the two slices. True: link_like() and switch_like() say which is like
  // which.
  bool find(const Plan& plan, int port, int model_port) {
    if (several_phases_) return false;
    for (const NodeId member : plan.parts.front().members) {
      if (!join(member, port, member, model_port)) return false;
    }
    // Chiplets are found while it goes on; first come, first served, so that all ports towards the level
    // below are known when a chiplet's flows are matched.
    for (; !found_.empty(); found_.pop()) {
      if (!match_flows(found_.front())) return false;
    }
    return true;
  }
  const std::map<int, int>& links() const { return links_; }
  const std::map<NodeId, NodeId>& nodes() const { return nodes_; }

 private:
  using Port = std::pair<NodeId, int>;

  // The two physical ports correspond, and with them their links and the ports at the other ends.
  bool join(NodeId node, int port, NodeId like, int like_port) {
    const std::array<std::pair<int, int>, 2> pairs{
        {{topology_.link_out(node, port), topology_.link_out(like, like_port)},
         {topology_.link_in(node, port), topology_.link_in(like, like_port)}}};
    for (const auto& [link, model] : pairs) {
      if (link < 0 || model < 0) return false;
      const Link& a = topology_.links[link];
      const Link& b = topology_.links[model];
      if (a.rate != b.rate || a.latency != b.latency || a.burst != b.burst || a.peak != b.peak) {
        return false;
      }
      links_[link] = model;
    }
    const Link& a = topology_.links[pairs[0].first];
    const Link& b = topology_.links[pairs[0].second];
    return pair(node, port, like, like_port) && pair(a.to, a.to_port, b.to, b.to_port);
  }

  bool pair(NodeId node, int port, NodeId like, int like_port) {
    const Node& a = topology_.nodes[node];
    const Node& b = topology_.nodes[like];
    if (a.kind != b.kind || a.level != b.level || a.ports != b.ports ||
        a.switch_kind != b.switch_kind || a.values != b.values) {
      return false;
    }
    if (a.is_switch()) {
      const auto [place, added] = nodes_.emplace(node, like);
      if (added) found_.push(node);
      if (place->second != like) return false;
      return ports_.emplace(Port(node, port), like_port).first->second == like_port;
    }
    return node == like;  // endpoints are shared
  }

  // The flows of a chiplet are those of the one it is like; ports known from one side only (uplinks) are joined.
  bool match_flows(NodeId node) {
    const NodeId like = nodes_.at(node);
    const auto program = program_of_.find(node);
    const auto model = program_of_.find(like);
    if (program == program_of_.end() || model == program_of_.end()) return false;
    if (program->second->phase != model->second->phase) return false;
    const SwitchShape shape = switch_shape(topology_, topology_.nodes[node]);
    const std::vector<Flow> flows = shape.kind->phase_flows(shape, program->second->row);
    const std::vector<Flow> model_flows = shape.kind->phase_flows(shape, model->second->row);
    if (flows.size() != model_flows.size()) return false;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!match_ports(node, flows[f].inputs, like, model_flows[f].inputs) ||
          !match_ports(node, flows[f].outputs, like, model_flows[f].outputs)) {
        return false;
      }
    }
    return true;
  }

  bool match_ports(NodeId node, std::uint32_t ports, NodeId like, std::uint32_t model) {
    std::uint32_t unknown = 0;
    for (std::uint32_t left = ports; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      const auto known = ports_.find({node, port});
      if (known == ports_.end()) {
        unknown |= 1U << port;
      } else if ((model >> known->second & 1U) == 0) {
        return false;
      } else {
        model &= ~(1U << known->second);
      }
    }
    if (std::popcount(unknown) != std::popcount(model) || std::popcount(unknown) > 1) return false;
    return unknown == 0 || join(node, std::countr_zero(unknown), like, std::countr_zero(model));
  }

  const Topology& topology_;
  std::map<NodeId, const PhaseProgram*> program_of_;
  bool several_phases_ = false;
  std::map<int, int> links_;
  std::map<Port, int> ports_;
  std::map<NodeId, NodeId> nodes_;
  std::queue<NodeId> found_;  // chiplets whose flows are yet to be matched
};

}  // namespace

EqualSlices all_slices(const Topology& topology, const Plan& plan) {
  EqualSlices result{plan, std::vector<int>(plan.trees.size(), 1),
                     std::vector<int>(topology.links.size()),
                     std::vector<NodeId>(topology.nodes.size())};
  std::iota(result.link_like.begin(), result.link_like.end(), 0);
  std::iota(result.switch_like.begin(), result.switch_like.end(), 0);
  return result;
}

EqualSlices find_equal_slices(const Topology& topology, const Plan& plan) {
  EqualSlices result = all_slices(topology, plan);
  if (plan.parts.size() != 1) return result;
  std::set<int> ports;
  for (const Tree& tree : plan.trees) {
    if (slice_port(tree) < 0 || !ports.insert(slice_port(tree)).second) return result;
  }
  std::vector<Tree> kept;
  std::vector<int> copies;
  std::vector<NodeId> left_out;
  for (const Tree& tree : plan.trees) {
    const int port = slice_port(tree);
    const auto like = std::ranges::find_if(kept, [&](const Tree& other) {
      if (tree.bytes != other.bytes || !std::ranges::equal(tree.ranks, other.ranks, same_part)) {
        return false;
      }
      Correspondence correspondence(topology, plan);
      if (!correspondence.find(plan, port, slice_port(other))) return false;
      for (const auto& [link, model] : correspondence.links()) result.link_like[link] = model;
      for (const auto& [node, model] : correspondence.nodes()) {
        result.switch_like[node] = model;
        left_out.push_back(node);
      }
      return true;
    });
    if (like == kept.end()) {
      kept.push_back(tree);
      copies.push_back(1);
    } else {
      ++copies[static_cast<std::size_t>(like - kept.begin())];
    }
  }
  result.plan.trees = std::move(kept);
  result.copies = std::move(copies);
  std::erase_if(result.plan.programs, [&](const PhaseProgram& program) {
    return std::ranges::find(left_out, program.node) != left_out.end();
  });
  return result;
}

}  // namespace fredsim
