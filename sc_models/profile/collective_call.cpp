// SPDX-License-Identifier: Apache-2.0
#include "profile/collective_call.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace fredsim {
namespace {

using Type = TraceNodeType;
using Kind = TraceCollective;
using Bytes = CollectiveMeaning::Bytes;

struct NamedMeaning {
  std::string_view name;
  CollectiveMeaning meaning;
};

// Names in lower case without `_`. comm_size of an all-gather is a rank's shard, its input.
constexpr std::array kMeanings{
    NamedMeaning{"allreduce", {Type::kCollective, Kind::kAllReduce, Bytes::kInput}},
    NamedMeaning{"allreducecoalesced", {Type::kCollective, Kind::kAllReduce, Bytes::kInput}},
    NamedMeaning{"allreducesparse", {Type::kCollective, Kind::kAllReduce, Bytes::kInput}},
    NamedMeaning{"reduce", {Type::kCollective, Kind::kReduce, Bytes::kInput}},

    NamedMeaning{"broadcast", {Type::kCollective, Kind::kBroadcast, Bytes::kOutput}},
    NamedMeaning{"broadcastoop", {Type::kCollective, Kind::kBroadcast, Bytes::kOutput}},
    NamedMeaning{"allgather", {Type::kCollective, Kind::kAllGather, Bytes::kInput}},
    NamedMeaning{"allgatherbase", {Type::kCollective, Kind::kAllGather, Bytes::kInput}},
    NamedMeaning{"allgatherv", {Type::kCollective, Kind::kAllGather, Bytes::kInput}},
    NamedMeaning{"allgathercoalesced", {Type::kCollective, Kind::kAllGather, Bytes::kInput}},
    NamedMeaning{"allgatherintotensor", {Type::kCollective, Kind::kAllGather, Bytes::kInput}},
    NamedMeaning{"allgatherintotensorcoalesced",
                 {Type::kCollective, Kind::kAllGather, Bytes::kInput}},
    NamedMeaning{"gather", {Type::kCollective, Kind::kGather, Bytes::kInput}},
    NamedMeaning{"scatter", {Type::kCollective, Kind::kScatter, Bytes::kOutput}},
    NamedMeaning{"reducescatter", {Type::kCollective, Kind::kReduceScatter, Bytes::kInput}},
    NamedMeaning{"reducescatterbase", {Type::kCollective, Kind::kReduceScatter, Bytes::kInput}},
    NamedMeaning{"reducescatterv", {Type::kCollective, Kind::kReduceScatter, Bytes::kInput}},
    NamedMeaning{"reducescattertensor", {Type::kCollective, Kind::kReduceScatter, Bytes::kInput}},
    NamedMeaning{"reducescattertensorcoalesced",
                 {Type::kCollective, Kind::kReduceScatter, Bytes::kInput}},
    NamedMeaning{"reducescattercoalesced",
                 {Type::kCollective, Kind::kReduceScatter, Bytes::kInput}},
    NamedMeaning{"alltoall", {Type::kCollective, Kind::kAllToAll, Bytes::kInput}},
    NamedMeaning{"alltoallv", {Type::kCollective, Kind::kAllToAll, Bytes::kInput}},
    NamedMeaning{"alltoallbase", {Type::kCollective, Kind::kAllToAll, Bytes::kInput}},
    NamedMeaning{"alltoallsingle", {Type::kCollective, Kind::kAllToAll, Bytes::kInput}},
    NamedMeaning{"barrier", {Type::kCollective, Kind::kBarrier, Bytes::kInput}},
    NamedMeaning{"send", {Type::kSend, Kind::kAllReduce, Bytes::kInput}},
    NamedMeaning{"isend", {Type::kSend, Kind::kAllReduce, Bytes::kInput}},
    NamedMeaning{"recv", {Type::kReceive, Kind::kAllReduce, Bytes::kOutput}},
    NamedMeaning{"irecv", {Type::kReceive, Kind::kAllReduce, Bytes::kOutput}},
    NamedMeaning{"recvanysource", {Type::kReceive, Kind::kAllReduce, Bytes::kOutput}},
};

constexpr auto kMarkers = std::to_array<std::string_view>(
    {"wait", "init", "coalesced", "startcoalescing", "endcoalescing", "groupstart", "groupend"});

std::string plain(std::string_view name) {
  for (const std::string_view prefix : {"c10d::", "nccl:", "gloo:", "mpi:"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  std::string text;
  for (const char c : name)
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::optional<CollectiveMeaning> meaning_of(std::string_view name) {
  const auto* const found = std::ranges::find(kMeanings, plain(name), &NamedMeaning::name);
  if (found == kMeanings.end()) return std::nullopt;
  return found->meaning;
}

bool is_marker(std::string_view name) { return std::ranges::count(kMarkers, plain(name)) != 0; }

std::uint64_t bytes_of_type(std::string_view dtype) {
  using Size = std::pair<std::string_view, std::uint64_t>;
  static constexpr std::array kSizes{
      Size{"float", 4},          Size{"double", 8},        Size{"half", 2},
      Size{"bfloat16", 2},       Size{"int", 4},           Size{"long", 8},
      Size{"longint", 8},        Size{"short", 2},         Size{"shortint", 2},
      Size{"char", 1},           Size{"signedchar", 1},    Size{"byte", 1},
      Size{"unsignedchar", 1},   Size{"bool", 1},          Size{"float8e4m3fn", 1},
      Size{"float8e5m2", 1},     Size{"complexfloat", 8},  Size{"complexdouble", 16},
      Size{"float8e4m3fnuz", 1}, Size{"float8e5m2fnuz", 1}};
  const std::size_t at = dtype.rfind("::");
  if (at != std::string_view::npos) dtype.remove_prefix(at + 2);
  std::string text;
  for (const char c : dtype)
    if (c != '_' && c != ' ')
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* const found = std::ranges::find(kSizes, text, &Size::first);
  return found == kSizes.end() ? 0 : found->second;
}

std::vector<int> ranks_of(const CollectiveCall& call) {
  if (!call.ranks.empty() || call.start < 0 || call.size <= 0) return call.ranks;
  std::vector<int> ranks;
  for (int n = 0; n < call.size; ++n) ranks.push_back(call.start + n * call.stride);
  return ranks;
}

}  // namespace fredsim
