// SPDX-License-Identifier: Apache-2.0
#include "runner/topoopt_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/flit.h"
#include "optimize/direct_machine.h"
#include "optimize/topoopt_job.h"
#include "runner/interrupt.h"

namespace fredsim {
namespace {

constexpr double kNsOfSecond = 1e9, kPsOfSecond = 1e12, kPsOfNs = 1e3, kBytesOfGb = 1e9;
constexpr std::uint64_t kSamplesOfNpu = 16;

// Throws BadInput for a degree, with the option's name first.
void check_network_degree(const FinderOptions& finder, int npus) {
  try {
    ring_topology(npus, finder);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("--degree: {}", error.what()));
  }
}

bool is_text(const TopooptAsked& asked) {
  return asked.train.source == TrainOptions::Source::kText;
}

JobOfStrategy network_job(const TopooptAsked& asked, const NpuCompute& compute,
                          std::uint64_t minibatch, const Topology& nodes) {
  const TrainOptions& train = asked.train;
  if (is_text(asked)) return job_of(read_text_workload(train.workload), train.workload, nodes);
  ModelJob job;
  job.model = model_of(train);
  job.training = train.training;
  job.training.minibatch = minibatch;
  if (asked.names_microbatches) job.microbatches = train.training.microbatches;
  job.speed = {compute, 0};
  return job_of(std::move(job), nodes);
}

NetworkSetup setup_of(const MachineConfig& machine, const TopooptAsked& asked, int npus,
                      std::uint64_t minibatch) {
  return {.config = machine.path,
          .settings = machine.settings,
          .machine = machine.keys,
          .fabric = machine.topology.name,
          .npus = npus,
          .degree = asked.finder.degree,
          .link_gbps = static_cast<double>(asked.link_bandwidth) / kBytesOfGb,
          .link_latency_ns = static_cast<double>(asked.link_latency_ps) / kPsOfNs,
          .primes = asked.finder.kind.primes,
          .both_ways = asked.finder.kind.both_ways,
          .each = asked.each,
          .paths = asked.paths,
          .seed = asked.seed,
          .accounting = is_text(asked) ? "serial"
                                       : stated_text(row_of(kTrainingRows, "--accounting"),
                                                     asked.train, asked.train.kind),
          .workload = asked.train.workload,
          .minibatch = minibatch};
}

NetworkResult result_of(const TopooptResult& found) {
  const DirectTopology& topology = found.topology;
  NetworkResult result{.strategy = to_string(found.strategy),
                       .switch_strategy = to_string(found.switch_strategy),
                       .time_ns = found.seconds * kNsOfSecond,
                       .switch_time_ns = found.switch_seconds * kNsOfSecond,
                       .best_switch_time_ns = found.best_switch_seconds * kNsOfSecond,
                       .ring_interfaces = topology.ring_interfaces,
                       .pair_interfaces = topology.pair_interfaces,
                       .has_joining_ring = topology.has_joining_ring,
                       .diameter = topology.network.diameter(),
                       .converged = found.converged,
                       .evaluations = found.evaluations};
  for (const RingSet& set : topology.rings)
    result.rings.push_back({.members = static_cast<int>(set.groups.front().size()),
                            .groups = static_cast<int>(set.groups.size()),
                            .jumps = set.jumps});
  for (const auto& matching : topology.matchings)
    result.matchings.push_back(static_cast<int>(matching.size()));
  for (const DirectLink& link : topology.network.links()) result.links += link.count;
  for (const TopooptRound& round : found.rounds)
    result.rounds.push_back({to_string(round.strategy), round.seconds * kNsOfSecond});
  return result;
}

std::string network_machine(const DirectNetwork& network, const MachineConfig& machine,
                            const TopooptAsked& asked) {
  // No link takes more than a flit per cycle, including the link from an NPU to the switch on its
  // die.
  const std::uint64_t of_npu =
      asked.link_bandwidth * static_cast<std::uint64_t>(asked.finder.degree);
  return machine_text(network, {.name = "topoopt",
                                .clock_hz = std::max(machine.topology.clock_hz,
                                                     (of_npu + kFlitBytes - 1) / kFlitBytes),
                                .bytes_per_second = asked.link_bandwidth,
                                .latency_ps = asked.link_latency_ps,
                                .compute = machine.compute});
}

}  // namespace

FoundNetwork find_network(const MachineConfig& machine, const TopooptAsked& asked) {
  const int npus = asked.npus > 0 ? asked.npus : static_cast<int>(machine.topology.npus.size());
  std::uint64_t minibatch = 0;
  if (!is_text(asked))
    minibatch = asked.names_minibatch ? asked.train.training.minibatch
                                      : kSamplesOfNpu * static_cast<std::uint64_t>(npus);
  check_network_degree(asked.finder, npus);
  const std::uint64_t clock = machine.topology.clock_hz;
  const Topology nodes = switch_topology(npus, clock, kFlitBytes * clock, asked.link_latency_ps);
  const TopooptOptions options{.finder = asked.finder,
                               .link = {static_cast<double>(asked.link_bandwidth),
                                        static_cast<double>(asked.link_latency_ps) / kPsOfSecond},
                               .clock_hz = static_cast<double>(clock),
                               .paths = asked.paths,
                               .seed = asked.seed,
                               .each = asked.each};
  const TopooptResult found = search_topology(
      npus, network_job(asked, machine.compute, minibatch, nodes), options, [&](int evaluations) {
        return !interrupt_flag() && static_cast<std::uint64_t>(evaluations) < asked.max_evaluations;
      });
  return {.setup = setup_of(machine, asked, npus, minibatch),
          .result = result_of(found),
          .machine = network_machine(found.topology.network, machine, asked),
          .is_interrupted = interrupt_flag()};
}

}  // namespace fredsim
