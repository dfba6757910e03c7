#include "workload/input_loads.h"

#include <map>

#include "collective/endpoint_trees.h"
#include "collective/split.h"

namespace fredsim {

std::vector<InputLoad> input_loads(const Strategy& strategy, std::uint64_t minibatch,
                                   std::uint64_t sample_bytes, const Topology& topology) {
  const auto controllers = static_cast<int>(topology.io_controllers.size());
  if (controllers == 0) return {};
  const auto replicas = static_cast<std::uint64_t>(strategy.dp);
  std::map<std::uint64_t, std::vector<int>> workers;  // by bytes
  for (int w = 0; w < strategy.mp * strategy.dp; ++w) {
    const auto replica = static_cast<std::uint64_t>(w / strategy.mp);
    const std::uint64_t samples =
        share_begin(minibatch, replicas, replica + 1) - share_begin(minibatch, replicas, replica);
    workers[samples * sample_bytes].push_back(w);
  }
  const auto senders = static_cast<std::uint64_t>(controllers);
  const auto unit = static_cast<std::uint64_t>(endpoint_slices(topology));
  std::vector<InputLoad> loads;
  int turn = controllers - 1;  // the last ones have the least
  for (const auto& [of_worker, equal] : workers) {
    const FlitRange all = whole_range(0, of_worker);
    const std::uint64_t units = all.flits / unit;
    for (int c = 0; c < controllers; ++c) {
      const std::uint64_t k = static_cast<std::uint64_t>(c);
      const FlitRange share = part_of(all, share_begin(units, senders, k) * unit,
                                      share_begin(units, senders, k + 1) * unit);
      if (share.flits > 0) loads.push_back({c, equal, share.bytes});
    }
    for (const int w : equal) {
      for (std::uint64_t flit = units * unit; flit < all.flits; ++flit) {
        loads.push_back({turn, {w}, part_of(all, flit, flit + 1).bytes});
        turn = (turn + controllers - 1) % controllers;
      }
    }
  }
  return loads;
}

}  // namespace fredsim
