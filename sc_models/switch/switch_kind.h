// SPDX-License-Identifier: Apache-2.0
// The kinds of switches: their parameters, RTL, twins and capabilities. All other code asks here;
// none of it depends on a particular kind.
//
// A kind is a folder of RTL (rtl/<kind>/), a folder here (sc_models/switch/<kind>/) and its name in
//   switch/kinds.cmake; or an external project (docs/developer/switch_kind.md). The folder has
//   kind.cmake, with names and ranges of its parameters, its RTL top and file list; <kind>_kind.h,
//   which declares `const SwitchKind& <kind>_kind()`; <kind>_peek.h, which reads its counters in
//   the Verilated class (switch/verilated_switch.h); and its twin.
// Parameters are those of the RTL top, by their names there. Every kind has LANES.
// Errors: BadInput for contents of a machine file or a size; std::logic_error for kinds that
//   contradict each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_value.h"
#include "base/suggest.h"
#include "routing/flows.h"
#include "switch/switch_core.h"
#include "switch/switch_counters.h"
#include "switch/switch_shape.h"
#include "switch/switch_timing.h"
#include "switch/wave_scope.h"
#include "topology/topology.h"

namespace fredsim {

struct SwitchParameter {
  std::string name;       // name in the RTL: "VC_DEPTH"
  std::string meaning;    // "input buffer of each data VC in flits"
  int default_value = 0;  // value if none is given
  int min = 0, max = 0;
};

// RTL of a kind, for sizes that are built on demand: absolute paths, or from the root
// (switch/on_demand/rtl_locations.h).
struct SwitchRtl {
  std::string files{};                  // file list; empty: none, or an unknown one
  std::vector<std::string> settings{};  // settings files of Verilator
  std::string peek{}, peek_header{};    // "FredPeek", "switch/fred/fred_peek.h"
  std::vector<std::string> includes{};  // folders of additional headers
  bool rising_edges_only = false;       // ClockEdges::kRising (switch/verilated_switch.h)
};

struct SwitchFacts {
  std::string name;     // example: "fred"
  std::string rtl_top;  // example: "fred_switch"
  std::vector<SwitchParameter> parameters;
  int basic = 0;  // leading parameters that an entry of the size list always names
  int (*ports)(std::span<const int> values) = nullptr;
  SwitchRtl rtl{};
};

struct RegisterWrite {
  std::uint16_t address = 0;  // address of a word
  std::uint32_t data = 0;
};

// Routing of a set of flows in a switch that adds and distributes them.
struct RoutedFlows {
  bool routed = false;
  std::vector<bool> bits{};       // configuration of its interconnect, in the kind's layout
  std::vector<SumOrder> order{};  // index: flow; order in which its input ports are added
  ConflictingFlows conflict{};    // flows without paths through it together
};

class SwitchKind {
 public:
  explicit SwitchKind(SwitchFacts facts);
  virtual ~SwitchKind() = default;
  SwitchKind(const SwitchKind&) = delete;
  SwitchKind& operator=(const SwitchKind&) = delete;

  const std::string& name() const { return facts_.name; }
  // Names that others use for it, separated by blanks, for hints.
  virtual std::string_view aliases() const { return {}; }
  const std::string& rtl_top() const { return facts_.rtl_top; }
  const SwitchRtl& rtl() const { return facts_.rtl; }
  std::span<const SwitchParameter> parameters() const { return facts_.parameters; }
  int basic_parameters() const { return facts_.basic; }
  int ports(std::span<const int> values) const { return facts_.ports(values); }
  int index(std::string_view parameter) const;  // index of the parameter; -1: unknown

  // Shape with the given values, as far as their names are parameters of this kind, else its
  // defaults.
  SwitchShape shape(std::span<const NamedValue> values) const;

  // Throws BadInput, beginning with `name`, if the RTL does not take the values.
  void check(const SwitchShape& shape, const std::string& name) const;
  // The C++ twin: the same outputs in the same cycle as the RTL. Call after check().
  virtual std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                                const std::string& name) const = 0;

  // Value of its identity register (reg::kId).
  virtual std::uint32_t identity() const = 0;
  // Writes for a switch of this kind before traffic flows, beside credits and its routing table.
  virtual std::vector<RegisterWrite> setup_writes(const Topology& topology, const Node& node) const;
  virtual UnicastRoutes unicast_routes() const = 0;
  // Returns true for routing by coordinates if rings of such switches keep moving under any
  // traffic, so that they can be a torus.
  virtual bool keeps_rings_moving() const {
    return unicast_routes() == UnicastRoutes::kByCoordinates;
  }

  // Flows, added up and distributed inside the switch. A phase is a set of flows that are routed
  // together; the switch has a store of rows, one per phase. 0 rows: the kind only forwards flits,
  // and has none of the following.
  virtual int num_phases(const SwitchShape& shape) const;
  virtual int phase_words(const SwitchShape& shape) const;  // words per row
  virtual RoutedFlows route_flows(const SwitchShape& shape, std::span<const Flow> flows) const;
  // The message of a conflict; `names` has a text for every flow of it, in its order.
  virtual std::string describe_conflict(const SwitchShape& shape, const ConflictingFlows& conflict,
                                        std::span<const std::string> names) const;
  virtual std::vector<std::uint32_t> phase_row(const SwitchShape& shape, int vc,
                                               std::span<const Flow> flows,
                                               const RoutedFlows& routed) const;
  // The flows of a row.
  virtual std::vector<Flow> phase_flows(const SwitchShape& shape,
                                        std::span<const std::uint32_t> row) const;

  // Returns true if the kind has this counter of kSwitchCounters.
  virtual bool has(const CounterInfo& counter) const = 0;

  // Latency of a flit that waits for nothing; no value: not stated.
  virtual std::optional<SwitchTiming> timing(const SwitchShape& shape) const;
  // Credits that the head of a data packet from `input` needs at `output`, of `max` in all.
  virtual int head_credits(const Topology& topology, const Node& node, int input, int output,
                           int max) const;

  // Internal signals of its RTL for a waveform viewer; `top` is the instance. Its pins are shown
  // anyway.
  virtual void show_control(GtkwaveSave& save, const WaveScope& top, int ports) const;
  virtual void show_port(GtkwaveSave& save, const WaveScope& top, int port, int ports) const;

  // Name of a switch of this shape for `fredsim info`, "Fred_3(12)", and the numbers of its parts,
  // with the same names for all shapes. parts_title(): the line above that table, "" without parts.
  virtual std::string label(const SwitchShape& shape) const;
  virtual std::string_view parts_title() const;
  virtual std::vector<NamedValue> parts(const SwitchShape& shape) const;

 protected:
  // Constraints that the ranges of the parameters do not express.
  virtual void check_together(const SwitchShape& shape, const std::string& name) const;
  // Check for a kind with the parameter VC_ORDER.
  void check_vc_order(const SwitchShape& shape, const std::string& name) const;

 private:
  [[noreturn]] void no_flows() const;

  SwitchFacts facts_;
};

// All kinds: the built-in ones in the order of kinds.cmake, then added ones.
std::vector<const SwitchKind*> switch_kinds();
const SwitchKind* find_switch_kind(std::string_view name);  // null: no kind of that name
std::vector<Alias> switch_aliases();
const SwitchKind& switch_kind(std::string_view name);  // throws BadInput with the existing kinds
// Adds a kind, before any lookup; `kind` lives as long as the program. For a program with a switch
// of its own: its machines may then name it, and it runs as its twin.
void add_switch_kind(const SwitchKind& kind);
// Facts from kind.cmake: of a built-in kind, or one that is added with it (switch/switch_kinds.h).
SwitchFacts switch_facts(std::string_view kind);

// The entry of the size list for a shape: "fred P=4 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4
// OUT_DEPTH=24 FORMAT=0". Further parameters follow if they are not the kind's default; then the
// parameters of a user's own RTL, and its top.
std::string size_entry(const SwitchShape& shape);

}  // namespace fredsim
