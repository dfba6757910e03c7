// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/best_base.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/member.h"
#include "placement/worker_placement.h"
#include "report/output_file.h"
#include "runner/file_uses.h"
#include "runner/interrupt.h"

namespace fredsim {
namespace {

constexpr const char* kOption = "--write-placement";

// Machine name, reduced to characters that a file name can have without quotes.
std::string word_of(const std::string& machine) {
  std::string word;
  for (const char c : machine) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.') {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word;
}

std::vector<std::string> files_of(const std::string& file,
                                  const std::vector<NamedPlacement>& placements) {
  if (placements.size() == 1) return {file};
  std::vector<std::string> files;
  for (const NamedPlacement& placement : placements) {
    const std::filesystem::path given(file);
    const auto named = [&](const std::string& name) {
      std::filesystem::path path = given;
      path.replace_filename(
          fmt::format("{}.{}{}", given.stem().string(), name, given.extension().string()));
      return path.string();
    };
    std::string own = named(word_of(placement.machine));
    for (int n = 2; std::ranges::count(files, own) > 0; ++n)
      own = named(fmt::format("{}.{}", word_of(placement.machine), n));
    files.push_back(std::move(own));
  }
  return files;
}

// Traffic of workers by item; in sequence if the items have an order.
std::vector<WorkerTraffic> traffic_of(WorkOptions work, const Topology& topology,
                                      std::uint64_t seed) {
  work.placement = {};  // worker w on NPU w
  std::vector<WorkerTraffic> traffic;
  for (WorkStep& step : steps_of(work, topology, work.sizes.back(), seed))
    traffic.push_back({.work = std::move(step.specs), .times = static_cast<double>(step.repeat)});
  return traffic;
}

bool has_member_above(const std::vector<WorkerTraffic>& traffic, int workers) {
  return std::ranges::any_of(traffic, [&](const WorkerTraffic& kind) {
    return std::ranges::any_of(kind.work, [&](const CollectiveSpec& spec) {
      return std::ranges::any_of(spec.group, [&](int member) { return member >= workers; });
    });
  });
}

}  // namespace

WorkOptions work_on(const WorkOptions& asked, const Topology& topology, std::uint64_t seed,
                    bool is_best_base) {
  WorkOptions work = asked;
  if (is_best_base) {
    work.is_placed = true;
    for (WorkItem& item : work.items) item.algorithm = "auto";
  }
  if (!is_best_base && !asked.finds_placement) return work;
  if (!work.strategy && topology.failed.any()) return work;  // members are NPU numbers
  const WorkerPlacement given{work.placement.name(),
                              npus_of(work.placement, work.strategy, topology)};
  const std::vector<WorkerTraffic> traffic = traffic_of(work, topology, seed);
  const auto workers = static_cast<int>(given.npus.size());
  if (has_member_above(traffic, workers)) return work;  // refused later, by the planner
  const PlacementSearch search{
      .seed = seed, .on_conflict = work.on_conflict, .at_once = !work.has_order(), .given = given};
  WorkerPlacement found = work.strategy ? auto_placement(*work.strategy, topology, traffic, search)
                                        : auto_placement(workers, topology, traffic, search);
  work.placement = {
      .kind = Placement::Kind::kFile, .path = std::move(found.name), .npus = std::move(found.npus)};
  return work;
}

MachineConfig best_of(const MachineConfig& base) {
  MachineConfig best = base;
  best.topology.name += " (best)";
  return best;
}

void write_placements(const std::string& file, const FileUses& files,
                      const std::vector<NamedPlacement>& placements) {
  if (file == "-") throw BadInput(fmt::format("{}: found '-'; allowed: a file", kOption));
  const std::vector<std::string> paths = files_of(file, placements);
  std::vector<FileUse> outputs = files.outputs;
  std::erase_if(outputs, [](const FileUse& use) { return use.option == kOption; });
  for (const std::string& path : paths) outputs.push_back({kOption, path});
  check_outputs(files.inputs, outputs);
  std::vector<OutputFile> written;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    written.emplace_back(paths[i], kOption, &interrupt_flag());
    texts.push_back(fmt::format("# NPUs of {} by worker\n[{}]\n", placements[i].machine,
                                fmt::join(placements[i].npus, ", ")));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  OutputFile::write_together(written, views);
}

}  // namespace fredsim
