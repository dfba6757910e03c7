// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrated_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/credit_loop.h"

namespace fredsim {
namespace {

constexpr double kSame = 1e-9;  // factors closer than this are equal

// Machine with covering buffers; a system is read anew, since smaller systems are made from its
// file.
MachineConfig covered_machine(const MachineConfig& machine, bool is_system) {
  MachineConfig covered = machine;
  covered.topology = with_covering_buffers(machine.topology);
  if (!is_system) return covered;
  std::vector<std::string> settings;
  const WhichBuffers larger = larger_buffers(covered.topology, machine.topology);
  if (larger.of_switches) settings.emplace_back("switch.input_buffer=auto");
  if (larger.of_npus) settings.emplace_back("npu.receive_buffer=auto");
  return reload_config(machine, settings);
}

MachineConfig close_machine(const MachineConfig& machine) {
  MachineConfig close = machine;
  for (Link& link : close.topology.links) link.latency = 1;
  return close;
}

}  // namespace

CalibratedDiagnosis::CalibratedDiagnosis(const RunRequest& request, const FileUses& files,
                                         ComparedMachine given, const std::string& work_file)
    : request_(request), work_{given.work, work_file, request.seed} {
  const bool is_system = given.config.topology.has_blocks();
  is_calibrated_ = is_system || !given.config.topology.flow_only.empty() ||
                   given.config.topology.nodes.size() <= kMaxCalibratedNodes;
  machines_.push_back(std::move(given));
  const WorkOptions& work = work_.options;
  machines_.push_back({.config = covered_machine(machine(), is_system), .work = work});
  for (const std::uint64_t size : request.work.sizes)
    by_flows_.push_back(
        diagnose_by_flows(machine(), machines_[kCovered].config.topology, work_, size));
  if (!is_calibrated_) return;
  // Variants are made even if no size needs them, so that indices in the list are constant.
  if (!is_system) machines_.push_back({.config = close_machine(machine()), .work = work});
  for (ComparedMachine& machine : machines_)
    machine.plans = {
        plan_of_work(machine.config.topology, work, request.work.sizes.front(), request.seed)};
  elaborate(request, files, machines_, nullptr);
}

double CalibratedDiagnosis::ns(Variant variant, const AnyPlan& plan) {
  machines_[variant].plans = {plan};
  return run_job(machines_[variant], 0, request_).time_ns;
}

void CalibratedDiagnosis::calibrate(FlowDiagnosis& flows, std::uint64_t size) {
  Diagnosis& result = flows.result;
  const auto planned = [&](const Variant variant, const WorkOptions& work) {
    return plan_of_work(machines_[variant].config.topology, work, size, work_.seed);
  };
  const AnyPlan given = planned(kGiven, work_.options);
  const double by_flows = std::exchange(result.time_ns, ns(kGiven, given));
  result.is_calibrated = true;
  bool needs_buffers = false;
  for (LiftedLimit& limit : result.limits) {
    if (!limit.time_ns) continue;
    const double factor = by_flows / *limit.time_ns;
    const auto take = [&](double ns) {
      limit.time_ns = ns;
      limit.is_calibrated = true;
    };
    const auto option =
        std::ranges::find(flows.by_options, limit.limit, &std::pair<Limit, WorkOptions>::first);
    if (option != flows.by_options.end()) {
      take(std::min(result.time_ns, ns(kGiven, planned(kGiven, option->second))));
    } else if (limit.limit == Limit::kBuffers && !limit.lifted_by.empty()) {
      take(std::min(result.time_ns, ns(kCovered, planned(kCovered, work_.options))));
      needs_buffers = result.factor(*limit.time_ns) > kNoGain;
    } else if (limit.limit == Limit::kLatency && !needs_buffers) {
      if (machines_.size() > kClose)
        take(ns(kClose, given));
      else
        limit.time_ns = std::min(result.time_ns, *limit.time_ns);
    } else {
      limit.time_ns = result.time_ns / factor;
      limit.is_calibrated = std::abs(factor - 1) < kSame;  // flows are unchanged
    }
  }
  for (const LiftedLimit& limit : result.limits)
    result.all_ns = std::min(result.all_ns, limit.time_ns.value_or(result.time_ns));
}

Diagnosis CalibratedDiagnosis::run(std::size_t size) {
  FlowDiagnosis& flows = by_flows_[size];
  if (is_calibrated_) calibrate(flows, request_.work.sizes[size]);
  put_in_order(flows.result);
  return std::move(flows.result);
}

}  // namespace fredsim
