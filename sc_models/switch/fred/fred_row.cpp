// SPDX-License-Identifier: Apache-2.0
#include "switch/fred/fred_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/port_mask.h"
#include "rtl/fred_pkg.h"
#include "rtl/phased_pkg.h"
#include "switch/fred/fred_online_paths.h"

namespace fredsim {
namespace {

using Expression = std::vector<int>;  // postfix over input ports

// Content of a wire: nothing, a flit of the phase, or an online unicast.
struct Wire {
  Expression flit;    // empty: no flit
  int output = -1;    // output of a unicast
  unsigned path = 0;  // path of a unicast
  bool online() const { return output >= 0; }
  bool empty() const { return flit.empty() && !online(); }
};

std::uint32_t leaves_of(const Expression& flit) {
  std::uint32_t leaves = 0;
  for (const int n : flit) {
    if (n >= 0) leaves |= 1U << n;
  }
  return leaves;
}

// Output of an R- or RD-µSwitch with a code of fred_pkg::USEL_*; unicasts with the key `key` go
// there.
Wire choose(unsigned code, const Wire& a, const Wire& b, unsigned key, unsigned key_a,
            unsigned key_b) {
  if (b.online() && key_b == key) return b;
  if (a.online() && key_a == key) return a;
  if (code == fred_pkg::USEL_IN0) return {.flit = a.flit};
  if (code == fred_pkg::USEL_IN1) return {.flit = b.flit};
  if (code == fred_pkg::USEL_NONE || a.flit.empty() || b.flit.empty()) return {};
  Wire sum{.flit = a.flit};
  sum.flit.insert(sum.flit.end(), b.flit.begin(), b.flit.end());
  sum.flit.push_back(SumOrder::kAdd);
  return sum;
}

// A walk through Fred_m(ports) along its configuration bits.
class Walk {
 public:
  // A wire between two stages that may carry a flit of the phase: the sub-network at its end or its
  // beginning, by level and path up to there, its source inputs, and at a beginning the port there.
  struct Between {
    int level = 0;
    unsigned path = 0;
    std::uint32_t leaves = 0;
    int output = -1;
  };

  Walk(const FredSwitchShape& shape, RowFields bits)
      : ports_(shape.ports), middle_(shape.middle), bits_(bits) {}
  // Contents of the outputs.
  std::vector<Wire> outputs(const std::vector<Wire>& inputs) { return network(inputs, 0, 0); }
  // Valid after outputs(): sub-networks of the input ports, in the form of rtl/fred/fred_paths.sv,
  // and wires between stages.
  const FredPaths& paths() const { return paths_; }
  const std::vector<Between>& between() const { return between_; }

 private:
  // Contents of the outputs of the network at `path`, which has 2 bits per level.
  std::vector<Wire> network(const std::vector<Wire>& inputs, int level, unsigned path) {
    const std::size_t ports = inputs.size();
    const auto side = [level](const Wire& wire) {
      return static_cast<unsigned>(wire.output >> level & 1);
    };
    if (ports == 2) {
      const unsigned first = bits_.take(2);
      const unsigned second = bits_.take(2);
      const Wire& a = inputs[0];
      const Wire& b = inputs[1];
      return {choose(first, a, b, 0, side(a), side(b)), choose(second, a, b, 1, side(a), side(b))};
    }
    const int select_width = static_cast<int>(fred_pkg::sel_w(middle_));
    const std::size_t pairs = ports / 2;
    const bool odd = ports % 2 != 0;
    const auto none = static_cast<unsigned>(middle_);
    const auto key = [level](const Wire& wire) { return wire.path >> (2 * level) & 3U; };
    std::vector<std::vector<Wire>> inner(static_cast<std::size_t>(middle_),
                                         std::vector<Wire>(pairs + (odd ? 1 : 0)));
    for (std::size_t i = 0; i < pairs; ++i) {
      const Wire& a = inputs[2 * i];
      const Wire& b = inputs[2 * i + 1];
      std::array<unsigned, 2> first{none, none};  // first output to take each input
      for (unsigned j = 0; j < inner.size(); ++j) {
        const unsigned code = bits_.take(2);
        const bool sum = code == fred_pkg::USEL_SUM;
        if (sum || code == fred_pkg::USEL_IN0) first[0] = std::min(first[0], j);
        if (sum || code == fred_pkg::USEL_IN1) first[1] = std::min(first[1], j);
        inner[j][i] = choose(code, a, b, j, key(a), key(b));
      }
      for (int s = 0; s < 2; ++s) {
        lead(level, path, 2 * static_cast<int>(i) + s, first[s] == none ? 0 : first[s]);
      }
    }
    if (odd) {
      const unsigned code = bits_.take(select_width);
      const Wire& last = inputs[ports - 1];
      const bool some = code >= 1 && code <= inner.size();
      lead(level, path, static_cast<int>(ports) - 1, some ? code - 1 : 0);
      if (last.online()) {
        if (key(last) < inner.size()) inner[key(last)][pairs] = last;
      } else if (some) {
        inner[code - 1][pairs] = last;
      }
    }
    for (unsigned j = 0; j < inner.size(); ++j) {
      const unsigned to = path | j << (2 * level);
      for (const Wire& wire : inner[j]) note({level, to, leaves_of(wire.flit)});
      inner[j] = network(inner[j], level + 1, to);
      for (std::size_t i = 0; i < inner[j].size(); ++i) {
        note({level, to, leaves_of(inner[j][i].flit), static_cast<int>(i)});
      }
    }
    std::vector<Wire> outputs(ports);
    for (std::size_t p = 0; p < ports; ++p) {
      const unsigned code = bits_.take(select_width);
      for (unsigned j = 0; j < inner.size(); ++j) {
        const Wire& wire = inner[j][p / 2];
        if (wire.empty()) continue;
        if (wire.online() ? side(wire) == p % 2 : code == j + 1) outputs[p] = wire;
      }
    }
    return outputs;
  }
  void note(const Between& wire) {
    if (wire.leaves != 0) between_.push_back(wire);
  }
  // Leads input `at` of the network at `path`, and thus the ports on its wire, to sub-network
  // `middle`.
  void lead(int level, unsigned path, int at, unsigned middle) {
    const unsigned before = (1U << (2 * level)) - 1;
    for (int p = at << level; p < (at + 1) << level && p < ports_; ++p) {
      if ((paths_[p] & before) != path) continue;
      paths_[p] = static_cast<std::uint8_t>(paths_[p] | middle << (2 * level));
    }
  }

  int ports_, middle_;
  RowFields bits_;
  FredPaths paths_{};
  std::vector<Between> between_;
};

RowFields configuration(int ports, std::span<const std::uint32_t> words) {
  return {words, static_cast<int>(phased_pkg::row_config_lsb(ports))};
}

// Returns true if the flits of a flow are only on the wires of the path that online unicasts avoid.
bool keeps_to_its_path(const PhasedRow::Flow& flow, const Walk& walk) {
  const unsigned path = walk.paths()[std::countr_zero(flow.inputs)];
  return std::ranges::all_of(walk.between(), [&](const Walk::Between& wire) {
    if ((wire.leaves & flow.inputs) == 0) return true;
    const unsigned upto = (1U << (2 * wire.level + 2)) - 1;
    if (((path ^ wire.path) & upto) != 0) return false;
    if (wire.output < 0) return true;
    bool is_for_one = false;  // one of its outputs has this path
    for_each_port(flow.outputs,
                  [&](int o) { is_for_one = is_for_one || o >> (wire.level + 1) == wire.output; });
    return is_for_one;
  });
}

bool contradicts_its_flows(const FredSwitchShape& shape, const PhasedRow& row, const Walk& walk,
                           const std::vector<Wire>& outputs) {
  std::uint32_t with_flow = 0;
  for (const PhasedRow::Flow& flow : row.flows) {
    with_flow |= flow.outputs;
    if (flow.outputs == 0) return true;
    bool right = true;
    for_each_port(flow.outputs,
                  [&](int o) { right = right && leaves_of(outputs[o].flit) == flow.inputs; });
    if (!right || (shape.middle > 2 && !keeps_to_its_path(flow, walk))) return true;
  }
  for (int o = 0; o < shape.ports; ++o) {
    if ((with_flow >> o & 1U) == 0 && !outputs[o].flit.empty()) return true;
  }
  return false;
}

}  // namespace

PhasedRow decode_row(const FredSwitchShape& shape, std::span<const std::uint32_t> words) {
  const int ports = shape.ports;
  PhasedRow row = decode_flows(ports, words);
  std::vector<Wire> inputs(static_cast<std::size_t>(ports));
  // An input without a flow never gets a flit.
  for_each_port(row.inputs, [&](int p) { inputs[p].flit = {p}; });
  Walk walk(shape, configuration(ports, words));
  const std::vector<Wire> outputs = walk.outputs(inputs);
  for (int p = 0; p < ports; ++p) add_output(row, outputs[p].flit, p);
  if (contradicts_its_flows(shape, row, walk, outputs)) {
    row.contradictory.assign(words.begin(), words.end());
  }
  return row;
}

std::vector<PhasedCarried> carry(const FredSwitchShape& shape, const PhasedRow& row,
                                 std::uint32_t inputs, std::uint32_t outputs,
                                 std::span<const PhasedUnicast> unicasts) {
  std::vector<Wire> wires(static_cast<std::size_t>(shape.ports));
  Walk alone(shape, configuration(shape.ports, row.contradictory));
  alone.outputs(wires);
  FredPaths out_path{};
  for (const PhasedRow::Flow& flow : row.flows) {
    const std::uint8_t path = alone.paths()[std::countr_zero(flow.inputs)];
    for_each_port(flow.outputs, [&](int o) { out_path[o] = path; });
  }
  std::vector<PhasedMatcher::Move> moves;
  for (const PhasedUnicast& u : unicasts) moves.push_back({u.input, u.output, 0});
  const FredPaths online = online_paths(shape, moves, {inputs, outputs, alone.paths(), out_path});
  for_each_port(inputs, [&](int p) { wires[p].flit = {p}; });
  for (const PhasedUnicast& u : unicasts) {
    wires[u.input].output = u.output;
    wires[u.input].path = online[u.input];
  }
  Walk walk(shape, configuration(shape.ports, row.contradictory));
  std::vector<PhasedCarried> carried;
  for (Wire& wire : walk.outputs(wires)) carried.push_back({std::move(wire.flit), wire.online()});
  return carried;
}

}  // namespace fredsim
