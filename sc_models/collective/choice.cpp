// SPDX-License-Identifier: Apache-2.0
#include "collective/choice.h"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <vector>

#include "collective/chains.h"
#include "collective/endpoint_plan.h"
#include "collective/in_switch_roles.h"
#include "collective/plan_size.h"
#include "collective/plan_time.h"
#include "collective/port_balance.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

struct NamedChoice {
  std::string_view name;
  Choice choice;
};

constexpr std::array kChoices{NamedChoice{"auto", Choice::kFastest},
                              NamedChoice{"paper", Choice::kPapers}};

// In the switches for sure, or at the endpoints in the one way there is: kPapers.
bool is_fixed(const Topology& topology, const CollectiveSpec& spec, bool switches) {
  if (endpoint_names(spec.collective).size() == 1) return true;
  return switches && topology.in_switch && !takes_steps(spec.collective);
}

class Chooser {
 public:
  Chooser(const Topology& topology, std::span<const CollectiveSpec> specs,
          std::span<const Part> parts)
      : topology_(topology),
        walk_(topology, none_, routes_by_table(topology)),
        specs_(specs),
        parts_(parts) {}

  std::string run(const Algorithm* switches, std::optional<double> in_switch) {
    if (in_switch) {
      best_ = *in_switch;
      if (best_ != kNever) take_switches(*switches, kSwitchLead);
    } else if (switches != nullptr) {
      best_ = 0;
      for (std::size_t k = 0; k < specs_.size(); ++k)
        best_ = std::max(best_, switches->cycles(topology_, walk_, specs_[k], parts_[k]).value());
      take_switches(*switches, 1);
    }
    // The paper's first: others have to be clearly faster.
    for (const bool papers : {true, false}) {
      for (const Algorithm* algorithm : algorithms() | std::views::reverse) {
        if (!algorithm->is_in_switches() && algorithm->is_weighed() &&
            algorithm->is_papers(topology_, specs_.front().collective) == papers)
          weigh(*algorithm);
      }
    }
    return name_;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr double kClearly = 0.96;  // less than what the model is wrong by is no reason
  // Endpoint trees in shares of the ports took up to a fourth longer than estimated (one group of two, six sizes).
  static constexpr double kSwitchLead = 0.8;

  void take_switches(const Algorithm& switches, double lead) {
    name_ = switches.name();
    lead_ = lead;
  }

  void weigh(const Algorithm& algorithm) {
    if (!algorithm.has(specs_.front().collective)) return;
    Plan plan;
    plan.parts.assign(parts_.begin(), parts_.end());
    for (Part& part : plan.parts) part.slice_weights.clear();
    for (const Part& part : plan.parts) {
      const bool has_it = part.roots == 0 || algorithm.has_streams();
      if (!has_it || !algorithm.refusal(topology_, part).empty()) return;
    }
    std::vector<CollectiveSpec> specs(specs_.begin(), specs_.end());
    for (CollectiveSpec& spec : specs) spec.algorithm = algorithm.name();
    if (plan_size(topology_, specs).entries > kMaxEntries && !algorithm.is_weighed_at_any_size())
      return;
    std::vector<ChainSpec> chains;
    for (std::size_t k = 0; k < specs.size(); ++k)
      plan_endpoint(topology_, specs[k], static_cast<int>(k), plan, chains);
    add_chains(topology_, chains, plan);
    balance_ports(topology_, plan);
    const double cycles = estimated_cycles(topology_, plan, walk_);
    if (cycles >= best_ * lead_) return;
    best_ = cycles;
    name_ = algorithm.name();
    lead_ = kClearly;
  }

  const Topology& topology_;
  const Plan none_{};
  LinkWalk walk_;
  std::span<const CollectiveSpec> specs_;
  std::span<const Part> parts_;
  double best_ = kNever;
  double lead_ = kClearly;  // by which another has to be faster than the best so far
  std::string name_{to_string(Choice::kPapers)};
};

}  // namespace

Choice choice_of(std::string_view name) {
  const auto found = std::ranges::find(kChoices, name, &NamedChoice::name);
  return found == kChoices.end() ? Choice::kNone : found->choice;
}

std::string_view to_string(Choice choice) {
  const auto found = std::ranges::find(kChoices, choice, &NamedChoice::choice);
  return found == kChoices.end() ? std::string_view{} : found->name;
}

bool is_choice(std::string_view name) { return choice_of(name) != Choice::kNone; }

std::vector<std::string_view> choice_names() {
  std::vector<std::string_view> names;
  for (const NamedChoice& choice : kChoices) names.push_back(choice.name);
  return names;
}

std::string fastest_algorithm(const Topology& topology, std::span<const CollectiveSpec> specs,
                              std::span<const Part> parts, const Algorithm* switches,
                              std::optional<double> in_switch) {
  if (is_fixed(topology, specs.front(), switches != nullptr && !in_switch))
    return std::string(to_string(Choice::kPapers));
  return Chooser(topology, specs, parts).run(switches, in_switch);
}

}  // namespace fredsim
