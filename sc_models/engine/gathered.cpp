// SPDX-License-Identifier: Apache-2.0
#include "engine/gathered.h"

#include <algorithm>
#include <utility>

namespace fredsim {
namespace {

constexpr auto kResults = Ranks::Purpose::kResults;

void put(const SwitchCounters& counters, RankMessage& message) {
  for (const CounterInfo& counter : kSwitchCounters) message.put(counters.*counter.value);
  message.put_all(counters.flits_in);
  message.put_all(counters.flits_out);
}

SwitchCounters get_counters(RankMessage& message) {
  SwitchCounters counters;
  for (const CounterInfo& counter : kSwitchCounters)
    counters.*counter.value = message.get<std::uint64_t>();
  message.get_all(counters.flits_in);
  message.get_all(counters.flits_out);
  return counters;
}

}  // namespace

SwitchModels switch_models(SwitchCores switches, Ranks* ranks) {
  SwitchModels models(switches.size());
  for (std::size_t id = 0; id < switches.size(); ++id)
    if (switches[id] != nullptr) models[id] = switches[id]->model();
  if (ranks == nullptr) return models;
  RankMessage mine;
  for (const std::string& model : models) mine.put_text(model);
  for (RankMessage& of_rank : ranks->gather(kResults, std::move(mine))) {
    for (std::string& model : models)
      if (std::string there = of_rank.get_text(); !there.empty()) model = std::move(there);
  }
  return models;
}

// Links counted by other processes, and links without traffic, are not sent.
FabricCounts gathered(FabricCounts mine, Ranks* ranks) {
  if (ranks == nullptr) return mine;
  RankMessage message;
  const auto counts = [](const LinkCount& link) { return link != LinkCount{}; };
  message.put(static_cast<std::uint64_t>(std::ranges::count_if(mine.links, counts)));
  for (std::size_t l = 0; l < mine.links.size(); ++l) {
    if (!counts(mine.links[l])) continue;
    message.put(static_cast<std::uint64_t>(l));
    message.put(mine.links[l]);
  }
  for (std::size_t id = 0; id < mine.switches.size(); ++id) {
    if (!mine.switches[id]) continue;
    message.put(static_cast<std::uint64_t>(id));
    put(*mine.switches[id], message);
  }
  FabricCounts all{.links = std::vector<LinkCount>(mine.links.size()),
                   .switches = std::move(mine.switches)};
  mine = {};
  for (RankMessage& of_rank : ranks->gather(kResults, std::move(message))) {
    for (auto left = of_rank.get<std::uint64_t>(); left > 0; --left) {
      const auto link = of_rank.get<std::uint64_t>();
      all.links[link] += of_rank.get<LinkCount>();
    }
    while (!of_rank.is_read()) {
      const auto id = of_rank.get<std::uint64_t>();
      all.switches[id] = get_counters(of_rank);
    }
    of_rank = {};
  }
  return all;
}

std::vector<std::uint64_t> summed(std::vector<std::uint64_t> mine, Ranks* ranks) {
  if (ranks == nullptr) return mine;
  std::vector<std::uint64_t> all(mine.size());
  RankMessage message;
  message.put_all(mine);
  for (RankMessage& of_rank : ranks->gather(kResults, std::move(message)))
    std::ranges::transform(all, of_rank.get_all<std::uint64_t>(), all.begin(), std::plus<>());
  return all;
}

std::vector<std::string> gathered(const std::vector<NumberedLine>& mine, Ranks* ranks) {
  std::vector<NumberedLine> all;
  if (ranks == nullptr) {
    all = mine;
  } else {
    RankMessage message;
    for (const NumberedLine& line : mine) {
      message.put(line.number);
      message.put_text(line.text);
    }
    for (RankMessage& of_rank : ranks->gather(kResults, std::move(message))) {
      while (!of_rank.is_read()) {
        const int number = of_rank.get<int>();
        all.push_back({number, of_rank.get_text()});
      }
    }
  }
  std::ranges::stable_sort(all, {}, &NumberedLine::number);
  std::vector<std::string> lines;
  for (NumberedLine& line : all) lines.push_back(std::move(line.text));
  return lines;
}

}  // namespace fredsim
