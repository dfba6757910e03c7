// SPDX-License-Identifier: Apache-2.0
// The kinds of topologies: what each of them is called, which keys it has, and what it builds. A
// topology itself says what it can do (topology/topology.h); nobody asks which kind it is.
//
// A kind is a folder here (sc_models/topology/<kind>/) and its name in topology/kinds.cmake; or a
//   class of a program that adds it. The folder has <kind>_kind.h, which declares `const
//   TopologyKind& <kind>_kind()`; and its builder.
// Errors: BadInput for what a machine file may say; std::logic_error for kinds that contradict each
//   other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "topology/fabric_keys.h"
#include "topology/machine_example.h"
#include "topology/machine_spec.h"
#include "topology/topology.h"

namespace fredsim {

// BadInput, opening with the key whose value does not come out.
using TopologyBuilder = std::function<Topology(const MachineSpec&)>;

class TopologyKind {
 public:
  TopologyKind() = default;
  virtual ~TopologyKind() = default;
  TopologyKind(const TopologyKind&) = delete;
  TopologyKind& operator=(const TopologyKind&) = delete;

  virtual std::string_view name() const = 0;  // as `fabric.type` has it: "mesh2d"
  // Beside those that all have (config/config_schema.h).
  virtual std::span<const FabricKey> keys() const = 0;
  // Reads them; what it returns builds the topology, with an Assembly of this kind
  // (topology/assembly.h).
  virtual TopologyBuilder builder(const FabricKeys& keys) const = 0;

  // The switches that it is built of where nothing else is asked for. Others in their place have to
  // find the outputs of unicasts in this way, and to keep rings of theirs moving where routes would
  // else wait for each other round a ring.
  virtual std::string_view default_switch_kind() const = 0;
  virtual UnicastRoutes unicasts() const = 0;
  virtual bool needs_moving_rings() const { return false; }
  // True where the fabric says how many NPUs there are and how they are joined. A machine file then
  // needs no npu.count, no npu.bandwidth, no fabric.link_latency and no buffers.
  virtual bool counts_npus() const { return false; }

  // Keys whose product is the number of NPUs, where they are written and npu.count is not; none:
  // npu.count is needed.
  virtual std::span<const std::string_view> npu_factors() const { return {}; }
  // Names that others have for it, blanks between, for hints.
  virtual std::string_view aliases() const { return {}; }

  // Example for `fredsim new`; none: it writes no such file. `configs`: folder of the machine files
  // that come with the program.
  virtual std::optional<MachineExample> example(const std::filesystem::path& configs) const;

  // Turns collectives in the switches off, with a note, where the switches of a topology of this
  // kind add nothing up, as `why` says, and were set over those of the machine file. BadInput where
  // the file itself has both.
  virtual void leave_switches(const FabricKeys& keys, Topology& topology,
                              const std::string& why) const;

  // For `fredsim info`: "2D mesh of 5 x 4 (width x height)".
  virtual std::string describe(const Topology& topology) const = 0;
  // One direction, as topology/facts.h counts it.
  virtual std::uint64_t bisection_bytes_per_second(const Topology& topology) const = 0;
  // How that was found, for `fredsim info`: "k^3/8 links"; empty: it does not say.
  virtual std::string bisection_method(const Topology& topology) const;
  // Longest of the shortest paths between NPUs, in links that are not on a die; 0: `fredsim info`
  // does not say.
  virtual int diameter(const Topology& topology) const;
};

// All kinds: ours, in the order of kinds.cmake, and those added.
std::vector<const TopologyKind*> topology_kinds();
const TopologyKind* find_topology_kind(std::string_view name);  // null: none of that name
const TopologyKind& topology_kind(std::string_view name);       // BadInput with those there are
std::vector<Alias> topology_aliases();
// One more, before anything reads a machine file; `kind` lives as long as the program.
void add_topology_kind(const TopologyKind& kind);

// Ours, a list that is made from topology/kinds.cmake at configure time (topology_kinds.cpp.in).
std::vector<const TopologyKind*> built_in_topologies();

}  // namespace fredsim
