// SPDX-License-Identifier: Apache-2.0
#include "routing/fred_routing.h"

#include <fmt/format.h>

#include <cassert>

#include "base/error.h"
#include "routing/detail/flow_colouring.h"
#include "routing/phase_row.h"

namespace fredsim {
namespace {

// The code of a µSwitch's output is the mask of the inputs that it takes.
static_assert(fred_pkg::USEL_IN0 == 1 && fred_pkg::USEL_IN1 == 2 && fred_pkg::USEL_SUM == 3);

FlowSet all_flows(std::size_t count) {
  return count == 0 ? 0 : ~0U >> (32 - static_cast<int>(count));
}

// A minimal unroutable subset and the outermost level at which it fails.
ConflictingFlows minimal_conflict(const FredSwitchShape& shape, std::span<const Flow> flows,
                                  FlowColouring& colouring) {
  FlowSet culprits = colouring.conflict(0, all_flows(flows.size()));
  for (FlowSet rest = culprits; rest != 0; rest &= rest - 1) {
    const FlowSet fewer = culprits & ~(rest & -rest);
    if (!colouring.routable(0, fewer)) culprits = fewer;
  }
  int depths = 1;
  while (depths < coloured_levels(shape.ports) &&
         FlowColouring(shape, flows, depths).routable(0, culprits))
    ++depths;
  ConflictingFlows conflict{.level = depths - 1, .ports = shape.ports, .flows = {}};
  for (int depth = 1; depth < depths; ++depth) conflict.ports = (conflict.ports + 1) / 2;
  for (FlowSet rest = culprits; rest != 0; rest &= rest - 1)
    conflict.flows.push_back(std::countr_zero(rest));
  return conflict;
}

[[noreturn]] void report_conflict(const FredSwitchShape& shape, std::span<const Flow> flows,
                                  FlowColouring& colouring) {
  ConflictingFlows conflict = minimal_conflict(shape, flows, colouring);
  std::vector<std::string> names;
  for (const int f : conflict.flows)
    names.push_back(fmt::format("{} ({})", f, to_string(flows[f])));
  const std::string what = describe(shape, conflict, names);
  throw FlowConflict(what, std::move(conflict));
}

// Writes the bits and the readable levels of a colouring.
class Emitter {
 public:
  Emitter(const FredSwitchShape& shape, const FlowColouring& colouring, bool apart,
          FredRoute& route)
      : middle_(shape.middle),
        apart_(apart),
        select_(static_cast<int>(fred_pkg::sel_w(shape.middle))),
        colouring_(colouring),
        route_(route) {}

  // Writes Fred_m(ports) from bit `offset` on, for the flows of `set`.
  void emit(int depth, int ports, FlowSet set, int offset, std::vector<int>& path) {
    if (set == 0) return;
    RouteLevel level{.depth = depth, .path = path, .ports = ports, .flows = {}, .colours = {}};
    for (FlowSet rest = set; rest != 0; rest &= rest - 1)
      level.flows.push_back(std::countr_zero(rest));
    if (ports == 2) {
      for (const int f : level.flows) emit_base(colouring_.ports_at(depth, f), offset);
      route_.levels.push_back(std::move(level));
      return;
    }
    FlowColouring::Classes classes = colouring_.classes(depth, set);
    if (apart_) classes = apart(classes, depth);
    for (const int f : level.flows) {
      int colour = 0;
      while ((classes[colour] >> f & 1U) == 0) ++colour;
      level.colours.push_back(colour);
      emit_edges(colouring_.ports_at(depth, f), ports, colour, offset);
    }
    route_.levels.push_back(std::move(level));
    const int inner = (ports + 1) / 2;
    int inner_offset = inner_begin(ports, offset);
    for (int c = 0; c < middle_; ++c) {
      path.push_back(c);
      emit(depth + 1, inner, classes[c], inner_offset, path);
      path.pop_back();
      inner_offset += fred_config_bits({inner, middle_});
    }
  }

 private:
  // Orders the classes by their flows: first classes that distribute, last classes that add.
  FlowColouring::Classes apart(const FlowColouring::Classes& classes, int depth) const {
    FlowColouring::Classes ordered{};
    int first = 0, last = middle_ - 1;
    std::vector<FlowSet> others;
    for (const FlowSet flows : classes) {
      if (flows == 0) continue;
      bool adds = true, distributes = true;
      for (FlowSet rest = flows; rest != 0; rest &= rest - 1) {
        const Flow& flow = colouring_.ports_at(depth, std::countr_zero(rest));
        const int more = std::popcount(flow.inputs) - std::popcount(flow.outputs);
        adds = adds && more > 0;
        distributes = distributes && more < 0;
      }
      if (adds) {
        ordered[last--] = flows;
      } else if (distributes) {
        ordered[first++] = flows;
      } else {
        others.push_back(flows);
      }
    }
    // Begins in the middle of the remainder, so that a single class is neither first nor last.
    first = std::min(std::max(first, middle_ / 2), last + 1 - static_cast<int>(others.size()));
    for (const FlowSet flows : others) ordered[first++] = flows;
    return ordered;
  }
  int inner_begin(int ports, int offset) const {
    return offset + ports / 2 * 2 * middle_ + ports % 2 * select_;
  }
  void put(int offset, int width, unsigned value) {
    for (int b = 0; b < width; ++b) route_.bits[offset + b] = (value >> b & 1U) != 0;
  }
  void emit_base(const Flow& flow, int offset) {
    for (int k = 0; k < 2; ++k)
      if ((flow.outputs >> k & 1U) != 0) put(offset + 2 * k, 2, flow.inputs);
  }
  void emit_edges(const Flow& flow, int ports, int colour, int offset) {
    const int pairs = ports / 2;
    const auto select = static_cast<unsigned>(colour) + 1;
    const int inner = inner_begin(ports, offset);
    const int outputs = inner + middle_ * fred_config_bits({(ports + 1) / 2, middle_});
    for (int i = 0; i < pairs; ++i)
      if (const unsigned pair = flow.inputs >> (2 * i) & 3U; pair != 0)
        put(offset + i * 2 * middle_ + 2 * colour, 2, pair);
    if (ports % 2 != 0 && (flow.inputs >> (ports - 1) & 1U) != 0)
      put(inner - select_, select_, select);
    // The mux of the odd last port follows the D-µSwitches with the same code and width.
    for (int p = 0; p < ports; ++p)
      if ((flow.outputs >> p & 1U) != 0) put(outputs + p * select_, select_, select);
  }

  int middle_;
  bool apart_;
  int select_;
  const FlowColouring& colouring_;
  FredRoute& route_;
};

}  // namespace

void check_shape(const FredSwitchShape& shape) {
  if (shape.ports < 2 || shape.ports > kMaxPorts)
    throw BadInput(
        fmt::format("Fred switch ports: found {}; allowed: 2 to {}", shape.ports, kMaxPorts));
  if (shape.middle < kMinMiddle || shape.middle > kMaxMiddle)
    throw BadInput(fmt::format("Fred switch middle sub-networks: found {}; allowed: {} to {}",
                               shape.middle, kMinMiddle, kMaxMiddle));
}

std::string describe(const FredSwitchShape& shape, const ConflictingFlows& conflict,
                     std::span<const std::string> names) {
  return fmt::format(
      "Fred_{}({}): routing conflict at level {} ({} ports): flows {} share edge µSwitches and "
      "cannot be spread over {} sub-networks{}",
      shape.middle, shape.ports, conflict.level, conflict.ports, fmt::join(names, ", "),
      shape.middle, conflict.level > 0 ? ", whatever the outer levels do" : "");
}

bool has_routing(const FredSwitchShape& shape, std::span<const Flow> flows) {
  check_shape(shape);
  check_flows(shape.ports, flows);
  return FlowColouring(shape, flows, coloured_levels(shape.ports))
      .routable(0, all_flows(flows.size()));
}

FredRoute route_flows(const FredSwitchShape& shape, std::span<const Flow> flows, bool apart) {
  check_shape(shape);
  check_flows(shape.ports, flows);
  FlowColouring colouring(shape, flows, coloured_levels(shape.ports));
  const FlowSet all = all_flows(flows.size());
  if (!colouring.routable(0, all)) report_conflict(shape, flows, colouring);

  FredRoute route;
  route.bits.resize(fred_config_bits(shape));
  std::vector<int> path;
  Emitter(shape, colouring, apart, route).emit(0, shape.ports, all, 0, path);
  // The µSwitch tree folds neighbours level by level, lower port first; the colours do not matter.
  for (const Flow& flow : flows) route.order.push_back(balanced_sum(shape.ports, flow.inputs));
  return route;
}

std::vector<std::uint32_t> phase_row(const FredSwitchShape& shape, int vc,
                                     std::span<const Flow> flows, const FredRoute& route) {
  assert(static_cast<int>(route.bits.size()) == fred_config_bits(shape));
  return phase_row(shape.ports, vc, flows, route.bits);
}

std::vector<Flow> phase_flows(const FredSwitchShape& shape, std::span<const std::uint32_t> row) {
  assert(static_cast<int>(row.size()) == phase_row_words(shape));
  return phase_flows(shape.ports, row);
}

}  // namespace fredsim
