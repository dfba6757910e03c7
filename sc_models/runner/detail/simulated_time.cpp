// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/simulated_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "flow/flow_run.h"
#include "flow/system_flows.h"
#include "runner/flow_engine.h"
#include "runner/interrupt.h"
#include "systems/make_plan.h"
#include "systems/system_plan.h"
#include "workload/graph_run.h"
#include "workload/text_graph.h"
#include "workload/training_graph.h"
#include "workload/training_run.h"

namespace fredsim {
namespace {

constexpr std::string_view kUplinkKey = "fabric.uplink_bandwidth";
constexpr double kBytesPerGb = 1e9;
constexpr double kBandwidthStep = 1000;  // bytes/s, of each part

bool has_key(const MachineConfig& machine, std::string_view key) {
  return std::ranges::any_of(machine.keys, [&](const MachineKey& k) { return k.path == key; });
}

int ports_of(const Node& node) { return std::max(1, node.ports); }

}  // namespace

std::vector<SearchedBandwidth> searched_bandwidths(const MachineConfig& machine) {
  const Topology& topology = machine.topology;
  std::vector<SearchedBandwidth> searched;
  for (std::size_t d = 0; d < topology.blocks.size(); ++d) {
    const SystemBlock& block = topology.blocks[d];
    const auto places = static_cast<int>(block.topology->npus.size());
    const std::string key = fmt::format("fabric.dimensions.{}.bandwidth", d + 1);
    searched.push_back({.dimension = block.name,
                        .block = fmt::format("{} {}", block.word, places),
                        .key = has_key(machine, key) ? key : "",
                        .share = 1,
                        .parts = 2 * std::max(1, places - 1) *
                                 ports_of(block.topology->nodes[block.topology->npus.front()]),
                        .has_switch = block.facts.has_switch});
  }
  if (!searched.empty()) return searched;
  if (!has_key(machine, kUplinkKey)) {
    throw BadInput(
        fmt::format("{}: found a machine of type {} without {}; allowed: fabric.type "
                    "dimensions, or a tree of two levels with --engine flow",
                    machine.path, topology.kind, kUplinkKey));
  }
  const auto first_level = [](const Node& node) { return node.is_switch() && node.level == 1; };
  int uplinks = 0, switches = 0;
  for (const Node& node : topology.nodes) {
    if (!first_level(node)) continue;
    switches = std::max(switches, node.switch_index + 1);
  }
  for (const Link& link : topology.links)
    uplinks += topology.nodes[link.from].level == 1 && topology.nodes[link.to].level == 2 ? 1 : 0;
  const auto npus = static_cast<double>(topology.npus.size());
  searched.push_back({.dimension = "l1",
                      .block = fmt::format("{} switches", switches),
                      .key = "npu.bandwidth",
                      .share = 1,
                      .parts = ports_of(topology.nodes[topology.npus.front()]),
                      .has_switch = true});
  searched.push_back({.dimension = "l2",
                      .block = "tree",
                      .key = std::string(kUplinkKey),
                      .share = npus / switches,
                      .parts = std::max(1, uplinks),
                      .has_switch = true});
  return searched;
}

SimulatedTime::SimulatedTime(const MachineConfig& machine,
                             const std::vector<SearchedBandwidth>& searched,
                             const BandwidthOptions& options)
    : machine_(machine), searched_(searched), options_(options) {
  for (const SearchedBandwidth& one : searched) {
    if (!one.key.empty()) continue;
    throw BadInput(fmt::format(
        "{}: dimension {} is a machine of its own, whose bandwidth no key says; allowed with "
        "--engine flow: blocks with a bandwidth",
        machine.path, one.dimension));
  }
}

MachineConfig SimulatedTime::machine_with(const std::vector<double>& gbps) const {
  std::vector<std::string> settings;
  for (std::size_t d = 0; d < gbps.size(); ++d) {
    const double step = kBandwidthStep * searched_[d].parts;
    const double bytes = gbps[d] * kBytesPerGb * searched_[d].share;
    settings.push_back(fmt::format("{}={:.0f} B/s", searched_[d].key,
                                   step * std::max(1.0, std::floor(bytes / step + 1e-6))));
  }
  return reload_config(machine_, settings);
}

double SimulatedTime::all_reduce_ns(const Topology& topology) const {
  CollectiveSpec spec;
  spec.bytes = options_.all_reduce_bytes;
  spec.algorithm = options_.algorithm;
  spec.group.resize(topology.npus.size());
  std::iota(spec.group.begin(), spec.group.end(), 0);
  const double cycles = topology.has_blocks()
                            ? run_flows(topology, plan_system(topology, {&spec, 1})).end
                            : run_flows(topology, make_plan(topology, {&spec, 1})).end;
  return cycles * 1e9 / static_cast<double>(topology.clock_hz);
}

double SimulatedTime::iteration_ns(const MachineConfig& machine,
                                   const TrainOptions& workload) const {
  const Topology& topology = machine.topology;
  TrainingOptions training = workload.training;
  training.iterations = 1;
  TaskGraph graph;
  if (workload.source == TrainOptions::Source::kText) {
    graph = text_graph(read_text_workload(workload.workload), workload.workload,
                       {workload.text_mp, training.iterations, training.algorithm}, topology);
  } else {
    const ModelShape model = model_of(workload);
    graph = training_graph(model, training, {.npu = machine.compute}, topology);
  }
  const ShapePlans plans =
      plan_shapes(topology, graph.shapes, OnConflict::kLater, SystemForm::kSteps);
  FlowEngine engine(topology, plans, {.stop = &interrupt_flag()});
  const TrainingResult result = run_training(engine, graph);
  if (result.run.incomplete) throw Interrupted("interrupted: the search was not over");
  return result.iteration_ns;
}

double SimulatedTime::operator()(const std::vector<double>& gbps) const {
  if (interrupt_flag()) throw Interrupted("interrupted: the search was not over");
  const MachineConfig machine = machine_with(gbps);
  if (options_.workloads.empty()) return all_reduce_ns(machine.topology);
  double ns = 0;
  for (std::size_t w = 0; w < options_.workloads.size(); ++w)
    ns += options_.weights[w] * iteration_ns(machine, options_.workloads[w]);
  return ns;
}

double SimulatedTime::most(std::size_t dimension, double total_gbps) const {
  const double few = total_gbps / 1000;
  const auto fits = [&](double gbps) {
    std::vector<double> all(searched_.size(), few);
    all[dimension] = gbps;
    try {
      machine_with(all);
      return true;
    } catch (const BadInput&) {
      return false;
    }
  };
  if (fits(total_gbps)) return total_gbps;
  double low = few, high = total_gbps;
  if (!fits(low)) machine_with(std::vector<double>(searched_.size(), few));  // throws
  while (high - low > 1e-4 * total_gbps) (fits((low + high) / 2) ? low : high) = (low + high) / 2;
  return low;
}

}  // namespace fredsim
