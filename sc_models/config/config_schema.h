// The keys of a machine's configuration file: what stands under each, where it is allowed, its default.
//
// A path names a key by its sections, "switch.vc_order"; in a list the number of an entry may stand in it,
// "fabric.levels.2.uplinks". Errors: none; a path that is no key has no Key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/machine_spec.h"

namespace fredsim {

enum class Scope : std::uint8_t { kAny, kMesh, kTree };  // kMesh: and tori

// kValue: a text; kList: of entries with keys; kWords: a list of texts; kNames: integers under names that the schema does
// not know
enum class Holds : std::uint8_t { kValue, kKeys, kList, kWords, kInteger, kBoolean, kNames };

// A key of an entry of a list stands without the entry's number: fabric.levels.uplinks.
struct Key {
  std::string_view path;
  std::string_view meaning;
  Scope scope = Scope::kAny;
  Holds holds = Holds::kValue;
  std::string_view fallback =
      {};  // default; empty: the key is needed, or stands for nothing when left out
  std::string_view parameter = {};  // of the switches' RTL; only kinds that have it have the key
};

// All of them, a section before what is in it.
std::span<const Key> config_keys();
// "fabric.levels.2.uplinks" -> "fabric.levels.uplinks": without the number of a list's entry.
std::string schema_path(std::string_view path);
// Null where there is none.
const Key* find_key(std::string_view path);

// A text, a number, a list of texts: no section.
bool is_value(Holds holds);
// Whose keys a fabric of this kind does not have.
Scope other_scope(FabricKind kind);

// "switch.yield": its section, "switch", and its last name, "yield".
std::string_view parent(std::string_view path);
std::string_view leaf(std::string_view path);
// Names of the keys of a section, without those of another fabric type than `kind` where it is given.
std::vector<std::string_view> keys_inside(std::string_view section,
                                          std::optional<FabricKind> kind = std::nullopt);
// For a path that is no key: the same leaf elsewhere ("width" -> "fabric.width"), else the nearest sibling.
std::string suggestion(std::string_view path);

}  // namespace fredsim
