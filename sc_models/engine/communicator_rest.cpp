// Cycles that a communicator does not simulate: in which nothing happens, and its state, by which others are known
// (engine/operation_replay.h).
#include <algorithm>
#include <unordered_map>

#include "engine/communicator.h"
#include "engine/run_observers.h"

namespace fredsim {
namespace {

// From look to look whether a fabric without operations has come to rest.
constexpr std::uint64_t kSettlingCycles = 32;

}  // namespace

void Communicator::skip_idle(bool on, bool replays) {
  skips_idle_ = on;
  skips_repeated_ =
      on && machine_.options().skip && machine_.wave() == nullptr && machine_.observers().empty();
  replay_.enable(skips_repeated_ && replays);
}

bool Communicator::add_state(StateDigest& digest) const {
  if (changed_ || !loader_.idle() || !fabric_.core().add_state(digest)) return false;
  std::unordered_map<Handle, std::uint64_t> numbers;
  for (const auto& [handle, operation] : operations_) numbers.emplace(handle, numbers.size());
  const auto number_of = [&](const Operation& operation) { return numbers.at(operation.handle); };
  digest.add(operations_.size());
  for (const auto& [handle, operation] : operations_)
    operation->add_state(cycle(), number_of, digest);
  digest.add(granted_.size());
  for (const Operation* operation : granted_) digest.add(number_of(*operation));
  store_.add_state(digest);
  for (const Npu* npu : machine_.npus()) npu->add_state_with_counts(digest);
  return true;
}

void Communicator::shift_to(std::uint64_t cycle) {
  const std::uint64_t later = cycle - this->cycle();
  for (const auto& [handle, operation] : operations_) operation->shift(later);
  if (wake_ != Operation::kNever) wake_ += later;
  last_event_ += later;
  first_edge_ -= later;
}

// Over the edges before anything happens that has not happened before: an arrival, a start, a call, the end of the
// watchdog's patience, the time-out.
void Communicator::rest() {
  if (replay_.hands_out()) return replay_.rest();
  const std::uint64_t last = limits_.end();
  if (const std::uint64_t passed = pass_until(std::min(next_call(), last)); passed != 0)
    return fabric_.come_later(passed);
  std::uint64_t next = wake_;
  // The edge before is one at which a course may end.
  if (replay_.is_on() && next != Operation::kNever && granted_.empty()) --next;
  next = std::min(next, next_call());
  // So is the one after which nothing moves any more.
  if (operations_.empty() && !fabric_.core().is_settled())
    next = std::min(next, cycle() + kSettlingCycles);
  if (next == Operation::kNever) {
    next = std::max(last_event_ + limits_.watchdog(), cycle() + limits_.edges_to_quiet());
  }
  const std::uint64_t edges = rest_until(std::min(next, last));
  fabric_.come_later(edges);
  idle_cycles_ += edges;
}

// Over edges at which nothing happens, to the one before that of a cycle; how many.
std::uint64_t Communicator::rest_until(std::uint64_t next) {
  if (changed_ || !loader_.idle()) return 0;
  next = std::min(next, wake_);
  const std::uint64_t edges =
      std::min(fabric_.core().edges_at_rest(), next - std::min(next, cycle() + 1));
  if (edges != 0) fabric_.core().rest(edges);
  return edges;
}

// Over whole periods that recur, to an edge before that of a cycle; how many edges.
std::uint64_t Communicator::pass_until(std::uint64_t next) {
  if (!skips_repeated_ || changed_ || !loader_.idle() || !recurrence_.is_due()) return 0;
  std::vector<CollectiveJob*> jobs;
  for (const Operation* operation : granted_)
    if (operation->job != nullptr) jobs.push_back(operation->job.get());
  if (jobs.empty()) return 0;
  next = std::min(next, wake_);
  return recurrence_.pass_over(jobs, next - std::min(next, cycle() + 1));
}

bool Communicator::ends_rest() const {
  return (operations_.empty() || (wake_ == cycle() + 1 && granted_.empty())) && !changed_ &&
         loader_.idle() && fabric_.core().is_settled();
}

}  // namespace fredsim
