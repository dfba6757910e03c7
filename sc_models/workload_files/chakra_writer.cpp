// SPDX-License-Identifier: Apache-2.0
#include "workload_files/chakra_writer.h"

#include <string_view>

#include "workload_files/chakra.pb.h"
#include "workload_files/detail/delimited_message.h"

namespace fredsim {
namespace {

class Attributes {
 public:
  explicit Attributes(pb::ChakraNode& node) : node_(node) {}
  void number(std::string_view name, std::uint64_t value) { of(name).set_uint64_val(value); }
  void small(std::string_view name, std::int64_t value) {
    of(name).set_int32_val(static_cast<std::int32_t>(value));
  }
  void flag(std::string_view name, bool value) { of(name).set_bool_val(value); }
  void text(std::string_view name, const std::string& value) { of(name).set_string_val(value); }
  void numbers(std::string_view name, const std::vector<std::uint64_t>& values) {
    auto& list = *of(name).mutable_uint64_list()->mutable_values();
    list.Add(values.begin(), values.end());
  }
  void flags(std::string_view name, const std::vector<bool>& values) {
    auto& list = *of(name).mutable_bool_list()->mutable_values();
    list.Add(values.begin(), values.end());
  }

 private:
  pb::ChakraAttribute& of(std::string_view name) {
    pb::ChakraAttribute& attribute = *node_.add_attr();
    attribute.set_name(std::string(name));
    return attribute;
  }
  pb::ChakraNode& node_;
};

void add_communication(const TraceNode& node, Attributes& to) {
  if (node.type == TraceNodeType::kCollective) {
    to.number("comm_type", static_cast<std::uint64_t>(node.collective));
    if (node.peer != TraceNode::kNobody) to.small("root_rank", node.peer);
  } else {
    to.small(node.type == TraceNodeType::kSend ? "comm_dst" : "comm_src", node.peer);
    to.number("comm_tag", node.tag);
  }
  to.number("comm_size", node.bytes);
  if (node.priority != 0) to.small("comm_priority", node.priority);
  if (!node.group.empty()) to.text("pg_name", node.group);
  if (!node.splits.empty()) to.numbers("fredsim_splits", node.splits);
  if (!node.dimensions.empty()) to.flags("involved_dim", node.dimensions);
  if (node.shape != TraceNode::kNobody) {
    to.small("fredsim_shape", node.shape);
    to.small("fredsim_part", node.part);
    if (node.times != 1) to.number("fredsim_times", node.times);
  }
  if (!node.category.empty()) to.text("fredsim_category", node.category);
}

}  // namespace

ChakraWriter::ChakraWriter(const TraceShapes& shapes) {
  pb::ChakraMetadata metadata;
  metadata.set_version("0.0.4");
  if (!shapes.empty()) {
    pb::ChakraAttribute& attribute = *metadata.add_attr();
    attribute.set_name("fredsim_shapes");
    attribute.set_string_val(trace_shapes_text(shapes));
  }
  append_delimited(text_, metadata);
}

void ChakraWriter::add(const TraceNode& node) {
  constexpr std::uint64_t kPsPerUs = 1'000'000;
  pb::ChakraNode to;
  to.set_id(node.id);
  to.set_name(node.name);
  to.set_type(static_cast<pb::ChakraNodeType>(node.type));
  to.mutable_data_deps()->Add(node.after.begin(), node.after.end());
  to.set_duration_micros(node.duration_ps / kPsPerUs);
  to.set_start_time_micros(node.start_ps / kPsPerUs);
  Attributes attributes(to);
  attributes.flag("is_cpu_op", node.on_cpu);
  if (node.start_ps != 0) attributes.number("start_ps", node.start_ps);
  if (node.stream != TraceNode::kNobody)
    attributes.small(node.on_cpu ? "fredsim_thread" : "stream", node.stream);
  if (node.device != TraceNode::kNobody) attributes.small("device", node.device);
  if (node.duration_ps != 0) attributes.number("duration_ps", node.duration_ps);
  if (node.operations != 0) attributes.number("num_ops", node.operations);
  if (node.tensor_bytes != 0) attributes.number("tensor_size", node.tensor_bytes);
  if (node.type >= TraceNodeType::kSend) add_communication(node, attributes);
  append_delimited(text_, to);
}

}  // namespace fredsim
