// SPDX-License-Identifier: Apache-2.0
#include "systems/detail/chunk_schedule.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace fredsim {
namespace {

class ServiceModel {
 public:
  ServiceModel(const std::vector<std::vector<ChunkStep>>& chunks, ChunkOrder order)
      : chunks_(chunks), order_(order) {
    int dimensions = 0;
    for (const auto& steps : chunks) {
      places_.emplace_back(steps.size());
      for (const ChunkStep& step : steps) dimensions = std::max(dimensions, step.dimension + 1);
    }
    waiting_.resize(static_cast<std::size_t>(dimensions));
    is_busy_.resize(waiting_.size());
  }

  std::vector<std::vector<int>> run() {
    for (int chunk = 0; chunk < std::ssize(chunks_); ++chunk) arrive(chunk, 0);
    for (int d = 0; d < std::ssize(waiting_); ++d) serve(d, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.dimension >= 0) {
        is_busy_[event.dimension] = false;
        serve(event.dimension, event.time);
      } else if (arrive(event.chunk, event.step)) {
        serve(chunks_[event.chunk][event.step].dimension, event.time);
      }
    }
    return std::move(places_);
  }

 private:
  // Event: a dimension becomes free, or a chunk arrives. At equal times dimensions come first.
  struct Event {
    double time;
    bool is_arrival;
    int number;
    int dimension;  // -1: an arrival
    int chunk, step;
    bool operator>(const Event& other) const {
      return std::tie(time, is_arrival, number) >
             std::tie(other.time, other.is_arrival, other.number);
    }
  };
  using Waiting = std::tuple<std::uint64_t, int, int, int>;  // bytes, arrival, chunk, step

  // False: the chunk has completed all of its steps.
  bool arrive(int chunk, int step) {
    if (step == std::ssize(chunks_[chunk])) return false;
    const ChunkStep& next = chunks_[chunk][step];
    const std::uint64_t key = order_ == ChunkOrder::kScf ? next.bytes : 0;
    waiting_[next.dimension].emplace(key, arrivals_++, chunk, step);
    return true;
  }

  void serve(int dimension, double now) {
    auto& waiting = waiting_[dimension];
    if (is_busy_[dimension] || waiting.empty()) return;
    const auto [bytes, arrival, chunk, step] = waiting.top();
    waiting.pop();
    is_busy_[dimension] = true;
    places_[chunk][step] = served_++;
    const ChunkStep& served = chunks_[chunk][step];
    const double moved = now + served.transfer;
    events_.push({moved, false, number_++, dimension, -1, -1});
    events_.push({moved + served.latency, true, number_++, -1, chunk, step + 1});
  }

  const std::vector<std::vector<ChunkStep>>& chunks_;
  const ChunkOrder order_;
  std::vector<std::vector<int>> places_;
  // Chunks that wait, by dimension.
  std::vector<std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>> waiting_;
  std::vector<bool> is_busy_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int arrivals_ = 0, served_ = 0, number_ = 0;
};

}  // namespace

std::vector<std::vector<int>> dimension_orders(const ScheduledDimensions& dimensions,
                                               std::span<const std::uint64_t> chunk_bytes,
                                               const Chunking& chunking) {
  std::vector<int> baseline(dimensions.sizes.size());
  std::iota(baseline.begin(), baseline.end(), 0);
  if (chunking.dimension_order == DimensionOrder::kBaseline)
    return std::vector(chunk_bytes.size(), baseline);
  std::vector<double> loads = dimensions.latencies;
  std::vector<std::vector<int>> orders;
  orders.reserve(chunk_bytes.size());
  for (const std::uint64_t bytes : chunk_bytes) {
    std::vector<int> order = baseline;
    const auto [least, most] = std::ranges::minmax_element(loads);
    const int least_loaded = static_cast<int>(least - loads.begin());
    if (*most - *least >= dimensions.transfer(least_loaded, bytes) / chunking.threshold)
      std::ranges::stable_sort(order, {}, [&](int d) { return loads[d]; });
    std::uint64_t left = bytes;
    for (const int d : order) {
      loads[d] += dimensions.transfer(d, left);
      left = (left + dimensions.sizes[d] - 1) / dimensions.sizes[d];
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

std::vector<std::vector<int>> service_order(const std::vector<std::vector<ChunkStep>>& chunks,
                                            ChunkOrder order) {
  return ServiceModel(chunks, order).run();
}

}  // namespace fredsim
