// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/algorithm.h"
#include "runner/option_values.h"
#include "runner/work_flows.h"
#include "switch/node_shape.h"
#include "topology/credit_loop.h"

namespace fredsim {
namespace {

constexpr double kSameTime = 1 - 1e-9;

// All algorithms of the collective, algorithms in the switches first.
std::vector<std::string> algorithms_with(Collective collective) {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : algorithms())
    if (algorithm->is_in_switches() && algorithm->has(collective))
      names.emplace_back(algorithm->name());
  for (const std::string_view name : endpoint_names(collective)) names.emplace_back(name);
  return names;
}

// Latency keys, "fabric.link_latency" or "fabric.dimensions.N.latency", or the file of the network.
std::string latency_keys(const MachineConfig& machine) {
  std::set<std::string> keys;
  std::string file = "the network's file";
  for (const MachineKey& key : machine.keys) {
    const auto* const value = std::get_if<std::string>(&key.value);
    if (value == nullptr) continue;
    if (key.path == "fabric.file") file = *value;
    const bool is_of_links = key.path.starts_with("fabric.") && key.path.ends_with("latency") &&
                             !key.path.ends_with("switch_latency");
    if (!is_of_links || value->starts_with("0 ")) continue;
    std::string alike;  // N in place of the number of an entry
    for (const std::string_view word : split_at(key.path, '.'))
      alike += fmt::format("{}{}", alike.empty() ? "" : ".",
                           std::isdigit(static_cast<unsigned char>(word.front())) ? "N" : word);
    keys.insert(alike);
  }
  return keys.empty() ? fmt::format("latency in {}", file)
                      : fmt::format("{}", fmt::join(keys, ", "));
}

// Best work found, and its difference from the given one.
struct Found {
  WorkOptions work{};
  double ns = 0;
  std::string option{};  // empty: no difference
};

class Doctor {
 public:
  Doctor(const MachineConfig& machine, const Topology& covered, const DiagnosedWork& work,
         std::uint64_t size)
      : machine_(machine),
        topology_(machine.topology),
        covered_(covered),
        work_(work),
        size_(size),
        flows_(topology_, work.options, size, work.seed) {}

  FlowDiagnosis run() {
    const RunResult given = flows_.run();
    result_.collective = given.collective;
    result_.algorithm = given.algorithm;
    result_.size_bytes = given.size_bytes;
    result_.time_ns = given.time_ns;
    result_.network_bound_ns = given.network_bound_ns;
    for (const auto& group : given.groups)
      result_.ranks = std::max(result_.ranks, static_cast<int>(group.size()));
    add_buffers();
    add_windows();
    add_paths();
    add_algorithm();
    add_latency();
    add_turns();
    result_.all_ns = all_lifted();
    return std::move(found_);
  }

 private:
  bool gains(double ns) const { return result_.factor(ns) > kNoGain; }
  void add(Limit limit, double ns, std::string lifted_by, std::string note = {}) {
    result_.limits.push_back({.limit = limit,
                              .time_ns = ns,
                              .lifted_by = std::move(lifted_by),
                              .note = std::move(note)});
  }
  void add_none(Limit limit, std::string why) {
    result_.limits.push_back({.limit = limit, .note = std::move(why)});
  }
  void add_option(Limit limit, Found best) {
    add(limit, best.ns, best.option);
    if (!best.option.empty()) found_.by_options.emplace_back(limit, std::move(best.work));
  }
  double ns_of(const Topology& topology, const WorkOptions& work, const FlowLifts& lifts = {}) {
    return WorkFlows(topology, work, size_, work_.seed).ns(lifts);
  }

  // ---- each limit

  void add_buffers() {
    WhichBuffers larger = larger_buffers(covered_, topology_);
    if (!larger.of_switches && !larger.of_npus) return add(Limit::kBuffers, result_.time_ns, "");
    const double both = ns_of(covered_, work_.options);
    const auto is_enough = [&](const WhichBuffers& which) {
      return ns_of(with_covering_buffers(topology_, which), work_.options) < both * kNoGain;
    };
    // Router pipelines, which flows do not model, may still need them.
    if (gains(both) && is_enough({.of_npus = false}))
      larger.of_npus = false;
    else if (gains(both) && is_enough({.of_switches = false}))
      larger.of_switches = false;
    std::vector<std::string> keys;
    if (larger.of_switches) keys.emplace_back("switch.input_buffer");
    if (larger.of_npus) keys.emplace_back("npu.receive_buffer");
    add(Limit::kBuffers, std::min(both, result_.time_ns),
        fmt::format("{}: auto", fmt::join(keys, ", ")));
  }

  void add_windows() {
    add(Limit::kWindows, flows_.ns({.windows = true}), "", "no key: set by the algorithm");
  }

  bool is_small() const { return topology_.npus.size() <= kMaxSpreadNpus; }
  void add_paths() {
    if (!is_small())
      return add_none(Limit::kPaths,
                      fmt::format("not tried with more than {} NPUs", kMaxSpreadNpus));
    const double ns = flows_.ns({.paths = true});
    add(Limit::kPaths, std::min(ns, result_.time_ns), "",
        "no key: one path per source, port, destination");
  }

  void add_algorithm() {
    if (!is_tried())
      return add_none(Limit::kAlgorithm,
                      fmt::format("not tried with more than {} NPUs", kMaxTriedNpus));
    add_option(Limit::kAlgorithm, best_algorithm(topology_, {}));
    if (too_large_ > 0)
      result_.limits.back().note = fmt::format("{} of {} too large to try", too_large_, tried_);
  }

  void add_latency() { add(Limit::kLatency, flows_.ns({.latency = true}), latency_keys(machine_)); }

  void add_turns() {
    if (topology_.blocks.size() == 1) return add_none(Limit::kTurns, "one dimension");
    if (topology_.blocks.size() > 1) {
      if (!is_tried())
        return add_none(Limit::kTurns,
                        fmt::format("not tried with more than {} NPUs", kMaxTriedNpus));
      return add_option(Limit::kTurns,
                        best_chunks(topology_, {work_.options, result_.time_ns, {}}, {}));
    }
    if (!adds_in_switches(topology_))
      return add_none(Limit::kTurns, "no dimensions, no phases in switches");
    add(Limit::kTurns, flows_.ns({.turns = true}), "switch.phases_in_use, of disjoint phases");
  }

  double all_lifted() {
    const FlowLifts lifts{.windows = true, .latency = true, .paths = is_small(), .turns = true};
    Found best{work_.options, ns_of(covered_, work_.options, lifts), {}};
    if (!is_tried()) return best.ns;
    best = best_algorithm(covered_, lifts);
    if (topology_.blocks.size() > 1) best = best_chunks(covered_, best, lifts);
    return best.ns;
  }

  // ---- algorithms and chunks

  bool is_tried() const { return topology_.npus.size() <= kMaxTriedNpus; }

  // Takes a work over if it is faster; works that the machine cannot run are skipped.
  void try_work(const Topology& topology, const FlowLifts& lifts, const WorkOptions& work,
                const std::string& option, Found& best) {
    try {
      ++tried_;
      if (plan_entries(topology, work, size_, work_.seed) > kMaxTriedEntries) {
        ++too_large_;
        return;
      }
      const double ns = ns_of(topology, work, lifts);
      if (ns < best.ns * kSameTime) best = {work, ns, option};
    } catch (const Error& error) {
      const bool cannot =
          error.code() == ExitCode::kBadInput || error.code() == ExitCode::kRoutingConflict;
      if (!cannot) throw;
    }
  }

  Found best_algorithm(const Topology& topology, const FlowLifts& lifts) {
    const WorkFlows given(topology, work_.options, size_, work_.seed);
    Found best{work_.options, given.ns(lifts), {}};
    if (!work_.work_file.empty()) return best_by_item(topology, lifts, std::move(best));
    const auto with = [&](const std::string& name) {
      WorkOptions work = best.work;
      for (WorkItem& item : work.items) item.algorithm = name;
      return work;
    };
    const auto try_name = [&](const std::string& name) {
      try_work(topology, lifts, with(name), "--algorithm " + name, best);
    };
    std::vector<std::string> words = words_by_dimension(given.algorithms_by_dimension());
    if (words.size() != topology.blocks.size()) words.assign(topology.blocks.size(), "auto");
    const std::vector<std::string> names = algorithms_with(work_.options.items.front().collective);
    if (words.empty()) {
      for (const std::string& name : names) try_name(name);
      return best;
    }
    for (std::string& word : words) {
      const std::string before = word;
      std::string chosen = before;
      for (const std::string& name : names) {
        const double ns = best.ns;
        word = name;
        try_name(fmt::format("{}", fmt::join(words, ",")));
        if (best.ns < ns) chosen = name;
      }
      word = chosen;
    }
    return best;
  }

  Found best_by_item(const Topology& topology, const FlowLifts& lifts, Found best) {
    std::vector<std::string> changes;
    for (std::size_t i = 0; i < best.work.items.size(); ++i) {
      const WorkItem item = best.work.items[i];
      const std::string called = item.name.empty() ? fmt::format("item {}", i + 1) : item.name;
      const double before = best.ns;
      std::string chosen;
      for (const std::string& name : algorithms_with(item.collective)) {
        WorkOptions work = best.work;
        work.items[i].algorithm = name;
        const double ns = best.ns;
        try_work(topology, lifts, work, "", best);
        if (best.ns < ns) chosen = name;
      }
      if (best.ns < before) changes.push_back(fmt::format("{}: {}", called, chosen));
    }
    if (!changes.empty()) best.option = fmt::format("algorithm: of {}", fmt::join(changes, ", "));
    return best;
  }

  Found best_chunks(const Topology& topology, Found best, const FlowLifts& lifts) {
    const std::string algorithm = best.option;
    constexpr std::array kOrders{std::pair{DimensionOrder::kBaseline, ChunkOrder::kPipelined},
                                 std::pair{DimensionOrder::kBaseline, ChunkOrder::kFifo},
                                 std::pair{DimensionOrder::kThemis, ChunkOrder::kFifo},
                                 std::pair{DimensionOrder::kThemis, ChunkOrder::kScf}};
    const auto try_chunking = [&](const Chunking& chunking) {
      WorkOptions work = best.work;
      work.chunking = chunking;
      try_work(topology, lifts, work, option_of(chunking), best);
    };
    for (const auto& [dimensions, chunks] : kOrders) {
      Chunking chunking = work_.options.chunking;
      chunking.dimension_order = dimensions;
      chunking.chunk_order = chunks;
      try_chunking(chunking);
    }
    for (const int chunks : {1, 4, 16, 64, 256}) {
      Chunking chunking = best.work.chunking;
      chunking.chunks = chunks;
      try_chunking(chunking);
    }
    if (best.option == algorithm) best.option.clear();
    return best;
  }

  // Options that differ from the given work.
  std::string option_of(const Chunking& chunking) const {
    const Chunking& given = work_.options.chunking;
    std::vector<std::string> options;
    if (chunking.chunks != given.chunks)
      options.push_back(fmt::format("--chunks {}", chunking.chunks));
    if (chunking.dimension_order != given.dimension_order)
      options.push_back(
          fmt::format("--dimension-order {}",
                      kDimensionOrders[static_cast<std::size_t>(chunking.dimension_order)]));
    const bool is_default = chunking.chunk_order == ChunkOrder::kFifo && !options.empty() &&
                            options.back().starts_with("--dimension-order");
    if (chunking.chunk_order != given.chunk_order && !is_default)
      options.push_back(fmt::format("--chunk-order {}",
                                    kChunkOrders[static_cast<std::size_t>(chunking.chunk_order)]));
    return fmt::format("{}", fmt::join(options, " "));
  }

  const MachineConfig& machine_;
  const Topology& topology_;
  const Topology& covered_;
  const DiagnosedWork& work_;
  const std::uint64_t size_;
  const WorkFlows flows_;
  int tried_ = 0, too_large_ = 0;  // works with other algorithms
  FlowDiagnosis found_;
  Diagnosis& result_ = found_.result;
};

}  // namespace

FlowDiagnosis diagnose_by_flows(const MachineConfig& machine, const Topology& covered,
                                const DiagnosedWork& work, std::uint64_t size) {
  return Doctor(machine, covered, work, size).run();
}

void put_in_order(Diagnosis& diagnosis) {
  for (LiftedLimit& limit : diagnosis.limits) {
    if (!limit.time_ns || diagnosis.factor(*limit.time_ns) > kNoGain) continue;
    limit.lifted_by.clear();
    if (limit.limit != Limit::kAlgorithm) limit.note.clear();
  }
  std::ranges::stable_sort(diagnosis.limits, std::greater<>(), [&](const LiftedLimit& limit) {
    return limit.time_ns ? diagnosis.factor(*limit.time_ns) : 0.0;
  });
}

}  // namespace fredsim
