// SPDX-License-Identifier: Apache-2.0
#include "report/network_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/table_numbers.h"
#include "report/json.h"
#include "results/fields/network.h"
#include "results/json_object.h"

namespace fredsim {
namespace {

JsonObject<fields::kNetworkOptimum> optimum_of(const NetworkResult& result) {
  using Json = nlohmann::ordered_json;
  Json rings = Json::array(), rounds = Json::array();
  for (const NetworkResult::Rings& one : result.rings)
    rings.push_back(JsonObject<fields::kJumpRing>{
        {"members", one.members}, {"groups", one.groups}, {"jumps", one.jumps}});
  for (const NetworkResult::Round& one : result.rounds)
    rounds.push_back(
        JsonObject<fields::kNetworkRound>{{"strategy", one.strategy}, {"time_ns", one.time_ns}});
  JsonObject<fields::kNetworkOptimum> optimum{{"strategy", result.strategy},
                                              {"objective", result.time_ns},
                                              {"switch_time_ns", result.switch_time_ns},
                                              {"switch_strategy", result.switch_strategy},
                                              {"best_switch_time_ns", result.best_switch_time_ns},
                                              {"ring_interfaces", result.ring_interfaces},
                                              {"pair_interfaces", result.pair_interfaces},
                                              {"rings", std::move(rings)}};
  if (result.has_joining_ring) optimum.set("joining_ring", true);
  optimum.add({{"matchings", result.matchings},
               {"links", result.links},
               {"diameter", result.diameter},
               {"rounds", std::move(rounds)},
               {"converged", result.converged},
               {"evaluations", result.evaluations}});
  return optimum;
}

}  // namespace

TitledTable network_table(const NetworkSetup& setup, const NetworkResult& result) {
  TextTable table({{.label = "part", .align = Align::kLeft},
                   {.label = "of the best network found", .align = Align::kLeft}});
  const auto row = [&](const std::string& name, const std::string& value) {
    table.add_row({name, value});
  };
  row("strategy", result.strategy);
  row("iteration", time_text(result.time_ns));
  row("on a switch*", time_text(result.switch_time_ns));
  row("best on it",
      fmt::format("{}, {}", result.switch_strategy, time_text(result.best_switch_time_ns)));
  row("interfaces",
      fmt::format("{} for rings, {} for pairs", result.ring_interfaces, result.pair_interfaces));
  for (const NetworkResult::Rings& one : result.rings)
    row("rings",
        fmt::format("{} x {} NPUs, jumps {}", one.groups, one.members, fmt::join(one.jumps, ", ")));
  for (const int pairs : result.matchings) row("matching", fmt::format("{} pairs", pairs));
  row("diameter", fmt::format("{} links", result.diameter));
  row("search", fmt::format("{}, {} evaluations", result.converged ? "converged" : "not converged",
                            result.evaluations));
  return {fmt::format("{}: {} NPUs of degree {}, {:g} GB/s and {:g} ns a link; accounting {}",
                      setup.workload, setup.npus, setup.degree, setup.link_gbps,
                      setup.link_latency_ns, setup.accounting),
          std::move(table)};
}

std::string network_legend(const NetworkResult& result) {
  std::string text =
      "Times come from a model: the longest path of an iteration, in which an operation takes as "
      "long as its busiest link. For simulated times run the network that --write leaves with "
      "--engine flow. *: ideal, at the bandwidth of all interfaces.";
  if (result.has_joining_ring) text += " The last rings join parts that would be separate.";
  return text;
}

std::string network_json(const Origin& origin, const NetworkSetup& setup,
                         const NetworkResult& result) {
  JsonObject<fields::kNetworkDocument> json;
  json.add(document_of(origin));
  json.add({{"config", setup.config},
            {"settings", settings_json(setup.settings)},
            {"machine", machine_json(setup.machine)},
            {"fabric", setup.fabric},
            {"topology", "topoopt"},
            {"npus", setup.npus},
            {"degree", setup.degree},
            {"link_gbps", setup.link_gbps},
            {"link_latency_ns", setup.link_latency_ns},
            {"primes", setup.primes},
            {"both_ways", setup.both_ways},
            {"paths", setup.paths},
            {"search", setup.each ? "each" : "alternate"},
            {"seed", setup.seed},
            {"accounting", setup.accounting},
            {"workloads", std::vector<std::string>{setup.workload}}});
  if (setup.minibatch > 0) json.set("minibatch", setup.minibatch);
  json.set("optimum", optimum_of(result));
  return text_of(json);
}

}  // namespace fredsim
