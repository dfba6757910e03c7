#include "engine/repeated_operations.h"

#include <algorithm>

#include "engine/recurrence.h"

namespace fredsim {

void RepeatedOperations::look(StateDigest digest, std::span<Count> counts) {
  if (++completions_ < next_) return;
  next_ = completions_ + step_;
  if (!communicator_.add_state(digest)) {
    if (measures_) begin_search(step_);
    return;
  }
  if (!measures_) {
    const auto [seen, is_new] = seen_.try_emplace(digest, completions_);
    if (!is_new)
      begin_period(completions_ - seen->second, digest, counts);
    else if (seen_.size() == kMostSeen)
      begin_search(2 * step_);
    return;
  }
  const std::uint64_t number = digest == state_ ? periods(counts) : 0;
  if (number != 0) repeat(number, counts);
  begin_search(number != 0 ? 1 : 2 * step_);
}

void RepeatedOperations::begin_search(std::uint64_t step) {
  measures_ = false;
  seen_.clear();
  step_ = step;
  next_ = completions_ + step;
}

void RepeatedOperations::begin_period(std::uint64_t completions, const StateDigest& digest,
                                      std::span<const Count> counts) {
  Fabric& fabric = machine_.fabric();
  measures_ = true;
  next_ = completions_ + completions;
  state_ = digest;
  begin_ = communicator_.cycle();
  before_.assign(counts.begin(), counts.end());
  fabric_before_ = count_all(fabric.core(), fabric.topology(), fabric.switches());
  acknowledgements_before_ = machine_.acknowledgements();
  totals_before_ = communicator_.totals();
}

// That can be repeated from here on, before the caller's counts come to their ends, or the time-out.
std::uint64_t RepeatedOperations::periods(std::span<const Count> counts) const {
  const std::uint64_t now = communicator_.cycle();
  if (communicator_.totals().rows_loaded != totals_before_.rows_loaded) return 0;
  const std::uint64_t limit = machine_.options().timeout_cycles;
  std::uint64_t number = ~std::uint64_t{0};
  if (limit != 0) number = (limit - std::min(limit, now)) / (now - begin_);
  bool moves = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t in_one = counts[i].value - before_[i].value;
    if (in_one == 0 || counts[i].left == Count{}.left) continue;
    moves = true;
    number = std::min(number, counts[i].left / in_one);
  }
  return moves ? number : 0;
}

void RepeatedOperations::repeat(std::uint64_t number, std::span<Count> counts) {
  const std::uint64_t period = communicator_.cycle() - begin_;
  flit_hops_ += pass_over_periods(machine_.fabric(), fabric_before_, number, period);
  cycles_ += number * period;
  communicator_.pass_over(number, period, totals_before_);
  const std::vector<std::uint64_t> acknowledgements = machine_.acknowledgements();
  for (std::size_t node = 0; node < acknowledgements.size(); ++node) {
    const std::uint64_t in_one = acknowledgements[node] - acknowledgements_before_[node];
    if (in_one != 0) machine_.npus_by_node()[node]->count_acknowledgements(number * in_one);
  }
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i].value += number * (counts[i].value - before_[i].value);
}

}  // namespace fredsim
