// SPDX-License-Identifier: Apache-2.0
// The algorithms of collectives: what each of them is, and what it can do. All others ask here;
// none of them asks which algorithm it is.
//
// An algorithm is a file collective/algorithms/<name>.cpp, which defines `const Algorithm&
//   <name>_algorithm()`, and its name in collective/algorithms.cmake. Help and messages list
//   algorithms in the order of that list.
// `auto` and `paper` are no algorithms but choices among them, whose names nobody else compares.
//   Both look at the list from its end, so that an algorithm for special groups or fabrics comes
//   after one that takes any: `paper` takes the first of the paper's that fits, `auto` weighs the
//   paper's, then all others that are weighed (collective/choice.h).
// Errors: BadInput from check_algorithm() alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/collective_spec.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

class EndpointPart;
class LinkWalk;
struct ChainSpec;

class Algorithm {
 public:
  // The paths of its data, as the search for placements sees them (placement/placement_load.h).
  enum class Layout : std::uint8_t {
    kLine,     // a ring, or a chain one way round or both
    kStar,     // from each rank straight to others
    kBox,      // links between neighbours on a grid, all alike
    kUplinks,  // up and down a tree of switches that add
  };

  // What a fabric must have for some group to have the algorithm; null: nothing.
  using Where = bool (Topology::*)() const;

  explicit Algorithm(std::string_view name, Where where = nullptr,
                     Transport transport = Transport::kEndpoint)
      : name_(name), where_(where), transport_(transport) {}
  virtual ~Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  std::string_view name() const { return name_; }
  // Names that others have for it, blanks between, for hints.
  virtual std::string_view aliases() const { return {}; }
  // Name for collectives with one root; "": the same.
  virtual std::string_view other_name() const { return {}; }
  // In the switches all parts of a plan are planned together (collective/in_switch_plan.h), at the
  // endpoints each by plan().
  bool is_in_switches() const { return transport_ == Transport::kInSwitch; }

  virtual bool has(Collective collective) const = 0;
  virtual bool has_streams() const { return false; }  // Part::roots
  // False: no group of the fabric has it.
  virtual bool exists_on(const Topology& topology) const {
    return where_ == nullptr || (topology.*where_)();
  }
  // True where nothing but the places of the members can still be in the way.
  virtual bool may_fit(const Topology& topology, const CollectiveSpec& spec) const;
  // Empty: the part's group and the fabric have what it needs. Else what that is, and what is
  // allowed in its place, as the end of a message that begins with "algorithm: ". `part` has its
  // collective, members and roots.
  virtual std::string refusal(const Topology& topology, const Part& part) const;
  // The paper has it for this collective on such a fabric.
  virtual bool is_papers(const Topology& topology, Collective collective) const;

  // Packets that a source may have on their way (Part::window), at least;
  // collective/detail/covering_windows.h adds what the round trip of its trees needs, unless the
  // algorithm paces its sources by the window.
  virtual int window(const Topology& topology, const Part& part) const;
  virtual bool paces_by_window() const { return false; }
  // At the endpoints: the trees of a part that it does not refuse, with its algorithm and its
  // window set. In place of the trees of chains, whose directions depend on all other parts, their
  // description is appended to `chains`.
  virtual void plan(EndpointPart& part, std::vector<ChainSpec>& chains) const;

  // Once plan() has been called for all parts of a plan: adds the trees of those that have this
  // algorithm where they depend on each other.
  virtual void plan_together(const Topology& topology, const std::vector<int>& parts,
                             Plan& plan) const;

  // For the size of a plan before it is made (collective/plan_size.h): trees into which the vector,
  // or each block of a reduce-scatter or an all-gather, is cut at most.
  virtual std::uint64_t trees(const Topology& topology, const CollectiveSpec& spec) const;
  // Has an operand tree per rank, and one tree for their sum.
  virtual bool sends_whole_vectors() const { return false; }
  virtual bool is_weighed() const { return true; }  // by `auto`, where it estimates; all are raced
  // `auto` takes it wherever it fits, but for a collective that takes steps.
  virtual bool is_rule_on(const Topology& /*topology*/) const { return false; }
  // `auto` weighs it however large its plan is.
  virtual bool is_weighed_at_any_size() const { return false; }
  // Cycles of a part by itself, by a formula, where that is known better than from its trees
  // (collective/plan_time.h).
  virtual std::optional<double> cycles(const Topology& topology, const LinkWalk& walk,
                                       const CollectiveSpec& spec, const Part& part) const;

  // Its packets may have an order on such a fabric (collective/detail/packet_order.h).
  virtual bool has_packet_order(const Topology& topology, const Part& part) const;
  virtual Layout layout() const { return Layout::kLine; }
  // Takes the ranks of a group in its order on a tree of switches, so that placements of the same
  // NPUs differ.
  virtual bool goes_by_ranks() const { return false; }

 private:
  std::string_view name_;
  Where where_;
  Transport transport_;
};

enum class Choice : std::uint8_t {
  kNone,     // no choice: an algorithm's name
  kFastest,  // "auto": what fastest_algorithm() says (collective/choice.h)
  kPapers,  // "paper": in the switches where the paper has it there and it fits, else paper_algorithm()
};

Choice choice_of(std::string_view name);
std::string_view to_string(Choice choice);  // its name; "" of kNone
bool is_choice(std::string_view name);
std::vector<std::string_view> choice_names();  // in the order of help and messages

// In the order of algorithms.cmake.
std::span<const Algorithm* const> algorithms();

// Errors: BadInput with those there are, for a name that is neither an algorithm's nor a choice.
void check_algorithm(const std::string& name);
const Algorithm* find_algorithm(std::string_view name);  // null: none of that name
// One that has the collective, other names counted; null: none.
const Algorithm* find_algorithm(std::string_view name, Collective collective);
// Text with one name, or one by dimension with commas between them.
std::vector<std::string> words_by_dimension(const std::string& text);
// Such a text with `auto` in place of algorithms that do not have the collective.
std::string algorithm_with(Collective collective, const std::string& named);
// True where a part of a plan runs in the switches.
bool is_in_switches(const Part& part);
// The algorithm in the switches that is the paper's for a collective, whether it fits or not; null:
// it has none.
const Algorithm* switch_algorithm(Collective collective);
// At the endpoints, what any group on any fabric has: the first of the list.
const Algorithm& plain_algorithm(Collective collective);
// At the endpoints, the paper's for a part.
const Algorithm& paper_algorithm(const Topology& topology, const Part& part);

// For help: "ring, hier_ring or in_switch".
std::string algorithm_names();
// Names at the endpoints, other names included.
std::vector<std::string_view> endpoint_names(Collective collective);
// For messages: "auto, paper, ring or tree", those at the endpoints.
std::string allowed_algorithms(Collective collective);
// The same, those that have streams.
std::string allowed_for_streams();

}  // namespace fredsim
