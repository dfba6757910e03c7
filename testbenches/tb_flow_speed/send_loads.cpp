// SPDX-License-Identifier: Apache-2.0
#include "send_loads.h"

#include <functional>
#include <vector>

#include "base/random.h"
#include "flow/flow_simulation.h"

namespace fredsim {
namespace {

// Random rate between 1 and 1.1.
double about_one(Random& random) {
  constexpr int kSteps = 1000;
  return 1 + 0.1 * static_cast<double>(random.below(kSteps + 1)) / kSteps;
}

std::vector<double> link_rates(std::size_t links, bool rates_differ) {
  Random random(1);
  std::vector<double> rates(links, 1);
  if (rates_differ)
    for (double& rate : rates) rate = about_one(random);
  return rates;
}

class RingOfSends {
 public:
  RingOfSends(int ranks, bool rates_differ)
      : steps_(2 * (ranks - 1)),
        simulation_(link_rates(ranks, rates_differ)),
        sent_(ranks),
        is_sending_(ranks) {}

  SendCounts run() {
    simulation_.on_end([this](FlowSimulation::Flow flow) {
      const int rank = sender_[flow];
      is_sending_[rank] = false;
      ++sent_[rank];
      send(rank);
      send(next(rank));
    });
    for (int rank = 0; rank < std::ssize(sent_); ++rank)
      links_.push_back(simulation_.keep({0, 1, {{rank}}}));
    for (int rank = 0; rank < std::ssize(sent_); ++rank) send(rank);
    simulation_.run();
    return {simulation_.flows(), simulation_.updates(), simulation_.now()};
  }

 private:
  int next(int rank) const { return rank + 1 < std::ssize(sent_) ? rank + 1 : 0; }
  int previous(int rank) const {
    return (rank > 0 ? rank : static_cast<int>(std::ssize(sent_))) - 1;
  }
  void send(int rank) {
    const int step = sent_[rank];
    if (is_sending_[rank] || step == steps_ || sent_[previous(rank)] < step) return;
    is_sending_[rank] = true;
    sender_.push_back(rank);
    simulation_.begin(links_[rank], 1);
  }

  const int steps_;
  FlowSimulation simulation_;
  std::vector<FairRates::FlowClass> links_;  // by rank, of sends to the next one
  std::vector<int> sent_;                    // blocks, by rank
  std::vector<bool> is_sending_;
  std::vector<int> sender_;  // by flow
};

}  // namespace

SendCounts ring_sends(int ranks, bool rates_differ) {
  return RingOfSends(ranks, rates_differ).run();
}

SendCounts all_to_all_sends(int hosts) {
  FlowSimulation simulation(link_rates(2 * static_cast<std::size_t>(hosts), true));
  Random random(2);
  for (int from = 0; from < hosts; ++from)
    for (int to = 0; to < hosts; ++to)
      if (from != to) simulation.begin({0, 1, {{from}, {hosts + to}}}, about_one(random));
  simulation.run();
  return {simulation.flows(), simulation.updates(), simulation.now()};
}

}  // namespace fredsim
