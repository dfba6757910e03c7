// SPDX-License-Identifier: Apache-2.0
#include "traces.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workload_files/chakra_reader.h"
#include "workload_files/trace_node.h"

namespace fredsim {
namespace {

namespace py = pybind11;

std::optional<int> told(int number) {
  return number == TraceNode::kNobody ? std::nullopt : std::optional(number);
}

bool communicates(const TraceNode& node) { return node.type >= TraceNodeType::kSend; }

std::optional<std::string> collective_of(const TraceNode& node) {
  if (node.type != TraceNodeType::kCollective) return std::nullopt;
  return std::string(to_string(node.collective));
}

std::optional<std::uint64_t> bytes_of(const TraceNode& node) {
  return communicates(node) ? std::optional(node.bytes) : std::nullopt;
}

}  // namespace

void add_traces(py::module_& module) {
  py::class_<TraceNode>(module, "TraceNode")
      .def_readonly("id", &TraceNode::id)
      .def_readonly("name", &TraceNode::name)
      .def_property_readonly("type", [](const TraceNode& n) { return to_string(n.type); })
      .def_readonly("after", &TraceNode::after)
      .def_readonly("callers", &TraceNode::callers)
      .def_readonly("duration_ps", &TraceNode::duration_ps)
      .def_readonly("start_ps", &TraceNode::start_ps)
      .def_readonly("on_cpu", &TraceNode::on_cpu)
      .def_property_readonly("stream", [](const TraceNode& n) { return told(n.stream); })
      .def_property_readonly("device", [](const TraceNode& n) { return told(n.device); })
      .def_readonly("operations", &TraceNode::operations)
      .def_readonly("tensor_bytes", &TraceNode::tensor_bytes)
      .def_property_readonly("collective", &collective_of)
      .def_property_readonly("bytes", &bytes_of)
      .def_property_readonly("peer", [](const TraceNode& n) { return told(n.peer); })
      .def_readonly("tag", &TraceNode::tag)
      .def_readonly("priority", &TraceNode::priority)
      .def_readonly("group", &TraceNode::group)
      .def_readonly("dimensions", &TraceNode::dimensions)
      .def("__repr__", [](const TraceNode& n) {
        return fmt::format("<TraceNode {} {} {}>", n.id, to_string(n.type), n.name);
      });
  py::class_<ChakraReader>(module, "TraceReader")
      .def(py::init([](std::string path, bool data_alone) {
             return std::make_unique<ChakraReader>(
                 std::move(path), data_alone ? TraceDependencies::kData : TraceDependencies::kAll);
           }),
           py::arg("path"), py::arg("data_alone"))
      .def_property_readonly("texts", &ChakraReader::texts)
      .def_property_readonly("groups", &ChakraReader::groups)
      .def("next", [](ChakraReader& reader) {
        TraceNode node;
        return reader.next(node) ? std::optional(std::move(node)) : std::nullopt;
      });
}

}  // namespace fredsim
