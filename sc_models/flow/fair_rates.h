// SPDX-License-Identifier: Apache-2.0
// Rates of flows that share links: max-min fair among flows of a priority, strict between
// priorities.
//
// Model: a flow moves at one rate on all of its links, and crosses a link `crossings` times per
//   unit of rate (a tree may cross a link several times). Progressive filling: the rates of all
//   flows of a priority grow in proportion to their shares until a link is full; the link becomes
//   the bottleneck of its flows without one, which keep their rates, while the remaining flows grow
//   on. The residual capacity is left to the next priority. A flow on a link without residual
//   capacity has rate 0. Level of a flow: rate / share.
// Limits: the flows of one priority together get at most the link's limit, even if capacity
//   remains (credits of a virtual channel), and a flow at most the limit of its demand (packets in
//   flight). A flow at its own limit needs no bottleneck.
// Update: fair rates are the only ones at which every flow has a bottleneck, a full link on which
//   no flow of its priority has a higher level. So after arrivals and departures, rates are
//   computed for the flows without a rate, with all further rates fixed. Flows that lose their
//   bottleneck, or share one with a flow of a lower level, are added and the set is computed again,
//   until every flow has a bottleneck. Rates outside the set do not change, bit for bit.
// Classes: flows of equal priority, share, limit and links form one class with a count, which
//   costs as much as one flow. A class whose count equals its count at the previous update is
//   unchanged, whichever flows came and went.
// Units: any; capacities and rates have the same. Deterministic: ties are resolved by number,
//   independent of container order; the library is compiled without floating-point contraction.
//   Comparisons have a relative tolerance of 1e-11.
// Cost of an update: O(u log u) per computation of rates, with u the crossings (class, link) of
//   the computed classes, and of classes on links that became or ceased to be their bottleneck.
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

  // Capacities by link, 0 or more. `limits`: by link, for each priority, above 0; links beyond its
  // end have no limit.
  explicit FairRates(std::vector<double> capacities, std::vector<double> limits = {});
  FairRates(const FairRates&) = delete;
  FairRates& operator=(const FairRates&) = delete;

  // Adds a flow to a new or existing class. It gets a rate at the next update().
  FlowClass add(const Demand& demand);
  void add(FlowClass flows);
  // Adds or finds a class that keeps its number while it has no flows.
  FlowClass keep(Demand demand);
  // Removes a flow of a class. The next update() deletes a class without flows, unless it is kept,
  // and frees its number.
  void remove(FlowClass flows);

  // Capacity of a link, from the next update() on; 0 or more.
  void set_capacity(int link, double capacity);

  // Computes rates. Returns each class with flows whose rate was recomputed, once; a rate may be
  // unchanged. The result is valid until the next call.
  std::span<const FlowClass> update();
  // Rate of each flow of a class. Call after update().
  double rate(FlowClass flows) const { return classes_[flows].level * classes_[flows].share; }
  std::uint64_t count(FlowClass flows) const { return classes_[flows].count; }
  // Adds the state that future rates depend on, without the demands of classes. Call after
  // update().
  void add_state(StateDigest& digest) const;

  // Copy of this state, capacities included, while all classes are kept. Call after update().
  struct State;
  State state() const;
  // Returns to a state of this object; classes that were added since have no flows.
  void restore(const State& state);

 private:
  struct DemandHash {
    std::size_t operator()(const Demand& demand) const;
  };
  using Numbers = std::unordered_map<Demand, FlowClass, DemandHash>;
  struct User {
    FlowClass flows = 0;
    double crossings = 0;
  };
  // State of a link for the flows of one priority.
  struct LinkState {
    std::vector<User> users{};  // users in order of arrival
    double load = 0;            // load of the flows that are not open
    double bound = 0;           // upper bound of the flows' levels
    double held_level = 0;      // level of the flows whose bottleneck is this link
    std::uint32_t held = 0;     // number of classes whose bottleneck is this link
    std::uint32_t changes = 0;  // changes of `load` since it was last summed up
    bool has_gone = false;      // classes in `users` that have no flows any more
  };
  struct Layer {
    std::vector<LinkState> links{};
  };
  struct Class {
    double level = 0;
    double weight = 0;                // share x count, as of the last update
    std::span<const LinkUse> uses{};  // links of the class's demand
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
    double weight_of_all = 0;  // sum of weights x crossings
    double weight = 0;         // weight of flows without a rate yet
    double left = 0;           // capacity left for flows without a rate
    std::size_t open = 0;      // number of open classes
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
  std::map<int, Layer> layers_;     // by priority
  std::vector<FlowClass> changed_;  // since the last update
  // links with arrivals, departures or changed load of earlier priorities
  std::vector<int> changed_links_;
  std::vector<bool> is_listed_;      // links that are
  std::vector<FlowClass> open_;      // open classes of the current priority
  std::vector<OpenLink> open_link_;  // by link
  std::vector<int> open_links_;
  std::vector<std::pair<double, int>>
      queue_;  // levels, and links that are full there or -1 - flows
  std::vector<FlowClass> updated_;
};

struct FairRates::State {
  struct OfClass {
    FlowClass flows = 0;
    double level = 0, weight = 0;
    std::uint64_t count = 0;
    int bottleneck = -1;
  };
  struct OfLink {
    int priority = 0, link = 0;
    LinkState state{};
  };
  std::vector<double> capacities{};
  std::vector<OfClass> classes{};  // with flows
  std::vector<OfLink> links{};     // in use
};

}  // namespace fredsim
