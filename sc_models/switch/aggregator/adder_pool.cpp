// SPDX-License-Identifier: Apache-2.0
#include "switch/aggregator/adder_pool.h"

#include <algorithm>
#include <bit>

#include "base/port_mask.h"
#include "rtl/aggregator_pkg.h"

namespace fredsim {
namespace {

// A flow with this many waiting flits is held back: one more may have fired at the last edge, and
// one may fire at this one.
constexpr int kHeldFrom = aggregator_pkg::MAX_WAITING - 1;

}  // namespace

AdderPool::AdderPool(int ports, int adders) : ports_(ports), adders_(adders) { reset(); }

void AdderPool::reset() {
  sums_ = {};
  sum_inputs_ = 0;
  vc_ = 0;
  free_ = adders_;
  fired_ = waiting_ = running_ = served_ = 0;
  ends_ = {};
  now_ = 0;
  hold_ = 0;
  pending_ = nullptr;
  loading_ = 0;
}

int AdderPool::longest() const { return ports_ + static_cast<int>(aggregator_pkg::SUM_EDGES); }

AdderPool::Ports AdderPool::outputs_of(Sums sums) const {
  Ports outputs = 0;
  for_each_port(sums, [&](int f) { outputs |= sums_[f].outputs; });
  return outputs;
}

// ---- one clock edge; every decision uses the state before it.

void AdderPool::step(Ports fired, const PhasedRow* change, PhasedOutputs& outputs) {
  if (loading_ != 0) --loading_;
  if (change != nullptr) pending_ = change;
  const bool takes = pending_ != nullptr && drained();
  if (!drained()) {
    const Sums ending = ends_[now_];
    ends_[now_] = 0;
    free_ += std::popcount(ending);
    if (waiting_ != 0) start(outputs);
    for_each_port(ending, [&](int f) {
      if (--sums_[f].running == 0) running_ &= ~(1U << f);
    });
    for_each_port(fired_, [&](int f) { ++sums_[f].waiting; });
    waiting_ |= fired_;
  }
  now_ = (now_ + 1) % kMaxPorts;
  fired_ = 0;
  if ((fired & sum_inputs_) != 0) {
    for (int f = 0; f < ports_; ++f) {
      if ((fired & sums_[f].inputs) != 0) fired_ |= 1U << f;
    }
  }
  if (takes) {
    take(*pending_);
    pending_ = nullptr;
    loading_ = 2;
  }
  find_held();
}

// Round robin by rounds: first the flows without a turn in this round, in ascending order.
void AdderPool::start(PhasedOutputs& outputs) {
  Sums started = 0;
  const Sums first = waiting_ & ~served_;
  for (Sums asking : {first, waiting_ & served_}) {
    for (; asking != 0 && free_ != 0; asking &= asking - 1) {
      give_adder(std::countr_zero(asking), outputs);
      started |= asking & (~asking + 1);
    }
  }
  if (started != 0) served_ = (first & ~started) == 0 ? started & served_ : served_ | started;
}

void AdderPool::give_adder(int flow, PhasedOutputs& outputs) {
  Sum& sum = sums_[flow];
  --free_;
  if (--sum.waiting == 0) waiting_ &= ~(1U << flow);
  ++sum.running;
  running_ |= 1U << flow;
  ends_[(now_ + static_cast<unsigned>(sum.operands) - 1) % kMaxPorts] |= 1U << flow;
  outputs.arrive(vc_, sum.outputs, sum.operands + static_cast<int>(aggregator_pkg::SUM_EDGES));
}

void AdderPool::take(const PhasedRow& row) {
  sums_ = {};
  sum_inputs_ = 0;
  vc_ = row.vc;
  for (const PhasedRow::Flow& flow : row.flows) {
    if (std::has_single_bit(flow.inputs)) continue;
    Sum& sum = sums_[flow.code - 1];
    sum.inputs = flow.inputs;
    sum.outputs = flow.outputs;
    sum.operands = std::popcount(flow.inputs);
    sum_inputs_ |= flow.inputs;
  }
}

void AdderPool::find_held() {
  hold_ = pending_ != nullptr ? ~Ports{0} : 0;
  for_each_port(waiting_, [&](int f) {
    if (sums_[f].waiting >= kHeldFrom) hold_ |= sums_[f].inputs;
  });
}

void AdderPool::add_state(StateDigest& digest) const {
  for (const Sum& sum : sums_) {
    digest.add(std::uint64_t{sum.inputs} << 32 | sum.outputs);
    digest.add_all(std::array{sum.operands, sum.waiting, sum.running});
  }
  digest.add_all(std::array{vc_, free_, loading_, pending_ != nullptr ? 1 : 0});
  digest.add_all(std::array{fired_, waiting_, running_, served_, hold_});
  for (unsigned i = 0; i < kMaxPorts; ++i) digest.add(ends_[(now_ + i) % kMaxPorts]);
}

}  // namespace fredsim
