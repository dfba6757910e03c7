// SPDX-License-Identifier: Apache-2.0
#include "engine/detail/wait_circle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "collective/in_switch_plan.h"
#include "engine/gathered.h"
#include "nic/packet_extension.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

struct Input {
  NodeId node = 0;
  int port = 0, vc = 0;
  auto operator<=>(const Input&) const = default;
};
struct HolFlit {
  std::uint32_t tag = 0;
  int phase = 0;
};
struct PhaseInUse {
  int phase = 0, vc = 0;
};

// State of the switches that waits depend on, of all processes.
class StateOfSwitches {
 public:
  explicit StateOfSwitches(Fabric& fabric) {
    const FabricCore& core = fabric.core();
    std::vector<NumberedLine> lines;
    for (NodeId node = 0; node < std::ssize(fabric.topology().nodes); ++node)
      if (fabric.topology().nodes[node].is_switch() && core.owns(node))
        describe(fabric, node, lines);
    for (const std::string& line : gathered(lines, core.all_ranks())) read(line);
  }

  const HolFlit* hol(const Input& input) const {
    const auto at = hol_flits_.find(input);
    return at != hol_flits_.end() ? &at->second : nullptr;
  }
  const PhaseInUse* phase(NodeId node) const {
    const auto at = phases_.find(node);
    return at != phases_.end() ? &at->second : nullptr;
  }
  // Returns true if the buffer behind an output has no room.
  bool is_full(NodeId node, int output, int vc) const { return full_.contains({node, output, vc}); }
  const std::map<Input, HolFlit>& hol_flits() const { return hol_flits_; }

 private:
  static void describe(Fabric& fabric, NodeId node, std::vector<NumberedLine>& lines) {
    const Topology& topology = fabric.topology();
    SwitchCore& core = fabric.switch_core(node);
    for (int port = 0; port < topology.nodes[node].ports; ++port) {
      const int out = topology.link_out(node, port);
      for (int vc = 0; vc < kNumVcs; ++vc) {
        if (FlitHeader header; core.peek_hol(port, vc, header))
          lines.push_back(
              {node, fmt::format("hol {} {} {} {} {}", node, port, vc, header.tag, header.phase)});
        if (out >= 0 && fabric.core().outstanding(out, vc) >= fabric.core().receiver_depth(out, vc))
          lines.push_back({node, fmt::format("full {} {} {}", node, port, vc)});
      }
    }
    if (SwitchPhase in_use; core.peek_phase(in_use) && in_use.active)
      lines.push_back({node, fmt::format("phase {} {} {}", node, in_use.phase, in_use.vc)});
  }

  void read(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    Input at;
    words >> what >> at.node;
    if (what == "phase") {
      PhaseInUse& in_use = phases_[at.node];
      words >> in_use.phase >> in_use.vc;
      return;
    }
    words >> at.port >> at.vc;
    if (what == "full") {
      full_.insert(at);
    } else {
      HolFlit& hol = hol_flits_[at];
      words >> hol.tag >> hol.phase;
    }
  }

  std::map<Input, HolFlit> hol_flits_;
  std::map<NodeId, PhaseInUse> phases_;
  std::set<Input> full_;  // key: output
};

class CircleFinder {
 public:
  CircleFinder(Fabric& fabric, std::span<const Operation* const> operations)
      : topology_(fabric.topology()), state_(fabric), operations_(operations) {}

  std::string find() {
    for (const auto& [input, hol] : state_.hol_flits())
      if (std::string circle = circle_from(input); !circle.empty()) return circle;
    return {};
  }

 private:
  // Wait of an input's head-of-line packet for the head-of-line packet of another input.
  struct Wait {
    Input for_first_at;
    std::string text;
  };

  std::string circle_from(Input input) {
    std::vector<Input> passed;
    while (known_.insert(input).second) {
      passed.push_back(input);
      const std::optional<Wait> wait = wait_of(input);
      if (!wait) return {};
      input = wait->for_first_at;
    }
    std::string text;
    for (auto at = std::ranges::find(passed, input); at != passed.end(); ++at)
      text += fmt::format("\n  circle: {}", wait_of(*at)->text);
    return text;
  }

  std::string name(const Input& input) const {
    return fmt::format("{} input {} VC {}", topology_.nodes[input.node].name, input.port,
                       kVcTitles[input.vc]);
  }

  static int tree_of(const HolFlit& hol) { return static_cast<int>(hol.tag >> kStreamShift >> 1U); }
  const Operation* operation_of(const HolFlit& hol) const {
    const auto found = std::ranges::find_if(operations_, [&](const Operation* operation) {
      const int tree = tree_of(hol) - operation->first_tree;
      return tree >= 0 && tree < std::ssize(operation->plan->plan.trees);
    });
    return found != operations_.end() ? *found : nullptr;
  }
  std::string packet_name(const HolFlit& hol) const {
    const Operation* const operation = operation_of(hol);
    if (operation == nullptr) return "a packet of no operation";
    const Plan& plan = operation->plan->plan;
    const int tree = tree_of(hol) - operation->first_tree;
    return fmt::format("packet {} of tree {} of operation {}, {},", hol.tag & kIndexMask, tree,
                       operation->handle, group_name(topology_, plan.parts[plan.trees[tree].part]));
  }

  // Flows of an operation's phase in a switch.
  std::vector<Flow> flows_of(const Operation& operation, NodeId node, int phase) const {
    for (const StoredPhase* const stored : operation.rows.phases) {
      if (stored->index != phase) continue;
      const auto row = stored->rows.find(node);
      if (row == stored->rows.end()) return {};
      const SwitchShape shape = switch_shape(topology_, topology_.nodes[node]);
      return shape.kind->phase_flows(shape, row->second);
    }
    return {};
  }
  std::optional<Flow> flow_into(const HolFlit& hol, const Input& input) const {
    const Operation* const operation = operation_of(hol);
    if (operation == nullptr) return {};
    for (const Flow& flow : flows_of(*operation, input.node, hol.phase))
      if ((flow.inputs >> input.port & 1U) != 0) return flow;
    return {};
  }

  std::optional<Wait> wait_of(const Input& input) const {
    const HolFlit* const packet = state_.hol(input);
    if (packet == nullptr) return {};
    const std::optional<Flow> flow = flow_into(*packet, input);
    if (!flow) return {};
    for (std::uint32_t ports = flow->inputs; ports != 0; ports &= ports - 1) {
      const Input other{input.node, std::countr_zero(ports), input.vc};
      const HolFlit* const there = state_.hol(other);
      if (there == nullptr || there->tag != packet->tag)
        return wait_for_packet(input, *packet, other);
    }
    for (std::uint32_t ports = flow->outputs; ports != 0; ports &= ports - 1)
      if (auto wait = wait_for_room(input, *packet, std::countr_zero(ports))) return wait;
    return wait_for_phase(input, *packet);
  }

  // Finds the packet at another input of the flow, or at the switch that sends it there.
  std::optional<Wait> wait_for_packet(const Input& input, const HolFlit& packet,
                                      Input other) const {
    const int wanted_at = other.port;
    for (;;) {
      if (const HolFlit* const there = state_.hol(other); there != nullptr) {
        return Wait{other, fmt::format("{}: {} waits for the same at input {}; {} is first at {}",
                                       name(input), packet_name(packet), wanted_at,
                                       packet_name(*there), name(other))};
      }
      const int link = topology_.link_in(other.node, other.port);
      if (link < 0) return {};
      const Link& from = topology_.links[link];
      if (topology_.nodes[from.from].is_endpoint()) return {};  // not sent yet
      const std::optional<Input> sender = sender_of(packet, from, input.vc);
      if (!sender) return {};
      other = *sender;
    }
  }

  // Input of the sending switch at which a packet is missing that is to leave by link `by`.
  std::optional<Input> sender_of(const HolFlit& packet, const Link& by, int vc) const {
    const Operation* const operation = operation_of(packet);
    if (operation == nullptr) return {};
    for (const Flow& flow : flows_of(*operation, by.from, packet.phase)) {
      if ((flow.outputs >> by.from_port & 1U) == 0) continue;
      for (std::uint32_t ports = flow.inputs; ports != 0; ports &= ports - 1) {
        const Input input{by.from, std::countr_zero(ports), vc};
        const HolFlit* const there = state_.hol(input);
        if (there == nullptr || there->tag != packet.tag) return input;
      }
      return Input{by.from, std::countr_zero(flow.inputs), vc};
    }
    return {};
  }

  std::optional<Wait> wait_for_room(const Input& input, const HolFlit& packet, int output) const {
    if (!state_.is_full(input.node, output, input.vc)) return {};
    const Link& link = topology_.links[topology_.link_out(input.node, output)];
    if (topology_.nodes[link.to].is_endpoint()) return {};
    const Input behind{link.to, link.to_port, input.vc};
    return Wait{behind, fmt::format("{}: {} waits for room at {}", name(input), packet_name(packet),
                                    name(behind))};
  }

  // Wait for a phase, while another one is in use for a packet that is head-of-line at another
  // input.
  std::optional<Wait> wait_for_phase(const Input& input, const HolFlit& packet) const {
    const PhaseInUse* const in_use = state_.phase(input.node);
    if (in_use == nullptr || in_use->phase == packet.phase) return {};
    for (int port = 0; port < topology_.nodes[input.node].ports; ++port) {
      const Input other{input.node, port, in_use->vc};
      const HolFlit* const there = state_.hol(other);
      if (there == nullptr || there->phase != in_use->phase) continue;
      return Wait{other, fmt::format("{}: {} waits for its phase; {} is first at {}", name(input),
                                     packet_name(packet), packet_name(*there), name(other))};
    }
    return {};
  }

  const Topology& topology_;
  const StateOfSwitches state_;
  const std::span<const Operation* const> operations_;
  std::set<Input> known_;  // inputs visited
};

}  // namespace

std::string describe_circle(Fabric& fabric, std::span<const Operation* const> operations) {
  return CircleFinder(fabric, operations).find();
}

}  // namespace fredsim
