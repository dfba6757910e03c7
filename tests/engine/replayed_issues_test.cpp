// SPDX-License-Identifier: Apache-2.0
// Operations issued in loops, as a training run issues them, by callbacks and after waits, held and
// released rank by rank, with delays and dependencies, now and then another one in between:
// replayed ones give everything as a run in full.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/member.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/communicator.h"
#include "engine/window_counts.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

struct Outcome {
  std::vector<std::string> lines;
  std::uint64_t cycles = 0, replayed = 0, skipped = 0, evicted = 0;
};

// NPUs, and controllers where the machine has some.
std::vector<int> random_group(Random& random, const Topology& topology) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  for (int io = 0; io < std::ssize(topology.io_controllers); io += 3)
    group.push_back(io_member(io));
  for (std::size_t i = group.size(); i > 1; --i) std::swap(group[i - 1], group[random.below(i)]);
  group.resize(2 + random.below(std::min<std::size_t>(group.size(), 6) - 1));
  return group;
}

// Operations that one pass of a loop issues, in order.
struct Step {
  enum class Way : std::uint8_t { kAfterWait, kByCallback, kHeld, kDependent, kCalled };
  Way way = Way::kByCallback;
  std::vector<CollectiveSpec> work;
  std::uint64_t delay = 0;
  bool all_ranks = false;
};

Step random_step(Random& random, const Topology& topology, std::uint64_t max_bytes) {
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                    Collective::kAllGather, Collective::kBroadcast,
                                    Collective::kAllToAll};
  Step step;
  step.way = static_cast<Step::Way>(random.below(5));
  for (std::uint64_t n = 1 + random.below(2); n > 0; --n) {
    CollectiveSpec& spec = step.work.emplace_back();
    spec.collective = kCollectives[random.below(kCollectives.size())];
    spec.group = random_group(random, topology);
    spec.bytes = 1 + random.below(max_bytes);
    spec.vc = std::array{kMp, kPp, kDp}[random.below(3)];
  }
  step.delay = random.below(2) * random.below(1500);
  step.all_ranks = random.below(2) == 0;
  return step;
}

// The steps of a loop, `passes` times; a few of them are replaced by another step.
std::vector<Step> random_program(std::uint64_t seed, const Topology& topology, int passes,
                                 std::uint64_t max_bytes) {
  Random random(seed);
  std::vector<Step> steps, program;
  for (std::uint64_t n = 1 + random.below(4); n > 0; --n)
    steps.push_back(random_step(random, topology, max_bytes));
  for (int pass = 0; pass < passes; ++pass)
    for (const Step& step : steps)
      program.push_back(random.below(25) == 0 ? random_step(random, topology, max_bytes) : step);
  return program;
}

// Minimum with which each of them can do.
int fewest_rows(const std::vector<Step>& program, const Topology& topology) {
  PlanCache plans(topology);
  std::size_t rows = 1;
  for (const Step& step : program)
    rows = std::max(rows, plans.plan(step.work, OnConflict::kUnicast)->rows.size());
  return static_cast<int>(rows);
}

// Issues them.
class Issuer {
 public:
  Issuer(Communicator& communicator, std::vector<Step> program)
      : communicator_(communicator), program_(std::move(program)) {
    communicator.on_rank_complete([this](OperationHandle handle, int part, int rank) {
      note("{}: {} {} {}", communicator_.cycle(), handle, part, rank);
      rank_complete(handle, part, rank);
    });
    communicator.on_complete([this](const OperationReport& report) { complete(report); });
  }

  void run() {
    issue_next();
    while (next_ < program_.size()) {
      if (is_called_)
        communicator_.wait_all();
      else
        communicator_.wait(last_);
      if (next_ < program_.size() && program_[next_].way == Step::Way::kAfterWait) issue_next();
    }
    communicator_.finish();
  }
  std::vector<std::string> take_lines() { return std::move(lines_); }

 private:
  template <class... Values>
  void note(fmt::format_string<Values...> text, Values&&... values) {
    lines_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void issue_next() {
    const Step& step = program_[next_++];
    IssueOptions options{.seed = next_, .delay = step.delay, .on_conflict = OnConflict::kUnicast};
    if (step.way == Step::Way::kDependent && last_ != 0)
      options.after = {{.operation = last_, .all_ranks = step.all_ranks}};
    options.held = step.way == Step::Way::kHeld;
    last_ = communicator_.issue(step.work, options);
    call_for_next();
    if (!options.held) return;
    int number = 0;
    for (int p = 0; p < std::ssize(step.work); ++p) {
      for (int r = 0; r < std::ssize(step.work[p].group); ++r, ++number) {
        if (number % 3 == 1 && number_in_flight_ > 0)
          held_.push_back({last_, p, r});
        else
          communicator_.release(last_, p, r,
                                communicator_.cycle() + static_cast<std::uint64_t>(number) * 100);
      }
    }
  }

  // Issues the next step, possibly before this one ends; it also begins after a delay.
  void call_for_next() {
    if (next_ >= program_.size() || program_[next_].way != Step::Way::kCalled) return;
    is_called_ = true;
    communicator_.call_at(communicator_.cycle() + program_[next_].delay, [this] {
      is_called_ = false;
      issue_next();
    });
  }

  void rank_complete(OperationHandle handle, int part, int rank) {
    static_cast<void>(part);
    if (handle != last_ || next_ >= program_.size() || is_called_) return;
    if (rank != 0) return;
    // The next one is there before this one is complete everywhere.
    const Step::Way way = program_[next_].way;
    if (way == Step::Way::kHeld || way == Step::Way::kDependent) {
      ++number_in_flight_;
      issue_next();
    }
  }

  void complete(const OperationReport& report) {
    std::string parts;
    for (const auto& part : report.parts) parts += fmt::format(" {}-{}", part.start, part.end);
    note("{}: {} complete, issued {}, {} to {}, waited {} and {}, rows {} {} {}, parts{}",
         communicator_.cycle(), report.handle, report.issued, report.started, report.ended,
         report.waited_for_rows, report.waited_for_others, report.rows_loaded, report.rows_found,
         report.rows_evicted, parts);
    for (const auto& [handle, part, rank] : std::exchange(held_, {}))
      communicator_.release(handle, part, rank, communicator_.cycle() + 20);
    number_in_flight_ = 0;
    if (report.handle == last_ && next_ < program_.size() &&
        program_[next_].way == Step::Way::kByCallback)
      issue_next();
  }

  struct Held {
    OperationHandle handle;
    int part, rank;
  };
  Communicator& communicator_;
  std::vector<Step> program_;
  std::size_t next_ = 0;
  OperationHandle last_ = 0;
  int number_in_flight_ = 0;
  bool is_called_ = false;  // the next one will be issued by a call
  std::vector<Held> held_;
  std::vector<std::string> lines_;
};

void add_counts(Machine& machine, std::vector<std::string>& lines) {
  Fabric& fabric = machine.fabric();
  const FabricCounts counts = count_all(fabric.core(), fabric.topology(), fabric.switches());
  for (std::size_t l = 0; l < counts.links.size(); ++l)
    lines.push_back(fmt::format("{}: {} flits, {} short", fabric.topology().links[l].name,
                                counts.links[l].flits, counts.links[l].missing_bytes));
  for (std::size_t node = 0; node < counts.switches.size(); ++node) {
    if (!counts.switches[node]) continue;
    std::string line = fabric.topology().nodes[node].name + ":";
    for (const CounterInfo& counter : kSwitchCounters)
      line += fmt::format(" {}", (*counts.switches[node]).*counter.value);
    for (const std::uint64_t flits : counts.switches[node]->flits_in)
      line += fmt::format(" {}", flits);
    for (const std::uint64_t flits : counts.switches[node]->flits_out)
      line += fmt::format(" {}", flits);
    lines.push_back(line);
  }
  for (const std::uint64_t sent : machine.acknowledgements())
    lines.push_back(fmt::format("{} acknowledgements", sent));
}

Outcome run_program(const Topology& topology, std::uint64_t seed, bool few_rows, bool is_long,
                    const FabricOptions& options) {
  Simulation simulation;
  Machine machine("machine", topology, options);
  const std::vector<Step> program = is_long ? random_program(seed, topology, 4, 900'000)
                                            : random_program(seed, topology, 16, 8'000);
  const int rows = few_rows ? fewest_rows(program, topology) : 0;
  Outcome outcome;
  simulation.run([&] {
    Communicator communicator(machine, rows);
    communicator.begin();
    communicator.skip_idle();
    communicator.start();
    Issuer issuer(communicator, program);
    issuer.run();
    outcome.lines = issuer.take_lines();
    add_counts(machine, outcome.lines);
    const Communicator::Totals& totals = communicator.totals();
    outcome.lines.push_back(fmt::format(
        "{} operations, last end {}, {} flits, {} bytes, rows {} {} {}, {} words, {} streams",
        totals.operations, totals.last_end, totals.flits, totals.bytes, totals.rows_loaded,
        totals.rows_found, totals.rows_evicted, communicator.words_written(),
        communicator.max_streams()));
    outcome.cycles = totals.last_end;
    outcome.evicted = totals.rows_evicted;
    outcome.replayed = communicator.replayed_cycles();
    outcome.skipped = communicator.repeated_cycles() - outcome.replayed;
  });
  return outcome;
}

struct LoopMachine {
  const char* name;
  const char* config;
  std::vector<std::string> settings;
  bool few_rows;
  std::uint64_t seeds = 8;
  bool is_long = false;  // operations: periods recur in them
};

// Two L1 chiplets with two NPUs, an uplink and a controller each.
const std::vector<std::string> kControllers{
    "npu.count=4",          "io.count=2",       "io.bandwidth=128GB/s",
    "fabric.l1_switches=2", "fabric.uplinks=1", "fabric.uplink_bandwidth=600GB/s"};

class ReplayedIssues : public testing::TestWithParam<LoopMachine> {};

TEST_P(ReplayedIssues, AreThoseOfARunInFull) {
  const Topology topology = load_config(GetParam().config, GetParam().settings).topology;
  std::uint64_t cycles = 0, replayed = 0, skipped = 0, evicted = 0;
  for (std::uint64_t seed = 1; seed <= GetParam().seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto run_with = [&](const FabricOptions& options) {
      return run_program(topology, seed, GetParam().few_rows, GetParam().is_long, options);
    };
    const Outcome full = run_with({.skip = false});
    const Outcome fast = run_with({});
    ASSERT_EQ(full.lines.size(), fast.lines.size());
    for (std::size_t i = 0; i < full.lines.size(); ++i) ASSERT_EQ(fast.lines[i], full.lines[i]);
    EXPECT_EQ(full.replayed + full.skipped, 0U);
    // With hardly any memory, all that is known is forgotten again and again.
    const Outcome forgetful = run_with({.replay_bytes = std::size_t{256} << 10U});
    ASSERT_EQ(forgetful.lines, full.lines);
    cycles += full.cycles;
    evicted += full.evicted;
    replayed += fast.replayed;
    skipped += fast.skipped;
  }
  RecordProperty("cycles", static_cast<int>(cycles));
  RecordProperty("replayed", static_cast<int>(replayed));
  RecordProperty("skipped", static_cast<int>(skipped));
  if (GetParam().few_rows) {
    EXPECT_GT(evicted, 0U);
  }
  if (GetParam().is_long) {
    EXPECT_GT(skipped, 0U);
  }
  // A few loops on a large machine may have none that recurs.
  if (GetParam().seeds >= 8) {
    EXPECT_GT(replayed, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, ReplayedIssues,
    testing::Values(
        LoopMachine{"Fred", "configs/fred_small.yaml", {}, false},
        LoopMachine{"FredOfFewRows", "configs/fred_small.yaml", {}, true},
        LoopMachine{"LongOnFred", "configs/fred_small.yaml", {}, false, 12, true},
        LoopMachine{"LongOnReducingMesh", "configs/mesh_reducing.yaml", {}, false, 6, true},
        LoopMachine{"Mesh", "configs/mesh_2x2.yaml", {}, false},
        LoopMachine{"ReducingMesh", "configs/mesh_reducing.yaml", {}, false},
        LoopMachine{"FredWithControllers", "configs/fred_small.yaml", kControllers, true},
        LoopMachine{"Torus", "configs/torus.yaml", {}, false},
        LoopMachine{"WaferMesh", "configs/mesh.yaml", {}, false, 2},
        LoopMachine{"FredA", "configs/fred_a.yaml", {}, false, 2},
        LoopMachine{"FredB", "configs/fred_b.yaml", {}, true, 2},
        LoopMachine{"FredC", "configs/fred_c.yaml", {}, false, 2},
        LoopMachine{"FredD", "configs/fred_d.yaml", {}, true, 2}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace fredsim::test
