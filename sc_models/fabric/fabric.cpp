// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

// Name of a SystemC object, which has no dots.
std::string object_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

// The clock's period, rounded down.
sc_core::sc_time whole_picoseconds(std::uint64_t clock_hz) {
  const std::uint64_t period = kPicosecondsPerSecond / clock_hz;
  return {static_cast<double>(period), sc_core::SC_PS};
}

}  // namespace

SwitchFactory switches_of(SwitchModel model) {
  return [model, context = std::make_shared<RtlContext>()](const Node& node,
                                                           const SwitchShape& shape) {
    return make_switch(model, shape, node.name, context);
  };
}

Fabric::Fabric(sc_core::sc_module_name name, const Topology& topology, int lanes,
               const SwitchFactory& factory, const Cut& cut, const RankShare& share)
    : sc_core::sc_module(name),
      topology_(topology),
      lanes_(lanes),
      core_(topology, lanes, cut, share),
      switches_(topology.nodes.size()),
      nics_(topology.nodes.size()),
      controls_(topology.nodes.size()),
      period_(whole_picoseconds(topology.clock_hz)),
      long_period_(period_ + sc_core::sc_time(1, sc_core::SC_PS)) {
  const auto addresses = std::make_shared<const EndpointAddresses>(topology);
  for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
    const Node& node = topology.nodes[id];
    const std::string object = object_name(node.name);
    if (node.is_endpoint()) {
      if (!core_.owns(id)) continue;
      nics_[id] = std::make_unique<Nic>(object.c_str(), nic_shape(topology, id, lanes, addresses));
      core_.attach(id, *nics_[id]);
    } else {
      if (core_.owns(id)) {
        switches_[id] = factory(node, switch_shape(topology, node, lanes));
        core_.attach(id, *switches_[id]);
      }
      controls_[id] = std::make_unique<SwitchControl>(object.c_str(), core_, id);
    }
  }
  core_.set_groups(FabricCore::Groups::kNever);  // run_ahead() has few edges
  SC_HAS_PROCESS(Fabric);
  SC_METHOD(clock_edge);
  reset();
}

Fabric::~Fabric() = default;

Nic& Fabric::nic(NodeId endpoint) {
  sc_assert(nics_[endpoint] != nullptr);
  return *nics_[endpoint];
}

SwitchControl& Fabric::control(NodeId node) {
  sc_assert(controls_[node] != nullptr);
  return *controls_[node];
}

SwitchCore& Fabric::switch_core(NodeId node) {
  sc_assert(switches_[node] != nullptr);
  core_.part_groups();
  return *switches_[node];
}

void Fabric::load_phases(std::span<const PhaseProgram> programs) {
  phases_.assign(programs.begin(), programs.end());
}

void Fabric::reset() {
  failure_ = nullptr;
  is_frozen_ = false;
  core_.reset();
  later_ = ahead_ = 0;
  setup_.reset();
  is_reset_ = true;
  ready_ = false;
  for (const auto& control : controls_) {
    if (control == nullptr) continue;
    control->cancel();
    control->hold(false);
  }
}

void Fabric::start(SetUp set_up) {
  if (is_reset_) {
    is_reset_ = false;
    if (set_up == SetUp::kByFabric) {
      begin_set_up();
    } else {
      become_ready();
    }
  }
  running_ = true;
  start_.notify(sc_core::SC_ZERO_TIME);
}

void Fabric::stop() { running_ = false; }

void Fabric::wait_until_ready() {
  while (!ready_) {
    sc_core::wait(ready_event_ | attention_);
    rethrow_failure();
  }
}

// Takes the NICs' credits away: without credits they keep their packets.
void Fabric::begin_set_up() {
  setup_.emplace(topology_, core_);
  setup_->add(phases_);
  set_nic_credits(false);
  for (const auto& control : controls_) {
    if (control != nullptr) control->hold(true);
  }
}

void Fabric::set_nic_credits(bool on) {
  for (int link = 0; link < std::ssize(topology_.links); ++link) {
    const Link& l = topology_.links[link];
    if (nics_[l.from] == nullptr) continue;
    for (int vc = 0; vc < kNumVcs; ++vc) {
      nics_[l.from]->set_credits(l.from_port, vc, on ? core_.receiver_depth(link, vc) : 0);
    }
  }
}

// Ticks the core, and the set-up while it runs.
void Fabric::tick() {
  const auto is_busy = [](const auto& control) { return control != nullptr && control->busy(); };
  // Accesses from before the start are served first.
  const bool sets_up = setup_ && std::ranges::none_of(controls_, is_busy);
  if (sets_up) setup_->issue(core_);
  if (ahead_ != 0) {
    core_.advance(ahead_);
    later_ += std::exchange(ahead_, 0) - 1;
  } else {
    core_.tick();
  }
  if (!sets_up) return;
  setup_->check(core_);
  if (!setup_->done()) return;
  setup_.reset();
  for (const auto& control : controls_) {
    if (control != nullptr) control->hold(false);
  }
  set_nic_credits(true);
  become_ready();
}

void Fabric::become_ready() {
  ready_ = true;
  ready_event_.notify(sc_core::SC_ZERO_TIME);
}

void Fabric::rethrow_failure() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

// Must be called in a catch clause.
void Fabric::stop_failed(const std::exception& error) {
  running_ = false;
  failure_ = std::current_exception();
  if (!hook_) SC_REPORT_ERROR("/fredsim/fabric", error.what());
  attention_.notify(sc_core::SC_ZERO_TIME);
  next_trigger(start_);
}

void Fabric::clock_edge() {
  if (!running_) {
    next_trigger(start_);
    return;
  }
  try {
    observed_edge();
    core_.begin_timers();
    if (!is_frozen_) core_.exchange();
  } catch (const std::exception& error) {
    stop_failed(error);
    return;
  }
  if (hook_ && hook_()) attention_.notify(sc_core::SC_ZERO_TIME);
  core_.end_timers();
  if (later_ != 0) {
    next_trigger(time_of(std::exchange(later_, 0) + 1));
    return;
  }
  fraction_ += kPicosecondsPerSecond % topology_.clock_hz;
  const bool extra = fraction_ >= topology_.clock_hz;
  if (extra) fraction_ -= topology_.clock_hz;
  next_trigger(extra ? long_period_ : period_);
}

void Fabric::observed_edge() {
  if (observer_ != nullptr) observer_->before_edge();
  try {
    if (!is_frozen_) tick();
  } catch (...) {
    if (observer_ != nullptr) observer_->after_edge();
    throw;
  }
  for (const NodeId node : core_.finished_accesses()) {
    if (is_frozen_) break;
    // else: an access of the set-up
    if (controls_[node]->busy()) controls_[node]->access_finished();
  }
  if (observer_ != nullptr) observer_->after_edge();
}

// Time of `edges` edges from the last one on, which counts as passed.
sc_core::sc_time Fabric::time_of(std::uint64_t edges) {
  const Uint128 fraction =
      fraction_ + static_cast<Uint128>(edges) * (kPicosecondsPerSecond % topology_.clock_hz);
  fraction_ = static_cast<std::uint64_t>(fraction % topology_.clock_hz);
  const auto extra = static_cast<std::uint64_t>(fraction / topology_.clock_hz);
  return sc_core::sc_time::from_value(period_.value() * edges +
                                      sc_core::sc_time(1, sc_core::SC_PS).value() * extra);
}

}  // namespace fredsim
