// SPDX-License-Identifier: Apache-2.0
#include "runner/work_options.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/int128.h"
#include "runner/detail/chunk_options.h"
#include "runner/detail/group_members.h"
#include "runner/work_file.h"
#include "schedule_files/schedule_file.h"

namespace fredsim {

namespace {

// Cycles of a time, rounded up.
std::uint64_t cycles_of(std::uint64_t picoseconds, const Topology& topology) {
  constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;
  const Uint128 periods = static_cast<Uint128>(picoseconds) * topology.clock_hz;
  return static_cast<std::uint64_t>((periods + kPicoseconds - 1) / kPicoseconds);
}

}  // namespace

bool WorkOptions::whole_machine() const {
  return std::ranges::any_of(
      items, [](const WorkItem& item) { return std::ranges::any_of(item.groups, has_all_npus); });
}

bool WorkOptions::names_all_controllers() const {
  return std::ranges::any_of(items, [](const WorkItem& item) {
    return std::ranges::any_of(item.groups, fredsim::names_all_controllers);
  });
}

bool WorkOptions::has_order() const {
  return std::ranges::any_of(items, [](const WorkItem& item) {
    return !item.after.empty() || item.delay_ps > 0 || item.delay_cycles > 0 || item.repeat > 1;
  });
}

namespace {

std::vector<CollectiveSpec> specs_of(const WorkItem& item, const WorkOptions& work,
                                     const Topology& topology, std::uint64_t size,
                                     std::uint64_t seed) {
  const std::vector<int> npus = npus_of(work.placement, work.strategy, topology);
  const bool identity = work.placement.kind == Placement::Kind::kIdentity;
  std::vector<CollectiveSpec> specs;
  for (const std::vector<int>& asked : item.groups) {
    for (std::vector<int>& group : groups_on(topology, asked, npus, !identity)) {
      CollectiveSpec& spec = specs.emplace_back();
      spec.collective = item.collective;
      spec.group = std::move(group);
      spec.bytes = item.size.value_or(size);
      spec.algorithm = item.algorithm;
      spec.vc = item.vc;
      spec.root = item.root;
      spec.roots = item.roots;
      spec.order = work.packet_order;
      spec.chunking = work.chunking;
      spec.start_cycle = item.start_cycles + cycles_of(item.start_ps, topology);
      spec.matrix = item.matrix;
      if (item.collective == Collective::kAllToAllV && item.matrix.empty()) {
        spec.matrix = random_matrix(static_cast<int>(spec.group.size()), spec.bytes, seed);
      }
    }
  }
  return specs;
}

}  // namespace

std::vector<WorkStep> steps_of(const WorkOptions& work, const Topology& topology,
                               std::uint64_t size, std::uint64_t seed) {
  std::vector<WorkStep> steps;
  for (const WorkItem& item : work.items) {
    WorkStep& step = steps.emplace_back();
    step.name = item.name;
    step.specs = specs_of(item, work, topology, size, seed);
    for (const WorkItem::After& after : item.after)
      step.after.push_back({after.item, after.all_ranks});
    step.delay = item.delay_cycles + cycles_of(item.delay_ps, topology);
    step.repeat = item.repeat;
  }
  return steps;
}

std::vector<CollectiveSpec> specs_of(const WorkOptions& work, const Topology& topology,
                                     std::uint64_t size, std::uint64_t seed) {
  std::vector<CollectiveSpec> specs;
  for (const WorkItem& item : work.items)
    std::ranges::move(specs_of(item, work, topology, size, seed), std::back_inserter(specs));
  return specs;
}

namespace {

constexpr const char* kDefaultSize = "1MiB";
constexpr const char* kDefaultFactor = "2";

bool has_size(const OptionTexts& texts) {
  return texts.has("--size") || texts.has("-b") || texts.has("-e") || texts.has("-f");
}

std::vector<std::uint64_t> sizes_of(const OptionTexts& texts) {
  const bool is_sweep = texts.has("-b") || texts.has("-e") || texts.has("-f");
  if (is_sweep && texts.has("--size")) {
    throw BadInput(
        "--size: found together with -b, -e or -f; allowed: --size, or -b with -e and -f");
  }
  if (!is_sweep) {
    return {parse_collective_size(!texts.has("--size") ? kDefaultSize : texts["--size"], "--size")};
  }
  if (!texts.has("-b")) {
    throw BadInput(fmt::format("{}: found without -b; allowed: together with -b, the first size",
                               !texts.has("-e") ? "-f" : "-e"));
  }
  if (!texts.has("-e") && texts.has("-f")) {
    throw BadInput("-f: found without -e; allowed: together with -e, the largest size");
  }
  return parse_size_sweep(texts["-b"], texts["-e"],
                          !texts.has("-f") ? kDefaultFactor : texts["-f"]);
}

// The largest row sum.
std::uint64_t largest_row(const std::vector<std::uint64_t>& matrix) {
  const auto n = static_cast<std::ptrdiff_t>(std::lround(std::sqrt(matrix.size())));
  std::uint64_t largest = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const auto row = matrix.begin() + i * n;
    largest = std::max(largest, std::accumulate(row, row + n, std::uint64_t{0}));
  }
  return largest;
}

WorkItem item_of(const OptionTexts& texts) {
  WorkItem item;
  read_rows(kItemRows, texts, item);
  if (item.groups.empty()) item.groups.emplace_back();
  if (!texts.has("--matrix")) return item;
  if (item.collective != Collective::kAllToAllV) {
    throw BadInput(fmt::format("--matrix: found with --collective {}; allowed: with all_to_all_v",
                               to_string(item.collective)));
  }
  if (has_size(texts)) {
    throw BadInput("--matrix: found together with a size; allowed: one of them");
  }
  item.matrix = read_matrix(texts["--matrix"]);
  item.size = largest_row(item.matrix);
  if (*item.size == 0) {
    throw BadInput(fmt::format("--matrix {}: found nothing to send; allowed: a size above zero",
                               texts["--matrix"]));
  }
  return item;
}

void check_without(const OptionTexts& texts, const char* option, const char* allowed,
                   std::initializer_list<const char*> others) {
  for (const char* const other : others)
    if (texts.has(other))
      throw BadInput(
          fmt::format("{}: found together with {}; allowed: {}", other, option, allowed));
}

// Creates one item per dimension.
std::vector<WorkItem> items_of(const OptionTexts& texts, const Strategy& strategy,
                               const std::vector<Dimension>& dimensions) {
  if (dimensions.size() > 1) {
    check_without(texts, "several dimensions", "one dimension, or leave it out",
                  {"--collective", "--priority"});
  }
  std::vector<WorkItem> items;
  for (const Dimension dimension : dimensions) {
    WorkItem& item = items.emplace_back(item_of(texts));
    if (!texts.has("--collective")) item.collective = collective_of(dimension);
    if (!texts.has("--priority")) item.vc = vc_of(dimension);
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

void check_strategy(const OptionTexts& texts, const WorkOptions& options) {
  const bool needs_strategy = options.placement.needs_strategy();
  if (!options.strategy && (needs_strategy || texts.has("--dimension"))) {
    throw BadInput(fmt::format(
        "{}: found without --strategy; allowed: together with it",
        !texts.has("--dimension") ? "--placement " + texts["--placement"] : "--dimension"));
  }
  if (options.strategy && !texts.has("--dimension") && !needs_strategy) {
    throw BadInput(
        fmt::format("--strategy: found '{}' without --dimension; allowed: with it, or with "
                    "--placement paper or snake for the workers of --group or --work",
                    texts["--strategy"]));
  }
}

}  // namespace

WorkOptions work_options(const OptionTexts& texts) {
  WorkOptions options;
  read_rows(kWorkRows, texts, options);
  complete_chunking(texts, options.chunking);
  options.is_placed = texts.has("--placement") || texts.has("--dimension");
  options.finds_placement = texts["--placement"] == "auto";
  if (options.finds_placement) {
    if (options.strategy) options.placement = parse_placement("paper");
  } else if (options.is_placed) {
    options.placement = parse_placement(texts.has("--placement") ? texts["--placement"] : "paper");
  }
  check_strategy(texts, options);
  if (texts.has("--dimension")) {
    check_without(texts, "--dimension", "one of them",
                  {"--work", "--group", "--root", "--roots", "--matrix"});
    options.dimensions = parse_dimensions(texts["--dimension"]);
    options.items = items_of(texts, *options.strategy, options.dimensions);
  } else if (!texts.has("--work")) {
    options.items = {item_of(texts)};
  } else {
    check_without(
        texts, "--work", "in the work file",
        {"--collective", "--group", "--root", "--roots", "--algorithm", "--priority", "--matrix"});
    options.items = read_work_file(texts["--work"]);
  }
  std::uint64_t largest = 0;
  bool all_sized = !has_size(texts);
  for (const WorkItem& item : options.items) {
    all_sized = all_sized && item.size.has_value();
    largest = std::max(largest, item.size.value_or(0));
  }
  options.sizes = all_sized ? std::vector{largest} : sizes_of(texts);
  return options;
}

void add_work_files(const OptionTexts& texts, const WorkOptions& work, FileUses& files) {
  if (texts.has("--work")) files.inputs.push_back({"--work", texts["--work"]});
  if (texts.has("--matrix")) files.inputs.push_back({"--matrix", texts["--matrix"]});
  for (const std::string& word : words_by_dimension(texts["--algorithm"]))
    if (names_schedule(word)) files.inputs.push_back({"--algorithm", word});
  if (work.placement.kind == Placement::Kind::kFile)
    files.inputs.push_back({"--placement", work.placement.path});
}

}  // namespace fredsim
