// SPDX-License-Identifier: Apache-2.0
// The keys of a machine's configuration file: what stands under each, where it is allowed, its
// default. Those that only some kinds of topologies have are the kinds' own
// (topology/topology_kind.h), those of schemes of links the schemes' (links/link_scheme.h).
//
// A path names a key by its sections, "switch.vc_order"; in a list the number of an entry may stand
// in it, "fabric.levels.2.uplinks". Errors: none; a path that is no key has no Key.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_key.h"
#include "topology/topology_kind.h"

namespace fredsim {

// A key of an entry of a list stands without the entry's number: fabric.levels.uplinks.
struct Key {
  std::string_view path;
  std::string_view meaning;
  Holds holds = Holds::kValue;
  std::string_view default_value =
      {};  // default; empty: the key is needed, or stands for nothing when left out
  std::string_view parameter = {};  // parameter of the switches' RTL; only kinds that have it have
                                    // the key
  std::string_view counted_default =
      {};                         // default on fabrics that count their NPUs; empty: as others
  std::string_view instead = {};  // path of a list that may stand in its place
  std::string_view words =
      {};  // FabricKey; of a kValue: words that may stand in place of a number and unit
  bool from_zero = false;                       // FabricKey
  bool is_optional = false;                     // FabricKey
  std::string_view aliases = {};                // FabricKey
  std::vector<const TopologyKind*> kinds = {};  // kinds that have the key; none: all
  bool is_of(const TopologyKind& kind) const;
};

// All of them, a section before what is in it.
std::span<const Key> config_keys();
// "fabric.levels.2.uplinks" -> "fabric.levels.uplinks": without the number of a list's entry.
std::string schema_path(std::string_view path);
// Null where there is none. Of keys that are different ones in fabrics of different kinds it is
// that of `kind`, where it is given and has one.
const Key* find_key(std::string_view path, const TopologyKind* kind = nullptr);

// A text, a number, a list of texts: no section.
bool is_value(Holds holds);
// Names as messages list them; `kinds` are topologies.
std::vector<std::string_view> names_of(std::span<const TopologyKind* const> kinds);

// Names of the keys of a section, without those that topologies of this kind do not have, where it
// is given.
std::vector<std::string_view> keys_inside(std::string_view section,
                                          const TopologyKind* kind = nullptr);
// Advice for a path that is no key: "did you mean 'link_latency'?", one of its section or, by its
// whole path, of another one ("width": 'fabric.width'); else the keys of the section. Of machines
// of this kind alone, where it is given.
std::string key_advice(std::string_view path, const TopologyKind* kind = nullptr);

// A file without the key is refused, unless a list stands in its place; of fabrics that count their
// NPUs only where is_of_counted_npus() is false.
bool is_needed(const Key& key);
// Keys that a fabric which counts its NPUs itself may leave out, or has to.
std::span<const std::string_view> keys_of_counted_npus();
bool is_of_counted_npus(std::string_view path);

}  // namespace fredsim
