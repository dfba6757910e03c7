// SPDX-License-Identifier: Apache-2.0
// Schema of machine configuration files: the keys, their types, defaults, and where each is
// allowed. Kinds of topologies declare their own keys (topology/topology_kind.h), and so do link
// schemes (links/link_scheme.h).
//
// A path names a key by its sections, "switch.vc_order"; in a list it may contain the number of an
// entry, "fabric.levels.2.uplinks". Errors: none; an unknown path has no Key.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_key.h"
#include "topology/topology_kind.h"

namespace fredsim {

// Path, meaning and default of a key. The path omits the number of a list's entry:
// fabric.levels.uplinks.
struct Key {
  std::string_view path;
  std::string_view meaning;
  Holds holds = Holds::kValue;
  std::string_view default_value =
      {};  // default; empty: the key is required, or has no value when left out
  std::string_view parameter = {};  // parameter of the switches' RTL; only kinds that have it have
                                    // the key
  std::string_view counted_default =
      {};                         // default on fabrics that count their NPUs; empty: the common
                                  // default
  std::string_view instead = {};  // path of a list that may replace the key
  std::string_view words =
      {};                    // FabricKey; for a kValue: words allowed instead of a number and unit
  bool from_zero = false;    // FabricKey
  bool is_optional = false;  // FabricKey
  std::string_view aliases = {};                // FabricKey
  std::vector<const TopologyKind*> kinds = {};  // kinds that have the key; none: all
  bool is_of(const TopologyKind& kind) const;
};

// All keys, each section before its keys.
std::span<const Key> config_keys();
// "fabric.levels.2.uplinks" -> "fabric.levels.uplinks": without the number of a list's entry.
std::string schema_path(std::string_view path);
// Key of a path; null: unknown. If kinds of fabrics have different keys of one path, the key of
// `kind`, if given.
const Key* find_key(std::string_view path, const TopologyKind* kind = nullptr);

// True for a text, a number or a list of texts; false for a section.
bool is_value(Holds holds);
// Names as messages list them; `kinds` are topologies.
std::vector<std::string_view> names_of(std::span<const TopologyKind* const> kinds);

// Names of the keys of a section; if `kind` is given, only keys that its topologies have.
std::vector<std::string_view> keys_inside(std::string_view section,
                                          const TopologyKind* kind = nullptr);
// Advice for an unknown path: the nearest key of its section ("did you mean 'link_latency'?"); or a
// key of this name in another section, by its whole path ("width": 'fabric.width'); otherwise the
// keys of the section. `kind`: only keys of this kind.
std::string key_advice(std::string_view path, const TopologyKind* kind = nullptr);

// True if a file without the key is refused, unless a list replaces the key. For fabrics that count
// their NPUs this holds only if is_of_counted_npus() is false.
bool is_needed(const Key& key);
// Keys that a fabric which counts its NPUs itself may leave out, or has to.
std::span<const std::string_view> keys_of_counted_npus();
bool is_of_counted_npus(std::string_view path);

}  // namespace fredsim
