// SPDX-License-Identifier: Apache-2.0
#include "profile/profile_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "profile/detail/coalesced_calls.h"
#include "profile/detail/node_order.h"
#include "profile/detail/operation_node.h"
#include "profile/detail/operation_shapes.h"

namespace fredsim {
namespace {

using Ps = Kineto::Ps;

constexpr int kNobody = -1;

// A thread's call that matters to the GPU, in the order of their begins.
struct Point {
  enum class Kind : std::uint8_t { kLaunch, kSync, kWait } kind = Kind::kLaunch;
  Ps begin = 0, end = 0;
  int gpu = kNobody;     // launch: the operation
  int stream = kNobody;  // sync: the stream, -1: the last one used; kAll: all
  static constexpr int kAll = -2;
};

struct Thread {
  int number = 0;  // of the profile
  std::vector<Point> points{};
  ThreadOps ops{};
  Ps begin = 0;
  bool is_backward = false;
};

class Builder {
 public:
  Builder(const Kineto& profile, const ProfileOptions& options)
      : profile_(profile), options_(options) {}

  ProfileGraph build() {
    choose_steps();
    collect_threads();
    collect_gpu();
    order_streams();
    for (Thread& thread : threads_) add_points(thread);
    add_nodes();
    arithmetic_.write(profile_, graph_.nodes);
    wait_between_streams();
    split_coalesced(graph_, coalesced_);
    sort_nodes(graph_, profile_.path);
    reduce_dependencies(graph_);
    return std::move(graph_);
  }

 private:
  const std::string& name(const Kineto::Event& event) const {
    return profile_.names[static_cast<std::size_t>(event.name)];
  }
  bool is_inside(Ps at) const { return at >= graph_.begin && at < graph_.end; }
  Thread& thread(int number) {
    const auto found = std::ranges::find(threads_, number, &Thread::number);
    if (found != threads_.end()) return *found;
    return threads_.emplace_back(Thread{.number = number});
  }
  void choose_steps();
  void collect_threads();
  void collect_gpu();
  void order_streams();
  void add_points(Thread& thread);
  void add_nodes();
  void add_gpu_node(int gpu, int after_cpu, Ps launched, Thread* by);
  int add_cpu_node(Thread& thread, Ps from, Ps to);
  int lane(const std::string& name, bool is_cpu, int stream);
  int gpu_lane(const Kineto::GpuOp& op);
  void wait_between_streams();
  void depend(int node, int on, TraceRule rule, Ps end) {
    if (on < 0 || on == node) return;
    ++graph_.dependencies[static_cast<std::size_t>(rule)];
    graph_.nodes[static_cast<std::size_t>(node)].after.push_back({on, rule, end});
  }

  void wait_for(int node, int gpu, TraceRule rule) {
    const auto at = static_cast<std::size_t>(gpu);
    depend(node, node_of_gpu_[at], rule, profile_.gpu[at].end);
  }

  const Kineto& profile_;
  const ProfileOptions& options_;
  ProfileGraph graph_;
  std::vector<Thread> threads_;
  int main_ = 0;                       // thread with the steps
  std::vector<int> node_of_gpu_;       // by operation; -1: outside of the steps
  std::vector<int> before_on_stream_;  // by operation: the one before
  std::vector<int> launch_of_gpu_;     // by operation: call; -1: not in the profile
  int device_ = 0;                     // of the first operation of the GPU
  int first_free_stream_ = 0;
  std::map<std::pair<int, int>, int> stream_numbers_;  // by device and stream
  ArithmeticOwners arithmetic_;
  std::vector<CoalescedCalls> coalesced_;
};

void Builder::choose_steps() {
  const std::vector<ProfiledStep> steps = steps_of(profile_);
  for (std::size_t n = 1; n < steps.size(); ++n)
    if (steps[n].number < steps[n - 1].number)
      throw BadInput(fmt::format(
          "{}: ts: found ProfilerStep#{} behind ProfilerStep#{}; allowed: a clock that runs "
          "forward",
          profile_.path, steps[n].number, steps[n - 1].number));
  Ps last = 0;
  const auto latest = [&](const auto& list) {
    for (const Kineto::Event& event : list) last = std::max(last, event.end);
  };
  latest(profile_.cpu), latest(profile_.runtime), latest(profile_.gpu);
  graph_.end = last + 1;
  if (steps.empty()) {
    if (options_.steps)
      throw BadInput(fmt::format(
          "--step: found {}, and {} has no steps (ProfilerStep#N); allowed: no --step, the whole "
          "file",
          options_.steps->first, profile_.path));
    return;
  }
  const auto [first, end] =
      options_.steps.value_or(std::pair(steps.back().number, steps.back().number));
  std::vector<int> numbers;
  for (const ProfiledStep& step : steps) numbers.push_back(step.number);
  for (const int wanted : {first, end})
    if (!std::ranges::count(numbers, wanted))
      throw BadInput(fmt::format("--step: found {}, which {} does not have; allowed: {}", wanted,
                                 profile_.path, fmt::join(numbers, ", ")));
  graph_.begin = std::ranges::find(steps, first, &ProfiledStep::number)->begin;
  graph_.end = std::ranges::find(steps, end, &ProfiledStep::number)->end;
  for (int n = first; n <= end; ++n) graph_.steps.push_back(n);
}

// The main thread has the steps, else the first operation.
void Builder::collect_threads() {
  main_ = profile_.cpu.empty() ? kNobody : profile_.cpu.front().thread;
  for (const Kineto::CpuOp& op : profile_.cpu)
    if (name(op).starts_with("ProfilerStep#")) main_ = op.thread;
  if (main_ != kNobody) thread(main_).begin = graph_.begin;
  std::set<int> backward;
  for (const Kineto::Flow& flow : profile_.flows)
    if (flow.from_thread != flow.to_thread) backward.insert(flow.to_thread);
  for (const Kineto::CpuOp& op : profile_.cpu) {
    if (!is_inside(op.begin)) continue;
    const bool is_new = std::ranges::find(threads_, op.thread, &Thread::number) == threads_.end();
    Thread& by = thread(op.thread);
    if (is_new) by.begin = op.begin;
    if (op.is_backward) backward.insert(op.thread);
    if (op.call >= 0) by.ops.calls.push_back(&op);
    if (op.shape >= 0 && has_arithmetic(name(op))) by.ops.matrix.push_back(&op);
  }
  for (const Kineto::Runtime& call : profile_.runtime) {
    if (!is_inside(call.begin)) continue;
    const bool is_new = std::ranges::find(threads_, call.thread, &Thread::number) == threads_.end();
    Thread& by = thread(call.thread);
    if (is_new) by.begin = call.begin;
  }
  for (Thread& one : threads_)
    one.is_backward = one.number != main_ && backward.contains(one.number);
}

void Builder::collect_gpu() {
  std::unordered_map<std::uint64_t, int> calls;
  for (std::size_t n = 0; n < profile_.runtime.size(); ++n)
    if (profile_.runtime[n].correlation != Kineto::kNone)
      calls.emplace(profile_.runtime[n].correlation, static_cast<int>(n));
  if (!profile_.gpu.empty()) device_ = profile_.gpu.front().device;
  for (const Kineto::GpuOp& op : profile_.gpu)
    first_free_stream_ = std::max(first_free_stream_, op.thread + 1);
  launch_of_gpu_.assign(profile_.gpu.size(), kNobody);
  node_of_gpu_.assign(profile_.gpu.size(), kNobody);
  for (std::size_t n = 0; n < profile_.gpu.size(); ++n) {
    const Kineto::GpuOp& op = profile_.gpu[n];
    const auto call = calls.find(op.correlation);
    if (call != calls.end()) launch_of_gpu_[n] = call->second;
    const bool is_here =
        call != calls.end()
            ? is_inside(profile_.runtime[static_cast<std::size_t>(call->second)].begin)
            : is_inside(op.begin);
    if (call != calls.end() &&
        op.end < profile_.runtime[static_cast<std::size_t>(call->second)].begin)
      throw BadInput(fmt::format(
          "{}: event {} ({:.60}): ts: found an end before the call that launched it, event {}; "
          "allowed: a clock that runs forward",
          profile_.path, op.number, name(op),
          profile_.runtime[static_cast<std::size_t>(call->second)].number));
    if (is_here) node_of_gpu_[n] = 0;  // numbered later
    if (is_here && call == calls.end()) ++graph_.without_launch;
  }
}

void Builder::order_streams() {
  before_on_stream_.assign(profile_.gpu.size(), kNobody);
  std::map<std::pair<int, int>, int> last;
  for (std::size_t n = 0; n < profile_.gpu.size(); ++n) {
    if (node_of_gpu_[n] < 0) continue;
    const Kineto::GpuOp& op = profile_.gpu[n];
    const auto [at, is_first] = last.try_emplace({op.device, op.thread}, kNobody);
    before_on_stream_[n] = std::exchange(at->second, static_cast<int>(n));
  }
}

void Builder::add_points(Thread& by) {
  std::unordered_map<int, int> gpu_of;
  for (std::size_t n = 0; n < profile_.gpu.size(); ++n)
    if (node_of_gpu_[n] >= 0 && launch_of_gpu_[n] >= 0)
      gpu_of.emplace(launch_of_gpu_[n], static_cast<int>(n));
  std::unordered_map<std::uint64_t, const Kineto::Sync*> syncs;
  for (const Kineto::Sync& sync : profile_.syncs)
    if (sync.correlation != Kineto::kNone) syncs.emplace(sync.correlation, &sync);
  for (std::size_t n = 0; n < profile_.runtime.size(); ++n) {
    const Kineto::Runtime& call = profile_.runtime[n];
    if (call.thread != by.number || !is_inside(call.begin)) continue;
    Point point{.begin = call.begin, .end = call.end};
    const std::string& what = name(call);
    if (const auto gpu = gpu_of.find(static_cast<int>(n)); gpu != gpu_of.end()) {
      point.gpu = gpu->second;
      by.points.push_back(point);
      if (what != "cudaMemcpy" && what != "hipMemcpy") continue;
      point.kind = Point::Kind::kSync;  // a copy that blocks
      point.gpu = gpu->second;
      by.points.push_back(point);
      continue;
    }
    if (what.ends_with("StreamWaitEvent")) {
      point.kind = Point::Kind::kWait;
      by.points.push_back(point);
      continue;
    }
    const bool is_stream = what.ends_with("StreamSynchronize");
    const bool is_device = what.ends_with("DeviceSynchronize");
    const bool is_event = what.ends_with("EventSynchronize");
    if (!is_stream && !is_device && !is_event) continue;
    point.kind = Point::Kind::kSync;
    if (is_device) point.stream = Point::kAll;
    if (const auto sync = syncs.find(call.correlation); sync != syncs.end()) {
      const int stream = is_event ? sync->second->on_stream : sync->second->thread;
      if (!is_device && stream >= 0) point.stream = stream;
    } else if (is_event) {
      continue;  // the profile does not say which event
    }
    by.points.push_back(point);
  }
}

int Builder::lane(const std::string& title, bool is_cpu, int stream) {
  const auto found = std::ranges::find(graph_.lanes, title, &ProfileGraph::Lane::name);
  if (found != graph_.lanes.end()) return static_cast<int>(found - graph_.lanes.begin());
  graph_.lanes.push_back({title, is_cpu, stream});
  return static_cast<int>(graph_.lanes.size()) - 1;
}

// A rank's first device has its streams' numbers; streams of others have numbers above all of them.
int Builder::gpu_lane(const Kineto::GpuOp& op) {
  if (op.device == device_) return lane(fmt::format("stream {}", op.thread), false, op.thread);
  const int next = first_free_stream_ + static_cast<int>(stream_numbers_.size());
  const int number = stream_numbers_.try_emplace({op.device, op.thread}, next).first->second;
  return lane(fmt::format("device {} stream {}", op.device, op.thread), false, number);
}

int Builder::add_cpu_node(Thread& by, Ps from, Ps to) {
  ProfiledNode node;
  node.begin = from;
  node.end = to;
  node.lane = lane("CPU " + profile_.threads[static_cast<std::size_t>(by.number)], true, by.number);
  node.node.name = "cpu";
  node.node.type = TraceNodeType::kCompute;
  node.node.on_cpu = true;
  node.node.duration_ps = static_cast<std::uint64_t>(to - from);
  graph_.nodes.push_back(std::move(node));
  return static_cast<int>(graph_.nodes.size()) - 1;
}

void Builder::add_gpu_node(int gpu, int after_cpu, Ps launched, Thread* by) {
  const Kineto::GpuOp& op = profile_.gpu[static_cast<std::size_t>(gpu)];
  ProfiledNode node;
  node.begin = op.begin;
  node.end = op.end;
  node.lane = gpu_lane(op);
  ThreadOps none;
  std::vector<ProfiledNode> others;
  if (!describe_operation(profile_, options_, op, by == nullptr ? none : by->ops, launched, node,
                          others))
    ++graph_.unknown_calls;
  if (!others.empty())
    coalesced_.push_back({static_cast<int>(graph_.nodes.size()), std::move(others)});
  node.node.duration_ps = static_cast<std::uint64_t>(op.end - op.begin);
  graph_.nodes.push_back(std::move(node));
  const int number = static_cast<int>(graph_.nodes.size()) - 1;
  node_of_gpu_[static_cast<std::size_t>(gpu)] = number;
  if (op.kind == Kineto::GpuKind::kKernel && by != nullptr &&
      graph_.nodes.back().node.type == TraceNodeType::kCompute)
    if (const Kineto::CpuOp* const source = around(by->ops.matrix, launched))
      arithmetic_.add(source, number, op.end - op.begin);
  if (after_cpu >= 0) depend(number, after_cpu, TraceRule::kLaunch, launched);
}

// Nodes in the order of time: threads take turns by the begins of their points.
void Builder::add_nodes() {
  struct State {
    Thread* thread = nullptr;
    std::size_t next = 0;
    int last = kNobody;                      // its last node
    Ps from = 0;                             // begin of the gap that is open
    std::vector<std::pair<int, Ps>> sync{};  // nodes that it waited for, and their ends
    int used = kNobody;                      // last operation of the GPU that it launched
  };
  std::vector<State> states;
  for (Thread& one : threads_) states.push_back({.thread = &one, .from = one.begin});
  for (std::size_t n = 0; n < profile_.gpu.size(); ++n)  // before the profile began
    if (node_of_gpu_[n] == 0 && launch_of_gpu_[n] < 0)
      add_gpu_node(static_cast<int>(n), kNobody, 0, nullptr);
  const auto close_gap = [&](State& state, Ps to) {
    if (options_.gpu_only) return;
    Ps from = state.from;
    Thread& by = *state.thread;
    // The backward thread starts when the forward thread has launched its last, and the forward
    // thread goes on when the backward thread has.
    State* other = nullptr;
    for (State& one : states)
      if (one.thread != &by && one.last >= 0 &&
          (by.is_backward ? one.thread->number == main_
                          : by.number == main_ && one.thread->is_backward))
        if (other == nullptr || one.from > other->from) other = &one;
    const bool starts = by.is_backward && state.last < 0;
    const bool waits = other != nullptr && (starts || other->from > from) && other->from <= to;
    if (waits) from = other->from;
    for (const auto& [node, end] : state.sync) from = std::max(from, std::min(end, to));
    if (to <= from && !waits && state.sync.empty()) return;
    const int number = add_cpu_node(by, from, std::max(from, to));
    depend(number, state.last, TraceRule::kThread, state.from);
    if (waits) depend(number, other->last, TraceRule::kAutograd, other->from);
    for (const auto& [node, end] : state.sync) depend(number, node, TraceRule::kSync, end);
    state.sync.clear();
    state.last = number;
    state.from = to;
  };
  for (;;) {
    State* first = nullptr;
    for (State& state : states)
      if (state.next < state.thread->points.size() &&
          (first == nullptr ||
           state.thread->points[state.next].begin < first->thread->points[first->next].begin))
        first = &state;
    if (first == nullptr) break;
    const Point& point = first->thread->points[first->next++];
    if (point.kind == Point::Kind::kWait) continue;
    if (point.kind == Point::Kind::kLaunch) {
      close_gap(*first, point.begin);
      add_gpu_node(point.gpu, first->last, point.begin, first->thread);
      first->used = point.gpu;
      continue;
    }
    close_gap(*first, point.begin);
    // Operations launched before the call: the last one of the stream, or of each.
    std::map<std::pair<int, int>, int> awaited;
    if (point.gpu >= 0) {
      awaited[{0, 0}] = point.gpu;
    } else if (point.stream == kNobody) {
      if (first->used >= 0) awaited[{0, 0}] = first->used;
    } else {
      for (std::size_t n = 0; n < profile_.gpu.size(); ++n) {
        const Kineto::GpuOp& op = profile_.gpu[n];
        if (op.begin > point.end) break;
        if (node_of_gpu_[n] < 0 || launch_of_gpu_[n] < 0 ||
            profile_.runtime[static_cast<std::size_t>(launch_of_gpu_[n])].begin > point.begin)
          continue;
        if (point.stream == Point::kAll || op.thread == point.stream)
          awaited[{op.device, op.thread}] = static_cast<int>(n);
      }
    }
    for (const auto& [stream, gpu] : awaited) {
      const Ps end = profile_.gpu[static_cast<std::size_t>(gpu)].end;
      first->sync.emplace_back(node_of_gpu_[static_cast<std::size_t>(gpu)], end);
    }
    if (!first->sync.empty()) first->from = std::max(first->from, point.begin);
  }
  for (State& state : states)
    if (state.thread->number == main_ && !graph_.steps.empty()) close_gap(state, graph_.end);
  for (std::size_t n = 0; n < profile_.gpu.size(); ++n) {
    if (node_of_gpu_[n] < 0 || before_on_stream_[n] < 0) continue;
    wait_for(node_of_gpu_[n], before_on_stream_[n], TraceRule::kStream);
  }
}

// Collectives and recorded waits of streams for each other.
void Builder::wait_between_streams() {
  using Stream = std::pair<int, int>;
  struct Launch {
    Ps at = 0;
    int gpu = kNobody;                      // an operation of the GPU, or
    const Kineto::CpuOp* wait = nullptr;    // a wait for the oldest collective
    const Kineto::Sync* event = nullptr;    // or of a stream for another
    std::uint64_t records = Kineto::kNone;  // or an event that streams wait for, by its call
    Thread* by = nullptr;
  };
  std::vector<Launch> order;
  for (Thread& by : threads_) {
    for (const Point& point : by.points) {
      if (point.kind == Point::Kind::kLaunch)
        order.push_back({.at = point.begin, .gpu = point.gpu, .by = &by});
      // Inside of a collective's call it is that stream's wait for the compute stream.
      if (point.kind == Point::Kind::kWait && around(by.ops.calls, point.begin) == nullptr)
        order.push_back({.at = point.begin, .by = &by});
    }
    for (const Kineto::CpuOp* const call : by.ops.calls)
      if (is_marker(profile_.calls[static_cast<std::size_t>(call->call)].name))
        order.push_back({.at = call->begin, .wait = call, .by = &by});
  }
  std::unordered_map<std::uint64_t, Ps> call_begin;
  for (const Kineto::Runtime& call : profile_.runtime)
    if (call.correlation != Kineto::kNone) call_begin.emplace(call.correlation, call.begin);
  for (const Kineto::Sync& sync : profile_.syncs) {
    if (name(sync).find("Wait Event") == std::string::npos || !is_inside(sync.begin)) continue;
    order.push_back({.at = sync.begin, .event = &sync});
    if (const auto call = call_begin.find(sync.record_correlation); call != call_begin.end())
      order.push_back({.at = call->second, .records = sync.record_correlation});
  }
  std::ranges::stable_sort(order, {}, &Launch::at);

  std::map<Stream, int> last;                        // operation of each stream
  std::map<Thread*, std::map<Stream, int>> last_of;  // computation that a thread launched
  std::map<Thread*, std::deque<int>> open;           // collectives that nobody waited for
  std::map<Stream, std::set<int>> due;               // waits of a stream's next operation
  std::map<Stream, std::set<int>> awaited;           // collectives that it waits for
  std::map<Thread*, Stream> compute;                 // stream of a thread's last computation
  std::unordered_map<std::uint64_t, std::map<Stream, int>> recorded;  // `last` at an event's record
  const auto stream_of = [&](int gpu) {
    const Kineto::GpuOp& op = profile_.gpu[static_cast<std::size_t>(gpu)];
    return Stream{op.device, op.thread};
  };
  for (const Launch& now : order) {
    if (now.records != Kineto::kNone) {
      recorded.try_emplace(now.records, last);
      continue;
    }
    if (now.event != nullptr) {
      const int device = now.event->device < 0 ? device_ : now.event->device;
      const Stream from{device, now.event->on_stream};
      const Stream to{device, now.event->thread};
      const auto record = recorded.find(now.event->record_correlation);
      const std::map<Stream, int>& until = record == recorded.end() ? last : record->second;
      if (const auto found = until.find(from); found != until.end() && from != to)
        due[to].insert(found->second);
      continue;
    }
    if (now.gpu < 0) {
      std::deque<int>* waited = &open[now.by];
      if (waited->empty() && now.wait != nullptr)  // another thread launched it
        for (auto& [other, list] : open)
          if (!list.empty()) waited = &list;
      if (waited->empty()) continue;
      // The wait holds the thread's current stream, whichever thread launches on it next.
      if (const auto current = compute.find(now.by); current != compute.end())
        awaited[current->second].insert(waited->front());
      waited->pop_front();
      continue;
    }
    const Stream stream = stream_of(now.gpu);
    const int node = node_of_gpu_[static_cast<std::size_t>(now.gpu)];
    for (const int gpu : due[stream]) wait_for(node, gpu, TraceRule::kEvent);
    due[stream].clear();
    if (graph_.nodes[static_cast<std::size_t>(node)].call >= 0) {
      for (const auto& [other, gpu] : last_of[now.by])
        if (other != stream) wait_for(node, gpu, TraceRule::kCollective);
      // Waits of the thread's stream, for collectives of other groups too.
      if (const auto current = compute.find(now.by);
          current != compute.end() && current->second != stream) {
        for (const int gpu : awaited[current->second]) wait_for(node, gpu, TraceRule::kCollective);
        for (const int gpu : due[current->second]) wait_for(node, gpu, TraceRule::kEvent);
      }
      open[now.by].push_back(now.gpu);
    } else {
      for (const int gpu : awaited[stream]) wait_for(node, gpu, TraceRule::kCollective);
      awaited[stream].clear();
      compute[now.by] = stream;
      last_of[now.by][stream] = now.gpu;
    }
    last[stream] = now.gpu;
  }
}

}  // namespace

ProfileGraph profile_graph(const Kineto& profile, const ProfileOptions& options) {
  return Builder(profile, options).build();
}

}  // namespace fredsim
