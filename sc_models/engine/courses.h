// What operations did when they were simulated, to be handed out again when the same is issued from the same state.
//
// A state is one of the whole machine with its communicator (Communicator::add_state()), known by its digest. A course goes
//   from a state to the next one: what was issued and released, what became complete, at which cycles, and how far counters went.
//   Courses from one state are a tree: they are one for as long as the same is issued.
// Operations of a course are numbered: those under way where it begins, by issue, then those that are issued in it.
// Times are cycles since its beginning.
// Positions: whoever issues does so after an event (a rank or an operation is complete), in its callback, or after an edge, and
//   before the next one. Events are counted from the beginning of the course.
// Memory: whoever fills it asks for bytes(), about, and says clear().
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/state_digest.h"
#include "engine/course_counts.h"
#include "engine/operation.h"
#include "engine/prepared_plan.h"

namespace fredsim {

// What was given to the communicator: an operation, or the release of a rank of a held one.
struct CourseInput {
  struct After {
    int operation = -1;  // of the course; -1: one that is complete
    std::vector<int> parts{};
    bool all_ranks = false;
    bool operator==(const After&) const = default;
  };
  std::shared_ptr<const PreparedPlan> plan{};  // null: a release
  std::vector<std::uint64_t> starts{};
  std::uint64_t delay = 0;
  std::vector<After> after{};
  bool held = false;
  // A release.
  int operation = -1, part = 0, rank = 0;
  std::uint64_t cycle = 0;  // at which the rank may begin
  bool operator==(const CourseInput& other) const;
};

struct CoursePosition {
  enum class Place : std::uint8_t { kCallback, kAfterEdge };
  std::uint32_t events = 0;  // before it
  std::uint64_t cycle = 0;
  Place place = Place::kCallback;
  auto operator<=>(const CoursePosition&) const = default;
};

// A rank is complete, or, where `report` is one of those of the node, an operation.
struct CourseEvent {
  std::uint64_t cycle = 0;
  int operation = 0, part = 0, rank = 0;
  int report = -1;
  bool operator==(const CourseEvent&) const = default;
};

// What an operation is reported with, all times as cycles before the event, and what it has delivered.
struct CourseReport {
  OperationReport report;
  std::uint64_t flits = 0, bytes = 0;
};

struct CourseState;
struct CourseNode;

struct CourseEnd {
  std::uint64_t cycle = 0;
  std::uint64_t idle = 0;  // cycles of it in which nothing happens
  CourseState* next = nullptr;
  std::vector<int> left{};  // operations of the course that are under way there
  CourseCounts counts{};
  // How often it was handed out, less how often it was simulated to come to a state.
  std::int64_t times = 0;
};

// From one input to the next.
struct CourseNode {
  CourseNode* parent = nullptr;  // null: from the state
  CoursePosition at;             // of its inputs
  std::vector<CourseInput> inputs;
  std::vector<CourseEvent> events;
  std::vector<CourseReport> reports;
  std::unique_ptr<CourseEnd> end;  // where nothing more is given
  std::vector<std::unique_ptr<CourseNode>> children;

  bool is_known() const { return !events.empty() || end != nullptr || !children.empty(); }
  const CourseEvent* event(std::uint32_t number) const;  // of the course; null: not known
  CourseNode* child(const CoursePosition& at, const std::vector<CourseInput>& inputs) const;
};

struct CourseState {
  StateDigest digest{0};
  bool is_at_rest = false;  // nothing changes, however long, until something is given
  CourseNode root;
  std::vector<CourseNode*> ends;  // nodes of its tree that have one
};

class Courses {
 public:
  CourseState& state(const StateDigest& digest);
  CourseNode& add_child(CourseNode& node, const CoursePosition& at,
                        std::vector<CourseInput> inputs);
  void set_end(CourseState& from, CourseNode& node, CourseEnd end);
  void count(std::size_t bytes) { bytes_ += bytes; }  // of what was added to a node
  std::size_t bytes() const { return bytes_; }
  void clear();
  // Courses that lead from one state to another with as few cycles as possible.
  std::vector<CourseNode*> path(CourseState& from, const CourseState& to) const;

 private:
  std::map<StateDigest, CourseState> states_;
  std::set<StateDigest> plans_;  // that inputs keep, of which bytes_ has each once
  std::size_t bytes_ = 0;
};

}  // namespace fredsim
