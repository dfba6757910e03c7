// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/member.h"
#include "topology/faults.h"
#include "workload/detail/input_loads.h"
#include "workload/training_options.h"
#include "workload/worker_graph.h"

namespace fredsim {

// A controller's tasks of its latest operation.
std::vector<int> WorkerGraph::latest_of(int rank) const {
  const std::vector<Task>& tasks = graph_.ranks[rank].tasks;
  std::vector<int> latest;
  for (int t = static_cast<int>(tasks.size()) - 1;
       t >= 0 && tasks[t].operation == tasks.back().operation; --t)
    latest.push_back(t);
  return latest;
}

void WorkerGraph::load_input(const ModelShape& model, const TrainingOptions& options) {
  const std::vector<InputLoad> loads = input_loads(model, options, topology_);
  OperationShape shape;
  const Dimension unused = strategy_.pp == 1                  ? Dimension::kPp
                           : strategy_.mp * sequence_.cp == 1 ? Dimension::kMp
                                                              : Dimension::kDp;
  for (const InputLoad& load : loads) {
    // A load of one worker uses slices from the first on, whatever its number (InputLoad).
    const bool is_to_one = load.workers.size() == 1;
    CollectiveSpec& spec = shape.work.emplace_back();
    spec = spec_of(is_to_one ? Collective::kMulticast : Collective::kScatter, load.workers,
                   is_to_one ? load.bytes : load.bytes * (load.workers.size() + 1), unused);
    spec.algorithm = is_to_one ? "direct" : "auto";
    spec.group.insert(spec.group.begin(), io_member(load.controller));
  }
  loads_.assign(workers_.size(), {});
  if (loads.empty()) return;
  const int operation = shapes_.add(std::move(shape), "input");
  const std::vector<int> controllers = io_controllers_left(topology_);
  std::map<int, std::vector<int>> before;  // earlier tasks, by rank of the controller
  for (int part = 0; part < std::ssize(loads); ++part) {
    int rank = 0;
    for (const int w : loads[part].workers) {
      const std::vector<int> after = next_loads_.empty() ? std::vector<int>{} : next_loads_[w];
      loads_[w].push_back(
          add(w, part_of(operation, part, ++rank, TimeCategory::kInputLoad, after)));
    }
    const int controller =
        controller_rank(graph_, strategy_.workers(), controllers, loads[part].controller);
    const auto after = before.try_emplace(controller, latest_of(controller)).first->second;
    add(controller, part_of(operation, part, 0, TimeCategory::kInputLoad, after));
  }
}

void WorkerGraph::wait_for_input() {
  if (next_loads_.empty()) return;
  for_all(0, [&](int w) {
    workers_[w].pending.insert(workers_[w].pending.end(), next_loads_[w].begin(),
                               next_loads_[w].end());
  });
}

void WorkerGraph::loaded() { next_loads_.swap(loads_); }

}  // namespace fredsim
