// SPDX-License-Identifier: Apache-2.0
#include "online_rules.h"

#include <algorithm>
#include <bit>

#include "routing/fred_routing.h"

namespace fredsim::tb {

OnlineRules::OnlineRules(const TestedSwitch& shape)
    : ports_(shape.ports()),
      middle_(shape.fred.middle),
      levels_(fred_levels(shape.fred.ports)),
      first_to_last_(shape.vc_order),
      output_of_(static_cast<std::size_t>(ports_), {-1, -1, -1, -1}),
      next_(static_cast<std::size_t>(ports_)) {}

bool OnlineRules::is_online(const SwitchView& view, int input, int vc) const {
  const FlitHeader* hol = view.hol(input, vc);
  return hol != nullptr && hol->phase == kPhaseOnline;
}

// Requests for outputs. The counts cover all head-of-line flits, whether they request or not.
std::vector<OnlineRules::Request> OnlineRules::requests(const SwitchView& view,
                                                        const PhaseRules& phase, Edge& edge) const {
  std::vector<Request> asking;
  for (int p = 0; p < ports_; ++p) {
    const auto stream = streaming_.find(p);
    const bool streams = stream != streaming_.end() && is_online(view, p, stream->second);
    for (const int vc : first_to_last_) {
      if (!is_online(view, p, vc)) continue;
      const bool start = output_of_[p][vc] < 0;
      const int out = routes_.at({p, view.hol(p, vc)->dst});
      if (start && !view.room(out, vc)) {
        ++edge.credit;
        continue;
      }
      ++edge.arbiter;  // unless it leaves
      const bool in_use = view.outputs[out][vc].online_from >= 0 || phase.is_open(out, vc) ||
                          (view.in_flight_vc == vc && has(view.in_flight, out));
      if ((start && in_use) || has(view.closed, out)) continue;
      if (resting_.contains(p) ||
          (streams && rank(first_to_last_, vc) > rank(first_to_last_, stream->second)))
        continue;
      asking.push_back({p, vc, out, start});
    }
  }
  return asking;
}

// Granted request of one output: on the first VC in order, the first one in turn.
OnlineRules::Request OnlineRules::grant(const std::vector<Request>& requests) const {
  return *std::ranges::min_element(requests, {}, [&](const Request& request) {
    const int first = next_[request.output][request.vc];
    return std::pair(rank(first_to_last_, request.vc), (request.input - first + ports_) % ports_);
  });
}

// Two sub-networks: outputs that are the same above some bit, inputs that are the same up to it.
bool OnlineRules::conflict(const Request& a, const Request& b) const {
  if (a.input == b.input) return false;
  for (int bits = 1; bits <= levels_; ++bits) {
    if (a.output >> bits == b.output >> bits) return (a.input - b.input) % (1 << bits) == 0;
  }
  return false;
}

OnlineRules::Edge OnlineRules::judge(const SwitchView& view, const PhaseRules& phase,
                                     const std::vector<Entry>& taken) const {
  Edge edge;
  std::uint32_t inputs = 0, outputs = 0;  // ports of the phase
  for (const Entry& entry : taken) {
    inputs |= entry.inputs;
    outputs |= entry.outputs;
  }
  const bool alone = middle_ == 2 && ports_ > 2;
  if (alone && inputs != 0) outputs = ~0U;

  std::map<int, std::vector<Request>> asked;
  for (const Request& request : requests(view, phase, edge)) {
    asked[request.output].push_back(request);
  }
  std::map<int, Request> granted;
  std::set<int> contended;  // outputs
  for (const auto& [out, requests] : asked) {
    granted.emplace(out, grant(requests));
    std::set<int> from;
    for (const Request& request : requests) from.insert(request.input);
    if (from.size() > 1) contended.insert(out);
  }
  edge.contention = !contended.empty() && inputs != 0;
  const std::map<int, Request> before = granted;
  for (const auto& [out, grant] : before) {
    const auto place = [&](int o) { return (o - first_ + ports_) % ports_; };
    const bool drop = alone && std::ranges::any_of(before, [&, g = grant](const auto& other) {
                        return place(other.first) < place(g.output) && conflict(g, other.second);
                      });
    if (drop) {
      granted.erase(out);
      edge.dropped = true;
    } else if (grant.start && !has(outputs, out)) {
      edge.turns[{out, grant.vc}] = (grant.input + 1) % ports_;
    }
  }
  for (const auto& [out, grant] : granted) {
    const bool accepted = std::ranges::none_of(granted, [&, g = grant](const auto& other) {
      return other.second.input == g.input &&
             rank(first_to_last_, other.second.vc) < rank(first_to_last_, g.vc);
    });
    if (!accepted) continue;
    if (has(inputs, grant.input)) {
      if (contended.contains(out) && (dice_ & 1U) != 0) edge.resting.insert(grant.input);
    } else if (!has(outputs, out)) {
      edge.entries.push_back({grant.vc, 1U << grant.input, 1U << out});
      --edge.arbiter;
    }
  }
  return edge;
}

void OnlineRules::advance(const Edge& edge, SwitchView& view) {
  streaming_.clear();
  for (const Entry& entry : edge.entries) {
    const int input = std::countr_zero(entry.inputs);
    const int output = std::countr_zero(entry.outputs);
    const bool tail = view.hol(input, entry.vc)->tail;
    output_of_[input][entry.vc] = tail ? -1 : output;
    view.outputs[output][entry.vc].online_from = tail ? -1 : input;
    if (!tail) streaming_[input] = entry.vc;
  }
  for (const auto& [of, input] : edge.turns) next_[of.first][of.second] = input;
  resting_ = edge.resting;
  if (edge.dropped) first_ = (first_ + 1) % ports_;
  if (edge.contention) {
    dice_ = (dice_ << 1 | ((dice_ >> 16 ^ dice_ >> 13) & 1U)) & 0x1FFFFU;  // x^17 + x^14 + 1
  }
}

}  // namespace fredsim::tb
