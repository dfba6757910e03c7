// SPDX-License-Identifier: Apache-2.0
#include "engine/machine.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "engine/detail/run_observers.h"
#include "engine/diagnosis.h"
#include "fabric/control_plane.h"
#include "npu/npu.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

bool matches(const std::string& pattern, const Node& node) {
  return ::fnmatch(pattern.c_str(), node.name.c_str(), 0) == 0;
}

// Returns false if RTL, a comparison or a wave is requested: these need every switch, so all slices
// are simulated.
bool may_leave_slices_out(const Topology& topology, const FabricOptions& options) {
  return topology.rtl_top.empty() && !topology.simulate_all_slices &&
         options.model == SwitchModel::kTlm && options.rtl_instances.empty() &&
         options.wave.file.empty() && options.timeline == nullptr;
}

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

SwitchModel model_of(const Node& node, const FabricOptions& options) {
  if (matches(options.rtl_instances, node)) return SwitchModel::kRtl;
  const bool wave =
      !options.wave.file.empty() && !options.wave.links_only && matches(options.wave.scope, node);
  return wave && options.model == SwitchModel::kTlm ? SwitchModel::kRtl : options.model;
}

}  // namespace

SwitchFactory factory_for(const FabricOptions& options) {
  const auto shared = options.own_contexts ? nullptr : std::make_shared<RtlContext>();
  return [options, shared](const Node& node, const SwitchShape& shape) {
    if (is_set(options.stop)) throw Interrupted("interrupted while switches were built");
    return make_switch(model_of(node, options), shape, node.name, shared);
  };
}

NodeCosts costs_of_nodes(const Topology& topology, const FabricOptions& options) {
  return node_costs(
      topology, [&](const Node& node) { return model_of(node, options); }, options.lanes);
}

std::vector<NeededSwitch> needed_rtl(const Topology& topology, const FabricOptions& options) {
  std::vector<NeededSwitch> needed;
  std::set<std::string> entries;
  for (const Node& node : topology.nodes) {
    if (node.is_endpoint()) continue;
    const SwitchShape shape = switch_shape(topology, node, options.lanes);
    if (!has_rtl(model_of(node, options), shape) || !entries.insert(size_entry(shape)).second)
      continue;
    needed.push_back({shape, fmt::format("{}, {}", topology.name, node.name)});
  }
  return needed;
}

struct Machine::Parts {
  // `one_for_equal`: simulates one of several slices that do the same.
  Parts(const Topology& t, const FabricOptions& o, const SwitchFactory& factory,
        bool one_for_equal);

  void set_up(bool online_routes);
  void drain();
  std::vector<std::uint64_t> acknowledgements() const;

  const Topology& topology;
  FabricOptions options;
  Fabric fabric;
  ControlPlane control;
  std::vector<std::unique_ptr<Npu>> npus;  // index: node; I/O controllers included; null at
                                           // switches
  std::vector<const Npu*> all_npus;
  RunObservers observers;
  std::unique_ptr<WaveRecorder> wave;
  RunLimits limits;
  bool one_for_equal_slices;
};

Machine::Parts::Parts(const Topology& t, const FabricOptions& o, const SwitchFactory& factory,
                      bool one_for_equal)
    : topology(t),
      options(o),
      fabric("fabric", t, o.lanes, factory, o.cut, o.share),
      control("control", fabric),
      npus(t.nodes.size()),
      observers(o, fabric),
      limits(fabric.core(), watchdog_cycles(t), o.timeout_cycles, o.stop),
      one_for_equal_slices(one_for_equal) {
  for (NodeId id = 0; id < static_cast<NodeId>(t.nodes.size()); ++id) {
    const Node& node = t.nodes[id];
    if (node.is_switch() || !fabric.core().owns(id)) continue;
    npus[id] = std::make_unique<Npu>(node.name.c_str(), node.ports, o.lanes);
    all_npus.push_back(npus[id].get());
    npus[id]->follow(fabric.core().timers(id));
    npus[id]->tx.bind(fabric.nic(id).tx);
    fabric.nic(id).rx.bind(npus[id]->rx);
  }
  fabric.core().set_switch_threads(o.switch_threads);
  control.stop_on(o.stop);
  if (!observers.empty()) {
    for (NodeId id = 0; id < std::ssize(npus); ++id)
      if (npus[id] != nullptr) npus[id]->observe(observers.npus(), id);
  }
  if (!o.wave.file.empty()) wave = std::make_unique<WaveRecorder>(fabric, o.wave);
}

Machine::Machine(sc_core::sc_module_name name, const Topology& topology,
                 const FabricOptions& options)
    : sc_core::sc_module(name),
      parts_(std::make_unique<Parts>(topology, options, factory_for(options),
                                     may_leave_slices_out(topology, options))) {}

Machine::Machine(sc_core::sc_module_name name, const Topology& topology,
                 const FabricOptions& options, const SwitchFactory& factory)
    : sc_core::sc_module(name),
      parts_(std::make_unique<Parts>(topology, options, factory, false)) {}

Machine::~Machine() = default;

Fabric& Machine::fabric() { return parts_->fabric; }

const Topology& Machine::topology() const { return parts_->topology; }

bool Machine::leaves_slices_out() const { return parts_->one_for_equal_slices; }

WaveRecorder* Machine::wave() { return parts_->wave.get(); }

std::span<const std::unique_ptr<Npu>> Machine::npus_by_node() const { return parts_->npus; }

RunObservers& Machine::observers() { return parts_->observers; }

ControlPlane& Machine::control() { return parts_->control; }

const FabricOptions& Machine::options() const { return parts_->options; }

std::span<const Npu* const> Machine::npus() const { return parts_->all_npus; }

const RunLimits& Machine::limits() const { return parts_->limits; }

void Machine::set_up(bool online_routes) { parts_->set_up(online_routes); }

void Machine::stop() {
  parts_->fabric.stop();
  parts_->fabric.on_cycle({});
}

void Machine::drain() { parts_->drain(); }

std::vector<std::uint64_t> Machine::acknowledgements() const { return parts_->acknowledgements(); }

std::vector<std::uint64_t> Machine::Parts::acknowledgements() const {
  std::vector<std::uint64_t> sent(npus.size());
  for (std::size_t node = 0; node < npus.size(); ++node) {
    if (npus[node] != nullptr) sent[node] = npus[node]->acknowledgements();
  }
  return sent;
}

void Machine::Parts::set_up(bool online_routes) {
  fabric.reset();
  for (const auto& npu : npus) {
    if (npu != nullptr) npu->stop();
  }
  fabric.on_cycle([] { return false; });
  fabric.start(Fabric::SetUp::kByHost);
  control.configure();
  if (online_routes) control.load_online_routes();
}

void Machine::Parts::drain() {
  fabric.on_cycle([&] { return limits.is_drained(); });
  sc_core::wait(fabric.attention());
  fabric.on_cycle([] { return false; });
  fabric.rethrow_failure();
}

}  // namespace fredsim
