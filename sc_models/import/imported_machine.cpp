// SPDX-License-Identifier: Apache-2.0
#include "import/imported_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"

namespace fredsim {

void ImportedMachine::note(std::string_view key, std::string_view reason) {
  const auto same = std::ranges::find(notes, reason, &ImportNote::reason);
  if (same == notes.end())
    notes.push_back({std::string(key), std::string(reason)});
  else if (fmt::format(", {}, ", same->keys).find(fmt::format(", {}, ", key)) == std::string::npos)
    same->keys += fmt::format(", {}", key);
}

std::string machine_name_of(const std::string& path) {
  constexpr std::size_t kMaxName = 60;
  std::string name = std::filesystem::path(path).stem().string().substr(0, kMaxName);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        std::string_view("_-.").find(c) == std::string_view::npos)
      c = '_';
  return !name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) != 0
             ? name
             : "imported" + name;
}

int GraphBuilder::add(const std::string& name, bool is_switch, const std::string& label) {
  int& number = is_switch ? switches_ : npus_;
  const int most = is_switch ? kMaxGraphSwitches : kMaxGraphNpus;
  if (number++ == most)
    throw BadInput(fmt::format("{}: found more than {} {}; allowed: up to {}", label, most,
                               is_switch ? "switches" : "NPUs", most));
  spec_.nodes.push_back({.name = name, .is_switch = is_switch, .label = label});
  return static_cast<int>(spec_.nodes.size()) - 1;
}

void GraphBuilder::join(int from, int to, std::uint64_t bandwidth, std::uint64_t latency_ps,
                        int count, const std::string& label) {
  constexpr std::size_t kMaxLinks = std::size_t{1} << 20;
  if (spec_.links.size() == kMaxLinks)
    throw BadInput(fmt::format("{}: found more than {} links; allowed: up to {}", label, kMaxLinks,
                               kMaxLinks));
  spec_.links.push_back({.from = from,
                         .to = to,
                         .bandwidth = bandwidth,
                         .latency_ps = latency_ps,
                         .count = count,
                         .label = label});
}

}  // namespace fredsim
