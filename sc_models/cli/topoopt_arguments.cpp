// SPDX-License-Identifier: Apache-2.0
#include "cli/topoopt_arguments.h"

#include <fmt/format.h>

#include <array>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/option_groups.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr auto kTopologies = std::to_array<std::string_view>({"topoopt"});
constexpr auto kNetworkSearches = std::to_array<std::string_view>({"alternate", "each"});
constexpr std::uint64_t kMaxDegree = 1024;
constexpr std::uint64_t kMaxNetworkNpus = 4096;
constexpr std::uint64_t kMaxPaths = 64;
constexpr std::uint64_t kNetworkEvaluations = 10'000;

void refuse_beside_topology(const std::string& option, const std::string& found) {
  throw BadInput(
      fmt::format("{}: found '{}' with --topology; allowed: with a search for bandwidths", option,
                  shown(found)));
}

// Options of a search for bandwidths.
void refuse_bandwidths(const BandwidthStrings& others) {
  for (const auto& [option, text] :
       {std::pair("--size", &others.size), std::pair("--total", &others.total),
        std::pair("--order", &others.order), std::pair("--weights", &others.weights),
        std::pair("--mp", &others.mp), std::pair("--dp", &others.dp),
        std::pair("--pp", &others.pp)})
    if (!text->empty()) refuse_beside_topology(option, *text);
  for (const auto& [option, texts] :
       {std::pair("--at-least", &others.at_least), std::pair("--at-most", &others.at_most),
        std::pair("--sum", &others.sums), std::pair("--cost", &others.costs)})
    if (!texts->empty()) refuse_beside_topology(option, texts->front());
  if (others.goal != "time") refuse_beside_topology("--for", others.goal);
  if (others.engine != "model") refuse_beside_topology("--engine", others.engine);
}

}  // namespace

void TopooptStrings::add_to(CLI::App& command) {
  under(command, headings::kNetwork);
  offer(add(command, "--topology", topology, "NAME",
            "topoopt: in place of bandwidths, a network without switches, and a strategy MP x DP x "
            "PP, for one --workload (default resnet152)"),
        kTopologies);
  add(command, "--degree", degree, "N", "of --topology: interfaces of an NPU (default 4)");
  add(command, "--npus", npus, "N", "of --topology: NPUs (default: those of the machine)");
  add(command, "--link-bandwidth", link_bandwidth, "BANDWIDTH",
      "of --topology: of an interface, per direction (default 12.5GB/s)");
  add(command, "--link-latency", link_latency, "TIME", "of --topology: of a link (default 1us)");
  command.add_flag("--primes", primes, "of --topology: jumps of rings are 1 and primes alone");
  command.add_flag("--both-ways", both_ways,
                   "of --topology: rings both ways, by two interfaces each, in place of one way");
  add(command, "--paths", paths, "N",
      "of --topology: shortest paths that share what goes from NPU to NPU (default 4)");
  offer(add(command, "--search", search, "NAME",
            "of --topology: alternate (default), a network for the strategy and a strategy for the "
            "network by turns, or each, a network for every strategy"),
        kNetworkSearches);
  add(command, "--seed", seed, "N", "of --topology: of the search (default 1)");
  add(command, "--write", machine, "FILE.yaml",
      "of --topology: the network as a machine file, for --engine flow");
}

TopooptAsked TopooptStrings::checked(const BandwidthStrings& others) const {
  parse_word("--topology", topology, kTopologies);
  refuse_bandwidths(others);
  TopooptAsked asked;
  const auto number = [](const std::string& text, const char* option, int& value, std::uint64_t min,
                         std::uint64_t max) {
    if (!text.empty()) value = static_cast<int>(parse_number(text, option, min, max));
  };
  number(degree, "--degree", asked.finder.degree, 1, kMaxDegree);
  number(npus, "--npus", asked.npus, 2, kMaxNetworkNpus);
  number(paths, "--paths", asked.paths, 1, kMaxPaths);
  asked.link_bandwidth =
      parse_bandwidth(link_bandwidth.empty() ? "12.5GB/s" : link_bandwidth, "--link-bandwidth");
  asked.link_latency_ps =
      parse_time_ps(link_latency.empty() ? "1us" : link_latency, "--link-latency");
  asked.finder.kind = {.primes = primes, .both_ways = both_ways};
  asked.each = !search.empty() && parse_word("--search", search, kNetworkSearches) == 1;
  SeedStrings seeds;
  if (!seed.empty()) seeds.seed = seed;
  asked.seed = seeds.checked();
  asked.machine_file = machine;
  asked.max_evaluations =
      others.max_evaluations.empty()
          ? kNetworkEvaluations
          : parse_number(others.max_evaluations, "--max-evaluations", 1, kNetworkEvaluations);
  if (others.workloads.size() > 1)
    throw BadInput(
        fmt::format("--workload: found {} with --topology; allowed: one", others.workloads.size()));
  OptionTexts texts;
  if (!others.workloads.empty()) texts["--workload"] = others.workloads.front();
  texts["--minibatch"] = others.minibatch;
  texts["--microbatches"] = others.microbatches;
  const bool is_text = texts["--workload"].ends_with(".txt");
  if (!is_text || others.accounting != "serial") texts["--accounting"] = others.accounting;
  if (!is_text) texts["--execution"] = "stationary";
  asked.train = train_options(texts, {});
  asked.names_minibatch = !others.minibatch.empty();
  asked.names_microbatches = !others.microbatches.empty();
  return asked;
}

void TopooptStrings::refuse_without_topology() const {
  const auto refuse = [](const char* option) {
    throw BadInput(
        fmt::format("{}: found without --topology; allowed: with --topology topoopt", option));
  };
  for (const auto& [option, text] :
       {std::pair("--degree", &degree), std::pair("--npus", &npus),
        std::pair("--link-bandwidth", &link_bandwidth), std::pair("--link-latency", &link_latency),
        std::pair("--paths", &paths), std::pair("--search", &search), std::pair("--seed", &seed),
        std::pair("--write", &machine)})
    if (!text->empty()) refuse(option);
  if (primes) refuse("--primes");
  if (both_ways) refuse("--both-ways");
}

}  // namespace fredsim
