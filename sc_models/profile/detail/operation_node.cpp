// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/operation_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/detail/host_collectives.h"
#include "profile/detail/operation_shapes.h"

namespace fredsim {
namespace {

const std::string& name_of(const Kineto& profile, const Kineto::Event& event) {
  return profile.names[static_cast<std::size_t>(event.name)];
}

bool is_communication(const std::string& kernel) {
  std::string lower;
  for (const char c : kernel)
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.find("nccl") != std::string::npos || lower.find("rccl") != std::string::npos ||
         is_host_collective(kernel);
}

// Bytes to each rank, of splits in elements or in rows of several; empty: equal shares. A rank
// that sends nothing keeps its zeros, since others may send to it.
std::vector<std::uint64_t> splits_of(const CollectiveCall& call, std::uint64_t bytes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t split : call.in_splits) sum += split;
  const bool is_equal = std::ranges::all_of(
      call.in_splits, [&](std::uint64_t split) { return split == call.in_splits.front(); });
  if (call.in_splits.empty() || (is_equal && sum > 0)) return {};
  std::vector<std::uint64_t> splits = call.in_splits;
  if (sum == 0) return bytes == 0 ? splits : std::vector<std::uint64_t>();
  if (bytes % sum != 0) return {};  // not in elements, nor in rows
  for (std::uint64_t& split : splits) split *= bytes / sum;
  return splits;
}

// Calls that a kernel does: the one around its launch, else the sends and receives before it.
std::vector<const Kineto::CpuOp*> calls_of(const Kineto& profile, ThreadOps& by,
                                           Kineto::Ps launched) {
  const auto name_of_call = [&](const Kineto::CpuOp& op) -> const std::string& {
    return profile.calls[static_cast<std::size_t>(op.call)].name;
  };
  const Kineto::CpuOp* const called = around(by.calls, launched);
  if (called != nullptr && !is_marker(name_of_call(*called))) {
    by.launched = called->begin;
    return {called};
  }
  std::vector<const Kineto::CpuOp*> pending;
  for (const Kineto::CpuOp* const one : by.calls) {
    if (one->begin <= by.launched || one->end > launched) continue;
    const std::optional<CollectiveMeaning> meaning = meaning_of(name_of_call(*one));
    if (meaning && meaning->type != TraceNodeType::kCollective) pending.push_back(one);
  }
  if (pending.empty()) return {called};
  by.launched = launched;
  return pending;
}

// False: unknown, a computation by request.
bool communicate(const Kineto& profile, const ProfileOptions& options, const Kineto::GpuOp& op,
                 const Kineto::CpuOp* called, ProfiledNode& node) {
  const auto fail = [&](const std::string& found, const std::string& allowed) {
    throw BadInput(fmt::format("{}: event {} ({:.60}): found {}; allowed: {}", profile.path,
                               op.number, name_of(profile, op), found, allowed));
  };
  if (called == nullptr) {
    if (options.unknown_is_compute) return false;
    fail("no record_param_comms that launched it",
         "a profile with them, --host with the execution trace, or --unknown-compute");
  }
  const CollectiveCall& call = profile.calls[static_cast<std::size_t>(called->call)];
  const std::optional<CollectiveMeaning> meaning = meaning_of(call.name);
  if (!meaning) {
    if (options.unknown_is_compute) return false;
    fail(fmt::format("the collective '{}'", call.name),
         "the names of profile/collective_call.cpp, or --unknown-compute");
  }
  const std::uint64_t each =
      call.element_bytes != 0 ? call.element_bytes : bytes_of_type(call.dtype);
  if (each == 0 && meaning->collective != TraceCollective::kBarrier)
    fail(fmt::format("elements of type '{}'", call.dtype), "a type of PyTorch");
  node.node.type = meaning->type;
  node.node.collective = meaning->collective;
  const bool of_output = meaning->bytes == CollectiveMeaning::Bytes::kOutput;
  std::uint64_t elements = of_output ? call.out_elements : call.in_elements;
  if (elements == 0) elements = of_output ? call.in_elements : call.out_elements;
  node.node.bytes = elements * each;
  if (meaning->collective == TraceCollective::kAllToAll &&
      meaning->type == TraceNodeType::kCollective)
    node.node.splits = splits_of(call, node.node.bytes);
  node.node.name = call.name;
  node.node.peer = meaning->type == TraceNodeType::kCollective ? TraceNode::kNobody : call.peer;
  node.call = called->call;
  return true;
}

}  // namespace

const Kineto::CpuOp* around(const std::vector<const Kineto::CpuOp*>& ops, Kineto::Ps at) {
  const Kineto::CpuOp* found = nullptr;
  auto next =
      std::ranges::upper_bound(ops, at, {}, [](const Kineto::CpuOp* op) { return op->begin; });
  constexpr int kDeepest = 64;
  for (int n = 0; next != ops.begin() && n < kDeepest; ++n) {
    const Kineto::CpuOp* const op = *--next;
    if (op->end >= at && (found == nullptr || op->begin > found->begin)) found = op;
  }
  return found;
}

bool describe_operation(const Kineto& profile, const ProfileOptions& options,
                        const Kineto::GpuOp& op, ThreadOps& by, Kineto::Ps launched,
                        ProfiledNode& node, std::vector<ProfiledNode>& others) {
  node.node.name = name_of(profile, op);
  node.node.type = TraceNodeType::kCompute;
  node.node.tensor_bytes = op.bytes;
  if (op.kind == Kineto::GpuKind::kCopy) {
    if (node.node.name.find("HtoD") != std::string::npos) node.node.type = TraceNodeType::kLoad;
    if (node.node.name.find("DtoH") != std::string::npos) node.node.type = TraceNodeType::kStore;
  } else if (op.kind == Kineto::GpuKind::kKernel && is_communication(node.node.name)) {
    const std::vector<const Kineto::CpuOp*> calls = calls_of(profile, by, launched);
    for (std::size_t n = 1; n < calls.size(); ++n)
      communicate(profile, options, op, calls[n], others.emplace_back());
    return communicate(profile, options, op, calls.front(), node);
  }
  return true;
}

void ArithmeticOwners::add(const Kineto::CpuOp* op, int node, Kineto::Ps duration) {
  Owner& owner = owners_[op];
  if (duration > owner.duration) owner = {node, duration};
}

void ArithmeticOwners::write(const Kineto& profile, std::vector<ProfiledNode>& nodes) const {
  for (const auto& [op, owner] : owners_) {
    const Arithmetic work =
        arithmetic_of(name_of(profile, *op), profile.shapes[static_cast<std::size_t>(op->shape)]);
    TraceNode& node = nodes[static_cast<std::size_t>(owner.node)].node;
    node.operations = work.operations;
    node.tensor_bytes = work.bytes;
  }
}

}  // namespace fredsim
