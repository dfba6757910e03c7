// Cycles that a communicator does not simulate: in which nothing happens, and its state, by which others are known
// (engine/operation_replay.h).
#include <algorithm>
#include <unordered_map>

#include "engine/communicator.h"
#include "engine/run_observers.h"

namespace fredsim {

void Communicator::skip_idle(bool on) {
  skips_idle_ = on;
  replay_.enable(on && machine_.options().skip && machine_.wave() == nullptr &&
                 machine_.observers().empty());
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

// Over the edges before anything happens: an arrival, a start, the end of the watchdog's patience, the time-out.
void Communicator::rest() {
  if (replay_.hands_out()) return replay_.rest();
  std::uint64_t next = wake_;
  // The edge before is one at which a course may end.
  if (next != Operation::kNever && granted_.empty()) --next;
  if (next == Operation::kNever) {
    const std::uint64_t watchdog = machine_.watchdog();
    next = std::max(last_event_ + watchdog,
                    cycle() + watchdog - std::min(watchdog, fabric_.core().quiet_cycles()));
  }
  const std::uint64_t limit = machine_.options().timeout_cycles;
  if (limit != 0) next = std::min(next, limit + 1);
  const std::uint64_t edges = rest_until(next);
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

bool Communicator::ends_rest() const {
  return wake_ == cycle() + 1 && granted_.empty() && !changed_ && loader_.idle() &&
         fabric_.core().is_settled();
}

}  // namespace fredsim
