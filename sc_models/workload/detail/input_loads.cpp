// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/input_loads.h"

#include <algorithm>
#include <map>

#include "collective/endpoint_trees.h"
#include "plan/split.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

std::uint64_t replica_count(const ModelShape& model, const TrainingOptions& options) {
  return static_cast<std::uint64_t>(options.strategy.dp / model.split.cp);
}

// Number of slices that carry a flit more of a reduction along MP than the remaining ones; 0: none,
// or no such reduction.
std::uint64_t longer_slices(const ModelShape& model, const TrainingOptions& options,
                            std::uint64_t slices) {
  const auto layer = std::ranges::find_if(model.layers, &ModelLayer::reduces);
  if (layer == model.layers.end() || options.strategy.mp == 1) return 0;
  const std::uint64_t of_replica = share_begin(options.minibatch, replica_count(model, options), 1);
  const std::uint64_t samples = share_begin(of_replica, options.microbatches, 1);
  return whole_range(0, layer->output_bytes * samples).flits % slices;
}

// Flits that do not come in whole rounds over the slices but in loads of `load` flits.
struct Rest {
  std::uint64_t flits = 0;
  std::uint64_t load = 1;
};

Rest rest_of(std::uint64_t flits, std::uint64_t slices, std::uint64_t longer) {
  const std::uint64_t min = flits % slices;
  if (longer == 0) return {min};
  for (std::uint64_t rest = min; rest <= std::min(flits, longer * slices); rest += slices)
    if (rest % longer == 0) return {rest, longer};
  return {min};
}

}  // namespace

std::vector<InputLoad> input_loads(const ModelShape& model, const TrainingOptions& options,
                                   const Topology& topology) {
  const Strategy& strategy = options.strategy;
  const std::vector<int> left = io_controllers_left(topology);
  const auto controllers = static_cast<int>(left.size());
  if (controllers == 0 || topology.has_blocks()) return {};
  const std::uint64_t replicas = replica_count(model, options);
  std::map<std::uint64_t, std::vector<int>> workers;  // by bytes
  for (int w = 0; w < strategy.mp * strategy.dp; ++w) {
    const auto replica = static_cast<std::uint64_t>(w / strategy.mp / model.split.cp);
    const std::uint64_t samples = share_begin(options.minibatch, replicas, replica + 1) -
                                  share_begin(options.minibatch, replicas, replica);
    workers[samples * model.sample_bytes].push_back(w);
  }
  const auto senders = static_cast<std::uint64_t>(controllers);
  const auto slices = static_cast<std::uint64_t>(endpoint_slices(topology));
  const std::uint64_t longer = longer_slices(model, options, slices);
  std::vector<InputLoad> loads;
  int turn = controllers - 1;  // the last ones have the least
  for (const auto& [of_worker, equal] : workers) {
    const FlitRange all = whole_range(0, of_worker);
    const Rest rest = rest_of(all.flits, slices, longer);
    const std::uint64_t rounds = (all.flits - rest.flits) / slices;
    for (int c = 0; c < controllers; ++c) {
      const std::uint64_t k = static_cast<std::uint64_t>(c);
      const FlitRange share = part_of(all, share_begin(rounds, senders, k) * slices,
                                      share_begin(rounds, senders, k + 1) * slices);
      if (share.flits > 0) loads.push_back({left[k], equal, share.bytes});
    }
    for (const int w : equal) {
      for (std::uint64_t flit = rounds * slices; flit < all.flits; flit += rest.load) {
        loads.push_back({left[static_cast<std::size_t>(turn)],
                         {w},
                         part_of(all, flit, flit + rest.load).bytes});
        turn = (turn + controllers - 1) % controllers;
      }
    }
  }
  return loads;
}

}  // namespace fredsim
