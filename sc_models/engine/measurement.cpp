// SPDX-License-Identifier: Apache-2.0
#include "engine/measurement.h"

#include <algorithm>

#include "energy/run_energy.h"
#include "engine/gathered.h"
#include "engine/layout.h"

namespace fredsim {

Measurement::Measurement(Fabric& fabric)
    : fabric_(fabric),
      first_edge_(fabric.core().edge()),
      before_(count_all(fabric.core(), fabric.topology(), fabric.switches())) {}

std::uint64_t Measurement::cycles() const {
  const std::uint64_t edges = fabric_.core().edge() - first_edge_;
  return edges == 0 ? 0 : edges - 1;
}

RunResult Measurement::result(const OwnWork& work) const {
  const Topology& topology = fabric_.topology();
  const FabricCounts after = count_all(fabric_.core(), topology, fabric_.switches());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start_;
  RunResult r;
  r.is_own = true;
  if (work.machine != nullptr) {
    r.config = work.machine->path;
    r.settings = work.machine->settings;
    r.machine = work.machine->keys;
  }
  r.fabric = topology.name;
  const SwitchModels models = switch_models(fabric_.switches(), nullptr);
  r.model = model_names(models);
  r.lanes = fabric_.lanes();
  r.clock_ghz = static_cast<double>(topology.clock_hz) / 1e9;
  r.collective = work.collective;
  r.algorithm = work.algorithm;
  r.size_bytes = work.size_bytes.value_or(0);
  r.seed = work.seed.value_or(0);
  r.payload = work.payload;
  r.cycles = cycles();
  r.time_ns = static_cast<double>(r.cycles) / r.clock_ghz;
  if (work.size_bytes && r.cycles > 0) {
    r.algbw_gbps = static_cast<double>(*work.size_bytes) / r.time_ns;
    r.busbw_gbps = r.algbw_gbps * work.bus_factor.value_or(0);
  }
  r.links = link_results(topology, before_, after, r.cycles);
  r.switches = switch_results(topology, models, before_, after);
  r.switch_additions.resize(topology.nodes.size());
  std::size_t place = 0;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
    if (!models[id].empty()) r.switch_additions[id] = r.switches[place++].reductions;
  r.energy =
      energy_of(topology, work.machine != nullptr ? work.machine->energy : EnergyFigures{}, r);
  r.layout = layout_of(topology);
  fill_traffic(r);
  r.groups = {work.group.empty() ? npus_with_traffic(r) : work.group};
  r.wall_s = wall.count();
  r.sim_cycles_per_s = wall.count() > 0 ? static_cast<double>(r.cycles) / wall.count() : 0;
  return r;
}

void Measurement::fill_traffic(RunResult& r) const {
  const Topology& topology = fabric_.topology();
  std::vector<std::uint64_t> sent(topology.nodes.size());
  for (std::size_t l = 0; l < r.links.size(); ++l) {
    const Link& link = topology.links[l];
    if (!link.on_die) {
      r.flit_hops += r.links[l].flits;
      r.link_bytes += r.links[l].bytes;
    }
    if (topology.nodes[link.from].kind != NodeKind::kNpu) continue;
    sent[link.from] += r.links[l].bytes;
    r.injected_bytes += r.links[l].bytes;
  }
  r.injected_bytes_per_npu_max = std::ranges::max(sent);
}

std::vector<int> Measurement::npus_with_traffic(const RunResult& r) const {
  const Topology& topology = fabric_.topology();
  std::vector<int> npus;
  for (int n = 0; n < std::ssize(topology.npus); ++n) {
    const NodeId npu = topology.npus[n];
    const auto moved = [&](int link) { return link >= 0 && r.links[link].flits > 0; };
    for (int port = 0; port < topology.nodes[npu].ports; ++port) {
      if (!moved(topology.link_in(npu, port)) && !moved(topology.link_out(npu, port))) continue;
      npus.push_back(n);
      break;
    }
  }
  return npus;
}

}  // namespace fredsim
