// SPDX-License-Identifier: Apache-2.0
#include "collective/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <stdexcept>

#include "base/error.h"
#include "base/suggest.h"
#include "collective/endpoint_trees.h"
#include "plan/pattern.h"

namespace fredsim {
namespace {

// Maximum of packets in flight per source and tree. A source takes part in one or two trees per
// rank; chains have one tree for all ranks, with a depth equal to the group.
constexpr int kRingWindow = 24;
constexpr int kAcknowledgedRingWindow =
    64;  // acknowledgements reach sources later than results would
constexpr int kChainWindow = 64;
constexpr int kChainWindowPerRank = 32;
constexpr int kDirectWindow = 1024;

struct NamedChoice {
  std::string_view name;
  Choice choice;
};

constexpr std::array kChoices{NamedChoice{"auto", Choice::kFastest},
                              NamedChoice{"paper", Choice::kPapers}};

std::vector<std::string_view> names_of_all() {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) names.push_back(algorithm->name());
  return names;
}

std::vector<Alias> aliases_of_all() {
  std::vector<Alias> aliases;
  for (const Algorithm* algorithm : algorithms())
    aliases.push_back({algorithm->name(), algorithm->aliases()});
  return aliases;
}

}  // namespace

bool Algorithm::may_fit(const Topology& topology, const CollectiveSpec& spec) const {
  return has(spec.collective) && exists_on(topology);
}

std::string Algorithm::refusal(const Topology& /*topology*/, const Part& /*part*/) const {
  return {};
}

bool Algorithm::is_papers(const Topology& /*topology*/, Collective /*collective*/) const {
  return false;
}

int Algorithm::window(const Topology& /*topology*/, const Part& part) const {
  switch (pattern_of(part.collective)) {
    case Pattern::kAllRanks:
      return roles_of(part.collective) == Roles::kAllToAll ? kRingWindow : kAcknowledgedRingWindow;
    case Pattern::kOneRoot:
      return kChainWindow + kChainWindowPerRank * static_cast<int>(part.members.size());
    case Pattern::kPairs:
      break;
  }
  return kDirectWindow;
}

void Algorithm::plan_together(const Topology& /*topology*/, const std::vector<int>& /*parts*/,
                              Plan& /*plan*/) const {}

void Algorithm::plan(EndpointPart& /*part*/, std::vector<ChainSpec>& /*chains*/) const {
  throw std::logic_error(fmt::format("algorithm {}: not at the endpoints", name_));
}

std::uint64_t Algorithm::trees(const Topology& topology, const CollectiveSpec& spec) const {
  const auto slices = static_cast<std::uint64_t>(endpoint_slices(topology));
  if (pattern_of(spec.collective) == Pattern::kOneRoot) return 2 * slices;
  return spec.collective == Collective::kAllReduce ? spec.group.size() * slices : slices;
}

std::optional<double> Algorithm::cycles(const Topology& /*topology*/, const LinkWalk& /*walk*/,
                                        const CollectiveSpec& /*spec*/,
                                        const Part& /*part*/) const {
  return {};
}

bool Algorithm::has_packet_order(const Topology& topology, const Part& /*part*/) const {
  return topology.has_places();
}

Choice choice_of(std::string_view name) {
  const auto found = std::ranges::find(kChoices, name, &NamedChoice::name);
  return found == kChoices.end() ? Choice::kNone : found->choice;
}

std::string_view to_string(Choice choice) {
  const auto found = std::ranges::find(kChoices, choice, &NamedChoice::choice);
  return found == kChoices.end() ? std::string_view{} : found->name;
}

bool is_choice(std::string_view name) { return choice_of(name) != Choice::kNone; }

std::vector<std::string_view> choice_names() {
  std::vector<std::string_view> names;
  for (const NamedChoice& choice : kChoices) names.push_back(choice.name);
  return names;
}

void check_algorithm(const std::string& name) {
  std::vector<std::string_view> allowed = choice_names();
  std::ranges::copy(names_of_all(), std::back_inserter(allowed));
  if (std::ranges::find(allowed, name) != allowed.end()) return;
  if (schedule_algorithm(name) != nullptr) return;
  throw BadInput(fmt::format(
      "algorithm: found '{}'; {}", name,
      advice(name, allowed, {.aliases = aliases_of_all(), .more = "fredsim help run --all"})));
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithms(), name, &Algorithm::name);
  return found == algorithms().end() ? schedule_algorithm(name) : *found;
}

const Algorithm* find_algorithm(std::string_view name, Collective collective) {
  const auto found = std::ranges::find_if(algorithms(), [&](const Algorithm* algorithm) {
    return algorithm->has(collective) &&
           (algorithm->name() == name || algorithm->other_name() == name);
  });
  if (found != algorithms().end()) return *found;
  const Algorithm* schedule = schedule_algorithm(name);
  return schedule != nullptr && schedule->has(collective) ? schedule : nullptr;
}

std::vector<std::string> words_by_dimension(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(',', begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return words;
    begin = end + 1;
  }
}

std::string algorithm_with(Collective collective, const std::string& named) {
  std::vector<std::string> words = words_by_dimension(named);
  for (std::string& word : words) {
    if (find_algorithm(word) != nullptr && find_algorithm(word, collective) == nullptr)
      word = to_string(Choice::kFastest);
  }
  return fmt::format("{}", fmt::join(words, ","));
}

bool is_in_switches(const Part& part) {
  const Algorithm* algorithm = find_algorithm(part.algorithm);
  return algorithm != nullptr && algorithm->is_in_switches();
}

const Algorithm* switch_algorithm(Collective collective) {
  for (const Algorithm* algorithm : algorithms() | std::views::reverse) {
    if (algorithm->is_in_switches() && algorithm->has(collective)) return algorithm;
  }
  return nullptr;
}

const Algorithm& plain_algorithm(Collective collective) {
  return **std::ranges::find_if(algorithms(), [&](const Algorithm* algorithm) {
    return !algorithm->is_in_switches() && algorithm->has(collective);
  });
}

const Algorithm& paper_algorithm(const Topology& topology, const Part& part) {
  for (const Algorithm* algorithm : algorithms() | std::views::reverse) {
    if (!algorithm->is_in_switches() && algorithm->has(part.collective) &&
        algorithm->is_papers(topology, part.collective) &&
        (part.roots == 0 || algorithm->has_streams()) && algorithm->refusal(topology, part).empty())
      return *algorithm;
  }
  return plain_algorithm(part.collective);
}

std::string algorithm_names() { return join_words(names_of_all()); }

std::vector<std::string_view> endpoint_names(Collective collective) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->is_in_switches() || !algorithm->has(collective)) continue;
    names.push_back(algorithm->name());
    if (!algorithm->other_name().empty()) names.push_back(algorithm->other_name());
  }
  return names;
}

std::string allowed_for_streams() {
  std::vector<std::string_view> names = choice_names();
  for (const Algorithm* algorithm : algorithms())
    if (algorithm->has_streams()) names.push_back(algorithm->name());
  return list_words(names, "or", "fredsim help run --all");
}

std::string allowed_algorithms(Collective collective) {
  std::vector<std::string_view> names = choice_names();
  std::ranges::copy(endpoint_names(collective), std::back_inserter(names));
  return list_words(names, "or", "fredsim help run --all");
}

}  // namespace fredsim
