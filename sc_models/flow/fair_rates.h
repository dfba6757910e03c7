// SPDX-License-Identifier: Apache-2.0
// Rates of flows that share links: max-min fair among flows of a priority, strict between
// priorities.
//
// Model: a flow moves at one rate on all of its links, and crosses a link `crossings` times per
//   unit of rate (a tree may cross a link several times). Progressive filling: the rates of all
//   flows of a priority grow in proportion to their shares until a link is full; it is the
//   bottleneck of the flows on it that have none, which keep their rates, and the others go on.
//   What is left of a link is for the next priority. A flow on a link of which nothing is left has
//   rate 0. Level of a flow: rate / share.
// Limits: flows of one priority together get no more of a link than its limit, whatever else is
//   left of it (credits of a virtual channel), and a flow no more than that of its demand (packets
//   under way). A flow at its own limit needs no bottleneck.
// Update: fair rates are the only ones at which every flow has a bottleneck, a full link on which
//   no flow of its priority has a higher level. So after flows have come and gone, rates are
//   computed for those that have none, all others kept as they are; flows that have lost their
//   bottleneck by that, or share one with a flow of a lower level, are added and all these computed
//   again, until every flow has one. Rates outside of that stay as they are, bit for bit.
// Alike flows, of equal priority, share and links, are one class with a count, and cost as much as
//   one flow. A class whose count is at an update what it was at the one before has not changed,
//   whatever came and went.
// Units: any; capacities and rates have the same. Deterministic: ties go by number, nothing depends
//   on a container's order; the library is compiled without contraction of floating-point
//   operations. Full, and equal, are within 1e-11 of it.
// Cost of an update: O(u log u) for each time that rates are computed, u the crossings (class,
//   link) of those classes, and of others on links that have become their bottleneck or are none
//   any more.
// Source: Bertsekas and Gallager, Data Networks, 6.5.2 (max-min flow control).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/state_digest.h"

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
    double limit = std::numeric_limits<double>::infinity();  // highest rate, above 0

    auto operator<=>(const Demand&) const = default;
  };

  // Capacities by link, 0 or more. `limits`: of each priority, above 0; links behind its end have
  // none.
  explicit FairRates(std::vector<double> capacities, std::vector<double> limits = {});
  FairRates(const FairRates&) = delete;
  FairRates& operator=(const FairRates&) = delete;

  // One more flow, of a class that is new or one that is there. It has a rate with the next
  // update().
  FlowClass add(const Demand& demand);
  void add(FlowClass flows);
  // A class, new or there, whose number stays while it has no flows.
  FlowClass keep(Demand demand);
  // One flow less of a class; a class without flows that is not kept is gone with the next
  // update(), and its number free.
  void remove(FlowClass flows);

  // Capacity of a link, from the next update() on; 0 or more.
  void set_capacity(int link, double capacity);

  // Classes that have flows and whose rates were computed, each once, until the next call. Their
  // rates may be what they were.
  std::span<const FlowClass> update();
  // Rate of each flow of a class. After update().
  double rate(FlowClass flows) const { return classes_[flows].level * classes_[flows].share; }
  std::uint64_t count(FlowClass flows) const { return classes_[flows].count; }
  // After update(): all that rates to come depend on, beside the demands of classes by their
  // numbers.
  void add_state(StateDigest& digest) const;

 private:
  struct DemandHash {
    std::size_t operator()(const Demand& demand) const;
  };
  using Numbers = std::unordered_map<Demand, FlowClass, DemandHash>;
  struct User {
    FlowClass flows = 0;
    double crossings = 0;
  };
  // A link as flows of one priority see it.
  struct LinkState {
    std::vector<User> users{};  // in the order in which they came
    double load = 0;            // of those that are not open
    double bound = 0;           // none of those has a higher level
    double held_level = 0;      // level of those whose bottleneck it is
    std::uint32_t held = 0;     // their classes
    std::uint32_t changes = 0;  // of the load, since it was summed up
    bool has_gone = false;      // classes in `users` that have no flows any more
  };
  struct Layer {
    std::vector<LinkState> links{};
  };
  struct Class {
    double level = 0;
    double weight = 0;                // share x count, as of the last update
    std::span<const LinkUse> uses{};  // those of its demand
    double share = 0;
    double limit = 0;  // level
    Layer* layer = nullptr;
    std::uint64_t count = 0;
    std::uint64_t count_before = 0;  // at the last update
    int bottleneck = -1;             // link; none: it has no flows, or its own limit
    bool has_changed = false;        // since the last update
    bool is_open = false;            // its rate is to be computed
    bool is_kept = false;
  };
  // A link with open classes, while rates are computed.
  struct OpenLink {
    std::vector<FlowClass> classes{};
    double weight_of_all = 0;  // their weights x crossings
    double weight = 0;         // of those without a rate yet
    double left = 0;           // for those
    std::size_t open = 0;      // their number
    double lowest = 0;         // levels: of classes whose bottleneck it became,
    double highest = 0;        // and of all that were computed
  };

  // Level at which a link is full.
  static double level(const OpenLink& link) { return link.left / link.weight; }
  FlowClass number_of(std::pair<Numbers::iterator, bool> found_or_new);
  void mark(FlowClass flows);
  void list_changed_link(int link);
  void drop_unchanged();
  void join_and_leave();
  void erase_gone(LinkState& link);
  void end_changes();
  void update(Layer& layer);
  void open(FlowClass flows);
  void open_held_by(Layer& layer, int link);
  void open_above(Layer& layer, int link, double level);
  void open_all_around(Layer& layer);
  double available(const Layer& layer, int link) const;
  void compute(const Layer& layer);
  void stop_at(int link, double at);
  void stop(FlowClass flows, double at, int bottleneck);
  bool open_unfair(Layer& layer);
  void close(Layer& layer);

  std::vector<double> capacities_;  // by link
  std::vector<double> limits_;
  std::vector<Class> classes_;
  std::vector<const Demand*> demands_;  // by class, keys of numbers_
  std::vector<FlowClass> free_;
  Numbers numbers_;
  std::map<int, Layer> layers_;      // by priority
  std::vector<FlowClass> changed_;   // since the last update
  std::vector<int> changed_links_;   // by flows that came or went, or by earlier priorities
  std::vector<bool> is_listed_;      // links that are
  std::vector<FlowClass> open_;      // of the priority at work
  std::vector<OpenLink> open_link_;  // by link
  std::vector<int> open_links_;
  std::vector<std::pair<double, int>>
      queue_;  // levels, and links that are full there or -1 - flows
  std::vector<FlowClass> updated_;
};

}  // namespace fredsim
