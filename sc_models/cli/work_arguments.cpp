// SPDX-License-Identifier: Apache-2.0
#include "cli/work_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/int128.h"
#include "base/suggest.h"
#include "cli/add_option.h"
#include "collective/algorithm.h"
#include "plan/chunk_rows.h"
#include "runner/chunk_options.h"
#include "runner/group_members.h"
#include "runner/option_values.h"
#include "runner/work_file.h"
#include "systems/system_plan.h"

namespace fredsim {
namespace {

constexpr auto kRowArray = rows::join(
    std::to_array({rows::word<WorkOptions, &WorkOptions::on_conflict>(
        {.name = "--on-conflict",
         .value = "WHAT",
         .heading = headings::kPlacement,
         .words = "refuse later unicast",
         .meaning = "groups that the switches cannot route together: refuse (default), later or "
                    "unicast"})}),
    kChunkRows<WorkOptions, &WorkOptions::chunking>,
    std::to_array({rows::word<WorkOptions, &WorkOptions::packet_order>(
        {.name = "--packet-order",
         .value = "WHAT",
         .heading = headings::kModel,
         .words = "auto arrival recurring paced",
         .meaning =
             "of packets that wait for a channel. arrival: what came first. recurring: those of "
             "all-reduces at the endpoints in an order known beforehand, in which the machine's "
             "state recurs, so that large sizes are quickly simulated. auto (default): recurring "
             "where that changes cycles by less than a percent, else arrival. paced: on a mesh or "
             "torus, all collectives in an order, and NPUs start packets evenly: about half a "
             "percent slower"})}));

constexpr std::span<const OptionRow<WorkOptions>> kRows = kRowArray;

constexpr const char* kDefaultSize = "1MiB";
constexpr const char* kDefaultFactor = "2";

bool has_size(const WorkStrings& strings) {
  return !strings.size.empty() || !strings.begin.empty() || !strings.end.empty() ||
         !strings.factor.empty();
}

std::vector<std::uint64_t> sizes_of(const WorkStrings& strings) {
  const bool is_sweep = !strings.begin.empty() || !strings.end.empty() || !strings.factor.empty();
  if (is_sweep && !strings.size.empty()) {
    throw BadInput(
        "--size: found together with -b, -e or -f; allowed: --size, or -b with -e and -f");
  }
  if (!is_sweep) {
    return {parse_collective_size(strings.size.empty() ? kDefaultSize : strings.size, "--size")};
  }
  if (strings.begin.empty()) {
    throw BadInput(fmt::format("{}: found without -b; allowed: together with -b, the first size",
                               strings.end.empty() ? "-f" : "-e"));
  }
  if (strings.end.empty() && !strings.factor.empty()) {
    throw BadInput("-f: found without -e; allowed: together with -e, the largest size");
  }
  return parse_size_sweep(strings.begin, strings.end,
                          strings.factor.empty() ? kDefaultFactor : strings.factor);
}

// The largest sum of a row.
std::uint64_t largest_row(const std::vector<std::uint64_t>& matrix) {
  const auto n = static_cast<std::ptrdiff_t>(std::lround(std::sqrt(matrix.size())));
  std::uint64_t largest = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const auto row = matrix.begin() + i * n;
    largest = std::max(largest, std::accumulate(row, row + n, std::uint64_t{0}));
  }
  return largest;
}

WorkItem item_of(const WorkStrings& strings) {
  WorkItem item;
  if (!strings.collective.empty()) item.collective = parse_collective(strings.collective);
  if (!strings.algorithm.empty()) item.algorithm = strings.algorithm;
  if (!strings.priority.empty()) item.vc = parse_priority(strings.priority);
  if (!strings.root.empty()) {
    item.root =
        static_cast<int>(parse_number(strings.root, "--root", 0, std::numeric_limits<int>::max()));
  }
  if (!strings.roots.empty()) {
    item.roots = static_cast<int>(
        parse_number(strings.roots, "--roots", 1, std::numeric_limits<int>::max()));
  }
  for (const std::string& text : strings.groups) item.groups.push_back(parse_group(text));
  if (item.groups.empty()) item.groups.emplace_back();
  if (strings.matrix.empty()) return item;
  if (item.collective != Collective::kAllToAllV) {
    throw BadInput(fmt::format("--matrix: found with --collective {}; allowed: with all_to_all_v",
                               to_string(item.collective)));
  }
  if (has_size(strings)) {
    throw BadInput("--matrix: found together with a size; allowed: one of them");
  }
  item.matrix = read_matrix(strings.matrix);
  item.size = largest_row(item.matrix);
  if (*item.size == 0) {
    throw BadInput(fmt::format("--matrix {}: found nothing to send; allowed: a size above zero",
                               strings.matrix));
  }
  return item;
}

void check_without(const char* option, const char* allowed,
                   std::initializer_list<std::pair<const char*, bool>> others) {
  for (const auto& [other, given] : others) {
    if (given)
      throw BadInput(
          fmt::format("{}: found together with {}; allowed: {}", other, option, allowed));
  }
}

// One item per dimension.
std::vector<WorkItem> items_of(const WorkStrings& strings, const Strategy& strategy,
                               const std::vector<Dimension>& dimensions) {
  if (dimensions.size() > 1) {
    check_without(
        "several dimensions", "one dimension, or leave it out",
        {{"--collective", !strings.collective.empty()}, {"--priority", !strings.priority.empty()}});
  }
  std::vector<WorkItem> items;
  for (const Dimension dimension : dimensions) {
    WorkItem& item = items.emplace_back(item_of(strings));
    if (strings.collective.empty()) item.collective = collective_of(dimension);
    if (strings.priority.empty()) item.vc = vc_of(dimension);
    item.groups = groups_of(strategy, dimension);
    if (item.groups.empty()) {
      throw BadInput(
          fmt::format("--dimension: found '{}', along which {} has no communication; "
                      "allowed: dimensions of two or more",
                      to_string(dimension), to_string(strategy)));
    }
  }
  return items;
}

}  // namespace

void WorkStrings::add_to(CLI::App& command) {
  offer(
      add(command, "--collective", collective, "NAME",
          "all_reduce (default), reduce_scatter, all_gather, reduce, broadcast, multicast, gather, "
          "scatter, all_to_all, all_to_all_v or unicast"),
      "all_reduce reduce_scatter all_gather reduce broadcast multicast gather scatter all_to_all "
      "all_to_all_v unicast");
  add(command, "--size", size, "SIZE",
      fmt::format("as NCCL counts it: 4096, 4K = 4KiB, 1.5MB, 1e6 (default {})", kDefaultSize));
  add(command, "-b", begin, "SIZE", "sweep of sizes: the first; without -e the only one");
  add(command, "-e", end, "SIZE", "sweep of sizes: the largest");
  add(command, "-f", factor, "N",
      fmt::format("sweep of sizes: factor from each to the next (default {})", kDefaultFactor));
  add(command, "--group", groups, "RANKS",
      "who takes part: all (default: all NPUs), 0,1,5,6 or 0-3,8. I/O controllers are io0, io0-3 "
      "or io:all; several groups run at the same time, io:each,all is one per controller");
  add(command, "--root", root, "R",
      "position in the group of who has or gets the data (default 0)");
  add(command, "--roots", roots, "N",
      "multicast, reduce: the first N of the group are roots, each of its share of the data, all "
      "at "
      "once: weights from I/O controllers to NPUs, and gradients back");
  offer(add(command, "--algorithm", algorithm, "NAME",
            "auto (default: the one estimated to be the fastest), paper (the paper's), ring, tree, "
            "in_switch and more. All: " +
                algorithm_names()),
        algorithm_words());
  offer(add(command, "--priority", priority, "NAME", "virtual channel: mp, pp or dp (default)"),
        "mp pp dp");
  add(command, "--matrix", matrix, "FILE",
      "all_to_all_v: bytes from rank to rank, N x N, JSON or CSV (default: random)");
  add(command, "--work", work, "FILE.yaml",
      "several collectives, at the same time or one after the other");
  under(command, headings::kPlacement);
  add(command, "--strategy", strategy, "mpM-dpD-ppP",
      "3D parallelism: M x D x P workers, rank = mp + M (dp + D pp)");
  offer(
      add(command, "--dimension", dimension, "NAME",
          "with --strategy: the groups of mp (all_reduce), dp (all_reduce) or pp (multicast to the "
          "next stage), each at its own priority; several at the same time: mp,dp"),
      "mp pp dp");
  offer(
      add(command, "--placement", placement, "WHERE",
          "NPU of every worker: paper (default with --dimension: mp + M (pp + P dp)), snake (the "
          "same, "
          "there and back along the rows of a grid), identity (default of --group and --work), a "
          "file with a list of NPUs, or auto: the best for this work's traffic of these and what a "
          "search finds"),
      "paper snake identity auto");
  add_rows(command, kRows, texts);
}

void WorkStrings::check_strategy(const WorkOptions& options) const {
  const bool needs_strategy = options.placement.needs_strategy();
  if (!options.strategy && (needs_strategy || !dimension.empty())) {
    throw BadInput(fmt::format("{}: found without --strategy; allowed: together with it",
                               dimension.empty() ? "--placement " + placement : "--dimension"));
  }
  if (options.strategy && dimension.empty() && !needs_strategy) {
    throw BadInput(
        fmt::format("--strategy: found '{}' without --dimension; allowed: with it, or with "
                    "--placement paper or snake for the workers of --group or --work",
                    strategy));
  }
}

WorkOptions WorkStrings::checked() const {
  WorkOptions options;
  read_rows(kRows, texts, options);
  complete_chunking(texts, options.chunking);
  if (!strategy.empty()) options.strategy = parse_strategy(strategy);
  options.is_placed = !placement.empty() || !dimension.empty();
  options.finds_placement = placement == "auto";
  if (options.finds_placement) {
    if (options.strategy) options.placement = parse_placement("paper");
  } else if (options.is_placed) {
    options.placement = parse_placement(placement.empty() ? "paper" : placement);
  }
  check_strategy(options);
  if (!dimension.empty()) {
    check_without("--dimension", "one of them",
                  {{"--work", !work.empty()},
                   {"--group", !groups.empty()},
                   {"--root", !root.empty()},
                   {"--roots", !roots.empty()},
                   {"--matrix", !matrix.empty()}});
    options.dimensions = parse_dimensions(dimension);
    options.items = items_of(*this, *options.strategy, options.dimensions);
  } else if (work.empty()) {
    options.items = {item_of(*this)};
  } else {
    check_without("--work", "in the work file",
                  {{"--collective", !collective.empty()},
                   {"--group", !groups.empty()},
                   {"--root", !root.empty()},
                   {"--roots", !roots.empty()},
                   {"--algorithm", !algorithm.empty()},
                   {"--priority", !priority.empty()},
                   {"--matrix", !matrix.empty()}});
    options.items = read_work_file(work);
  }
  std::uint64_t largest = 0;
  bool all_sized = !has_size(*this);
  for (const WorkItem& item : options.items) {
    all_sized = all_sized && item.size.has_value();
    largest = std::max(largest, item.size.value_or(0));
  }
  options.sizes = all_sized ? std::vector{largest} : sizes_of(*this);
  return options;
}

void add_work_files(const WorkStrings& strings, const WorkOptions& work, FileUses& files) {
  if (!strings.work.empty()) files.inputs.push_back({"--work", strings.work});
  if (!strings.matrix.empty()) files.inputs.push_back({"--matrix", strings.matrix});
  if (work.placement.kind == Placement::Kind::kFile)
    files.inputs.push_back({"--placement", work.placement.path});
}

}  // namespace fredsim
