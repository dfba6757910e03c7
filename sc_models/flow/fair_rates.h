// SPDX-License-Identifier: Apache-2.0
// Rates of flows that share links: max-min fair among flows of a priority, strict between priorities.
//
// Model: a flow moves at one rate on all of its links, and crosses a link `crossings` times per unit of rate (a tree may cross a link
//   several times). Progressive filling: the rates of all flows of a priority grow in proportion to their shares until a link is full; it
//   is the bottleneck of the flows on it that have none, which keep their rates, and the others go on. What is left of a link is for the
//   next priority. A flow on a link of which nothing is left has rate 0. Level of a flow: rate / share.
// Update: fair rates are the only ones at which every flow has a bottleneck, a full link on which no flow of its priority has a higher
//   level. So after flows have come and gone, rates are computed for those that have none, all others kept as they are; flows that have
//   lost their bottleneck by that, or share one with a flow of a lower level, are added and all these computed again, until every flow has
//   one. Rates outside of that stay as they are, bit for bit.
// Alike flows, of equal priority, share and links, are one class with a count, and cost as much as one flow.
// Units: any; capacities and rates have the same. Deterministic: ties go by number, nothing depends on a container's order; the library is
//   compiled without contraction of floating-point operations. Full, and equal, are within 1e-11 of it.
// Cost of an update: O(u log u) for each time that rates are computed, u the crossings (class, link) on the links of those classes.
// Source: Bertsekas and Gallager, Data Networks, 6.5.2 (max-min flow control).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace fredsim {

// A link that a flow crosses.
struct LinkUse {
  int link = 0;
  double crossings = 1;  // above 0

  auto operator<=>(const LinkUse&) const = default;
};

class FairRates {
 public:
  using FlowClass = int;
  struct Demand {
    int priority = 0;             // 0 goes first
    double share = 1;             // above 0
    std::vector<LinkUse> uses{};  // one or more, each link once, sorted by link

    auto operator<=>(const Demand&) const = default;
  };

  // By link; 0 or more.
  explicit FairRates(std::vector<double> capacities);

  // One more flow, of a class that is new or one that is there. It has a rate with the next update().
  FlowClass add(const Demand& demand);
  // One flow less of a class; a class without flows is gone with the next update(), and its number free.
  void remove(FlowClass flows);

  // Classes that have flows and whose rates were computed, each once, until the next call. Their rates may be what they were.
  std::span<const FlowClass> update();
  // Rate of each flow of a class. After update().
  double rate(FlowClass flows) const {
    return classes_[flows].level * demands_[flows].demand.share;
  }
  std::uint64_t count(FlowClass flows) const { return demands_[flows].count; }

 private:
  struct Class {
    double level = 0;
    double weight = 0;  // share x count
    int priority = 0;
    int bottleneck = -1;       // link
    bool has_changed = false;  // since the last update
    bool is_open = false;      // its rate is to be computed
  };
  struct User {
    FlowClass flows = 0;
    double crossings = 0;
  };
  struct LinkState {
    double capacity = 0;
    std::vector<User> users{};  // in the order in which they came
    bool is_listed = false;
    // While rates are computed.
    double left = 0;         // for flows without a rate
    double weight = 0;       // their weights x crossings
    std::uint64_t open = 0;  // their classes
    double lowest = 0;       // levels: of classes whose bottleneck it became,
    double highest = 0;      // and of all that were computed
  };

  // Level at which a link is full.
  static double level(const LinkState& link) { return link.left / link.weight; }
  void mark(FlowClass flows);
  void open(FlowClass flows);
  void open_held_by(int link, int priority);
  void drop_empty();
  void update(int priority);
  void open_all_around();
  std::vector<int> open_links();
  void compute(std::span<const int> links);
  void stop_at(int link, double at);
  bool open_unfair(std::span<const int> links, int priority);
  double used(const LinkState& link, int last_priority) const;

  std::vector<LinkState> links_;
  struct CountedDemand {
    Demand demand{};
    std::uint64_t count = 0;
  };
  std::vector<Class> classes_;
  std::vector<CountedDemand> demands_;  // by class
  std::vector<FlowClass> free_;
  std::map<Demand, FlowClass> numbers_;
  std::map<int, std::uint64_t> priorities_;  // classes of each
  std::vector<FlowClass> changed_;           // since the last update
  std::vector<FlowClass> open_;              // of the priority at work
  std::vector<int> changed_links_;           // by earlier priorities, or flows that are gone
  std::vector<FlowClass> updated_;
};

}  // namespace fredsim
