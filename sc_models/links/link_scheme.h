// SPDX-License-Identifier: Apache-2.0
// Schemes of links: the keys of machine files that each has, and the changes that it makes to a
// topology's links. A plain link sends flits at its rate, one after the other (links/link.h); a
// scheme changes rates, lets a link send bursts, adds bits to flits, or puts a channel behind the
// sender (links/link_policy.h).
//
// A scheme is a folder here (sc_models/links/<scheme>/) and its name in schemes.cmake, or a class
//   of a program that adds it. The folder has `const LinkScheme& <scheme>_scheme()`, and twins of
//   RTL if its links need them.
// No code compares a scheme's name: machine files have its keys, topologies the changed links.
// Errors: BadInput for contents of a machine file; std::logic_error for schemes that contradict
//   each other.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rational.h"
#include "topology/fabric_keys.h"
#include "topology/topology.h"

namespace fredsim {

// Change of the links of a topology, with a note about it (Topology::notes).
using LinkChange = std::function<void(Topology&)>;

// Stage of a change: links as built, before faults may slow them, or links left after faults.
enum class LinkStage : std::uint8_t { kBuilt, kLeft };

class LinkScheme {
 public:
  LinkScheme() = default;
  virtual ~LinkScheme() = default;
  LinkScheme(const LinkScheme&) = delete;
  LinkScheme& operator=(const LinkScheme&) = delete;

  virtual std::string_view name() const = 0;
  // Keys of the scheme, each with a default; they follow the other keys of their section, such as
  // "io.burst" or "link.reliability".
  virtual std::span<const FabricKey> keys() const = 0;
  virtual LinkStage stage() const { return LinkStage::kLeft; }
  // Reads and checks the keys; empty if the machine has no such links.
  virtual LinkChange change(const FabricKeys& keys) const = 0;
  // Text for `fredsim info`, behind the bandwidth of endpoints with such a link: ", in bursts of 24
  // flits"; empty: none.
  virtual std::string describe(const Link& link) const {
    static_cast<void>(link);
    return {};
  }
};

// All schemes: the built-in ones in the order of schemes.cmake, then added ones.
std::vector<const LinkScheme*> link_schemes();
// Adds a scheme, before any machine file is read; `scheme` lives as long as the program.
void add_link_scheme(const LinkScheme& scheme);
// Built-in schemes, a list that is made from schemes.cmake at configure time (link_schemes.cpp.in).
std::vector<const LinkScheme*> built_in_link_schemes();

// Changes that a machine file asks for.
class LinkChanges {
 public:
  explicit LinkChanges(const FabricKeys& keys);
  void make(LinkStage stage, Topology& topology) const;

 private:
  std::vector<std::pair<LinkStage, LinkChange>> changes_;
};

}  // namespace fredsim
