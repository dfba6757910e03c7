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

// True: the schema has the key for a machine such as this one: of its fabric type, not one in whose
// place a list stands, of an entry that its list has, and with an io section for what is in it.
bool has_key(const ConfigNode& root, std::string_view path);

// Values that the keys of a machine may have, by path in the schema: "an integer from 1 to 64";
// empty: any text. Those of keys that were asked for.
using AllowedValues = std::map<std::string, std::string, std::less<>>;

class ConfigReader final : public FabricKeys {
 public:
  // `file` stands in messages about what is not there. `is_block`: the machine is part of another
  // one, and has no machines in it.
  // `allowed`: where the getters note what they allow; null: nowhere.
  ConfigReader(ConfigNode root, std::string file, bool is_block = false,
               AllowedValues* allowed = nullptr);

  // fabric.type; refuses keys that topologies of this kind do not have.
  const TopologyKind& fabric() const;

  // The kind of switches that a key names, or what the fabric is built of where the file does not
  // have it. BadInput: none of that name, or one that cannot route in such a fabric.
  const SwitchKind& switch_kind(std::string_view path = "switch.kind") const;
  Topology machine(std::string_view path) const override;
  std::string file(std::string_view path) const override;
  std::string switch_kind_name(std::string_view path) const override {
    return switch_kind(path).name();
  }
  // Keys for parameters that switches of this kind do not have: BadInput, but of those that stand
  // in the file of a machine whose kind was set over it a note for each.
  std::vector<std::string> keys_not_of(const SwitchKind& switches) const;
  // The integers under a key of free names; none where it is left out.
  std::vector<std::string> names(std::string_view path) const override;
  std::vector<NamedValue> names_under(std::string_view path, int low, int high) const;

  // Around the building of a fabric: refuses keys of the section `fabric` that nothing asked for in
  // between, and that would change nothing without a word; but for what is everybody's: type,
  // packet, and the latency of links where the kind does not count its NPUs.
  void begin_fabric() const { asked_.clear(); }
  void refuse_unused() const;
  std::string value_text(std::string_view path) const;  // "'1 us'", for messages

  // A builder's message, which opens with "key: " where one key is meant, with
  // the place of that key.
  std::string located(const std::string& message) const;

  // Every key that a machine of its fabric type has, in the order of the schema, with what was
  // written or else its default. Without those that are left out and stand for nothing then: io,
  // link, faults, switch.rtl_top, switch.params.
  std::vector<MachineKey> resolved() const;

  bool has(std::string_view path) const override { return find(path) != nullptr; }
  bool is_in_file(std::string_view path) const override;
  std::string label(std::string_view path) const override;  // "configs/mesh.yaml:7: npu.count"
  int entries(std::string_view path) const override;        // length of a list; its third entry is
                                                            // at "path.3"
  std::string text(std::string_view path) const override;
  std::string text_of(std::string_view path, std::string_view allowed) const;  // checked elsewhere
  double share(std::string_view path, double min, double max) const override;
  // The texts of a list, and where each was written; none where it is left out.
  std::vector<std::pair<std::string, std::string>> words(std::string_view path) const;
  // A list that has every one of `names` once: their indices in its order.
  std::vector<int> permutation(std::string_view path,
                               std::span<const std::string_view> names) const;
  std::uint64_t frequency(std::string_view path) const;
  std::uint64_t size_from_zero(std::string_view path) const;  // bytes
  // A buffer of `size` in whole flits, at least `least` of them.
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
  const TopologyKind* kind() const;  // for messages: null while fabric.type is not right
  std::string written(std::string_view path) const override { return value(path).text; }
  void note(std::string_view path, const std::function<std::string()>& allowed) const override;
  std::string_view no_integer() const override { return ", which is no integer"; }
  void check_keys(const ConfigNode& node, const std::string& prefix) const;

  ConfigNode root_;
  std::string file_;
  bool is_block_;
  AllowedValues* allowed_;
  std::vector<ConfigEntry> defaults_;  // by path in the schema
  mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace fredsim
