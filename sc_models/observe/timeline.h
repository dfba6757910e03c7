// The course of runs as a trace-event file, which Perfetto (ui.perfetto.dev) and chrome://tracing load.
//
// Shape: a process per machine, a track ("thread") per NPU, switch and link; spans, instants and counters on
//   them. Runs of one machine stand one after the other. Times in µs of simulated time, with the cycles
//   (of the run) in "args".
// Bound: at most `max_events` spans, instants and counter values per timeline, of which details fill half at
//   most; what comes later is counted and left out, and the file says how many of which category
//   ("otherData").
// Same runs, same text: nothing of wall time or of the switches' bodies is in it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fredsim {

class Timeline {
 public:
  using Args = std::initializer_list<std::pair<const char*, std::uint64_t>>;
  struct Track {
    int process = 0;
    int thread = 0;
  };

  struct Category {
    const char* name;
    bool is_detail;
  };

  static constexpr std::size_t kMaxEvents = 200'000;
  explicit Timeline(std::size_t max_events = kMaxEvents) : max_events_(max_events) {}

  int add_process(const std::string& name, double clock_hz);
  Track add_track(int process, const std::string& name);

  // A run begins after all that is there of its process; cycles are counted from here.
  void begin_run(int process);
  void end_run(int process, std::uint64_t cycles);

  void span(Track track, Category category, std::string name, std::uint64_t begin,
            std::uint64_t end, Args args = {});
  void instant(Track track, Category category, std::string name, std::uint64_t cycle,
               Args args = {});
  // A value that holds from `cycle` on. Counters are told apart by their names.
  void counter(int process, const std::string& name, std::uint64_t cycle, double value);

  // By category, what the bound has left out.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }
  // Of all categories; empty: nothing.
  std::string left_out_text() const;
  std::string json(std::string_view version) const;

 private:
  struct Process {
    std::string name;
    double clock_hz = 0;
    std::uint64_t run_start = 0, end = 0;  // cycles since the first run
    std::vector<std::string> tracks;
  };
  struct Event {
    char type = 'X';
    Track track;
    const char* category = "";
    std::string name;
    std::uint64_t begin = 0, cycles = 0;  // begin: since the process's first run
    std::uint64_t cycle = 0;              // of the run
    std::vector<std::pair<const char*, std::uint64_t>> args;
    double value = 0;
  };
  bool has_room(Category category);

  std::size_t max_events_;
  std::size_t details_ = 0;
  std::vector<Process> processes_;
  std::vector<Event> events_;
  std::map<std::string, std::uint64_t> left_out_;
};

}  // namespace fredsim
