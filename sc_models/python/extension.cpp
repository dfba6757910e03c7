// SPDX-License-Identifier: Apache-2.0
// Python extension fredsim._fredsim; fredsim/_fredsim.pyi has its interface.
//
// Purpose: machines, plans, fixed facts and answers to questions, for the package around it, which
// makes objects and arrays of them.
// Units: as in topology/topology.h and plan/plan.h.
// Errors: BadInput as _fredsim.BadInput, with the words that the command prints.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "answering.h"
#include "base/error.h"
#include "base/long_words.h"
#include "base/member.h"
#include "base/text_width.h"
#include "base/units.h"
#include "collective/algorithm.h"
#include "collective/choice.h"
#include "config/config.h"
#include "config/describe.h"
#include "config/machine_path.h"
#include "plan/link_load.h"
#include "plan/link_walk.h"
#include "results/version.h"
#include "switch/switch_kind.h"
#include "systems/make_plan.h"
#include "topology/faults.h"
#include "topology/topology_kind.h"
#include "traces.h"

namespace fredsim {
namespace {

namespace py = pybind11;

using ConfigPointer = std::shared_ptr<const MachineConfig>;

// Typecodes of Python's module array; types without one do not compile.
template <class Value>
constexpr char kTypeCode = Value::no_type_code;
template <>
constexpr char kTypeCode<int> = 'i';
template <>
constexpr char kTypeCode<std::uint64_t> = 'Q';
template <>
constexpr char kTypeCode<double> = 'd';

// array.array, a buffer that NumPy reads: neither its version nor its presence matters here.
template <class Value>
py::object array_of(const std::vector<Value>& values) {
  const py::bytes data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
  return py::module_::import("array").attr("array")(std::string(1, kTypeCode<Value>), data);
}

template <class List, class Function>
auto array_by(const List& list, const Function& function) {
  std::vector<decltype(function(*list.begin()))> values;
  values.reserve(list.size());
  for (const auto& entry : list) values.push_back(function(entry));
  return array_of(values);
}

template <class List, class Function>
py::list list_by(const List& list, const Function& function) {
  py::list values;
  for (const auto& entry : list) values.append(py::cast(function(entry)));
  return values;
}

const char* word_of(NodeKind kind) {
  return kind == NodeKind::kNpu     ? "npu"
         : kind == NodeKind::kIo    ? "io"
         : kind == NodeKind::kAdder ? "adder"
                                    : "switch";
}

ConfigPointer load_machine(const std::string& path, const std::vector<std::string>& settings,
                           const std::vector<std::string>& faults,
                           const std::optional<std::string>& text) {
  const MachineFile file{.path = path, .settings = settings, .text = text};
  return std::make_shared<const MachineConfig>(
      std::move(load_configs({&file, 1}, {}, faults).machines.front()));
}

std::string named_machine(const std::string& word, const std::string& program) {
  std::error_code failed;
  return machine_path(word, machine_folder(std::filesystem::canonical(program, failed)));
}

// Keys of a machine with their paths, in the order of the schema.
py::dict keys_of(const MachineConfig& machine) {
  py::dict keys;
  for (const MachineKey& key : machine.keys)
    keys[py::str(key.path)] =
        std::visit([](const auto& value) { return py::cast(value); }, key.value);
  return keys;
}

// Nodes as columns, one per field.
py::dict nodes_of(const MachineConfig& machine) {
  const std::vector<Node>& nodes = machine.topology.nodes;
  py::dict columns;
  columns["name"] = list_by(nodes, [](const Node& node) { return node.name; });
  columns["kind"] = list_by(nodes, [](const Node& node) { return word_of(node.kind); });
  columns["ports"] = array_by(nodes, [](const Node& node) { return node.ports; });
  columns["switch_kind"] = list_by(nodes, [](const Node& node) { return node.switch_kind; });
  columns["level"] = array_by(nodes, [](const Node& node) { return node.level; });
  columns["slice"] = array_by(nodes, [](const Node& node) { return node.slice; });
  columns["failed"] = list_by(nodes, [](const Node& node) { return node.failed; });
  return columns;
}

py::dict links_of(const MachineConfig& machine) {
  const std::vector<Link>& links = machine.topology.links;
  py::dict columns;
  columns["name"] = list_by(links, [](const Link& link) { return link.name; });
  columns["source"] = array_by(links, [](const Link& link) { return link.from; });
  columns["source_port"] = array_by(links, [](const Link& link) { return link.from_port; });
  columns["target"] = array_by(links, [](const Link& link) { return link.to; });
  columns["target_port"] = array_by(links, [](const Link& link) { return link.to_port; });
  columns["bytes_per_second"] =
      array_by(links, [](const Link& link) { return link.bytes_per_second; });
  columns["flits_per_cycle"] = array_by(links, [](const Link& link) {
    return static_cast<double>(link.rate.num) / static_cast<double>(link.rate.den);
  });
  columns["latency_cycles"] = array_by(links, [](const Link& link) { return link.latency; });
  columns["on_die"] = list_by(links, [](const Link& link) { return link.on_die; });
  return columns;
}

class PlanOnMachine {
 public:
  PlanOnMachine(ConfigPointer machine, Plan plan)
      : machine_(std::move(machine)), plan_(std::move(plan)) {}

  const Plan& plan() const { return plan_; }
  const Topology& topology() const { return machine_->topology; }

  py::dict parts() const {
    const auto& parts = plan_.parts;
    py::dict columns;
    columns["collective"] = list_by(parts, [](const Part& p) { return to_string(p.collective); });
    columns["algorithm"] = list_by(parts, [](const Part& p) { return p.algorithm; });
    columns["members"] = list_by(parts, [](const Part& p) { return p.members; });
    columns["size_bytes"] = array_by(parts, [](const Part& p) { return p.bytes; });
    columns["priority"] = list_by(parts, [](const Part& p) { return priority_name(p.vc); });
    columns["bound_ns"] = array_by(parts, [](const Part& p) { return p.bound_ns; });
    return columns;
  }

  py::dict trees() const {
    const auto& trees = plan_.trees;
    py::dict columns;
    columns["part"] = array_by(trees, [](const Tree& t) { return t.part; });
    columns["step"] = array_by(trees, [](const Tree& t) { return t.step; });
    columns["first_flit"] = array_by(trees, [](const Tree& t) { return t.first_flit; });
    columns["flits"] = array_by(trees, [](const Tree& t) { return t.flits; });
    columns["size_bytes"] = array_by(trees, [](const Tree& t) { return t.bytes; });
    columns["in_switch"] =
        list_by(trees, [](const Tree& t) { return t.transport == Transport::kInSwitch; });
    return columns;
  }

  // Rows of sends: one per tree and link that it crosses.
  py::dict sends() const {
    const LinkWalk walk(topology(), plan_, needs_online_routes(topology(), plan_));
    std::vector<std::int32_t> trees, links;
    std::vector<std::uint64_t> flits, bytes;
    for (std::size_t tree = 0; tree < plan_.trees.size(); ++tree) {
      const Tree& walked = plan_.trees[tree];
      walk.walk(walked, [&](int link) {
        trees.push_back(static_cast<std::int32_t>(tree));
        links.push_back(link);
        flits.push_back(walked.flits);
        bytes.push_back(walked.bytes);
      });
    }
    py::dict columns;
    columns["tree"] = array_of(trees);
    columns["link"] = array_of(links);
    columns["flits"] = array_of(flits);
    columns["bytes"] = array_of(bytes);
    return columns;
  }

  py::object flits_by_link() const { return array_of(link_flits(topology(), plan_)); }

 private:
  ConfigPointer machine_;
  Plan plan_;
};

// Group as numbers and names, "io3"; none: all working NPUs.
std::vector<int> group_of(
    const Topology& topology,
    const std::optional<std::vector<std::variant<int, std::string>>>& members) {
  if (!members) return npus_left(topology);
  std::vector<int> group;
  for (const auto& member : *members) {
    if (const int* const npu = std::get_if<int>(&member); npu != nullptr && *npu >= 0) {
      group.push_back(*npu);
      continue;
    }
    const std::string text = std::holds_alternative<int>(member)
                                 ? std::to_string(std::get<int>(member))
                                 : std::get<std::string>(member);
    if (text.starts_with("io")) {
      group.push_back(io_member(
          static_cast<int>(parse_number(text.substr(2), "group", 0, kMaxIoControllers - 1))));
    } else {
      group.push_back(static_cast<int>(parse_number(text, "group", 0, kMaxIoControllers - 1)));
    }
  }
  return group;
}

std::unique_ptr<PlanOnMachine> plan_on(
    const ConfigPointer& machine, const std::string& collective, const std::string& size,
    const std::optional<std::vector<std::variant<int, std::string>>>& members,
    const std::string& algorithm, int root, const std::string& priority) {
  CollectiveSpec spec;
  spec.collective = parse_collective(collective);
  check_algorithm(algorithm);
  spec.algorithm = algorithm;
  spec.group = group_of(machine->topology, members);
  spec.bytes = parse_size(size, "size", SizeForm::kNccl);
  spec.root = root;
  spec.vc = parse_priority(priority);
  const py::gil_scoped_release others_run;
  return std::make_unique<PlanOnMachine>(machine, make_plan(machine->topology, {&spec, 1}));
}

std::vector<std::string> all_collectives() {
  const auto names = collective_names();
  return {names.begin(), names.end()};
}

std::vector<std::string> algorithm_list(const std::optional<std::string>& collective) {
  std::vector<std::string> names;
  for (const std::string_view choice : choice_names()) names.emplace_back(choice);
  const std::optional<Collective> asked =
      collective ? std::optional(parse_collective(*collective)) : std::nullopt;
  for (const Algorithm* const algorithm : algorithms()) {
    if (!asked || algorithm->has(*asked)) names.emplace_back(algorithm->name());
  }
  return names;
}

py::list kinds_of_switches() {
  py::list kinds;
  for (const SwitchKind* const kind : switch_kinds()) {
    py::list parameters;
    for (const SwitchParameter& p : kind->parameters())
      parameters.append(py::make_tuple(p.name, p.meaning, p.default_value, p.min, p.max));
    kinds.append(py::make_tuple(kind->name(), kind->rtl_top(), parameters));
  }
  return kinds;
}

std::vector<std::string> kinds_of_topologies() {
  std::vector<std::string> names;
  for (const TopologyKind* const kind : topology_kinds()) names.emplace_back(kind->name());
  return names;
}

std::string message_of(const std::exception& error) {
  return printable_lines(with_short_words(error.what()));
}

}  // namespace

PYBIND11_MODULE(_fredsim, module) {
  module.doc() = "Machines, plans and fixed facts of fredsim; use the package fredsim.";
  // Exception type; kept until the process ends, after the interpreter.
  static const py::handle bad_input =
      py::exception<BadInput>(module, "BadInput", PyExc_ValueError).release();
  py::register_exception_translator([](std::exception_ptr thrown) {  // NOLINT: pybind11's type
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(bad_input.ptr(), message_of(error).c_str());
    }
  });

  py::class_<MachineConfig, std::shared_ptr<MachineConfig>>(module, "MachineConfig")
      .def_property_readonly("name", [](const MachineConfig& m) { return m.topology.name; })
      .def_property_readonly("kind", [](const MachineConfig& m) { return m.topology.kind; })
      .def_property_readonly("clock_hz", [](const MachineConfig& m) { return m.topology.clock_hz; })
      .def_property_readonly("npus", [](const MachineConfig& m) { return m.topology.npus; })
      .def_property_readonly("io_controllers",
                             [](const MachineConfig& m) { return m.topology.io_controllers; })
      .def_property_readonly("notes", [](const MachineConfig& m) { return m.topology.notes; })
      .def("keys", &keys_of)
      .def("nodes", &nodes_of)
      .def("links", &links_of)
      .def("describe", [](const MachineConfig& m) { return describe(m.topology); });
  py::class_<PlanOnMachine>(module, "Plan")
      .def_property_readonly("notes", [](const PlanOnMachine& p) { return p.plan().notes; })
      .def_property_readonly("bound_ns", [](const PlanOnMachine& p) { return p.plan().bound_ns; })
      .def("parts", &PlanOnMachine::parts)
      .def("trees", &PlanOnMachine::trees)
      .def("sends", &PlanOnMachine::sends)
      .def("link_flits", &PlanOnMachine::flits_by_link);

  add_traces(module);

  // Releases the interpreter lock: other threads run meanwhile.
  using WithoutLock = py::call_guard<py::gil_scoped_release>;
  py::class_<Answering>(module, "Answering")
      .def(py::init<const std::vector<std::string>&, const std::string&, bool, int, int,
                    const std::vector<int>&>(),
           py::arg("words"), py::arg("program"), py::arg("in_process"), py::arg("out"),
           py::arg("err"), py::arg("kept"))
      .def("wait", &Answering::wait, py::arg("seconds"), WithoutLock())
      .def("interrupt", &Answering::interrupt)
      .def("kill", &Answering::kill, WithoutLock());

  module.def("load_machine", &load_machine, py::arg("path"), py::arg("settings"), py::arg("faults"),
             py::arg("text"), py::call_guard<py::gil_scoped_release>());
  module.def("machine_path", &named_machine, py::arg("word"), py::arg("program"));
  module.def("plan", &plan_on, py::arg("machine"), py::arg("collective"), py::arg("size"),
             py::arg("group"), py::arg("algorithm"), py::arg("root"), py::arg("priority"));
  module.def("collectives", &all_collectives);
  module.def("algorithms", &algorithm_list, py::arg("collective"));
  module.def("switch_kinds", &kinds_of_switches);
  module.def("topology_kinds", &kinds_of_topologies);
  module.def("version", [] { return std::string(version()); });
  module.def("commit", [] { return std::string(commit()); });
}

}  // namespace fredsim
