// SPDX-License-Identifier: Apache-2.0
#include "energy/run_energy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/flit.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr int kBitsPerByte = 8;
constexpr int kWordBits = 32;

// Flits that a switch receives and sends.
struct SwitchFlits {
  std::uint64_t in = 0, out = 0, phases_in = 0, phases_out = 0;
};

SwitchFlits flits_of(const Topology& topology, const Node& node, NodeId id, const RunResult& run) {
  SwitchFlits flits;
  for (int port = 0; port < node.ports; ++port) {
    if (const int in = topology.link_in(id, port); in >= 0) {
      flits.in += run.links[in].flits;
      flits.phases_in += run.links[in].phase_flits;
    }
    if (const int out = topology.link_out(id, port); out >= 0) {
      flits.out += run.links[out].flits;
      flits.phases_out += run.links[out].phase_flits;
    }
  }
  return flits;
}

class RunEnergy {
 public:
  RunEnergy(const Topology& topology, const EnergyFigures& figures, const RunResult& run,
            std::optional<double> flops, const EnergyRows& rows)
      : topology_(topology), figures_(figures), run_(run), flops_(flops), rows_(rows) {}

  EnergyResult result() {
    if (topology_.has_blocks()) return without("blocks of a system have links of their own");
    if (run_.incomplete) return without("the run was interrupted");
    for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
      if (!topology_.nodes[id].is_switch()) continue;
      if (std::string missing = add_switch(id); !missing.empty())
        return without(std::move(missing));
    }
    add_tables();
    add_links();
    add_npus();
    for (const EnergyPart& part : kEnergyParts) result_.total += (parts().*part.value).value_or(0);
    for (const PartResult& part : run_.parts)
      result_.bits += kBitsPerByte * part.size_bytes * part.operations;
    return std::move(result_);
  }

 private:
  EnergyResult::Parts& parts() { return result_.parts; }
  static EnergyResult without(std::string missing) { return {.missing = std::move(missing)}; }
  double bits(double flits) const { return flits * rows_.flit_bits; }
  static void add(std::optional<double>& part, double pj) { part = part.value_or(0) + pj; }

  // Row of one kind and size, found once.
  const FoundRow& row_of(const Node& node) {
    const auto key = std::tuple(node.switch_kind, node.ports, text_of(node.values));
    const auto [at, is_new] = found_.try_emplace(key);
    if (is_new) at->second = find_energy_row(rows_, topology_, node);
    return at->second;
  }
  static std::string text_of(const std::vector<NamedValue>& values) {
    return std::accumulate(
        values.begin(), values.end(), std::string(), [](std::string text, const NamedValue& value) {
          return std::move(text) + value.name + std::to_string(value.value) + " ";
        });
  }

  std::string add_switch(NodeId id) {
    const Node& node = topology_.nodes[id];
    const FoundRow& found = row_of(node);
    if (!found.missing.empty()) return found.missing;
    const EnergyRow& row = found.row;
    const SwitchFlits flits = flits_of(topology_, node, id, run_);
    const std::uint64_t additions = run_.switch_additions.empty() ? 0 : run_.switch_additions[id];
    const std::uint64_t unicasts = flits.in - flits.phases_in;
    const std::uint64_t made = flits.phases_in - additions;  // flits before copies
    const std::uint64_t copies = flits.phases_out - made;
    EnergyEvents& events = result_.events;
    events.unicast_flits += unicasts;
    events.flow_flits += made;
    events.additions += additions;
    events.copies += copies;
    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    add(parts().adders, number(additions) * row.addition_pj);
    add(parts().interconnect, number(unicasts) * row.unicast_pj + number(made) * row.flow_pj +
                                  number(copies) * row.copy_pj);
    add(parts().clock, number(run_.cycles) * row.clock_pj + number(unicasts) * row.unicast_load_pj +
                           number(made) * row.flow_load_pj +
                           number(additions) * row.addition_load_pj +
                           number(copies) * row.copy_load_pj);
    const SwitchKind& kind = kind_of(node);
    std::uint64_t buffered = flits.in;
    if (kind.index("OUT_DEPTH") >= 0) buffered += flits.out;
    // Operands are additions and one more flit per sum; flows are assumed to be sums, as far as
    // there are additions.
    buffered +=
        static_cast<std::uint64_t>(row.operand_memories) * (additions + std::min(additions, made));
    events.buffer_flits += buffered;
    if (figures_.memory_read && figures_.memory_write)
      add(parts().buffers,
          bits(number(buffered)) * (*figures_.memory_read + *figures_.memory_write));
    row_words_ = std::max(row_words_, kind.phase_words(switch_shape(topology_, node)));
    return {};
  }

  // Words of the largest row, if switches differ.
  void add_tables() {
    const bool has_phases = std::ranges::any_of(
        run_.links, [](const LinkResult& link) { return link.phase_flits > 0; });
    if (!figures_.memory_read || !figures_.memory_write || (run_.flow && has_phases)) return;
    std::uint64_t changes = 0;
    for (const SwitchResult& one : run_.switches) changes += one.phase_changes;
    parts().tables =
        kWordBits * (static_cast<double>(run_.words_written) * *figures_.memory_write +
                     static_cast<double>(changes) * row_words_ * *figures_.memory_read);
  }

  void add_links() {
    for (std::size_t l = 0; l < run_.links.size(); ++l) {
      const Link& link = topology_.links[l];
      if (link.on_die) continue;
      const NodeKind from = topology_.nodes[link.from].kind, to = topology_.nodes[link.to].kind;
      const bool is_io = from == NodeKind::kIo || to == NodeKind::kIo;
      const bool is_npu = from == NodeKind::kNpu || to == NodeKind::kNpu;
      result_.events.link_flits += run_.links[l].busy_cycles;
      const std::optional<double>& per_bit = is_io ? figures_.io_link : figures_.link;
      if (!per_bit) continue;
      add(is_io    ? parts().io_links
          : is_npu ? parts().npu_links
                   : parts().switch_links,
          bits(static_cast<double>(run_.links[l].busy_cycles)) * *per_bit);
    }
  }

  void add_npus() {
    EnergyEvents& events = result_.events;
    const std::uint64_t made = std::max(run_.additions, events.additions);
    events.npu_additions = made - events.additions;
    if (const double addition = npu_addition(); addition > 0)
      parts().npu_adders = static_cast<double>(events.npu_additions) * addition;
    for (std::size_t l = 0; l < run_.links.size(); ++l) {
      const Link& link = topology_.links[l];
      for (const NodeId end : {link.from, link.to})
        if (topology_.nodes[end].kind == NodeKind::kNpu) events.npu_bytes += run_.links[l].bytes;
    }
    events.npu_bytes += events.npu_additions * kFlitBytes;
    if (figures_.npu_memory)
      parts().npu_memory =
          static_cast<double>(events.npu_bytes) * kBitsPerByte * *figures_.npu_memory;
    events.flops = flops_.value_or(0);
    if (figures_.npu_compute && flops_) parts().npu_compute = *flops_ * *figures_.npu_compute;
  }

  // A µSwitch combines two flits into one.
  double npu_addition() const {
    const auto row = std::ranges::find_if(
        rows_.rows, [](const EnergyRow& one) { return one.kind == "fred" && one.ports == 2; });
    return row == rows_.rows.end() ? 0 : row->flow_pj + row->addition_pj;
  }

  const Topology& topology_;
  const EnergyFigures& figures_;
  const RunResult& run_;
  const std::optional<double> flops_;
  const EnergyRows& rows_;
  std::map<std::tuple<std::string, int, std::string>, FoundRow> found_;
  int row_words_ = 0;
  EnergyResult result_;
};

}  // namespace

EnergyResult energy_of(const Topology& topology, const EnergyFigures& figures, const RunResult& run,
                       std::optional<double> flops, const EnergyRows& rows) {
  return RunEnergy(topology, figures, run, flops, rows).result();
}

EnergyResult energy_of(const Topology& topology, const EnergyFigures& figures,
                       const TrafficPoint& point, std::uint64_t window_cycles,
                       double flits_arrived) {
  RunResult run;
  run.incomplete = point.incomplete;
  run.cycles = window_cycles;
  run.links = point.links;
  run.switches = point.switches;
  EnergyResult energy = energy_of(topology, figures, run);
  energy.bits = static_cast<std::uint64_t>(std::llround(flits_arrived)) * kFlitBytes * kBitsPerByte;
  return energy;
}

}  // namespace fredsim
