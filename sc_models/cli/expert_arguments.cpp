// SPDX-License-Identifier: Apache-2.0
#include "cli/expert_arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/config_tree.h"
#include "base/error.h"
#include "cli/add_option.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr double kMaxCapacity = 1000;

double parse_capacity(const std::string& text) {
  double factor = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, factor);
  if (error == std::errc() && stop == end && factor > 0 && factor <= kMaxCapacity) return factor;
  throw BadInput(
      fmt::format("--capacity: found '{}'; allowed: a number above 0, {:g} at most, such as 1.25",
                  shown(text), kMaxCapacity));
}

}  // namespace

void ExpertStrings::add_to(CLI::App& command) {
  under(command, heading::kExperts);
  add(command, "--ep", ep, "N",
      "workers of a stage that experts are spread over, which divide MP x DP (default 1)");
  offer(add(command, "--router", router, "WHAT",
            "tokens of each expert: uniform (default), zipf:S, the r-th most popular of a layer in "
            "proportion to 1/r^S, drawn by --seed, or a file of shares or tokens"),
        "uniform zipf:1");
  offer(add(command, "--expert-placement", placement, "WHERE",
            "experts of each rank: contiguous (default), balanced, what a search finds for the "
            "router, or a file"),
        "contiguous balanced");
  add(command, "--expert-slots", slots, "N",
      "experts of a rank; more than --ep divides them into: copies of some, which share their "
      "tokens (balanced: of the hottest)");
  add(command, "--capacity", capacity, "F",
      "an expert takes F times its mean share of a rank's tokens at most, others are dropped "
      "(default: no limit)");
}

std::vector<std::pair<const char*, const std::string*>> ExpertStrings::all() const {
  return {{"--ep", &ep},
          {"--router", &router},
          {"--expert-placement", &placement},
          {"--expert-slots", &slots},
          {"--capacity", &capacity}};
}

ExpertOptions ExpertStrings::checked() const {
  using Placing = ExpertOptions::Placing;
  constexpr std::uint64_t kMaxSlots = 1 << 12;
  ExpertOptions options;
  for (const auto& [option, text] : all())
    if (!text->empty() && options.given.empty())
      options.given = fmt::format("{}: found '{}'", option, shown(*text));
  if (!ep.empty()) options.ep = static_cast<int>(parse_number(ep, "--ep", 1, 1 << 16));
  if (!router.empty()) options.router = parse_router(router, options.seed);
  if (!slots.empty())
    options.slots = static_cast<int>(parse_number(slots, "--expert-slots", 1, kMaxSlots));
  if (!capacity.empty()) options.capacity = parse_capacity(capacity);
  if (placement.empty()) return options;
  options.placement = placement;
  options.placing = placement == "contiguous" ? Placing::kContiguous
                    : placement == "balanced" ? Placing::kBalanced
                                              : Placing::kFile;
  if (options.placing != Placing::kFile) return options;
  if (!slots.empty())
    throw BadInput(fmt::format(
        "--expert-slots: found '{}' together with --expert-placement {}; allowed: one of them",
        shown(slots), shown(placement)));
  std::error_code error;  // such as a name that is too long
  if (!std::filesystem::exists(placement, error))
    throw BadInput(
        fmt::format("--expert-placement: found '{}'; allowed: contiguous, balanced or a file",
                    shown(placement)));
  options.of_file = read_expert_placement(placement);
  return options;
}

void add_expert_files(const ExpertOptions& options, std::vector<FileUse>& inputs) {
  if (options.router.kind == RouterOptions::Kind::kFile)
    inputs.push_back({"--router", options.router.name});
  if (options.placing == ExpertOptions::Placing::kFile)
    inputs.push_back({"--expert-placement", options.placement});
}

}  // namespace fredsim
