// SPDX-License-Identifier: Apache-2.0
// The schemes of links: which keys of machine files each has, and what it makes of a topology's links. A plain link sends
// flits at its rate, one after the other (links/link.h); a scheme changes rates, lets a link send bursts, adds bits to
// flits, or puts a channel behind the sender (links/link_policy.h).
//
// A scheme is a folder here (sc_models/links/<scheme>/) and its name in schemes.cmake, or a class of a program that adds
//   it. The folder has `const LinkScheme& <scheme>_scheme()`, and twins of its own where its links have them.
// No one compares a scheme's name: machine files have its keys, topologies what it has made of their links.
// Errors: BadInput for what a machine file may say; std::logic_error for schemes that contradict each other.
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

// Stage of a change: to the links as they were built, which faults may make slower after it, or to those that are left.
enum class LinkStage : std::uint8_t { kBuilt, kLeft };

class LinkScheme {
 public:
  LinkScheme() = default;
  virtual ~LinkScheme() = default;
  LinkScheme(const LinkScheme&) = delete;
  LinkScheme& operator=(const LinkScheme&) = delete;

  virtual std::string_view name() const = 0;
  // Each with a default, and behind the others of its section, "io.burst" or "link.reliability".
  virtual std::span<const FabricKey> keys() const = 0;
  virtual LinkStage stage() const { return LinkStage::kLeft; }
  // Reads the keys and checks them; empty: the machine has no such links.
  virtual LinkChange change(const FabricKeys& keys) const = 0;
  // For `fredsim info`, behind the bandwidth of endpoints with such a link: ", in bursts of 24 flits"; empty: nothing.
  virtual std::string describe(const Link& link) const {
    static_cast<void>(link);
    return {};
  }
};

// All schemes: ours, in the order of schemes.cmake, and those added.
std::vector<const LinkScheme*> link_schemes();
// One more, before anything reads a machine file; `scheme` lives as long as the program.
void add_link_scheme(const LinkScheme& scheme);
// Ours, a list that is made from schemes.cmake at configure time (link_schemes.cpp.in).
std::vector<const LinkScheme*> built_in_link_schemes();

// The changes that a machine file asks for.
class LinkChanges {
 public:
  explicit LinkChanges(const FabricKeys& keys);
  void make(LinkStage stage, Topology& topology) const;

 private:
  std::vector<std::pair<LinkStage, LinkChange>> changes_;
};

}  // namespace fredsim
