// SPDX-License-Identifier: Apache-2.0
#include "topology/infragraph/file_links.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"

namespace fredsim {
namespace {

struct FileUnit {
  std::string_view name;
  double scale;  // bytes/s or picoseconds in one; 0: no bandwidth
};
constexpr double kBytesOfGigabit = 125e6;
constexpr double kBytesOfGigabyte = 1e9;
constexpr auto kFileBandwidths =
    std::to_array<FileUnit>({{"gigabits_per_second", kBytesOfGigabit},
                             {"gigabytes_per_second", kBytesOfGigabyte},
                             {"gigatransfers_per_second", 0},
                             {"giga_bits_per_second", kBytesOfGigabit},
                             {"giga_bytes_per_second", kBytesOfGigabyte},
                             {"giga_transfers_per_second", 0}});
constexpr auto kFileLatencies = std::to_array<FileUnit>({{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}});

// "gigabits_per_second: 400", the unit alone or beside `choice`.
template <std::size_t kCount>
std::optional<std::pair<FileUnit, double>> value_of(const KeyReader& owner, std::string_view name,
                                                    const std::array<FileUnit, kCount>& units) {
  if (!owner.has(name)) return std::nullopt;
  const KeyReader value = owner.map(name);
  for (const FileUnit& unit : units) {
    if (!value.has(unit.name)) continue;
    if (value.has("choice") && value.text("choice") != unit.name) continue;
    return std::pair(unit, value.number(unit.name));
  }
  return std::nullopt;
}

std::uint64_t rounded(double value, bool may_be_0, const std::string& label) {
  if (value <= static_cast<double>(kMaxQuantity) && (may_be_0 || value >= 1))
    return static_cast<std::uint64_t>(std::llround(value));
  throw BadInput(
      fmt::format("{}: found {:g}; allowed: a number {} 0, and no larger quantity than 2^53", label,
                  value, may_be_0 ? "from" : "above"));
}

void read_values(const KeyReader& owner, FileLink& link) {
  if (const auto bandwidth = value_of(owner, "bandwidth", kFileBandwidths)) {
    const auto& [unit, value] = *bandwidth;
    link.found_bandwidth = fmt::format("{:g} {}", value, unit.name);
    if (unit.scale > 0)
      link.bandwidth = rounded(value * unit.scale, false, owner.label("bandwidth"));
  }
  if (const auto latency = value_of(owner, "latency", kFileLatencies))
    link.latency_ps = rounded(latency->second * latency->first.scale, true, owner.label("latency"));
}

std::optional<std::uint64_t> value_of(const LinkDefaults::Value& value) {
  return value ? value() : std::nullopt;
}

}  // namespace

std::uint64_t FileLink::used_bandwidth(const LinkDefaults& defaults) const {
  if (const auto found = bandwidth ? bandwidth : value_of(defaults.bandwidth)) return *found;
  throw BadInput(fmt::format(
      "{}: found {} for the bandwidth; allowed: physical.bandwidth in gigabits_per_second or "
      "gigabytes_per_second, or fabric.links: {{NAME: RATE}} or fabric.link_bandwidth in the "
      "machine file",
      label, found_bandwidth));
}

std::uint64_t FileLink::used_latency_ps(const LinkDefaults& defaults) const {
  if (const auto found = latency_ps ? latency_ps : value_of(defaults.latency_ps)) return *found;
  throw BadInput(
      fmt::format("{}: found no latency; allowed: physical.latency in ns, us or ms, or "
                  "fabric.link_latency in the machine file",
                  label));
}

FileLink FileLinksReader::read_link(const KeyReader& reader) const {
  reader.allow({"name", "description", "physical", "bandwidth", "latency"});
  FileLink link;
  link.label = reader.label("name");
  if (reader.has("physical")) {
    const KeyReader physical = reader.map("physical");
    physical.allow({"bandwidth", "latency"});
    read_values(physical, link);
  } else {
    read_values(reader, link);
  }
  return link;
}

void FileLinksReader::fill(const std::string& name, FileLink& link) {
  const auto rate = defaults_.rates.find(name);
  if (rate != defaults_.rates.end() && !link.bandwidth) {
    link.bandwidth = rate->second.bandwidth;
    filled_[name] = true;
  } else {
    filled_.try_emplace(name, false);
  }
}

FileLinks FileLinksReader::read(const KeyReader& owner) {
  FileLinks links;
  if (!owner.has("links")) return links;
  for (const KeyReader& one : owner.list("links")) {
    const std::string name = one.text("name");
    const auto [at, is_new] = links.emplace(name, read_link(one));
    if (!is_new)
      throw BadInput(
          fmt::format("{}: found '{}' twice; allowed: each name once", one.label("name"), name));
    fill(name, at->second);
  }
  return links;
}

void FileLinksReader::check_names() const {
  for (const auto& [name, rate] : defaults_.rates) {
    const auto found = filled_.find(name);
    if (found != filled_.end() && found->second) continue;
    if (found != filled_.end()) {
      throw BadInput(fmt::format(
          "{}: found '{}', whose bandwidth the file says; allowed: links that it says none of",
          rate.label, shown(name)));
    }
    std::vector<std::string_view> names;
    for (const auto& [known, is_filled] : filled_) names.emplace_back(known);
    throw BadInput(fmt::format("{}: found '{}', which is no link of the file; {}", rate.label,
                               shown(name),
                               advice(name, names, {.none = "none, since it has none"})));
  }
}

}  // namespace fredsim
