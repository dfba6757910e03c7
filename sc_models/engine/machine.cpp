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
#include "engine/diagnosis.h"
#include "engine/job_npus.h"
#include "engine/part_results.h"
#include "engine/recurrence.h"
#include "engine/run_counts.h"
#include "engine/run_observers.h"
#include "engine/window_counts.h"
#include "fabric/control_plane.h"
#include "npu/npu.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kProgressCycles = 4096;

bool matches(const std::string& pattern, const Node& node) {
  return ::fnmatch(pattern.c_str(), node.name.c_str(), 0) == 0;
}

// Who asks for RTL, a comparison or a wave wants to have it of every switch.
bool may_leave_slices_out(const Topology& topology, const FabricOptions& options) {
  return topology.has_slices() && topology.rtl_top.empty() && !topology.fred.simulate_all_slices &&
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

std::vector<const Part*> parts_of(const Plan& plan) {
  std::vector<const Part*> parts;
  for (const Part& part : plan.parts) parts.push_back(&part);
  return parts;
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
  const auto shared = options.own_contexts ? nullptr : std::make_shared<RtlContext>();
  return [options, shared](const Node& node, const SwitchShape& shape) {
    if (is_set(options.stop)) throw Interrupted("interrupted while switches were built");
    return make_switch(model_of(node, options), shape, node.name, shared);
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
  RunResult run_to_end(const ObservedJob& observed,
                       const std::function<void(const Progress&)>& on_progress);
  void check(const Plan& plan) const;
  void reset_all();
  void prepare(std::span<const PhaseProgram> programs, bool online_routes);
  // How long a run took, and what of it was not simulated.
  struct Course {
    std::uint64_t cycles = 0, idle_cycles = 0, repeated_cycles = 0, repeated_flit_hops = 0;
  };
  Course run_collective(const ObservedJob& observed, JobNpus& members,
                        const std::function<void(const Progress&)>& on_progress);
  void release_due(CollectiveJob& job, JobNpus& members, std::uint64_t cycle);
  std::uint64_t skip(CollectiveJob& job, Recurrence& recurrence, std::uint64_t cycle);
  std::uint64_t edges_at_once(const CollectiveJob& job, const Recurrence* recurrence,
                              std::uint64_t cycle);
  bool is_stuck(const CollectiveJob& job, std::uint64_t cycle);
  void drain();
  std::vector<std::uint64_t> acknowledgements() const;
  [[noreturn]] void fail_stuck(const std::string& what, const CollectiveJob& job,
                               const JobNpus& members, FailureCause cause, std::uint64_t edge);

  const Topology& topology;
  FabricOptions options;
  Fabric fabric;
  ControlPlane control;
  std::vector<std::unique_ptr<Npu>> npus;  // by node, I/O controllers too; null at switches
  std::vector<const Npu*> all_npus;
  RunObservers observers;
  std::unique_ptr<WaveRecorder> wave;
  std::uint64_t watchdog;
  bool one_for_equal_slices;
};

Machine::Parts::Parts(const Topology& t, const FabricOptions& o, const SwitchFactory& factory,
                      bool one_for_equal)
    : topology(t),
      options(o),
      fabric("fabric", t, o.lanes, factory, o.cut),
      control("control", fabric),
      npus(t.nodes.size()),
      observers(o, fabric),
      watchdog(watchdog_cycles(t)),
      one_for_equal_slices(one_for_equal) {
  for (NodeId id = 0; id < static_cast<NodeId>(t.nodes.size()); ++id) {
    const Node& node = t.nodes[id];
    if (node.is_switch()) continue;
    npus[id] = std::make_unique<Npu>(node.name.c_str(), node.ports, o.lanes);
    all_npus.push_back(npus[id].get());
    npus[id]->follow(fabric.core().timers(id));
    npus[id]->tx.bind(fabric.nic(id).tx);
    fabric.nic(id).rx.bind(npus[id]->rx);
  }
  fabric.core().set_switch_threads(o.switch_threads);
  control.stop_on(o.stop);
  if (!observers.empty()) {
    for (NodeId id = 0; id < std::ssize(npus); ++id)
      if (npus[id] != nullptr) npus[id]->observe(observers.npus(), id);
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

const Topology& Machine::topology() const { return parts_->topology; }

bool Machine::leaves_slices_out() const { return parts_->one_for_equal_slices; }

WaveRecorder* Machine::wave() { return parts_->wave.get(); }

std::span<const std::unique_ptr<Npu>> Machine::npus_by_node() const { return parts_->npus; }

RunObservers& Machine::observers() { return parts_->observers; }

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
  bool is_again = false;  // after the search for a wave's trigger
  return run_recorded(parts_->wave.get(), [&] {
    if (std::exchange(is_again, true)) parts_->observers.drop_run();
    return parts_->run(plan, on_progress);
  });
}

void Machine::Parts::check(const Plan& plan) const {
  for (const Part& part : plan.parts) {
    for (const NodeId node : part.members) {
      if (node < 0 || node >= static_cast<NodeId>(npus.size()) || npus[node] == nullptr) {
        throw BadInput(fmt::format("plan: node {} is no endpoint of {}", node, topology.name));
      }
    }
  }
}

void Machine::Parts::reset_all() {
  fabric.reset();
  for (const auto& npu : npus) {
    if (npu != nullptr) npu->stop();
  }
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
  const EqualSlices slices =
      one_for_equal_slices ? find_equal_slices(topology, plan) : all_slices(topology);
  const Plan simulated = slices.simulated(plan);
  const std::vector<int> copies = slices.copies(simulated);
  prepare(simulated.programs, needs_online_routes(topology, simulated));

  CollectiveJob job(simulated, topology, options.seed, options.lanes, copies);
  const ObservedJob observed{.job = &job, .copies = copies};

  RunResult result = run_to_end(observed, on_progress);
  result.fabric = topology.name;
  result.model = model_names(fabric.switches());
  result.lanes = options.lanes;
  result.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  result.seed = options.seed;
  result.time_ns = static_cast<double>(result.cycles) / result.clock_ghz;
  result.bound_ns = plan.bound_ns;
  fill_parts(topology, plan, job, result);
  fill_operations(plan, job, result);
  observers.fill(result);
  result.payload = result.incomplete ? "incomplete" : "exact";
  result.delivered_bytes = job.delivered_bytes();
  result.slices = slices_used(topology, plan);
  result.slices_simulated = slices_used(topology, simulated);
  fill_counts(slices, fabric, control, acknowledgements(), result.cycles, result);
  return result;
}

// Until all is delivered and drained, or the run was stopped; a failure is marked on the timeline while there
// is still all that it shows. Fills cycles, cost and whether the run is complete.
RunResult Machine::Parts::run_to_end(const ObservedJob& observed,
                                     const std::function<void(const Progress&)>& on_progress) {
  CollectiveJob& job = *observed.job;
  JobNpus members(job, npus);
  try {
    RunResult result;
    const auto wall_start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const Course course = run_collective(observed, members, on_progress);
    result.cycles = course.cycles;
    result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    result.wall_s = wall.count();
    result.idle_cycles = course.idle_cycles;
    result.repeated_cycles = course.repeated_cycles;
    result.repeated_flit_hops = course.repeated_flit_hops;
    result.sim_cycles_per_s =
        static_cast<double>(result.cycles -
                            std::min(result.cycles, course.idle_cycles + course.repeated_cycles)) /
        wall.count();
    result.incomplete = !job.done();
    observers.end_run(result.cycles);
    if (result.incomplete) return result;
    drain();
    if (const std::string wrong = describe_imbalance(fabric, control, members.all());
        !wrong.empty()) {
      throw RunFailed("flits and credits do not balance at the end:" + wrong);
    }
    return result;
  } catch (const RunFailed& failed) {
    observers.run_failed(failed.what());
    throw;
  }
}

// Until the last result is complete, or the run was stopped.
Machine::Parts::Course Machine::Parts::run_collective(
    const ObservedJob& observed, JobNpus& members,
    const std::function<void(const Progress&)>& on_progress) {
  FabricCore& core = fabric.core();
  CollectiveJob& job = *observed.job;
  Course course;
  core.clear_counts();
  watch_short_flits(job.plan(), core);
  if (is_set(options.stop)) return course;  // set-up, too, may have ended early
  const std::uint64_t first = core.edge();
  std::uint64_t& cycles = course.cycles;
  observers.start(first, parts_of(job.plan()));
  observers.add(observed, job.plan().programs);
  release_due(job, members, cycles);
  Recurrence recurrence(fabric, members.all());
  const bool skips = options.skip && observers.empty() && wave == nullptr;
  std::uint64_t next_progress = kProgressCycles;
  fabric.on_cycle([&] {
    cycles = core.edge() - first;
    observers.edge();
    release_due(job, members, cycles);
    if (on_progress && cycles >= next_progress) {
      next_progress = cycles + kProgressCycles;
      on_progress({cycles, job.delivered_bytes(), job.total_bytes()});
    }
    if (job.done() || job.failed() || is_stuck(job, cycles) || is_set(options.stop) ||
        (options.timeout_cycles != 0 && cycles > options.timeout_cycles)) {
      return true;
    }
    if (skips) course.idle_cycles += skip(job, recurrence, cycles);
    const std::uint64_t edges =
        edges_at_once(job, skips ? &recurrence : nullptr, core.edge() - first);
    if (edges > 1) fabric.run_ahead(edges);
    return false;
  });
  if (!job.done() && !job.failed()) sc_core::wait(fabric.attention());
  fabric.on_cycle([] { return false; });
  // Finding out what waits takes cycles that are not the run's own.
  if (!job.done()) observers.end_run(cycles);
  fabric.rethrow_failure();
  if (job.failed()) throw RunFailed(job.failure(), job.failure_cause());
  course.repeated_cycles = recurrence.cycles();
  course.repeated_flit_hops = recurrence.flit_hops();
  if (job.done()) {
    cycles = job.last_end();
    return course;
  }
  if (is_stuck(job, cycles)) {
    fail_stuck(fmt::format("deadlock: no flit has moved for {} cycles", watchdog), job, members,
               FailureCause::kDeadlock, core.edge() - 1 - core.quiet_cycles());
  }
  if (is_set(options.stop)) return course;
  fail_stuck(fmt::format("time-out after {} cycles", options.timeout_cycles), job, members,
             FailureCause::kOther, core.edge() - 1);
}

// Parts that start between two edges.
void Machine::Parts::release_due(CollectiveJob& job, JobNpus& members, std::uint64_t cycle) {
  // Parts that have nothing to send end as they start, and others may come after them.
  const std::uint64_t now = fabric.core().timers_now();
  for (const auto* due = &job.release_due(cycle, now); !due->empty() && !job.failed();
       due = &job.release_due(cycle, now)) {
    members.release(*due);
  }
}

// After an edge: what need not be simulated, up to the edge after which a part starts, or the run is given up. The
// idle cycles of it.
std::uint64_t Machine::Parts::skip(CollectiveJob& job, Recurrence& recurrence,
                                   std::uint64_t cycle) {
  FabricCore& core = fabric.core();
  const std::uint64_t start = job.next_start();
  const std::uint64_t end =
      std::min(start, options.timeout_cycles != 0 ? options.timeout_cycles + 1 : start);
  const std::uint64_t most = end - cycle - 1;
  CollectiveJob* const jobs[] = {&job};
  if (const std::uint64_t passed = recurrence.pass_over(jobs, most); passed != 0) {
    fabric.come_later(passed);
    return 0;
  }
  std::uint64_t idle = std::min(core.edges_at_rest(), most);
  // Where nothing is to come this is a deadlock, found as soon as without.
  const bool is_last = start == CollectiveJob::kNever;
  if (is_last) idle = std::min(idle, watchdog - std::min(watchdog, core.quiet_cycles() + 1));
  if (idle == 0) return 0;
  core.rest(idle);
  fabric.come_later(idle);
  return idle;
}

// Edges, from this one on, in between which nothing has to be looked at, so that partitions need not take turns at each. Parts
// may end in them, as nothing starts by that.
std::uint64_t Machine::Parts::edges_at_once(const CollectiveJob& job, const Recurrence* recurrence,
                                            std::uint64_t cycle) {
  FabricCore& core = fabric.core();
  if (core.partitions() == 1 || !observers.empty() || wave != nullptr || !job.all_released())
    return 1;
  std::uint64_t edges =
      std::min(core.look_ahead(), watchdog - std::min(watchdog, core.quiet_cycles()));
  if (recurrence != nullptr) edges = std::min(edges, recurrence->edges_to_look());
  if (const std::uint64_t last = options.timeout_cycles; last != 0)
    edges = std::min(edges, last + 1 - std::min(last, cycle));
  return edges;
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
                                const JobNpus& members, FailureCause cause, std::uint64_t edge) {
  throw RunFailed(fmt::format("{}; {} of {} flits of results are complete. What waits:{}", what,
                              job.delivered_flits(), job.total_flits(),
                              describe_waiting(fabric, control, members.all())),
                  cause, edge);
}

}  // namespace fredsim
