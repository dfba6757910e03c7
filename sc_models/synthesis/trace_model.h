// SPDX-License-Identifier: Apache-2.0
// A model of execution traces, learned from jobs and drawn from by synthesize().
//
// Layout: ranks by role, ranks of one role do the same; families, sets of process groups that are
//   used at the same time.
// Token: one operation of a role, or one communication that several roles meet in. Its values are
//   shared by all sources that have it.
// Scope: a layout, whose sequences are whole jobs, or a repeated block, whose sequence is its body.
//   Symbols of a sequence are tokens and, after them, repeats.
// Contexts: up to `order` symbols before the next, each with its number among equal ones of the
//   sequence, with counts of what came next. A context that says no more than the next shorter one
//   is left out, which stands for it.
// Variants: sequences of a scope with equal totals, how often each symbol comes; a drawn sequence
//   has the totals of its variant, in an order that the variant's contexts choose.
// Lanes: computations of a rank by stream or thread, its communications also by family of groups or
//   by role of the other end.
// Sizes are in bytes, times a factor that the model does not have, to two digits; small ones are
//   powers of two. Durations are in picoseconds, to three digits. There are no names.
// Errors: read_model() throws BadInput with file and key: no JSON, another version, a value out of
//   range.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/collective.h"
#include "workload_files/trace_node.h"

namespace fredsim {

// A distribution: values by weight, ascending.
struct DrawnValues {
  std::vector<std::uint64_t> values{};
  std::vector<std::uint64_t> weights{};
  bool operator==(const DrawnValues&) const = default;
};

// Dependency of a node: the n-th last node of a lane of its rank.
struct LaneDistance {
  std::int64_t lane = 0;
  int distance = 1;
  auto operator<=>(const LaneDistance&) const = default;
};

// Stream or thread of a rank.
struct ModelLane {
  bool on_cpu = false;
  int stream = TraceNode::kNobody;  // numbered by first use
};

struct TokenPart {
  int role = 0;
  int share = 1000;  // all-to-all: thousandths of the token's size that each rank sends
  ModelLane lane{};
  std::vector<LaneDistance> after{};
};

// Collectives of all groups of a family that are planned with a token's own, but not run.
struct PlannedCollective {
  int family = 0;
  Collective collective = Collective::kAllReduce;
  std::string algorithm = "auto";
  int share = 1000;  // thousandths of the token's size
  int priority = 0;
  int root = TraceNode::kNobody;  // role of the root
  auto operator<=>(const PlannedCollective&) const = default;
};

// Shape (workload_files/trace_shapes.h) in which all groups of a family meet.
struct JointShape {
  Collective collective = Collective::kAllReduce;
  std::string algorithm = "auto";
  std::vector<PlannedCollective> before{}, beside{};
  auto operator<=>(const JointShape&) const = default;
};

struct TraceToken {
  TraceNodeType type = TraceNodeType::kCompute;
  TraceCollective collective = TraceCollective::kAllReduce;
  std::int64_t priority = 0;
  int family = TraceNode::kNobody;    // of a collective
  int root = TraceNode::kNobody;      // role of the root, or of the other end of a message
  int offset = 0;                     // place of the other end among its role, less the own one
  int shape = TraceNode::kNobody;     // of a collective of all groups of its family
  int times = 1;                      // repetitions of a collective with a shape
  int category = TraceNode::kNobody;  // TimeCategory; kNobody: follows from the priority
  std::vector<TokenPart> parts{};
  DrawnValues durations{}, sizes{}, operations{};
  std::int64_t lane_of(const TokenPart& part) const;  // number
  bool is_unequal() const;                            // shares differ
};

// Groups by rank; kNobody: the rank is in none. `grows`: with more ranks than learned its groups
// grow, in place of becoming more.
struct GroupFamily {
  std::vector<int> group_of{};
  bool grows = false;
  auto operator<=>(const GroupFamily&) const = default;
};

struct TraceLayout {
  std::vector<int> role_of{};  // by rank
  std::vector<GroupFamily> families{};
  int roles() const;
  auto operator<=>(const TraceLayout&) const = default;
};

struct TraceRepeat {
  int block = 0;
  int count = 1;
  auto operator<=>(const TraceRepeat&) const = default;
};

constexpr int kSequenceStart = -1, kSequenceEnd = -2;  // symbols

using SymbolCounts = std::map<int, std::uint64_t>;
using ContextCounts = std::map<std::vector<int>, SymbolCounts>;  // by symbol, number, symbol, …

struct SequenceVariant {
  std::uint64_t weight = 1;
  SymbolCounts totals{};
  ContextCounts contexts{};
};

using ModelScope = std::vector<SequenceVariant>;

struct TraceModel {
  static constexpr int kVersion = 2;
  static constexpr int kMaxOrder = 6;
  static constexpr std::size_t kMaxBytes = 2'000'000;

  int order = 1;
  std::uint64_t sources = 0;
  std::vector<TraceLayout> layouts{};
  std::vector<std::uint64_t> weights{};  // sequences by layout
  std::vector<JointShape> shapes{};
  std::vector<TraceToken> tokens{};
  std::vector<TraceRepeat> repeats{};
  std::vector<ModelScope> scopes{};  // layouts, then blocks
};

std::string model_text(const TraceModel& model);
TraceModel read_model(const std::string& path);

}  // namespace fredsim
