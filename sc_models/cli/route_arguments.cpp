// SPDX-License-Identifier: Apache-2.0
#include "cli/route_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/flit.h"
#include "base/suggest.h"
#include "cli/add_option.h"
#include "cli/flow_arguments.h"
#include "runner/option_values.h"

namespace fredsim {

namespace {

constexpr std::uint64_t kMaxTrials = 1'000'000'000;
constexpr auto kDataVcs = std::span(kVcNames).first<kControl>();

int parse_ports(const std::string& text) {
  return static_cast<int>(parse_number(text, "--ports", 2, kMaxPorts));
}

int parse_vc(const std::string& text) {
  const auto found = std::ranges::find(kDataVcs, text);
  if (found == kDataVcs.end()) {
    throw BadInput(fmt::format("--vc: found '{}'; {}", text, advice(text, kDataVcs)));
  }
  return static_cast<int>(found - kDataVcs.begin());
}

FlowKind parse_kind(const std::string& text) {
  std::vector<std::string_view> names;
  for (const FlowKind kind : all_flow_kinds()) {
    names.push_back(to_string(kind));
    if (text == names.back()) return kind;
  }
  throw BadInput(fmt::format("--kind: found '{}'; {}", text, advice(text, names)));
}

}  // namespace

void RouteStrings::add_to(CLI::App& command) {
  add(command, "--ports", ports, "P", fmt::format("of the switch, 2 to {}", kMaxPorts))->required();
  add(command, "--middle", middle, "M",
      fmt::format("middle sub-networks, {} to {}", kMinMiddle, kMaxMiddle))
      ->required();
  add(command, "--vc", vc, "NAME", "virtual channel in the phase's row: mp (default), pp or dp");
  command
      .add_option("FLOW", flows,
                  "input ports, a colon, output ports: 0,1,2:4,5 or 0-3:4-7; reduces over the "
                  "inputs, delivers the sum to every output")
      ->required()
      ->type_name("")
      ->expected(1, CLI::detail::expected_max_vector_size);
}

RouteOptions RouteStrings::checked() const {
  RouteOptions options;
  options.shape.ports = parse_ports(ports);
  options.shape.middle = static_cast<int>(parse_number(middle, "--middle", kMinMiddle, kMaxMiddle));
  options.vc = parse_vc(vc);
  options.flow_texts = flows;
  options.flows = parse_flows(flows, options.shape);
  return options;
}

void ConflictStrings::add_to(CLI::App& command) {
  add(command, "--ports", ports, "P", fmt::format("of the switch, 2 to {}", kMaxPorts))->required();
  add(command, "--middle", middle, "M",
      fmt::format("middle sub-networks, {} to {}: 3, a list 2,3 or a sweep 2:4", kMinMiddle,
                  kMaxMiddle))
      ->required();
  add(command, "--flows", flows, "K", "flows of a set: 4, a list 2,4 or a sweep 1:6")->required();
  add(command, "--kind", kind, "NAME", "unicast, multicast, reduce, all_reduce or any (default)");
  add(command, "--trials", trials, "N", "random sets for each K (default 10000)");
  command.footer(
      "A set is K flows whose input sides are disjoint and whose output sides are disjoint:\n"
      "  unicast     one input, one output\n"
      "  multicast   one input, two or more outputs\n"
      "  reduce      two or more inputs, one output\n"
      "  all_reduce  two or more ports, the same on both sides\n"
      "  any         one or more inputs, one or more outputs, drawn independently\n"
      "Sizes first: all size vectors that fit on the P ports are equally likely. Then ports: all "
      "choices of ports for these sizes are equally likely. Every m is put to the same sets.\n"
      "Conflict: no routing exists in which every flow has one colour per level.");
}

ConflictOptions ConflictStrings::checked() const {
  ConflictOptions options;
  options.kind = parse_kind(kind);
  options.ports = parse_ports(ports);
  options.middles = parse_numbers(middle, "--middle", kMinMiddle, kMaxMiddle);
  const int max = max_flows(options.kind, options.ports);
  options.flow_counts = parse_numbers(flows, "--flows", 1, max);
  options.trials = parse_number(trials, "--trials", 1, kMaxTrials);
  return options;
}

}  // namespace fredsim
