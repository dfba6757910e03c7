// SPDX-License-Identifier: Apache-2.0
// Command line of `fredsim route` and `fredsim conflicts`: one switch, no machine file.
//
// Errors: BadInput naming the option or flow, what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/flit.h"
#include "routing/fred_routing.h"
#include "routing/random_flows.h"

namespace fredsim {

struct RouteOptions {
  FredSwitchShape shape;
  std::vector<std::string> flow_texts;  // as typed
  std::vector<Flow> flows;              // parallel to flow_texts
  int vc = kMp;                         // VC in the phase store's row
};

struct ConflictOptions {
  FlowKind kind = FlowKind::kAny;
  int ports = 0;
  std::vector<int> middles;      // ascending
  std::vector<int> flow_counts;  // ascending
  std::uint64_t trials = 0;
};

// The options' strings, as CLI11 collects them; the parts that all commands share (--json, --seed)
// are not among them.
struct RouteStrings {
  std::string ports, middle;
  std::string vc = "mp";
  std::vector<std::string> flows;
  void add_to(CLI::App& command);
  RouteOptions checked() const;
};

struct ConflictStrings {
  std::string ports, middle, flows;
  std::string kind = "any";
  std::string trials = "10000";
  void add_to(CLI::App& command);
  ConflictOptions checked() const;
};

}  // namespace fredsim
