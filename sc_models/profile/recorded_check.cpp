// SPDX-License-Identifier: Apache-2.0
#include "profile/recorded_check.h"

#include <algorithm>
#include <utility>

#include "base/time_spans.h"

namespace fredsim {
namespace {

using Ps = Kineto::Ps;
constexpr Ps kUs = 1'000'000;
constexpr Ps kTolerance = kUs;
constexpr Ps kUnexplained = 20 * kUs;

RecordedKind kind_of(const TraceNode& node) {
  if (node.on_cpu) return RecordedKind::kCpu;
  if (node.type >= TraceNodeType::kSend) return RecordedKind::kCommunication;
  return node.type == TraceNodeType::kCompute ? RecordedKind::kComputation : RecordedKind::kMemory;
}

}  // namespace

RuleCheck sum_of(const RecordedCheck::ByKind& rule) {
  RuleCheck sum;
  for (const RuleCheck& kind : rule) {
    sum.dependencies += kind.dependencies;
    sum.violated += kind.violated;
    sum.unexplained += kind.unexplained;
  }
  return sum;
}

RecordedCheck check_recorded(const ProfileGraph& graph) {
  RecordedCheck check;
  TimeSpans<Ps> computes, communicates;
  std::vector<Ps> ends(graph.nodes.size());
  Ps last = graph.steps.empty() ? graph.begin : graph.end;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ProfiledNode& node = graph.nodes[n];
    const auto kind = static_cast<std::size_t>(kind_of(node.node));
    const bool is_cpu = node.node.on_cpu;
    Ps latest = 0, start = 0;
    RuleCheck* held_by = nullptr;
    for (const ProfiledNode::After& after : node.after) {
      RuleCheck& rule = check.rules[static_cast<std::size_t>(after.rule)][kind];
      ++rule.dependencies;
      // The CPU's gaps begin where they are explained; they cannot end before.
      rule.violated += (is_cpu ? node.end : node.begin) < after.end - kTolerance;
      if (held_by == nullptr || after.end > latest) held_by = &rule;
      latest = std::max(latest, after.end);
      start = std::max(start, ends[static_cast<std::size_t>(after.node)]);
    }
    ends[n] = (node.after.empty() ? node.begin - graph.begin : start) +
              static_cast<Ps>(node.node.duration_ps);
    check.replayed = std::max(check.replayed, ends[n]);
    last = std::max(last, node.end);
    if (is_cpu || node.node.type == TraceNodeType::kMetadata) continue;
    const bool is_communication = node.node.type >= TraceNodeType::kSend;
    const Ps gap = node.begin - latest;
    const bool is_unexplained = node.after.empty() || gap > kUnexplained;
    if (is_unexplained) ++(held_by == nullptr ? check.free[kind] : held_by->unexplained);
    ++(is_communication ? check.communications : check.computations);
    (is_communication ? check.unexplained_communications : check.unexplained_computations) +=
        is_unexplained;
    if (!node.after.empty() && gap > check.largest_gap) {
      check.largest_gap = gap;
      check.largest = node.node.name;
    }
    (is_communication ? communicates : computes).emplace_back(node.begin, node.end);
  }
  check.recorded = last - graph.begin;
  check.exposed = uncovered_time(std::move(communicates), computes);
  return check;
}

}  // namespace fredsim
