// SPDX-License-Identifier: Apache-2.0
// Algorithms of collectives, their properties and their capabilities. All other code queries them
// through this interface and never compares algorithms by identity.
//
// An algorithm is a file collective/algorithms/<name>.cpp, which defines `const Algorithm&
//   <name>_algorithm()`, and its name in collective/algorithms.cmake. Help and messages list
//   algorithms in the order of that list.
// `auto` and `paper` are choices among algorithms; only this library compares their names. Both
// search the list from its end, so that an algorithm for special groups or fabrics comes after a
// general one: `paper` takes the first of the paper's algorithms that fits, `auto` weighs the
// paper's algorithm, then all remaining weighed ones (collective/choice.h).
// Schedules are algorithms too, by the names of their files (collective/schedule_algorithm.h); they
//   are found by name, and not in the list.
// Errors: BadInput from check_algorithm(), and where the file of a schedule is read first.
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
  // Paths of the algorithm's data, as the search for placements models them
  // (placement/placement_load.h).
  enum class Layout : std::uint8_t {
    kLine,     // a ring, or a chain in one direction or both
    kStar,     // unicasts between all pairs of ranks
    kBox,      // links between neighbours on a grid, equally loaded
    kUplinks,  // up and down a tree of switches that add
  };

  // Requirement on the fabric for any group to have the algorithm; null: no requirement.
  using Where = bool (Topology::*)() const;

  explicit Algorithm(std::string_view name, Where where = nullptr,
                     Transport transport = Transport::kEndpoint)
      : name_(name), where_(where), transport_(transport) {}
  virtual ~Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  std::string_view name() const { return name_; }
  // Names of the algorithm in other software, separated by blanks, for hints.
  virtual std::string_view aliases() const { return {}; }
  // Name for collectives with one root; "": the general name.
  virtual std::string_view other_name() const { return {}; }
  // Place of the additions: all parts in the switches are planned together
  // (collective/in_switch_plan.h), parts at the endpoints one by one by plan().
  bool is_in_switches() const { return transport_ == Transport::kInSwitch; }

  virtual bool has(Collective collective) const = 0;
  virtual bool has_streams() const { return false; }  // Part::roots
  // False: no group of the fabric can have it.
  virtual bool exists_on(const Topology& topology) const {
    return where_ == nullptr || (topology.*where_)();
  }
  // True if only the places of the members may still prevent it.
  virtual bool may_fit(const Topology& topology, const CollectiveSpec& spec) const;
  // Reason why a part cannot have the algorithm, and allowed alternatives, as the end of a message
  // that begins with "algorithm: "; empty: the part's group and the fabric meet its requirements.
  // `part` has its collective, members and roots.
  virtual std::string refusal(const Topology& topology, const Part& part) const;
  // True where the paper uses it for this collective on such a fabric.
  virtual bool is_papers(const Topology& topology, Collective collective) const;

  // Minimum window of a source (Part::window); collective/detail/covering_windows.h adds what the
  // round trip of its trees needs, unless the algorithm paces its sources by the window.
  virtual int window(const Topology& topology, const Part& part) const;
  virtual bool paces_by_window() const { return false; }
  // At the endpoints: adds the trees of a part that the algorithm does not refuse, with its
  // algorithm and window set. For chains, whose directions depend on all other parts, a description
  // is appended to `chains` instead.
  virtual void plan(EndpointPart& part, std::vector<ChainSpec>& chains) const;

  // Adds the trees of all parts with this algorithm that depend on each other, after plan() has
  // been called for all parts of a plan.
  virtual void plan_together(const Topology& topology, const std::vector<int>& parts,
                             Plan& plan) const;

  // Maximum number of trees into which the vector, or each block of a reduce-scatter or an
  // all-gather, is cut; for the size of a plan before it is made (collective/plan_size.h).
  virtual std::uint64_t trees(const Topology& topology, const CollectiveSpec& spec) const;
  // True for an operand tree per rank, and one tree for their sum.
  virtual bool sends_whole_vectors() const { return false; }
  virtual bool is_weighed() const {
    return true;
  }  // by `auto`, where it estimates; races include all algorithms
  // True where `auto` takes it whenever it fits, except for collectives in steps.
  virtual bool is_rule_on(const Topology& /*topology*/) const { return false; }
  // True where `auto` weighs it for plans of any size.
  virtual bool is_weighed_at_any_size() const { return false; }
  // Cycles of a part that runs alone, from a formula, where a formula is more accurate than an
  // estimate from its trees (collective/plan_time.h).
  virtual std::optional<double> cycles(const Topology& topology, const LinkWalk& walk,
                                       const CollectiveSpec& spec, const Part& part) const;

  // True where its packets may have an order on such a fabric (collective/detail/packet_order.h).
  virtual bool has_packet_order(const Topology& topology, const Part& part) const;
  virtual Layout layout() const { return Layout::kLine; }
  // True where it uses the ranks in group order on a tree of switches, so that placements on the
  // same NPUs differ.
  virtual bool goes_by_ranks() const { return false; }

 private:
  std::string_view name_;
  Where where_;
  Transport transport_;
};

enum class Choice : std::uint8_t {
  kNone,     // no choice: an algorithm's name
  kFastest,  // "auto": the result of fastest_algorithm() (collective/choice.h)
  kPapers,   // "paper": the paper's algorithm in the switches if it fits, else paper_algorithm()
};

Choice choice_of(std::string_view name);
std::string_view to_string(Choice choice);  // name of the algorithm; "" for kNone
bool is_choice(std::string_view name);
std::vector<std::string_view> choice_names();  // ordered as in help and messages

// Algorithms in the order of algorithms.cmake.
std::span<const Algorithm* const> algorithms();

// Errors: BadInput with the list of names, for a name that is neither an algorithm nor a choice.
void check_algorithm(const std::string& name);
const Algorithm* find_algorithm(std::string_view name);  // null: unknown name
// Algorithm of a schedule's file (collective/schedule_algorithm.h), which is read once per process;
// null: the word names no schedule.
// Errors: BadInput as in schedule_files/schedule_file.h, beginning with "algorithm: ".
// Threads: safe.
const Algorithm* schedule_algorithm(std::string_view word);
// Algorithm by name or alternative name that supports the collective; null: none.
const Algorithm* find_algorithm(std::string_view name, Collective collective);
// Words of a text with one name, or with one name per dimension separated by commas.
std::vector<std::string> words_by_dimension(const std::string& text);
// Text by dimension with `auto` in place of algorithms that do not support the collective.
std::string algorithm_with(Collective collective, const std::string& named);
// True where a part of a plan runs in the switches.
bool is_in_switches(const Part& part);
// Paper's algorithm in the switches for a collective, whether it fits or not; null: there is none.
const Algorithm* switch_algorithm(Collective collective);
// Endpoint algorithm that any group on any fabric supports: the first of the list.
const Algorithm& plain_algorithm(Collective collective);
// Paper's endpoint algorithm for a part.
const Algorithm& paper_algorithm(const Topology& topology, const Part& part);

// List for help: "ring, hier_ring or in_switch".
std::string algorithm_names();
// Names of endpoint algorithms, alternative names included.
std::vector<std::string_view> endpoint_names(Collective collective);
// List for messages: "auto, paper, ring or tree", endpoint algorithms only.
std::string allowed_algorithms(Collective collective);
// List for messages: endpoint algorithms that support streams.
std::string allowed_for_streams();

}  // namespace fredsim
