#include "online_rules.h"

#include <algorithm>
#include <bit>

#include "routing/fred_routing.h"

namespace fredsim::tb {
namespace {

// Whether a port of the mask is at the edge µSwitch of `port` at a level.
bool meets(std::uint32_t mask, int port, int level) {
  const int width = 2 << level;  // at most 16
  return (mask & ((1U << width) - 1) << (port / width * width)) != 0;
}

}  // namespace

OnlineRules::OnlineRules(const FredShape& shape)
    : ports_(shape.ports()),
      middle_(shape.fred.middle),
      levels_((fred_stages(shape.fred.ports) - 1) / 2),
      output_of_(static_cast<std::size_t>(ports_), {-1, -1, -1, -1}),
      next_(static_cast<std::size_t>(ports_)) {}

// Who gets an output at this edge, VC by VC.
std::vector<OnlineRules::Request> OnlineRules::match(const SwitchView& view,
                                                     const PhaseRules& phase,
                                                     const std::vector<Entry>& taken,
                                                     Edge& edge) const {
  std::uint32_t inputs = 0, outputs = 0;
  for (const Entry& entry : taken) {
    inputs |= entry.inputs;
    outputs |= entry.outputs;
  }
  std::vector<Request> matched;
  for (const int vc : kFirstToLast) {
    std::map<int, Request> winner;  // of each output
    for (int p = 0; p < ports_; ++p) {
      const FlitHeader* front = view.front(p, vc);
      if (front == nullptr || front->phase != kPhaseOnline) continue;
      const bool start = output_of_[p][vc] < 0;
      const int out = start ? routes_.at(front->dst) : output_of_[p][vc];
      if (start && !view.room(out, vc)) {
        ++edge.credit;
        continue;
      }
      ++edge.arbiter;  // unless it leaves
      const bool in_use = view.outputs[out][vc].online_from >= 0 ||
                          (phase.vc() == vc && has(phase.open_outputs(), out));
      if ((start && in_use) || has(inputs, p) || has(outputs, out)) continue;
      const auto distance = [&](int input) { return (input - next_[out][vc] + ports_) % ports_; };
      const auto [at, alone] = winner.try_emplace(out, Request{p, vc, out});
      if (!alone && distance(p) < distance(at->second.input)) at->second = {p, vc, out};
    }
    for (const auto& [out, request] : winner) {
      inputs |= 1U << request.input;
      outputs |= 1U << out;
      matched.push_back(request);
    }
  }
  return matched;
}

// Level by level the lowest sub-network that nobody else has at both edge µSwitches.
std::optional<Entry> OnlineRules::path(const Request& request,
                                       const std::vector<Entry>& taken) const {
  Entry entry{request.vc, 1U << request.input, 1U << request.output, {}};
  for (int level = 0; level < levels_; ++level) {
    std::uint32_t used = 0;
    for (const Entry& other : taken) {
      const bool same_network =
          std::equal(entry.middle.begin(), entry.middle.begin() + level, other.middle.begin());
      if (same_network && (meets(other.inputs, request.input, level) ||
                           meets(other.outputs, request.output, level))) {
        used |= 1U << other.middle[level];
      }
    }
    entry.middle[level] = std::countr_one(used);
    if (entry.middle[level] >= middle_) return std::nullopt;
  }
  return entry;
}

OnlineRules::Edge OnlineRules::judge(const SwitchView& view, const PhaseRules& phase,
                                     const std::vector<Entry>& taken) const {
  Edge edge;
  std::vector<Request> matched = match(view, phase, taken, edge);
  std::ranges::sort(matched, {}, [&](const Request& request) {
    return (request.output - first_ + ports_) % ports_;
  });
  std::vector<Entry> all = taken;
  for (const Request& request : matched) {
    const std::optional<Entry> entry = path(request, all);
    if (!entry) {
      edge.refused = true;
      continue;
    }
    all.push_back(*entry);
    edge.entries.push_back(*entry);
    --edge.arbiter;
  }
  return edge;
}

void OnlineRules::advance(const Edge& edge, SwitchView& view) {
  for (const Entry& entry : edge.entries) {
    const int input = std::countr_zero(entry.inputs);
    const int output = std::countr_zero(entry.outputs);
    const bool tail = view.front(input, entry.vc)->tail;
    if (output_of_[input][entry.vc] < 0) next_[output][entry.vc] = (input + 1) % ports_;
    output_of_[input][entry.vc] = tail ? -1 : output;
    view.outputs[output][entry.vc].online_from = tail ? -1 : input;
  }
  if (edge.refused) first_ = (first_ + 1) % ports_;
}

}  // namespace fredsim::tb
