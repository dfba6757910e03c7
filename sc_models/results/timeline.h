// SPDX-License-Identifier: Apache-2.0
// Timeline of runs as a trace-event file in JSON, which Perfetto (ui.perfetto.dev) and
// chrome://tracing load, or as a trace of Perfetto in protobuf with the same tracks, events and
// arrows.
//
// Shape: a process per machine, a track ("thread") per NPU, switch and link; spans, instants and
//   counters on them. Runs of one machine follow each other.
// Tracks: in the order of their owners, those of one owner by name, numbers in it by value; ids
//   ascend in this order and are unique in the file, none is 0 (for Perfetto, the idle process). A
//   track without an event is left out. Spans of one track must not overlap: viewers drop or
//   misplace one that does.
// Time: µs of simulated time, with the cycles (of the run) in "args"; others have words of their own
//   (TimeWords). Perfetto cuts time stamps and
//   durations down to whole ns, each by itself; they are written such that spans which only touch
//   still do then. Protobuf has whole ns, spans from the ns of their begin to that of their end.
// Arrows: flow events (s, t, f) between the beginnings of spans that are in the file, each in its
//   span, behind it. Protobuf: flow ids at the beginnings of the spans; arrows have no names there.
// Bound: at most `max_events` spans, instants and counter values per timeline, of which details
//   fill half at most; arrows, of which a span has a few, do not count; what comes later is counted
//   and left out, and the file says how many of which category ("otherData"). Failures are always
//   in it.
// Determinism: equal runs give equal text; it contains no wall time and nothing of the switches'
//   implementations.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fredsim {

class Timeline {
 public:
  using Args = std::initializer_list<std::pair<const char*, std::uint64_t>>;
  using Value = std::pair<const char*, double>;
  struct Track {
    int process = 0;
    int thread = 0;
  };

  struct Category {
    const char* name;
    bool is_detail;
  };

  // Names of the times in the events' arguments, and what the file says of them.
  struct TimeWords {
    const char* begin = "cycle";
    const char* length = "cycles";
    std::string source = "simulated";
    std::string unit = "the cycles of the run";
  };

  static constexpr std::size_t kMaxEvents = 200'000;
  explicit Timeline(std::size_t max_events = kMaxEvents) : max_events_(max_events) {}
  Timeline(std::size_t max_events, TimeWords words)
      : max_events_(max_events), words_(std::move(words)) {}

  int add_process(const std::string& name, std::uint64_t clock_hz);
  // Adds a track. `owner`: any number; tracks of one owner are adjacent.
  Track add_track(int process, int owner, const std::string& name);

  // Begins a run behind all earlier events of its process; cycles are counted from here.
  void begin_run(int process);
  void end_run(int process, std::uint64_t cycles);
  // Undoes the last begin_run() and all events since; no other run has begun since then.
  void drop_run(int process);

  // Adds a span. False: the timeline is full.
  bool span(Track track, Category category, std::string name, std::uint64_t begin,
            std::uint64_t end, Args args = {});
  void instant(Track track, Category category, std::string name, std::uint64_t cycle,
               Args args = {});
  // Place in a span of the current run: its first cycle, or a later one within it.
  struct Place {
    Track track;
    std::uint64_t cycle = 0;
  };
  // Adds an arrow from the first of these places to the last one through the places between; at
  // least two places, in the order of time.
  void arrow(std::span<const Place> places, std::string name);
  // Adds counter values that hold from `cycle` on. Counters are identified by their name and the
  // names of their values.
  void counter(int process, const std::string& name, std::uint64_t cycle,
               std::span<const Value> values);
  // Marks the end of a run: across all tracks of its process, and as "failed" in "otherData".
  void failure(Track track, std::uint64_t cycle, const std::string& message);

  // Number of events beyond the bound, by category.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }
  // Summary of all categories; empty: nothing.
  std::string left_out_text() const;
  std::string json(std::string_view version) const;
  std::string perfetto(std::string_view version) const;

 private:
  class PerfettoWriter;
  struct NamedTrack {
    int owner = 0;
    std::string name;
    bool is_used = false;
  };
  struct Process {
    std::string name;
    std::uint64_t clock_hz = 0;
    std::uint64_t run_start = 0, end = 0;  // cycles since the first run
    std::vector<NamedTrack> tracks;
  };
  struct Event {
    char type = 'X';
    Track track;
    const char* category = "";
    std::string name;
    std::uint64_t begin = 0, cycles = 0;  // begin: since the process's first run
    std::uint64_t cycle = 0;              // cycle of the run
    std::vector<std::pair<const char*, std::uint64_t>> args;
    std::vector<Value> values;
  };
  struct Arrow {
    std::string name;
    std::vector<Place> places{};  // cycles since the process's first run
  };
  struct Failure {
    Track track;
    std::uint64_t begin = 0, cycle = 0;
    std::string message;
  };
  struct Mark {  // when the last run began
    std::size_t events = 0, details = 0, arrows = 0, failures = 0;
    std::map<std::string, std::uint64_t> left_out;
  };
  struct Ids {  // ids in the file
    int process = 0;
    std::vector<int> threads;
  };
  bool has_room(Category category);
  void mark_used(Track track) { processes_[track.process].tracks[track.thread].is_used = true; }
  std::vector<Ids> ids() const;

  std::size_t max_events_;
  TimeWords words_{};
  std::size_t details_ = 0;
  std::vector<Process> processes_;
  std::vector<Event> events_;
  std::vector<Arrow> arrows_;
  std::vector<Failure> failures_;
  std::map<std::string, std::uint64_t> left_out_;
  Mark mark_;
};

// True for the names of protobuf files: .pftrace and .perfetto-trace.
bool is_perfetto_file(std::string_view path);

}  // namespace fredsim
