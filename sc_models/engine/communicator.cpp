// SPDX-License-Identifier: Apache-2.0
#include "engine/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/detail/run_observers.h"
#include "engine/detail/wait_circle.h"
#include "engine/diagnosis.h"
#include "nic/packet_extension.h"
#include "switch/node_shape.h"
#include "switch/route_table.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kProgressCycles = 4096;

}  // namespace

Communicator::Communicator(Machine& machine, int rows)
    : machine_(machine),
      fabric_(machine.fabric()),
      limits_(machine.limits()),
      plans_(machine.fabric().topology()),
      scheduler_(machine, rows, memoisation_),
      memoisation_(scheduler_, callbacks_, calls_) {}

Communicator::~Communicator() {
  if (has_begun_) machine_.stop();
}

// ---- the run

void Communicator::begin(bool routes) {
  const Topology& topology = fabric_.topology();
  try {
    has_routes_ = routes && routes_by_table(topology) && !table_contents(topology).empty();
  } catch (const BadInput&) {
    has_routes_ = false;  // an operation that needs them is refused
  }
  has_begun_ = true;
  machine_.set_up(has_routes_);
}

void Communicator::start() {
  scheduler_.start(std::exchange(expected_, {}));
  if (!observed_.empty()) machine_.observers().start(fabric_.core().edge(), observed_);
  fabric_.on_cycle([this] { return edge(); });
  scheduler_.process();  // operations that begin in cycle 0 start before its edge
}

std::uint64_t Communicator::cycle() const { return ended_at_ ? *ended_at_ : memoisation_.cycle(); }

// Called after every edge; true when a wait() may continue.
bool Communicator::edge() {
  try {
    machine_.observers().edge();
    memoisation_.edge();
    while (calls_.next() <= cycle()) calls_.call_next();
    if (on_cycle_) on_cycle_();
    if (ends_wait()) return true;
    if (skips_idle_) fabric_.come_later(memoisation_.rest());
    if (parts_go_ahead_ && calls_.empty()) {
      if (const std::uint64_t edges = scheduler_.edges_at_once(); edges > 1)
        fabric_.run_ahead(std::min(edges, left_to_simulate()));
    }
    return false;
  } catch (...) {
    failure_ = std::current_exception();
    return true;
  }
}

void Communicator::skip_idle(bool memoises) {
  const bool records = machine_.wave() != nullptr || !machine_.observers().empty();
  // The core parts its groups itself where the engine looks at switches: at digests and counts.
  fabric_.core().set_groups(records ? FabricCore::Groups::kNever : FabricCore::Groups::kAlways);
  skips_idle_ = machine_.options().skip && !records;
  scheduler_.skip_repeated(skips_idle_);
  memoisation_.enable(skips_idle_ && memoises);
}

void Communicator::report_to(const std::function<void(const Progress&)>& on_progress,
                             std::uint64_t total_bytes) {
  if (!on_progress) return;
  const std::uint64_t first_total = std::min(tally_.total(), total_bytes);
  const auto first = static_cast<double>(first_total > 0 ? first_total : total_bytes);
  const double repeated = static_cast<double>(total_bytes) - first;
  on_cycle([this, on_progress, total_bytes, first, repeated, next = kProgressCycles]() mutable {
    if (cycle() < next) return;
    next = cycle() + kProgressCycles;
    const std::uint64_t delivered = delivered_bytes();
    const auto by_first = static_cast<double>(first_bytes());
    on_progress({.cycle = cycle(),
                 .bytes_delivered = delivered,
                 .bytes_total = total_bytes,
                 .first = {by_first, first},
                 .repeated = {static_cast<double>(delivered) - by_first, repeated}});
  });
}

std::uint64_t Communicator::first_bytes() const {
  if (memoisation_.replays()) return tally_.bytes();
  return tally_.bytes() + scheduler_.delivered_bytes(
                              [this](OperationHandle handle) { return tally_.is_first(handle); });
}

bool Communicator::ends_wait() const {
  return failure_ != nullptr || (done_ && done_()) || scheduler_.has_failed() || is_stuck() ||
         limits_.is_stopped() || limits_.is_over(cycle()) || left_to_simulate() == 0;
}

std::uint64_t Communicator::left_to_simulate() const {
  if (max_simulated_ == RunLimits::kNever) return max_simulated_;
  const std::uint64_t simulated = cycle() - idle_cycles() - repeated_cycles();
  return max_simulated_ - std::min(max_simulated_, simulated);
}

bool Communicator::is_stuck() const {
  return !memoisation_.replays() && calls_.empty() && scheduler_.is_stuck();
}

void Communicator::run_until(std::function<bool()> done) {
  done_ = std::move(done);
  if (!ends_wait()) sc_core::wait(fabric_.attention());
  const bool is_done = done_();
  done_ = {};
  fabric_.rethrow_failure();
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  scheduler_.check_failures();
  if (is_done) return;
  memoisation_.resume();
  if (is_stuck()) give_up(limits_.deadlock());
  if (limits_.is_over(cycle())) give_up(limits_.time_out());
  stopped_ = true;
  halt();
}

void Communicator::give_up(const RunLimits::End& end) {
  const std::string progress = scheduler_.progress_text();
  halt();
  // The search for what waits takes cycles that are not the run's own.
  machine_.observers().end_run(cycle());
  const std::string circle = describe_circle(fabric_, scheduler_.open_operations());
  throw end.failure(
      progress, circle + describe_waiting(fabric_, machine_.control(), machine_.npus_by_node()));
}

// Ends issues and writes; the clock continues.
void Communicator::halt() {
  memoisation_.resume();
  ended_at_ = cycle();
  fabric_.on_cycle([] { return true; });
  RowLoader& loader = scheduler_.loader();
  if (!loader.idle()) sc_core::wait(fabric_.attention());  // a write is in progress
  loader.reset();
  fabric_.on_cycle([] { return false; });
}

void Communicator::wait(Handle handle) {
  run_until([this, handle] { return complete(handle); });
}

void Communicator::wait_all() {
  run_until([this] { return in_flight() == 0; });
}

void Communicator::finish() {
  wait_all();
  if (stopped_) return;
  halt();
  machine_.drain();
  const std::string wrong =
      describe_imbalance(fabric_, machine_.control(), machine_.npus_by_node());
  if (!wrong.empty()) throw RunFailed("flits and credits do not balance at the end:" + wrong);
}

// ---- issue of operations

Communicator::Handle Communicator::issue(std::span<const CollectiveSpec> work,
                                         const IssueOptions& options) {
  if (work.empty()) throw BadInput("operation: found no collective; allowed: one or more");
  std::vector<std::uint64_t> starts;
  for (const CollectiveSpec& spec : work) starts.push_back(spec.start_cycle);
  return issue(plans_.plan(work, options.on_conflict), starts, options);
}

Communicator::Handle Communicator::issue(std::shared_ptr<const PreparedPlan> plan,
                                         const std::vector<std::uint64_t>& starts,
                                         const IssueOptions& options) {
  for (const Dependency& dependency : options.after) check_dependency(dependency);
  if (2 * static_cast<std::size_t>(plan->streams) > kMaxStreams)
    throw BadInput(fmt::format("plan: {} trees found, a run distinguishes {}", plan->streams,
                               kMaxStreams / 2));
  if (plan->needs_online_routes && !has_routes_)
    table_contents(fabric_.topology());  // throws the reason why there are none
  const Handle handle = scheduler_.new_handle();
  tally_.issue(handle, *plan);
  additions_ += plan->additions;
  memoisation_.issue(handle, std::move(plan), starts, options);
  return handle;
}

void Communicator::check_dependency(const Dependency& dependency) const {
  const Handle handle = dependency.operation;
  if (handle == 0 || handle >= scheduler_.next_handle())
    throw BadInput(fmt::format("after: found operation {}; allowed: 1 to {}, those issued", handle,
                               scheduler_.next_handle() - 1));
  const PreparedPlan* const plan = memoisation_.plan_of(handle);
  for (const int part : dependency.parts) {
    if (plan != nullptr && (part < 0 || part >= std::ssize(plan->plan.parts)))
      throw BadInput(fmt::format("after: found part {} of operation {}; allowed: 0 to {}", part,
                                 handle, std::ssize(plan->plan.parts) - 1));
  }
}

void Communicator::release(Handle handle, int part, int rank, std::uint64_t cycle) {
  memoisation_.release(handle, part, rank, cycle);
}

std::size_t Communicator::in_flight() const { return calls_.size() + memoisation_.in_flight(); }

bool Communicator::complete(Handle handle) const {
  return handle < scheduler_.next_handle() && memoisation_.plan_of(handle) == nullptr;
}

bool Communicator::complete(Handle handle, NodeId npu) const {
  return handle < scheduler_.next_handle() && memoisation_.complete(handle, npu);
}

std::uint64_t Communicator::delivered_bytes() const {
  const std::uint64_t complete = totals().bytes;
  return memoisation_.replays()
             ? complete
             : complete + scheduler_.delivered_bytes([](OperationHandle) { return true; });
}

}  // namespace fredsim
