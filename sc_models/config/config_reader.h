// SPDX-License-Identifier: Apache-2.0
// Typed, strict access to the keys of a machine configuration.
//
// The constructor refuses every key that is not in the schema; the getters refuse values of the
// wrong type or out of range, and give the default of the schema for a key that is left out and has
// one.
// Errors: BadInput as config.h says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_tree.h"
#include "base/machine_key.h"
#include "base/named_value.h"
#include "config/config_schema.h"
#include "switch/switch_kind.h"
#include "topology/topology_kind.h"

namespace fredsim {

// True if the schema has the key for this machine: the key belongs to its fabric type, is not
// replaced by a list, its list has that entry, and, for a key of the section io, the machine has
// the section.
bool has_key(const ConfigNode& root, std::string_view path);

// Values that the keys of a machine may have, by path in the schema: "an integer from 1 to 64";
// empty: any text. Only keys that were read are listed.
using AllowedValues = std::map<std::string, std::string, std::less<>>;

class ConfigReader final : public FabricKeys {
 public:
  // `file` names the file in messages about missing keys. `is_block`: the machine is a block of
  // another machine, and contains no machines. `allowed`: receives the allowed values of each key
  // read; null: not recorded.
  ConfigReader(ConfigNode root, std::string file, bool is_block = false,
               AllowedValues* allowed = nullptr);

  // Kind of fabric.type; refuses keys that topologies of this kind do not have.
  const TopologyKind& fabric() const;

  // Kind of switches that a key names, by default the fabric's own. BadInput: an unknown kind, or
  // one that cannot route in this fabric.
  const SwitchKind& switch_kind(std::string_view path = "switch.kind") const;
  Topology machine(std::string_view path) const override;
  std::string file(std::string_view path) const override;
  std::string switch_kind_name(std::string_view path) const override {
    return switch_kind(path).name();
  }
  // Refuses (BadInput) keys of parameters that switches of this kind do not have. If the kind was
  // overridden, such keys in the machine's file give a note each instead.
  std::vector<std::string> keys_not_of(const SwitchKind& switches) const;
  // Integers under a key with free names; empty if the key is left out.
  std::vector<std::string> names(std::string_view path) const override;
  std::vector<NamedValue> names_under(std::string_view path, int low, int high) const;

  // begin_fabric() and refuse_unused() enclose the building of a fabric: keys of the section
  // `fabric` that were not read in between are refused, since they would be ignored silently.
  // Exempt are common keys: type, packet, and, if the kind does not count its NPUs, the link
  // latency.
  void begin_fabric() const { asked_.clear(); }
  void refuse_unused() const;
  std::string value_text(std::string_view path) const;  // "'1 us'", for messages

  // Message of a builder with the location of its key, if it opens with "key: ".
  std::string located(const std::string& message) const;

  // All keys of a machine of this fabric type, in the order of the schema, with their values or
  // defaults. Optional keys without a default are omitted if left out: io, link, faults,
  // switch.rtl_top, switch.params.
  std::vector<MachineKey> resolved() const;

  bool has(std::string_view path) const override { return find(path) != nullptr; }
  bool is_in_file(std::string_view path) const override;
  std::string label(std::string_view path) const override;  // "configs/mesh.yaml:7: npu.count"
  int entries(std::string_view path) const override;        // length of a list; its third entry is
                                                            // at "path.3"
  std::string text(std::string_view path) const override;
  std::string text_of(std::string_view path, std::string_view allowed) const;  // checked elsewhere
  double share(std::string_view path, double min, double max) const override;
  // Texts of a list, with their locations; empty if the list is left out.
  std::vector<std::pair<std::string, std::string>> words(std::string_view path) const;
  // Indices of `names` in the order of a list that has each name once.
  std::vector<int> permutation(std::string_view path,
                               std::span<const std::string_view> names) const;
  std::uint64_t frequency(std::string_view path) const;
  std::uint64_t size_from_zero(std::string_view path) const;  // bytes
  // Size of a buffer in whole flits, from `min` to `max`.
  int flits(std::string_view path, int min, int max = kMaxFlits) const;
  std::optional<int> flits_or_auto(std::string_view path, int min) const;  // none: auto
  static constexpr int kMaxFlits = 65535;  // credit counters have 16 bits

 private:
  const ConfigNode* find(std::string_view path) const;
  bool has_value(std::string_view path) const;
  const ConfigNode& value(std::string_view path) const;
  [[noreturn]] void refuse_missing(std::string_view path) const;
  std::vector<std::string> missing_keys() const;
  void count_npus(const TopologyKind& fabric);
  const TopologyKind* kind() const;  // kind for messages; null while fabric.type is invalid
  std::string written(std::string_view path) const override { return value(path).text; }
  void note(std::string_view path, const std::function<std::string()>& allowed) const override;
  std::string_view no_integer() const override { return ", which is no integer"; }
  void check_keys(const ConfigNode& node, const std::string& prefix) const;

  ConfigNode root_;
  std::string file_;
  bool is_block_;
  AllowedValues* allowed_;
  std::vector<ConfigEntry> defaults_;  // defaults by path in the schema
  mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace fredsim
