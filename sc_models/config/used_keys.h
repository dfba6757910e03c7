// SPDX-License-Identifier: Apache-2.0
// Keys of a machine file, and which of them a kind of topology has asked for: one that nobody asks for would change nothing, without a
// word.
//
// Errors: those of the keys; refuse_unused(): BadInput with place, key and value of one that was written and not asked for.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_reader.h"

namespace fredsim {

class UsedKeys final : public FabricKeys {
 public:
  explicit UsedKeys(const ConfigReader& reader) : reader_(reader) {}

  // Keys of the section `fabric`, but for what is everybody's: type, packet, and the latency of links where the kind does not count its NPUs.
  void refuse_unused() const;

  bool has(std::string_view path) const override { return reader_.has(path); }
  bool is_in_file(std::string_view path) const override { return reader_.is_in_file(path); }
  std::string label(std::string_view path) const override { return reader_.label(path); }
  int entries(std::string_view path) const override { return reader_.entries(path); }
  std::vector<std::string> names(std::string_view path) const override {
    return reader_.names(path);
  }
  int integer(std::string_view path, int low, int high) const override {
    return used(path).integer(path, low, high);
  }
  std::string text(std::string_view path) const override { return used(path).text(path); }
  bool boolean(std::string_view path) const override { return used(path).boolean(path); }
  double share(std::string_view path, double min, double max) const override {
    return used(path).share(path, min, max);
  }
  int choice(std::string_view path, std::span<const std::string_view> names,
             std::span<const Alias> aliases) const override {
    return used(path).choice(path, names, aliases);
  }
  std::uint64_t bandwidth(std::string_view path) const override {
    return used(path).bandwidth(path);
  }
  std::uint64_t time_ps(std::string_view path) const override { return used(path).time_ps(path); }
  Topology machine(std::string_view path) const override { return used(path).machine(path); }
  std::string file(std::string_view path) const override { return used(path).file(path); }
  std::string switch_kind_name(std::string_view path) const override {
    return used(path).switch_kind_name(path);
  }

 private:
  const ConfigReader& used(std::string_view path) const {
    used_.emplace(path);
    return reader_;
  }

  const ConfigReader& reader_;
  mutable std::set<std::string, std::less<>> used_;  // a kind has keys that do not change
};

}  // namespace fredsim
