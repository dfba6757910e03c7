// SPDX-License-Identifier: Apache-2.0
// The kinds of switches: what each of them is, and what it can do. All others ask here; none of them
// asks which kind it is.
//
// A kind is a folder of RTL (rtl/<kind>/), a folder here (sc_models/switch/<kind>/) and its name in switch/kinds.cmake;
//   or a project of others (docs/developer/switch_kind.md). The folder has kind.cmake, with names and ranges of its parameters, its RTL
//   top and file list; <kind>_kind.h, which declares `const SwitchKind& <kind>_kind()`; <kind>_peek.h, how its counters
//   are read in the Verilated class (switch/verilated_switch.h); and its twin.
// Parameters are those of the RTL top, by their names there. Every kind has LANES.
// Errors: BadInput for what a machine file or a size may say; std::logic_error for kinds that contradict each other.
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
  std::string name;       // as in the RTL: "VC_DEPTH"
  std::string meaning;    // "input buffer of each data VC in flits"
  int default_value = 0;  // value where none is given
  int min = 0, max = 0;
};

// RTL of a kind, for sizes that are built on demand: absolute paths, or from the root (switch/on_demand/rtl_locations.h).
struct SwitchRtl {
  std::string files{};                  // file list; empty: none, or none that is known
  std::vector<std::string> settings{};  // Verilator's own
  std::string peek{}, peek_header{};    // "FredPeek", "switch/fred/fred_peek.h"
  std::vector<std::string> includes{};  // folders of headers beside ours
  bool rising_edges_only = false;       // ClockEdges::kRising (switch/verilated_switch.h)
};

struct SwitchFacts {
  std::string name;     // "fred"
  std::string rtl_top;  // "fred_switch"
  std::vector<SwitchParameter> parameters;
  int basic = 0;  // the first ones, which an entry of the size list always names
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
  std::vector<bool> bits{};       // configuration of its interconnect, as the kind lays it out
  std::vector<SumOrder> order{};  // per flow: how its input ports are added
  ConflictingFlows conflict{};    // if they have no paths through it together
};

class SwitchKind {
 public:
  explicit SwitchKind(SwitchFacts facts);
  virtual ~SwitchKind() = default;
  SwitchKind(const SwitchKind&) = delete;
  SwitchKind& operator=(const SwitchKind&) = delete;

  const std::string& name() const { return facts_.name; }
  // Names that others have for it, blanks between, for hints.
  virtual std::string_view aliases() const { return {}; }
  const std::string& rtl_top() const { return facts_.rtl_top; }
  const SwitchRtl& rtl() const { return facts_.rtl; }
  std::span<const SwitchParameter> parameters() const { return facts_.parameters; }
  int basic_parameters() const { return facts_.basic; }
  int ports(std::span<const int> values) const { return facts_.ports(values); }
  int index(
      std::string_view parameter) const;  // its place among the parameters; -1: not one of them

  // With the values given, of those of the names that are parameters of this kind, and else its defaults.
  SwitchShape shape(std::span<const NamedValue> values) const;

  // BadInput, opening with `name`, where the RTL does not take the values.
  void check(const SwitchShape& shape, const std::string& name) const;
  // The C++ twin: the same outputs in the same cycle as the RTL. After check().
  virtual std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                                const std::string& name) const = 0;

  // Value of its identity register (reg::kId).
  virtual std::uint32_t identity() const = 0;
  // Written into a switch of this kind before traffic flows, beside credits and its routing table.
  virtual std::vector<RegisterWrite> setup_writes(const Topology& topology, const Node& node) const;
  virtual UnicastRoutes unicast_routes() const = 0;
  // By coordinates: whether rings of such switches keep moving under any traffic, so that they can be a torus.
  virtual bool keeps_rings_moving() const {
    return unicast_routes() == UnicastRoutes::kByCoordinates;
  }

  // Flows, added up and distributed inside the switch. A phase is a set of flows that are routed together; the switch
  // has a store of rows, one a phase. 0 rows: a kind that only passes flits on, and has none of the others.
  virtual int num_phases(const SwitchShape& shape) const;
  virtual int phase_words(const SwitchShape& shape) const;  // words of a row
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

  // True if it has this one of kSwitchCounters.
  virtual bool has(const CounterInfo& counter) const = 0;

  // Latency of a flit that waits for nothing; none: nobody has said.
  virtual std::optional<SwitchTiming> timing(const SwitchShape& shape) const;
  // Credits that a data packet's head which came in by `input` needs at `output`, where `most` are all that there are.
  virtual int head_credits(const Topology& topology, const Node& node, int input, int output,
                           int max) const;

  // Signals of the inside of its RTL for a waveform viewer; `top` is the instance. Its pins are shown
  // anyway.
  virtual void show_control(GtkwaveSave& save, const WaveScope& top, int ports) const;
  virtual void show_port(GtkwaveSave& save, const WaveScope& top, int port, int ports) const;

  // For `fredsim info`: a switch of this shape, "Fred_3(12)", and how many of what it is made of, the same names for
  // all shapes. parts_title(): the line above that table, "" where there are no parts.
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

// All kinds: ours, in the order of kinds.cmake, and those added.
std::vector<const SwitchKind*> switch_kinds();
const SwitchKind* find_switch_kind(std::string_view name);  // null: none of that name
std::vector<Alias> switch_aliases();
const SwitchKind& switch_kind(std::string_view name);  // BadInput with those there are
// One more, before anything asks for it; `kind` lives as long as the program. For a program with a switch of
// its own: its machines may then name it, and it runs as its twin.
void add_switch_kind(const SwitchKind& kind);
// Facts from kind.cmake: of a built-in kind, or one that is added with it (switch/switch_kinds.h).
SwitchFacts switch_facts(std::string_view kind);

// The entry of the size list that stands for a shape: "fred P=4 M=3 LANES=1 VC_DEPTH=48 CTRL_DEPTH=4 OUT_DEPTH=24
// FORMAT=0". Further parameters where they are not the kind's default; then those of a user's own RTL, and its top.
std::string size_entry(const SwitchShape& shape);

}  // namespace fredsim
