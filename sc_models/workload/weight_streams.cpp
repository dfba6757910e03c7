// SPDX-License-Identifier: Apache-2.0
#include "workload/weight_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/flit.h"
#include "base/member.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

std::uint64_t in_units(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit;
}

}  // namespace

int controller_rank(TaskGraph& graph, int workers, const std::vector<int>& controllers,
                    int controller) {
  const auto at =
      static_cast<int>(std::ranges::lower_bound(controllers, controller) - controllers.begin());
  while (std::ssize(graph.ranks) <= workers + at) {
    const std::size_t next = graph.ranks.size() - static_cast<std::size_t>(workers);
    graph.ranks.push_back({io_member(controllers[next]), {}});
  }
  return workers + at;
}

int shards_of(Stream stream, const Strategy& strategy) {
  return stream == Stream::kBroadcast ? 1 : strategy.mp * strategy.pp;
}

int deals_of(const Topology& topology, int shards) {
  const auto left = static_cast<int>(io_controllers_left(topology).size());
  const int deals = shards / std::gcd(left, shards);  // until all shards have had as many
  const bool some_failed = left < std::ssize(topology.io_controllers);
  return some_failed || (topology.in_switch && deals == 2) ? deals : 1;
}

WeightStreams::WeightStreams(TaskGraph& graph, OperationShapes& shapes, const Topology& topology,
                             const Strategy& strategy, const std::vector<int>& npus, Stream stream,
                             std::uint64_t chunk_bytes)
    : graph_(graph),
      shapes_(shapes),
      topology_(topology),
      strategy_(strategy),
      npus_(npus),
      stream_(stream),
      chunk_bytes_(chunk_bytes),
      controllers_(io_controllers_left(topology)) {
  if (topology.has_blocks()) {
    throw BadInput(fmt::format(
        "--execution: found streaming, the default of gpt3 and transformer_1t, on {}, a system of "
        "dimensions; allowed: stationary",
        topology.name));
  }
  const auto controllers = static_cast<int>(controllers_.size());
  const int shards = shards_of(stream, strategy);
  if (controllers < shards || controllers == 0)
    throw BadInput(fmt::format(
        "--execution streaming: found {} I/O controllers on {}{}; allowed: {} or more, one for "
        "each shard of the weights (io.count)",
        controllers, topology.name, faults_text(topology), shards));
  deal_out(shards);
  latest_.assign(topology.io_controllers.size(), std::vector<int>(kDirections, -1));
  iteration_.assign(topology.io_controllers.size(), 0);
}

void WeightStreams::deal_out(int shards) {
  const auto controllers = static_cast<int>(controllers_.size());
  const int more = controllers % shards;  // shards with a controller more
  for (int turn = 0; turn < deals_of(topology_, shards); ++turn) {
    Deal& deal = deals_.emplace_back(static_cast<std::size_t>(shards));
    for (int c = 0; c < controllers; ++c) {
      const bool is_last = c >= controllers - more;
      const int s = (c + (is_last ? turn * more : 0)) % shards;
      deal[static_cast<std::size_t>(s)].controllers.push_back(
          controllers_[static_cast<std::size_t>(c)]);
    }
    for (int s = 0; s < shards; ++s) deal[static_cast<std::size_t>(s)].stage = s / strategy_.mp;
    for (int w = 0; w < strategy_.workers(); ++w) {
      const int stage = w / (strategy_.mp * strategy_.dp);
      const int s = shards == 1 ? 0 : w % strategy_.mp + strategy_.mp * stage;
      deal[static_cast<std::size_t>(s)].workers.push_back(w);
    }
  }
}

std::uint64_t WeightStreams::bytes_of(const Deal& deal, std::size_t shard,
                                      const std::vector<std::uint64_t>& stage_bytes) const {
  if (stream_ == Stream::kMulticast) {
    const std::uint64_t all = stage_bytes[static_cast<std::size_t>(deal[shard].stage)] /
                              static_cast<std::uint64_t>(strategy_.mp);
    std::uint64_t before = 0, until = 0, controllers = 0;  // range of the deals
    for (const Deal& other : deals_) {
      const std::uint64_t own = other[shard].controllers.size();
      controllers += own;
      if (&other < &deal) before += own;
      if (&other <= &deal) until += own;
    }
    return all * until / controllers - all * before / controllers;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : stage_bytes) sum += bytes;
  return sum;
}

// Bytes of whole bursts on all links of a shard's controllers.
std::uint64_t WeightStreams::unit_of(const Shard& shard) const {
  int flits = 0;  // max of a controller
  for (const int c : shard.controllers) {
    const NodeId controller = topology_.io_controllers[static_cast<std::size_t>(c)];
    const Link& link = topology_.first_link_out(controller);
    flits = std::max(
        flits, topology_.nodes[controller].ports * std::max(link.burst, topology_.packet_flits));
  }
  return shard.controllers.size() * static_cast<std::uint64_t>(flits) * kFlitBytes;
}

std::vector<CollectiveSpec> WeightStreams::specs(const Deal& deal, Direction direction,
                                                 const std::vector<std::uint64_t>& chunks) const {
  std::vector<CollectiveSpec> found;
  for (std::size_t s = 0; s < deal.size(); ++s) {
    CollectiveSpec& spec = found.emplace_back();
    spec.collective = direction == Direction::kLoad ? Collective::kMulticast : Collective::kReduce;
    for (const int controller : deal[s].controllers) spec.group.push_back(io_member(controller));
    for (const int w : deal[s].workers) spec.group.push_back(npus_[static_cast<std::size_t>(w)]);
    spec.bytes = chunks[s];
    spec.roots = static_cast<int>(deal[s].controllers.size());
    spec.vc = kDp;
    spec.algorithm = "paper";
  }
  return found;
}

std::vector<int> WeightStreams::add(Direction direction,
                                    const std::vector<std::uint64_t>& stage_bytes,
                                    const std::string& name, int iteration,
                                    std::vector<std::vector<int>> after) {
  std::vector<int> ids;
  for (const Deal& deal : deals_) {
    if (!ids.empty())
      for (std::size_t w = 0; w < ids.size(); ++w) after[w] = {ids[w]};
    ids = add_operation(deal, direction, stage_bytes, name, iteration, after);
  }
  return ids;
}

std::vector<int> WeightStreams::add_operation(const Deal& deal, Direction direction,
                                              const std::vector<std::uint64_t>& stage_bytes,
                                              const std::string& name, int iteration,
                                              std::vector<std::vector<int>> after) {
  // The number of chunks for which the rounding is minimal, at the shard with most.
  std::uint64_t max = 0, unit = 1, min = 1;
  for (std::size_t s = 0; s < deal.size(); ++s) {
    const Shard& shard = deal[s];
    const std::uint64_t bytes = bytes_of(deal, s, stage_bytes);
    min = std::max(min, in_units(bytes, chunk_bytes_ * shard.controllers.size()));
    if (bytes > max) max = bytes, unit = unit_of(shard);
  }
  const auto rounded = [&](std::uint64_t chunks) {
    return in_units(max, unit * chunks) * unit * chunks;
  };
  std::uint64_t times = min;
  for (std::uint64_t chunks = min; min > 1 && chunks < 2 * min; ++chunks)
    if (rounded(chunks) < rounded(times)) times = chunks;
  std::vector<std::uint64_t> chunks;
  for (std::size_t s = 0; s < deal.size(); ++s) {
    const std::uint64_t bytes = std::max<std::uint64_t>(1, bytes_of(deal, s, stage_bytes));
    const std::uint64_t of_shard = unit_of(deal[s]);
    chunks.push_back(times == 1 ? bytes : in_units(bytes, of_shard * times) * of_shard);
  }
  const bool is_load = direction == Direction::kLoad;
  OperationShape shape;
  shape.work = specs(deal, direction, chunks);
  (is_load ? shape.beside : shape.before) =
      specs(deal, is_load ? Direction::kGradients : Direction::kLoad, chunks);
  const int operation = shapes_.add(std::move(shape), name);
  graph_.operations[static_cast<std::size_t>(operation)].times = times;
  std::vector<int> ids(after.size());
  for (std::size_t s = 0; s < deal.size(); ++s) {
    Task task{.category = TimeCategory::kStreaming,
              .label = graph_.operations[static_cast<std::size_t>(operation)].label,
              .iteration = iteration,
              .operation = operation,
              .part = static_cast<int>(s)};
    add_controllers(task, direction, deal[s]);
    task.rank = static_cast<int>(deal[s].controllers.size());
    for (const int w : deal[s].workers) {
      task.after = std::move(after[static_cast<std::size_t>(w)]);
      std::vector<Task>& tasks = graph_.ranks[static_cast<std::size_t>(w)].tasks;
      ids[static_cast<std::size_t>(w)] = static_cast<int>(tasks.size());
      tasks.push_back(task);
      ++task.rank;
    }
  }
  return ids;
}

// Adds the tasks of the controllers. A controller loads in order, and sends no weights of an
// iteration before it has received the gradients of earlier iterations.
void WeightStreams::add_controllers(const Task& of, Direction direction, const Shard& shard) {
  for (std::size_t k = 0; k < shard.controllers.size(); ++k) {
    const int controller = shard.controllers[k];
    const auto c = static_cast<std::size_t>(controller);
    std::vector<int>& latest = latest_[c];
    Task task = of;
    task.rank = static_cast<int>(k);
    const auto wait_for = [&](Direction what) {
      const int id = latest[static_cast<std::size_t>(what)];
      if (id >= 0) task.after.push_back(id);
    };
    wait_for(direction);
    if (direction == Direction::kLoad && iteration_[c] != of.iteration)
      wait_for(Direction::kGradients);
    iteration_[c] = of.iteration;
    const int rank = controller_rank(graph_, strategy_.workers(), controllers_, controller);
    std::vector<Task>& tasks = graph_.ranks[static_cast<std::size_t>(rank)].tasks;
    latest[static_cast<std::size_t>(direction)] = static_cast<int>(tasks.size());
    tasks.push_back(std::move(task));
  }
}

}  // namespace fredsim
