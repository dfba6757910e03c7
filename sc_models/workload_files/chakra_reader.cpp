// SPDX-License-Identifier: Apache-2.0
#include "workload_files/chakra_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "workload_files/chakra.pb.h"
#include "workload_files/detail/chakra_stream.h"
#include "workload_files/detail/process_groups.h"
#include "workload_files/node_place.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kPsPerUs = 1'000'000;

// An attribute's number, whatever its kind; no value if it is no number.
std::optional<double> real(const pb::ChakraAttribute& a) {
  if (a.value_case() == pb::ChakraAttribute::kDoubleVal) return a.double_val();
  if (a.value_case() == pb::ChakraAttribute::kFloatVal) return a.float_val();
  return std::nullopt;
}

struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

Integer of_signed(std::int64_t value) {
  return {value < 0, value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                               : static_cast<std::uint64_t>(value)};
}

std::optional<Integer> integer(const pb::ChakraAttribute& a) {
  switch (a.value_case()) {
    case pb::ChakraAttribute::VALUE_NOT_SET:
      return Integer{};
    case pb::ChakraAttribute::kInt32Val:
      return of_signed(a.int32_val());
    case pb::ChakraAttribute::kInt64Val:
      return of_signed(a.int64_val());
    case pb::ChakraAttribute::kUint32Val:
      return Integer{false, a.uint32_val()};
    case pb::ChakraAttribute::kUint64Val:
      return Integer{false, a.uint64_val()};
    case pb::ChakraAttribute::kSint32Val:
      return of_signed(a.sint32_val());
    case pb::ChakraAttribute::kSint64Val:
      return of_signed(a.sint64_val());
    case pb::ChakraAttribute::kFixed32Val:
      return Integer{false, a.fixed32_val()};
    case pb::ChakraAttribute::kFixed64Val:
      return Integer{false, a.fixed64_val()};
    case pb::ChakraAttribute::kSfixed32Val:
      return of_signed(a.sfixed32_val());
    case pb::ChakraAttribute::kSfixed64Val:
      return of_signed(a.sfixed64_val());
    case pb::ChakraAttribute::kBoolVal:
      return Integer{false, a.bool_val() ? 1U : 0U};
    default:
      break;
  }
  const std::optional<double> number = real(a);
  constexpr double kMax = 9007199254740992.0;  // whole numbers up to it are exact
  if (!number || std::abs(*number) > kMax || std::trunc(*number) != *number) return std::nullopt;
  return of_signed(static_cast<std::int64_t>(*number));
}

// Fields of one node, looked up by name.
class Fields {
 public:
  Fields(const std::string& path, const pb::ChakraNode& node) : path_(path), node_(node) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool is_number(std::string_view name) const { return has(name) && integer(*find(name)); }

  std::uint64_t number(std::string_view name, std::uint64_t max,
                       std::optional<std::uint64_t> otherwise = std::nullopt) const {
    const pb::ChakraAttribute* const a = find(name);
    if (a == nullptr) {
      if (otherwise) return *otherwise;
      throw BadInput(place(name) + ": missing");
    }
    const auto value = integer(*a);
    if (!value) throw BadInput(place(name) + ": found no whole number");
    if (value->negative || value->magnitude > max) {
      throw BadInput(fmt::format("{}: found {}{}; allowed: 0 to {}", place(name),
                                 value->negative ? "-" : "", value->magnitude, max));
    }
    return value->magnitude;
  }

  std::int64_t signed_number(std::string_view name) const {
    const pb::ChakraAttribute* const a = find(name);
    if (a == nullptr) return 0;
    const auto value = integer(*a);
    constexpr auto kMax = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!value || value->magnitude > kMax) {
      throw BadInput(place(name) + ": found no whole number of 64 bits");
    }
    const auto magnitude = static_cast<std::int64_t>(value->magnitude);
    return value->negative ? -magnitude : magnitude;
  }

  std::string text(std::string_view name) const {
    const pb::ChakraAttribute* const a = find(name);
    if (a == nullptr || a->value_case() == pb::ChakraAttribute::VALUE_NOT_SET) return "";
    if (a->value_case() == pb::ChakraAttribute::kStringVal) return a->string_val();
    if (a->value_case() == pb::ChakraAttribute::kBytesVal) return a->bytes_val();
    const auto value = integer(*a);
    if (!value) throw BadInput(place(name) + ": found neither text nor a whole number");
    return fmt::format("{}{}", value->negative ? "-" : "", value->magnitude);
  }

  std::vector<bool> bools(std::string_view name) const {
    const pb::ChakraAttribute* const a = find(name);
    if (a == nullptr || a->value_case() == pb::ChakraAttribute::VALUE_NOT_SET ||
        a->value_case() == pb::ChakraAttribute::kBoolVal)
      return {};
    if (a->value_case() != pb::ChakraAttribute::kBoolList) {
      throw BadInput(place(name) + ": found no list of booleans");
    }
    return {a->bool_list().values().begin(), a->bool_list().values().end()};
  }

  std::vector<std::uint64_t> numbers(std::string_view name) const {
    const pb::ChakraAttribute* const a = find(name);
    if (a == nullptr || a->value_case() == pb::ChakraAttribute::VALUE_NOT_SET) return {};
    if (a->value_case() != pb::ChakraAttribute::kUint64List)
      throw BadInput(place(name) + ": found no list of whole numbers");
    return {a->uint64_list().values().begin(), a->uint64_list().values().end()};
  }

  std::string place(std::string_view field) const {
    return node_place(path_, node_.id(), node_.name(), field);
  }

 private:
  // The last attribute of a name counts, as in any protobuf field.
  const pb::ChakraAttribute* find(std::string_view name) const {
    for (int i = node_.attr_size() - 1; i >= 0; --i) {
      if (node_.attr(i).name() == name) return &node_.attr(i);
    }
    return nullptr;
  }

  const std::string& path_;
  const pb::ChakraNode& node_;
};

bool has_root(TraceCollective collective) {
  return collective == TraceCollective::kReduce || collective == TraceCollective::kGather ||
         collective == TraceCollective::kScatter || collective == TraceCollective::kBroadcast;
}

void read_splits(const Fields& fields, std::uint64_t max, TraceNode& node) {
  node.splits = fields.numbers("fredsim_splits");
  if (node.splits.empty()) return;
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : node.splits) sum = std::min(sum + std::min(bytes, max), max + 1);
  if (sum != node.bytes)
    throw BadInput(fmt::format("{}: found a sum of {}; allowed: {}, its comm_size",
                               fields.place("fredsim_splits"), sum, node.bytes));
}

void read_communication(const Fields& fields, TraceNode& node) {
  constexpr std::uint64_t kMaxRank = (1U << 20) - 1;
  constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 50;
  const auto rank = [&](std::string_view name) {
    return static_cast<int>(fields.number(name, kMaxRank));
  };
  node.priority = fields.signed_number("comm_priority");
  node.group = fields.text("pg_name");
  node.dimensions = fields.bools("involved_dim");
  node.category = fields.text("fredsim_category");
  if (fields.has("fredsim_shape")) {
    node.shape = rank("fredsim_shape");
    node.part = rank("fredsim_part");
    node.times = fields.number("fredsim_times", kMaxSize, 1);
  }
  if (node.type == TraceNodeType::kCollective) {
    node.collective = static_cast<TraceCollective>(
        fields.number("comm_type", static_cast<std::uint64_t>(TraceCollective::kBarrier)));
    node.bytes = node.collective == TraceCollective::kBarrier
                     ? fields.number("comm_size", kMaxSize, 0)
                     : fields.number("comm_size", kMaxSize);
    if (node.collective == TraceCollective::kAllToAll) read_splits(fields, kMaxSize, node);
    if (has_root(node.collective) && fields.has("root_rank")) node.peer = rank("root_rank");
    return;
  }
  node.bytes = fields.number("comm_size", kMaxSize);
  node.peer = rank(node.type == TraceNodeType::kSend ? "comm_dst" : "comm_src");
  node.tag = static_cast<std::uint32_t>(
      fields.number("comm_tag", std::numeric_limits<std::uint32_t>::max(), 0));
}

void read_node(const std::string& path, const pb::ChakraNode& from, TraceDependencies dependencies,
               TraceNode& node) {
  constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 43;  // 100 days
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  const Fields fields(path, from);
  if (from.type() < static_cast<int>(TraceNodeType::kMetadata) ||
      from.type() > static_cast<int>(TraceNodeType::kCollective)) {
    throw BadInput(fmt::format("{}: found {}; allowed: 1 to 7", fields.place("type"), from.type()));
  }
  if (from.duration_micros() > kMaxTime) {
    throw BadInput(fmt::format("{}: found {}; allowed: 0 to {}", fields.place("duration_micros"),
                               from.duration_micros(), kMaxTime));
  }
  node = {};
  node.id = from.id();
  node.name = from.name();
  node.type = static_cast<TraceNodeType>(from.type());
  node.callers.assign(from.ctrl_deps().begin(), from.ctrl_deps().end());
  if (dependencies == TraceDependencies::kAll) node.after = node.callers;
  node.after.insert(node.after.end(), from.data_deps().begin(), from.data_deps().end());
  std::ranges::sort(node.after);
  node.after.erase(std::unique(node.after.begin(), node.after.end()), node.after.end());
  node.duration_ps =
      fields.number("duration_ps", kMaxTime * kPsPerUs, from.duration_micros() * kPsPerUs);
  node.start_ps = fields.number("start_ps", kMaxTime * kPsPerUs,
                                std::min(from.start_time_micros(), kMaxTime) * kPsPerUs);
  node.on_cpu = fields.number("is_cpu_op", kMax, 0) != 0;
  constexpr std::uint64_t kMaxStream = std::uint64_t{1} << 30;
  const char* const stream = node.on_cpu ? "fredsim_thread" : "stream";
  if (fields.has(stream)) node.stream = static_cast<int>(fields.number(stream, kMaxStream));
  if (!node.on_cpu && fields.is_number("device"))
    node.device = static_cast<int>(fields.number("device", kMaxStream));
  node.operations = fields.number("num_ops", kMax, 0);
  node.tensor_bytes = fields.number("tensor_size", kMax, 0);
  if (node.type == TraceNodeType::kCollective && node.on_cpu && !fields.has("comm_type"))
    node.type = TraceNodeType::kCompute;  // c10d::allreduce_: it launches the collective
  if (node.type >= TraceNodeType::kSend) read_communication(fields, node);
}

}  // namespace

ChakraReader::ChakraReader(std::string path, TraceDependencies dependencies)
    : path_(std::move(path)), dependencies_(dependencies), stream_(ChakraStream::open(path_)) {
  pb::ChakraMetadata metadata;
  stream_->metadata(metadata);
  for (const pb::ChakraAttribute& attribute : metadata.attr()) {
    if (attribute.value_case() == pb::ChakraAttribute::kStringVal)
      texts_[attribute.name()] = attribute.string_val();
    if (attribute.name() == "fredsim_shapes")
      shapes_ = parse_trace_shapes(path_ + ": metadata: fredsim_shapes", attribute.string_val());
  }
}

ChakraReader::~ChakraReader() = default;

bool ChakraReader::next(TraceNode& node) {
  pb::ChakraNode message;
  while (stream_->next(message)) {
    if (is_process_groups(message)) read_process_groups(message, groups_);
    if (message.type() != pb::INVALID_NODE) {
      read_node(path_, message, dependencies_, node);
      return true;
    }
    ++invalid_;
  }
  return false;
}

}  // namespace fredsim
