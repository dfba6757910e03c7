// SPDX-License-Identifier: Apache-2.0
#include "optimize/topoopt_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "topology/graph/graph.h"
#include "workload/text_graph.h"
#include "workload/training_graph.h"

namespace fredsim {

Topology switch_topology(int nodes, std::uint64_t clock_hz, std::uint64_t bytes_per_second,
                         std::uint64_t latency_ps) {
  GraphSpec spec;
  spec.label = "switch";
  for (int i = 0; i < nodes; ++i) spec.nodes.push_back({fmt::format("n{}", i), false, "node"});
  spec.nodes.push_back({"s", true, "switch"});
  for (int i = 0; i < nodes; ++i)
    spec.links.push_back({i, nodes, bytes_per_second, latency_ps, 1, "link"});
  MachineSpec machine;
  machine.name = "switch";
  machine.clock_hz = clock_hz;
  check_graph(spec);
  return build_graph(machine, spec);
}

JobOfStrategy job_of(ModelJob job, const Topology& nodes) {
  return [job = std::move(job), &nodes](const Strategy& strategy) {
    TrainingOptions options = job.training;
    options.strategy = strategy;
    options.npus.clear();
    options.iterations = 1;
    options.microbatches = job.microbatches > 0 ? job.microbatches
                           : strategy.pp > 1    ? kPipelineMicrobatches
                                                : 1;
    if (options.minibatch < static_cast<std::uint64_t>(strategy.dp)) {
      throw BadInput(
          fmt::format("found a minibatch of {} for {} replicas; allowed: one or more each",
                      options.minibatch, strategy.dp));
    }
    return training_graph(job.model, options, job.speed, nodes);
  };
}

JobOfStrategy job_of(TextWorkload workload, std::string path, const Topology& nodes) {
  return
      [workload = std::move(workload), path = std::move(path), &nodes](const Strategy& strategy) {
        if (strategy.pp > 1)
          throw BadInput(fmt::format("{}: found {}; allowed: pp1, text workloads have no stages",
                                     path, to_string(strategy)));
        TextGraphOptions options;
        options.iterations = 1;
        options.mp = strategy.mp;
        try {
          return text_graph(workload, path, options, nodes);
        } catch (const BadInput&) {
          // The type says it: there is one strategy.
          if (strategy.mp > 1) throw;
          options.mp = 0;
          return text_graph(workload, path, options, nodes);
        }
      };
}

}  // namespace fredsim
