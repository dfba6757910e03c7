#include "engine/machine.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>
#include <utility>

#include "base/error.h"
#include "collective/equal_slices.h"
#include "collective/link_load.h"
#include "endpoint/io_controller.h"
#include "endpoint/npu.h"
#include "endpoint/npu_observers.h"
#include "engine/part_results.h"
#include "engine/recurrence.h"
#include "fabric/control_plane.h"
#include "fabric/diagnosis.h"
#include "fabric/run_counts.h"
#include "fabric/window_counts.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"
#include "trace/collective_breakdown.h"
#include "trace/timeline_recorder.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kProgressCycles = 4096;

bool matches(const std::string& pattern, const Node& node) {
  return ::fnmatch(pattern.c_str(), node.name.c_str(), 0) == 0;
}

// Who asks for RTL, a comparison or a wave wants to have it of every switch.
bool may_leave_slices_out(const Topology& topology, const FabricOptions& options) {
  return topology.is_tree() && topology.rtl_top.empty() && !topology.fred.simulate_all_slices &&
         options.model == SwitchModel::kTlm && options.rtl_instances.empty() &&
         options.wave.file.empty() && options.timeline == nullptr;
}

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

SwitchModel model_of(const Node& node, const FabricOptions& options) {
  if (matches(options.rtl_instances, node)) return SwitchModel::kRtl;
  const bool wave =
      !options.wave.file.empty() && !options.wave.links_only && matches(options.wave.scope, node);
  return wave && options.model == SwitchModel::kTlm ? SwitchModel::kRtl : options.model;
}

class StopClock {
 public:
  explicit StopClock(Fabric& fabric) : fabric_(fabric) {}
  ~StopClock() {
    fabric_.stop();
    fabric_.on_cycle({});
  }
  StopClock(const StopClock&) = delete;
  StopClock& operator=(const StopClock&) = delete;

 private:
  Fabric& fabric_;
};

}  // namespace

SwitchFactory factory_for(const FabricOptions& options) {
  return [options, context = std::make_shared<RtlContext>()](const Node& node,
                                                             const SwitchShape& shape) {
    if (is_set(options.stop)) throw Interrupted("interrupted while switches were built");
    return make_switch(model_of(node, options), shape, node.name, context);
  };
}

std::vector<NeededSwitch> needed_rtl(const Topology& topology, const FabricOptions& options) {
  std::vector<NeededSwitch> needed;
  std::set<std::string> entries;
  for (const Node& node : topology.nodes) {
    if (node.is_endpoint()) continue;
    const SwitchShape shape = switch_shape(topology, node, options.lanes);
    if (!has_rtl(model_of(node, options), shape) || !entries.insert(size_entry(shape)).second)
      continue;
    needed.push_back({shape, fmt::format("{}, {}", topology.name, node.name)});
  }
  return needed;
}

struct Machine::Parts {
  // `one_for_equal`: slices that do the same need not all be simulated.
  Parts(const Topology& t, const FabricOptions& o, const SwitchFactory& factory,
        bool one_for_equal);

  RunResult run(const Plan& plan, const std::function<void(const Progress&)>& on_progress);
  RunResult run_to_end(CollectiveJob& job, const Plan& plan,
                       const std::function<void(const Progress&)>& on_progress);
  void check(const Plan& plan) const;
  void reset_all();
  void prepare(std::span<const PhaseProgram> programs, bool online_routes);
  std::uint64_t run_collective(CollectiveJob& job, const Plan& plan,
                               const std::function<void(const Progress&)>& on_progress);
  void start_npus(CollectiveJob& job, const Plan& plan);
  void release_due(CollectiveJob& job, const Plan& plan, std::uint64_t cycle);
  void skip(const CollectiveJob& job, Recurrence& recurrence, std::uint64_t cycle);
  bool is_stuck(const CollectiveJob& job, std::uint64_t cycle);
  void drain();
  std::vector<std::uint64_t> acknowledgements() const;
  [[noreturn]] void fail_stuck(const std::string& what, const CollectiveJob& job,
                               FailureCause cause, std::uint64_t edge);

  const Topology& topology;
  FabricOptions options;
  Fabric fabric;
  ControlPlane control;
  std::vector<std::unique_ptr<Npu>> npus;  // by node, null elsewhere
  std::vector<std::unique_ptr<IoController>> ios;
  std::vector<const Npu*> all_npus;
  std::vector<Npu*> members;  // of the plan under way
  std::uint64_t idle_cycles = 0, repeated_cycles = 0,
                repeated_flit_hops = 0;            // of the run that were skipped
  std::unique_ptr<TimelineRecorder> recorder;      // null: nobody looks
  std::unique_ptr<CollectiveBreakdown> breakdown;  // the same
  NpuObservers observers;
  std::unique_ptr<WaveRecorder> wave;
  std::uint64_t watchdog;
  bool one_for_equal_slices;
};

Machine::Parts::Parts(const Topology& t, const FabricOptions& o, const SwitchFactory& factory,
                      bool one_for_equal)
    : topology(t),
      options(o),
      fabric("fabric", t, o.lanes, factory),
      control("control", fabric),
      npus(t.nodes.size()),
      watchdog(watchdog_cycles(t)),
      one_for_equal_slices(one_for_equal) {
  for (NodeId id = 0; id < static_cast<NodeId>(t.nodes.size()); ++id) {
    const Node& node = t.nodes[id];
    if (node.kind == NodeKind::kNpu) {
      npus[id] = std::make_unique<Npu>(node.name.c_str(), node.ports, o.lanes);
      all_npus.push_back(npus[id].get());
      npus[id]->tx.bind(fabric.nic(id).tx);
      fabric.nic(id).rx.bind(npus[id]->rx);
    } else if (node.kind == NodeKind::kIo) {
      auto& io = *ios.emplace_back(
          std::make_unique<IoController>(node.name.c_str(), node.address, o.lanes, t.packet_flits));
      io.tx.bind(fabric.nic(id).tx);
      fabric.nic(id).rx.bind(io.rx);
    }
  }
  control.stop_on(o.stop);
  if (o.timeline != nullptr) {
    recorder = std::make_unique<TimelineRecorder>(
        *o.timeline, o.timeline_level, o.timeline_name.empty() ? t.name : o.timeline_name, fabric);
    observers.add(*recorder);
  }
  if (o.breakdown.is_on) {
    breakdown = std::make_unique<CollectiveBreakdown>(o.breakdown, fabric);
    observers.add(*breakdown);
  }
  if (!observers.empty()) {
    for (const NodeId npu : t.npus) npus[npu]->observe(observers, npu);
  }
  if (!o.wave.file.empty()) wave = std::make_unique<WaveRecorder>(fabric, o.wave);
}

Machine::Machine(sc_core::sc_module_name name, const Topology& topology,
                 const FabricOptions& options)
    : sc_core::sc_module(name),
      parts_(std::make_unique<Parts>(topology, options, factory_for(options),
                                     may_leave_slices_out(topology, options))) {}

Machine::Machine(sc_core::sc_module_name name, const Topology& topology,
                 const FabricOptions& options, const SwitchFactory& factory)
    : sc_core::sc_module(name),
      parts_(std::make_unique<Parts>(topology, options, factory, false)) {}

Machine::~Machine() = default;

Fabric& Machine::fabric() { return parts_->fabric; }

WaveRecorder* Machine::wave() { return parts_->wave.get(); }

Npu& Machine::npu(NodeId node) { return *parts_->npus[node]; }

ControlPlane& Machine::control() { return parts_->control; }

const FabricOptions& Machine::options() const { return parts_->options; }

std::span<const Npu* const> Machine::npus() const { return parts_->all_npus; }

std::uint64_t Machine::watchdog() const { return parts_->watchdog; }

void Machine::set_up(bool online_routes) {
  parts_->reset_all();
  parts_->prepare({}, online_routes);
}

void Machine::stop() {
  parts_->fabric.stop();
  parts_->fabric.on_cycle({});
}

void Machine::drain() { parts_->drain(); }

std::vector<std::uint64_t> Machine::acknowledgements() const { return parts_->acknowledgements(); }

std::vector<std::uint64_t> Machine::Parts::acknowledgements() const {
  std::vector<std::uint64_t> sent(npus.size());
  for (std::size_t node = 0; node < npus.size(); ++node) {
    if (npus[node] != nullptr) sent[node] = npus[node]->acknowledgements();
  }
  return sent;
}

RunResult Machine::run(const Plan& plan, const std::function<void(const Progress&)>& on_progress) {
  TimelineRecorder* const recorder = parts_->recorder.get();
  bool is_again = false;  // after the search for a wave's trigger
  return run_recorded(parts_->wave.get(), [&] {
    if (std::exchange(is_again, true) && recorder != nullptr) recorder->drop_run();
    return parts_->run(plan, on_progress);
  });
}

void Machine::Parts::check(const Plan& plan) const {
  for (const Part& part : plan.parts) {
    for (const NodeId node : part.members) {
      if (node < 0 || node >= static_cast<NodeId>(npus.size()) || npus[node] == nullptr) {
        throw BadInput(fmt::format("plan: node {} is not an NPU of {}", node, topology.name));
      }
    }
  }
}

void Machine::Parts::reset_all() {
  fabric.reset();
  for (const auto& npu : npus) {
    if (npu != nullptr) npu->stop();
  }
  for (const auto& io : ios) io->reset();
  members.clear();
}

void Machine::Parts::prepare(std::span<const PhaseProgram> programs, bool online_routes) {
  fabric.on_cycle([] { return false; });
  fabric.start(Fabric::SetUp::kByHost);
  control.configure();
  control.load(programs);
  if (online_routes) control.load_online_routes();
}

RunResult Machine::Parts::run(const Plan& plan,
                              const std::function<void(const Progress&)>& on_progress) {
  check(plan);
  reset_all();
  const StopClock stop_clock(fabric);
  const EqualSlices simulated =
      one_for_equal_slices ? find_equal_slices(topology, plan) : all_slices(topology, plan);
  prepare(simulated.plan.programs, needs_online_routes(topology, simulated.plan));

  CollectiveJob job(simulated.plan, topology, options.seed, options.lanes, simulated.copies);
  if (breakdown != nullptr) breakdown->begin_run(job, simulated.copies);

  RunResult result = run_to_end(job, simulated.plan, on_progress);
  result.fabric = topology.name;
  result.model = model_names(fabric.switches());
  result.lanes = options.lanes;
  result.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  result.seed = options.seed;
  result.time_ns = static_cast<double>(result.cycles) / result.clock_ghz;
  result.bound_ns = plan.bound_ns;
  fill_parts(topology, plan, job, result);
  if (breakdown != nullptr) breakdown->fill(result);
  result.payload = result.incomplete ? "incomplete" : "exact";
  result.delivered_bytes = job.delivered_bytes();
  if (const int slices = in_switch_slices(plan); slices > 0) {
    result.slices = slices;
    result.slices_simulated = in_switch_slices(simulated.plan);
  }
  fill_counts(simulated, fabric, control, acknowledgements(), result.cycles, result);
  return result;
}

// Until all is delivered and drained, or the run was stopped; a failure is marked on the timeline while there
// is still all that it shows. Fills cycles, cost and whether the run is complete.
RunResult Machine::Parts::run_to_end(CollectiveJob& job, const Plan& plan,
                                     const std::function<void(const Progress&)>& on_progress) {
  try {
    RunResult result;
    const auto wall_start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    result.cycles = run_collective(job, plan, on_progress);
    result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    result.wall_s = wall.count();
    result.idle_cycles = idle_cycles;
    result.repeated_cycles = repeated_cycles;
    result.repeated_flit_hops = repeated_flit_hops;
    result.sim_cycles_per_s =
        static_cast<double>(result.cycles -
                            std::min(result.cycles, idle_cycles + repeated_cycles)) /
        wall.count();
    result.incomplete = !job.done();
    if (recorder != nullptr) recorder->end_run(result.cycles);
    if (result.incomplete) return result;
    drain();
    if (const std::string wrong = describe_imbalance(fabric, control, members); !wrong.empty()) {
      throw RunFailed("flits and credits do not balance at the end:" + wrong);
    }
    return result;
  } catch (const RunFailed& failed) {
    if (recorder != nullptr) recorder->run_failed(failed.what());
    throw;
  }
}

// Returns the cycles from the first edge to the one at which the last result is complete, or to the one at
// which the run was stopped.
std::uint64_t Machine::Parts::run_collective(
    CollectiveJob& job, const Plan& plan, const std::function<void(const Progress&)>& on_progress) {
  FabricCore& core = fabric.core();
  idle_cycles = repeated_cycles = repeated_flit_hops = 0;
  core.clear_counts();
  watch_short_flits(plan, core);
  if (is_set(options.stop)) return 0;  // set-up, too, may have ended early
  start_npus(job, plan);
  const std::uint64_t first = core.edge();
  std::uint64_t cycles = 0;
  if (recorder != nullptr) recorder->begin_run(job, first);
  release_due(job, plan, cycles);
  Recurrence recurrence(fabric, job, members);
  const bool skips = options.skip && recorder == nullptr && breakdown == nullptr && wave == nullptr;
  std::uint64_t next_progress = kProgressCycles;
  fabric.on_cycle([&] {
    cycles = core.edge() - first;
    if (recorder != nullptr) recorder->edge();
    if (breakdown != nullptr) breakdown->edge_of_run();
    release_due(job, plan, cycles);
    if (on_progress && cycles >= next_progress) {
      next_progress = cycles + kProgressCycles;
      on_progress({cycles, job.delivered_bytes(), job.total_bytes()});
    }
    if (job.done() || job.failed() || is_stuck(job, cycles) || is_set(options.stop) ||
        (options.timeout_cycles != 0 && cycles > options.timeout_cycles)) {
      return true;
    }
    if (skips) skip(job, recurrence, cycles);
    return false;
  });
  if (!job.done() && !job.failed()) sc_core::wait(fabric.attention());
  fabric.on_cycle([] { return false; });
  // Finding out what waits takes cycles that are not the run's own.
  if (recorder != nullptr && !job.done()) recorder->end_run(cycles);
  fabric.rethrow_failure();
  if (job.failed()) throw RunFailed(job.failure(), job.failure_cause());
  if (job.done()) return job.last_end();
  if (is_stuck(job, cycles)) {
    fail_stuck(fmt::format("deadlock: no flit has moved for {} cycles", watchdog), job,
               FailureCause::kDeadlock, core.edge() - 1 - core.quiet_cycles());
  }
  if (is_set(options.stop)) return cycles;
  fail_stuck(fmt::format("time-out after {} cycles", options.timeout_cycles), job,
             FailureCause::kOther, core.edge() - 1);
}

void Machine::Parts::start_npus(CollectiveJob& job, const Plan& plan) {
  std::vector<std::vector<Npu::Share>> shares(topology.nodes.size());
  for (int t = 0; t < std::ssize(plan.trees); ++t) {
    const Tree& tree = plan.trees[t];
    for (const TreeRank& rank : tree.ranks) {
      const NodeId node = plan.parts[tree.part].members[rank.rank];
      shares[node].push_back({t, &rank});
    }
  }
  for (NodeId node = 0; node < std::ssize(shares); ++node) {
    if (shares[node].empty()) continue;
    members.push_back(npus[node].get());
    npus[node]->add(job, shares[node]);
  }
}

// Parts that start between two edges.
void Machine::Parts::release_due(CollectiveJob& job, const Plan& plan, std::uint64_t cycle) {
  // Parts that have nothing to send end as they start, and others may come after them.
  for (const auto* due = &job.release_due(cycle); !due->empty() && !job.failed();
       due = &job.release_due(cycle)) {
    for (const int part : *due) {
      for (const NodeId node : plan.parts[part].members) npus[node]->allow(job, part);
    }
    for (const int part : *due) {
      for (const NodeId node : plan.parts[part].members) npus[node]->release(job, part);
    }
  }
}

// After an edge: what need not be simulated, up to the edge after which a part starts, or the run is given up.
void Machine::Parts::skip(const CollectiveJob& job, Recurrence& recurrence, std::uint64_t cycle) {
  FabricCore& core = fabric.core();
  const std::uint64_t start = job.next_start();
  const std::uint64_t end =
      std::min(start, options.timeout_cycles != 0 ? options.timeout_cycles + 1 : start);
  const std::uint64_t most = end - cycle - 1;
  std::uint64_t passed = recurrence.pass_over(cycle, most);
  repeated_cycles += passed;
  repeated_flit_hops = recurrence.flit_hops();
  if (passed == 0) {
    passed = std::min(core.edges_at_rest(), most);
    // Where nothing is to come this is a deadlock, found as soon as without.
    const bool is_last = start == CollectiveJob::kNever;
    if (is_last) passed = std::min(passed, watchdog - std::min(watchdog, core.quiet_cycles() + 1));
    if (passed == 0) return;
    core.rest(passed);
    idle_cycles += passed;
  }
  fabric.come_later(passed);
}

// Nothing moves any more, and no part is about to start by itself.
bool Machine::Parts::is_stuck(const CollectiveJob& job, std::uint64_t cycle) {
  return fabric.core().quiet_cycles() >= watchdog && !job.starts_around(cycle, watchdog);
}

void Machine::Parts::drain() {
  FabricCore& core = fabric.core();
  fabric.on_cycle([&] { return core.empty() || core.quiet_cycles() >= watchdog; });
  sc_core::wait(fabric.attention());
  fabric.on_cycle([] { return false; });
  fabric.rethrow_failure();
}

void Machine::Parts::fail_stuck(const std::string& what, const CollectiveJob& job,
                                FailureCause cause, std::uint64_t edge) {
  throw RunFailed(fmt::format("{}; {} of {} flits of results are complete. What waits:{}", what,
                              job.delivered_flits(), job.total_flits(),
                              describe_waiting(fabric, control, members)),
                  cause, edge);
}

}  // namespace fredsim
