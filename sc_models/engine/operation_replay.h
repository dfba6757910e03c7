// Replays operations exactly: what has been simulated once, issued again from the same state, is handed out at the cycles that
// it took, and not simulated.
//
// How: from where the first rank of an operation is complete, or all are, to the next such place, and to where a fabric
//   without operations is at rest, a communicator's course is kept with the digests of the states that it begins and ends in
//   (engine/courses.h). At a state that has been there before, the fabric stands still, and for as long as the same is issued
//   as then, completions are reported as they were recorded: whoever issues does not notice. Where something else is issued,
//   or nothing more is known, the course is simulated from its state on, with what has been issued in it, up to here, and from
//   here on for real. The machine may have to be brought to that state first: by the shortest way of known courses that leads
//   there, simulated again; never more cycles than were passed over. What is simulated may leave out periods
//   (engine/recurrence.h).
// Rest: where no operation is under way and nothing moves, a course begins when something is given, however long that takes.
// State: all that the cycles to come depend on (Communicator::add_state()): relative to the cycle, without payload and the
//   numbers of packets. So a machine that has rested has the same state after a short rest and a long one.
// Exact: cycles, counters of links and switches, payload counts and reports are those of a run in full (tests/engine/
//   operation_replay_test.cpp). Whatever is simulated a second time is compared with what was recorded; a difference is a
//   std::logic_error. Payload is made, carried and verified in what is simulated.
// Off: where a switch cannot tell its state (RTL, lockstep).
// Cost: a digest and a copy of the counters per course that is simulated. Memory: FabricOptions::replay_bytes, then all is forgotten.
// Internal to the communicator.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/courses.h"
#include "engine/operation.h"

namespace fredsim {

class Communicator;
struct IssueOptions;

class OperationReplay {
 public:
  explicit OperationReplay(Communicator& communicator) : communicator_(communicator) {}

  void enable(bool on) { mode_ = on ? Mode::kUnknown : Mode::kOff; }
  bool is_on() const { return mode_ != Mode::kOff; }
  // The fabric stands still; of the communicator's operations only those here count.
  bool hands_out() const { return mode_ == Mode::kHandsOut; }
  std::uint64_t cycle() const { return now_; }
  std::size_t under_way() const { return course_.under_way; }
  bool complete(OperationHandle handle) const;
  bool complete(OperationHandle handle, NodeId npu) const;
  const PreparedPlan* plan_of(OperationHandle handle) const;  // under way; null: it is not

  // Whatever is issued or released; true: that is all, nothing is simulated.
  bool issued(OperationHandle handle, const std::shared_ptr<const PreparedPlan>& plan,
              const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  bool released(OperationHandle handle, int part, int rank, std::uint64_t cycle);
  // Whatever the simulation finds complete; tells who wants to know.
  void rank_complete(OperationHandle handle, int part, int rank);
  void operation_complete(const OperationReport& report, std::uint64_t flits, std::uint64_t bytes);

  void begin_edge() { some_complete_ = false; }  // that is simulated
  bool edge();  // before the communicator's own part of an edge; true: it is done
  void look();  // after it: whether a course ends here
  void rest();  // over edges at which nothing is handed out
  // From here on all is simulated, up to the next course; counters are those of all that has been handed out.
  void simulate();

  std::uint64_t cycles() const { return cycles_; }  // that were not simulated
  std::uint64_t flit_hops() const {
    return flit_hops_;
  }  // flits x links of these, links on a die left out; after simulate()
  std::uint64_t words() const { return words_; }  // of rows, that were not written

 private:
  enum class Mode : std::uint8_t {
    kOff,
    kUnknown,   // simulates; the state where the course began is not known
    kLive,      // simulates and records
    kScripted,  // simulates what has been before
    kHandsOut,
  };
  struct Known {  // an operation of the course
    OperationHandle handle = 0;
    std::shared_ptr<const PreparedPlan> plan{};
    std::uint64_t issued = 0, seed = 0;
    std::vector<CollectiveJob::RankOfPart> done{};
    bool complete = false;
  };
  struct Course {
    CourseState* state = nullptr;
    CourseNode* node = nullptr;
    std::uint32_t events = 0;
    std::uint64_t start = 0;  // cycle
    std::vector<Known> operations{};
    std::unordered_map<OperationHandle, int> numbers{};
    std::size_t under_way = 0;
    CourseCounts before{};  // of a course that is recorded
    std::uint64_t idle_before = 0;
  };

  void begin(CourseState& state);
  bool rests() const;  // at its beginning
  void begin_now();
  void add(Known known);
  CoursePosition position(CoursePosition::Place place) const;
  void give(CourseInput input);
  void record(CourseEvent event, const CourseReport* report);
  void take_inputs();
  // ---- handing out
  void hand_out(const CourseEvent& event);
  bool follow();
  void pass_ends();
  std::uint64_t next_known() const;
  void pass(CourseEnd& end);
  // ---- back to the simulation
  void go_real(const CoursePosition& stop);
  void simulate_again(CourseNode& node);
  void rename();
  void run_script(std::uint64_t end);
  void follow_script(CoursePosition::Place place);
  void give_again(const CourseInput& input);
  void go_live();
  void end_course(const StateDigest& digest);
  CourseCounts counts() const;
  void settle_counts();

  Communicator& communicator_;
  Courses courses_;
  Mode mode_ = Mode::kOff;
  Course course_;
  std::vector<CourseInput> given_;  // at given_at_, not yet looked up
  CoursePosition given_at_;
  bool in_callback_ = false;
  bool some_complete_ = false;  // operations or their first ranks, at this edge
  // Handing out.
  CourseState* real_ = nullptr;  // where the machine stands
  std::uint64_t now_ = 0, next_ = 0;
  std::vector<CourseEnd*> handed_out_;
  // Simulating again.
  std::vector<CourseNode*> script_;
  std::size_t script_next_ = 0;
  std::size_t issued_again_ = 0;  // operations of the course that are there
  bool is_on_path_ = false;
  CoursePosition stop_;
  OperationTotals handed_out_totals_;
  OperationHandle next_spare_ = 0;  // handle on a path
  std::uint64_t cycles_ = 0, flit_hops_ = 0, words_ = 0;
};

}  // namespace fredsim
