#include "engine/operation_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine/communicator.h"
#include "engine/course_reports.h"

namespace fredsim {
namespace {

using Place = CoursePosition::Place;

constexpr std::uint64_t kNever = Operation::kNever;

[[noreturn]] void fail(const char* what) {
  throw std::logic_error(
      fmt::format("replay of operations: {}; a state leaves something out", what));
}

}  // namespace

// ---- operations of the course

void OperationReplay::add(Known known) {
  course_.numbers.emplace(known.handle, static_cast<int>(course_.operations.size()));
  course_.operations.push_back(std::move(known));
  ++course_.under_way;
}

bool OperationReplay::complete(OperationHandle handle) const {
  const auto found = course_.numbers.find(handle);
  return found == course_.numbers.end() || course_.operations[found->second].complete;
}

const PreparedPlan* OperationReplay::plan_of(OperationHandle handle) const {
  return complete(handle) ? nullptr : course_.operations[course_.numbers.at(handle)].plan.get();
}

bool OperationReplay::complete(OperationHandle handle, NodeId npu) const {
  if (complete(handle)) return true;
  const Known& known = course_.operations[course_.numbers.at(handle)];
  const std::vector<Part>& parts = known.plan->plan.parts;
  const auto is_here = [&](const CollectiveJob::RankOfPart& at) {
    return parts[at.part].members[at.rank] == npu;
  };
  std::ptrdiff_t ranks = 0;
  for (const Part& part : parts) ranks += std::ranges::count(part.members, npu);
  return std::ranges::count_if(known.done, is_here) == ranks;
}

// ---- what is given, and what comes of it

CoursePosition OperationReplay::position(Place place) const {
  return {course_.events, communicator_.cycle() - course_.start, place};
}

void OperationReplay::give(CourseInput input) {
  if (given_.empty()) given_at_ = position(in_callback_ ? Place::kCallback : Place::kAfterEdge);
  if (input.plan == nullptr) {
    const std::uint64_t now = communicator_.cycle();
    input.cycle = input.cycle > now ? input.cycle - course_.start : 0;
  }
  given_.push_back(std::move(input));
}

bool OperationReplay::issued(OperationHandle handle,
                             const std::shared_ptr<const PreparedPlan>& plan,
                             const std::vector<std::uint64_t>& starts,
                             const IssueOptions& options) {
  if (mode_ != Mode::kLive && mode_ != Mode::kHandsOut) return false;
  CourseInput input{.plan = plan, .starts = starts, .delay = options.delay, .held = options.held};
  for (const Dependency& before : options.after) {
    input.after.push_back({complete(before.operation) ? -1 : course_.numbers.at(before.operation),
                           before.parts, before.all_ranks});
  }
  give(std::move(input));
  add({.handle = handle, .plan = plan, .issued = communicator_.cycle(), .seed = options.seed});
  return hands_out();
}

bool OperationReplay::released(OperationHandle handle, int part, int rank, std::uint64_t cycle) {
  if (mode_ != Mode::kLive && mode_ != Mode::kHandsOut) return false;
  give({.operation = course_.numbers.at(handle), .part = part, .rank = rank, .cycle = cycle});
  return hands_out();
}

void OperationReplay::rank_complete(OperationHandle handle, int part, int rank) {
  if (mode_ == Mode::kLive || mode_ == Mode::kScripted) {
    const int number = course_.numbers.at(handle);
    record({position(Place::kCallback).cycle, number, part, rank}, nullptr);
    if (mode_ == Mode::kScripted) return follow_script(Place::kCallback);
    std::vector<CollectiveJob::RankOfPart>& done = course_.operations[number].done;
    // What is issued next comes with one of the ranks that follow: where that is another one than before, only these are
    // simulated again.
    if (done.empty()) some_complete_ = true;
    done.push_back({part, rank});
  }
  in_callback_ = true;
  if (communicator_.on_rank_complete_) communicator_.on_rank_complete_(handle, part, rank);
  in_callback_ = false;
  take_inputs();
}

void OperationReplay::operation_complete(const OperationReport& report, std::uint64_t flits,
                                         std::uint64_t bytes) {
  some_complete_ = true;
  if (mode_ == Mode::kLive || mode_ == Mode::kScripted) {
    const int number = course_.numbers.at(report.handle);
    CourseReport relative{report, flits, bytes};
    relative.report.plan = nullptr;
    turn_round(relative.report, communicator_.cycle());
    record({.cycle = position(Place::kCallback).cycle, .operation = number}, &relative);
    if (mode_ == Mode::kScripted) return follow_script(Place::kCallback);
    course_.operations[number].complete = true;
    --course_.under_way;
  }
  in_callback_ = true;
  if (communicator_.on_complete_) communicator_.on_complete_(report);
  in_callback_ = false;
  take_inputs();
}

void OperationReplay::record(CourseEvent event, const CourseReport* report) {
  CourseNode& node = *course_.node;
  if (const CourseEvent* known = node.event(course_.events++); known != nullptr) {
    event.report = known->report;
    if (event != *known || (report == nullptr) != (known->report < 0) ||
        (report != nullptr && !same(*report, node.reports[known->report])))
      fail("something else became complete than before");
    return;
  }
  if (mode_ == Mode::kScripted) fail("more became complete than before");
  if (report != nullptr) {
    event.report = static_cast<int>(node.reports.size());
    node.reports.push_back(*report);
    courses_.count(sizeof *report +
                   report->report.parts.size() * sizeof(OperationReport::PartTimes));
  }
  node.events.push_back(event);
  courses_.count(sizeof event);
}

// Of the simulation.
void OperationReplay::take_inputs() {
  if (given_.empty() || mode_ != Mode::kLive) return;
  CourseNode* const known = course_.node->child(given_at_, given_);
  course_.node = known != nullptr
                     ? known
                     : &courses_.add_child(*course_.node, given_at_, std::exchange(given_, {}));
  given_.clear();
}

// ---- courses that are simulated and recorded

CourseCounts OperationReplay::counts() const {
  const OperationTotals& totals = communicator_.totals_;
  CourseCounts counts = count_machine(communicator_.machine_);
  counts.rows_loaded = totals.rows_loaded;
  counts.rows_found = totals.rows_found;
  counts.rows_evicted = totals.rows_evicted;
  counts.words = communicator_.loader_.words();
  return counts;
}

void OperationReplay::look() {
  const bool some_complete = std::exchange(some_complete_, false);
  if (mode_ != Mode::kLive && mode_ != Mode::kUnknown) return;
  if (rests()) return begin_now();
  if (course_.state != nullptr && communicator_.cycle() == course_.start) return;
  if (!some_complete && !communicator_.ends_rest()) return;
  StateDigest digest(kIndexMask);
  if (communicator_.add_state(digest)) end_course(digest);
}

void OperationReplay::end_course(const StateDigest& digest) {
  if (courses_.bytes() > communicator_.machine_.options().replay_bytes) {
    settle_counts();
    courses_.clear();
    course_.state = nullptr;
  }
  CourseState& next = courses_.state(digest);
  next.is_at_rest = communicator_.operations_.empty() && communicator_.fabric_.core().is_settled();
  CourseCounts now = counts();
  if (course_.state != nullptr) {
    CourseEnd end{.cycle = position(Place::kAfterEdge).cycle,
                  .idle = communicator_.idle_cycles_ - course_.idle_before,
                  .next = &next,
                  .counts = now - course_.before};
    for (const auto& [handle, operation] : communicator_.operations_)
      end.left.push_back(course_.numbers.at(handle));
    if (course_.node->end == nullptr)
      courses_.set_end(*course_.state, *course_.node, std::move(end));
    else if (course_.node->end->next != end.next || course_.node->end->counts != end.counts)
      fail("a course came to another end than before");
  }
  begin(next);
  course_.before = std::move(now);
  course_.idle_before = communicator_.idle_cycles_;
  mode_ = next.root.is_known() ? Mode::kHandsOut : Mode::kLive;
  if (mode_ == Mode::kLive) return;
  real_ = &next;
  now_ = course_.start;
  next_ = now_ + 1;
  communicator_.fabric_.stand_still(true);
}

bool OperationReplay::rests() const {
  return course_.state != nullptr && course_.state->is_at_rest && given_.empty() &&
         course_.node == &course_.state->root && course_.events == 0;
}

// What a rest takes is no part of the course after it.
void OperationReplay::begin_now() {
  const std::uint64_t now = communicator_.cycle();
  if (hands_out()) communicator_.idle_cycles_ += now - course_.start;
  course_.start = now;
  course_.idle_before = communicator_.idle_cycles_;
}

// With the operations that the communicator has under way.
void OperationReplay::begin(CourseState& state) {
  const std::uint64_t now = communicator_.cycle();
  course_ = {.state = &state, .node = &state.root, .start = now};
  for (const auto& [handle, operation] : communicator_.operations_) {
    add({.handle = handle,
         .plan = operation->plan,
         .issued = operation->report.issued,
         .seed = operation->seed,
         .done = operation->complete_ranks()});
  }
}

// ---- handing out

bool OperationReplay::edge() {
  take_inputs();
  if (!hands_out()) return false;
  std::uint64_t before = std::exchange(now_, std::exchange(next_, next_ + 1));
  const std::uint64_t now = now_;
  if (rests()) {
    begin_now();
    before = now;
  }
  if (follow() && next_known() == kNever)
    go_real({course_.events, before - course_.start, Place::kAfterEdge});
  if (!hands_out()) {
    while (communicator_.cycle() < now) communicator_.simulate_edge();
    return true;
  }
  for (;;) {
    const CourseEvent* const event = course_.node->event(course_.events);
    if (event == nullptr || course_.start + event->cycle != now_) break;
    hand_out(CourseEvent(*event));
    if (!follow()) return true;
    if (next_known() != kNever) continue;
    go_real(position(Place::kCallback));
    return true;
  }
  pass_ends();
  if (next_known() == kNever) go_real(position(Place::kAfterEdge));
  return true;
}

void OperationReplay::hand_out(const CourseEvent& event) {
  Known& known = course_.operations[event.operation];
  const OperationHandle handle = known.handle;
  ++course_.events;
  in_callback_ = true;
  if (event.report < 0) {
    known.done.push_back({event.part, event.rank});
    if (communicator_.on_rank_complete_)
      communicator_.on_rank_complete_(handle, event.part, event.rank);
  } else {
    const CourseReport& recorded = course_.node->reports[event.report];
    OperationReport report = recorded.report;
    turn_round(report, now_);
    report.handle = handle;
    report.issued = known.issued;
    report.plan = known.plan;
    known.complete = true;
    --course_.under_way;
    communicator_.totals_.count(report, recorded.flits, recorded.bytes);
    if (communicator_.on_complete_) communicator_.on_complete_(report);
  }
  in_callback_ = false;
}

// What has been given: false where that is new, and simulated from there on.
bool OperationReplay::follow() {
  if (given_.empty()) return true;
  const CoursePosition at = given_at_;
  if (CourseNode* const known = course_.node->child(at, given_); known != nullptr) {
    course_.node = known;
    given_.clear();
    return true;
  }
  course_.node = &courses_.add_child(*course_.node, at, std::exchange(given_, {}));
  go_real(at);
  return false;
}

void OperationReplay::pass_ends() {
  while (course_.node->event(course_.events) == nullptr && course_.node->end != nullptr &&
         course_.start + course_.node->end->cycle == now_)
    pass(*course_.node->end);
}

void OperationReplay::pass(CourseEnd& end) {
  if (end.times++ == 0) handed_out_.push_back(&end);
  cycles_ += end.cycle - end.idle;
  communicator_.idle_cycles_ += end.idle;
  words_ += end.counts.words;
  OperationTotals& totals = communicator_.totals_;
  totals.rows_loaded += end.counts.rows_loaded;
  totals.rows_found += end.counts.rows_found;
  totals.rows_evicted += end.counts.rows_evicted;
  std::vector<Known> operations = std::move(course_.operations);
  course_ = {.state = end.next, .node = &end.next->root, .start = now_};
  for (const int number : end.left) add(std::move(operations[number]));
}

// Cycle at which something is known to happen or may be given; kNever: nothing.
std::uint64_t OperationReplay::next_known() const {
  if (rests()) {
    const std::uint64_t call = communicator_.next_call();
    return call == kNever ? kNever : std::max(call, now_ + 1);
  }
  const CourseNode& node = *course_.node;
  if (const CourseEvent* event = node.event(course_.events); event != nullptr)
    return course_.start + event->cycle;
  if (node.end != nullptr) return course_.start + node.end->cycle;
  std::uint64_t next = kNever;
  for (const auto& child : node.children) {
    if (child->at.events == course_.events && child->at.place == Place::kAfterEdge &&
        course_.start + child->at.cycle >= now_)
      next = std::min(next, std::max(course_.start + child->at.cycle, now_ + 1));
  }
  return next;
}

void OperationReplay::rest() {
  if (!given_.empty()) return;  // what follows of it is seen at the next edge
  const std::uint64_t limit = communicator_.machine_.options().timeout_cycles;
  std::uint64_t next = std::min(next_known(), communicator_.next_call());
  if (limit != 0) next = std::min(next, limit + 1);
  if (next <= next_) return;
  communicator_.fabric_.come_later(next - next_);
  next_ = next;
}

// ---- back to the simulation

void OperationReplay::simulate() {
  if (hands_out() && follow()) go_real(position(Place::kAfterEdge));
  settle_counts();
}

// The machine is brought to where the course begins, and simulates it up to `stop`.
void OperationReplay::go_real(const CoursePosition& stop) {
  Communicator& c = communicator_;
  mode_ = Mode::kScripted;
  c.fabric_.stand_still(false);
  handed_out_totals_ = c.totals_;
  Course course = std::move(course_);
  is_on_path_ = true;
  next_spare_ = c.next_;
  for (CourseNode* const node : courses_.path(*real_, *course.state)) simulate_again(*node);
  is_on_path_ = some_complete_ = false;
  c.totals_ = handed_out_totals_;
  course_ = std::move(course);
  c.shift_to(course_.start);
  rename();
  course_.before = counts();
  course_.idle_before = c.idle_cycles_;
  script_.clear();
  for (CourseNode* node = course_.node; node->parent != nullptr; node = node->parent)
    script_.push_back(node);
  std::ranges::reverse(script_);
  script_next_ = 0;
  course_.node = &course_.state->root;
  course_.events = 0;
  stop_ = stop;
  run_script(stop.cycle);
}

// A whole course, for nobody.
void OperationReplay::simulate_again(CourseNode& node) {
  CourseEnd& end = *node.end;
  script_.clear();
  CourseNode* root = &node;
  for (; root->parent != nullptr; root = root->parent) script_.push_back(root);
  std::ranges::reverse(script_);
  script_next_ = 0;
  course_ = {.node = root, .start = communicator_.cycle()};
  for (const auto& [handle, operation] : communicator_.operations_) add({.handle = handle});
  issued_again_ = course_.operations.size();
  run_script(end.cycle);
  StateDigest digest(kIndexMask);
  if (!communicator_.add_state(digest) || digest != end.next->digest)
    fail("a course came to another state than before");
  if (end.times-- == 0) handed_out_.push_back(&end);
  cycles_ -= end.cycle - end.idle;
  words_ -= end.counts.words;
}

// Operations that are under way get the handles that whoever issued them has.
void OperationReplay::rename() {
  auto& operations = communicator_.operations_;
  std::map<OperationHandle, std::unique_ptr<Operation>> renamed;
  std::size_t number = 0;
  for (auto& [handle, operation] : operations) {
    const Known& known = course_.operations.at(number++);
    operation->handle = operation->report.handle = known.handle;
    operation->report.issued = known.issued;
    renamed.emplace_hint(renamed.end(), known.handle, std::move(operation));
  }
  operations = std::move(renamed);
  issued_again_ = operations.size();
}

// Up to a cycle of the course: that of its end, or where it goes on for real.
void OperationReplay::run_script(std::uint64_t end) {
  for (;;) {
    follow_script(Place::kAfterEdge);
    if (mode_ != Mode::kScripted) return;
    const std::uint64_t cycle = communicator_.cycle() - course_.start;
    if (cycle >= end) break;
    std::uint64_t next = end;
    if (script_next_ < script_.size()) next = std::min(next, script_[script_next_]->at.cycle);
    communicator_.pass_until(course_.start + next);
    const std::uint64_t idle = communicator_.rest_until(course_.start + next);
    if (!is_on_path_) communicator_.idle_cycles_ += idle;
    communicator_.simulate_edge();
    if (mode_ != Mode::kScripted) return;
  }
  if (!is_on_path_ || script_next_ != script_.size()) fail("less became complete than before");
}

// What was given here, and whether the script ends.
void OperationReplay::follow_script(Place place) {
  const CoursePosition here = position(place);
  if (script_next_ < script_.size() && script_[script_next_]->at == here) {
    course_.node = script_[script_next_++];
    for (const CourseInput& input : course_.node->inputs) give_again(input);
  }
  if (!is_on_path_ && here == stop_ && script_next_ == script_.size()) go_live();
}

void OperationReplay::give_again(const CourseInput& input) {
  const auto handle_of = [&](int number) { return course_.operations[number].handle; };
  if (input.plan == nullptr) {
    const std::uint64_t cycle = input.cycle == 0 ? 0 : course_.start + input.cycle;
    communicator_.release_rank(handle_of(input.operation), input.part, input.rank, cycle);
    return;
  }
  IssueOptions options{.delay = input.delay, .held = input.held};
  // One that is complete is there no more, whatever its number.
  for (const CourseInput::After& after : input.after)
    options.after.push_back(
        {after.operation < 0 ? 0 : handle_of(after.operation), after.parts, after.all_ranks});
  if (is_on_path_) add({.handle = next_spare_++});
  const Known& known = course_.operations[issued_again_++];
  options.seed = known.seed;
  communicator_.issue_operation(known.handle, input.plan, input.starts, options);
}

// Of what has been handed out nothing counts a second time.
void OperationReplay::go_live() {
  mode_ = Mode::kLive;
  OperationTotals& totals = communicator_.totals_;
  totals.operations = handed_out_totals_.operations;
  totals.last_end = handed_out_totals_.last_end;
  totals.flits = handed_out_totals_.flits;
  totals.bytes = handed_out_totals_.bytes;
  totals.waited_for_rows = handed_out_totals_.waited_for_rows;
  totals.waited_for_others = handed_out_totals_.waited_for_others;
}

// Links, switches and NPUs count what has been handed out.
void OperationReplay::settle_counts() {
  if (handed_out_.empty()) return;
  communicator_.recurrence_.restart();  // which compares counters of before with those to come
  for (CourseEnd* const end : std::exchange(handed_out_, {})) {
    const auto times = static_cast<std::uint64_t>(std::exchange(end->times, 0));
    if (times != 0) flit_hops_ += add_to_machine(communicator_.machine_, end->counts, times);
  }
}

}  // namespace fredsim
