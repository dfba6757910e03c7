// SPDX-License-Identifier: Apache-2.0
// Interface of the kinds of topologies: name, keys and builder of each. Code queries the properties
// of a topology (topology/topology.h), never its kind.
//
// A kind is a folder here (sc_models/topology/<kind>/) and its name in topology/kinds.cmake; or a
//   class of a program that adds it. The folder has <kind>_kind.h, which declares `const
//   TopologyKind& <kind>_kind()`; and its builder.
// Errors: BadInput for errors in a machine file; std::logic_error for kinds that contradict each
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

  virtual std::string_view name() const = 0;  // value of `fabric.type`: "mesh2d"
  // Keys beyond the common ones (config/config_schema.h).
  virtual std::span<const FabricKey> keys() const = 0;
  // Reads the keys; the result builds the topology, with an Assembly of this kind
  // (topology/assembly.h).
  virtual TopologyBuilder builder(const FabricKeys& keys) const = 0;

  // Default kind of switches. Other kinds have to find the outputs of unicasts in the same way,
  // and, if routes would otherwise deadlock on a ring, to keep rings moving.
  virtual std::string_view default_switch_kind() const = 0;
  virtual UnicastRoutes unicasts() const = 0;
  virtual bool needs_moving_rings() const { return false; }
  // True if the fabric determines the number of NPUs and their connections. A machine file then
  // needs no npu.count, no npu.bandwidth, no fabric.link_latency and no buffers.
  virtual bool counts_npus() const { return false; }

  // Keys whose product is the number of NPUs, if npu.count is left out; none: npu.count is
  // required.
  virtual std::span<const std::string_view> npu_factors() const { return {}; }
  // Names of the kind elsewhere, separated by blanks, for hints.
  virtual std::string_view aliases() const { return {}; }

  // Example for `fredsim new`; none: not supported. `configs`: folder of the machine files that
  // come with the program.
  virtual std::optional<MachineExample> example(const std::filesystem::path& configs) const;

  // Turns off collectives in the switches, with a note, if a setting gives this topology switches
  // without adders (`why`) while the machine file asks for such collectives. BadInput if the file
  // itself has both.
  virtual void leave_switches(const FabricKeys& keys, Topology& topology,
                              const std::string& why) const;

  // Summary for `fredsim info`: "2D mesh of 5 x 4 (width x height)".
  virtual std::string describe(const Topology& topology) const = 0;
  // Bisection bandwidth in one direction, counted as in topology/facts.h.
  virtual std::uint64_t bisection_bytes_per_second(const Topology& topology) const = 0;
  // Method of bisection_bytes_per_second(), for `fredsim info`: "k^3/8 links"; empty: not printed.
  virtual std::string bisection_method(const Topology& topology) const;
  // Diameter between NPUs in links that are not on a die; 0: not printed by `fredsim info`.
  virtual int diameter(const Topology& topology) const;
};

// All kinds: the built-in ones in the order of kinds.cmake, then the added ones.
std::vector<const TopologyKind*> topology_kinds();
const TopologyKind* find_topology_kind(std::string_view name);  // null: none of that name
const TopologyKind& topology_kind(std::string_view name);       // BadInput names the known kinds
std::vector<Alias> topology_aliases();
// One more, before anything reads a machine file; `kind` lives as long as the program.
void add_topology_kind(const TopologyKind& kind);

// Ours, a list that is made from topology/kinds.cmake at configure time (topology_kinds.cpp.in).
std::vector<const TopologyKind*> built_in_topologies();

}  // namespace fredsim
