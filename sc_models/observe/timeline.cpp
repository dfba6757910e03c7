#include "observe/timeline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace fredsim {

namespace {

using Json = nlohmann::ordered_json;

Json name_event(const char* what, int process, int thread, const std::string& name) {
  return {
      {"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", what}, {"args", {{"name", name}}}};
}

}  // namespace

int Timeline::add_process(const std::string& name, double clock_hz) {
  processes_.push_back({.name = name, .clock_hz = clock_hz, .tracks = {}});
  return static_cast<int>(processes_.size()) - 1;
}

Timeline::Track Timeline::add_track(int process, const std::string& name) {
  std::vector<std::string>& tracks = processes_[process].tracks;
  tracks.push_back(name);
  return {process, static_cast<int>(tracks.size()) - 1};
}

void Timeline::begin_run(int process) { processes_[process].run_start = processes_[process].end; }

void Timeline::end_run(int process, std::uint64_t cycles) {
  processes_[process].end = processes_[process].run_start + cycles;
}

bool Timeline::has_room(Category category) {
  if (events_.size() == max_events_ || (category.is_detail && details_ == max_events_ / 2)) {
    ++left_out_[category.name];
    return false;
  }
  if (category.is_detail) ++details_;
  return true;
}

void Timeline::span(Track track, Category category, std::string name, std::uint64_t begin,
                    std::uint64_t end, Args args) {
  if (!has_room(category)) return;
  events_.push_back({.type = 'X',
                     .track = track,
                     .category = category.name,
                     .name = std::move(name),
                     .begin = processes_[track.process].run_start + begin,
                     .cycles = end - begin,
                     .cycle = begin,
                     .args = args});
}

void Timeline::instant(Track track, Category category, std::string name, std::uint64_t cycle,
                       Args args) {
  if (!has_room(category)) return;
  events_.push_back({.type = 'i',
                     .track = track,
                     .category = category.name,
                     .name = std::move(name),
                     .begin = processes_[track.process].run_start + cycle,
                     .cycle = cycle,
                     .args = args});
}

void Timeline::counter(int process, const std::string& name, std::uint64_t cycle, double value) {
  if (!has_room({"counter values", false})) return;
  events_.push_back({.type = 'C',
                     .track = {process, 0},
                     .name = name,
                     .begin = processes_[process].run_start + cycle,
                     .cycle = cycle,
                     .args = {},
                     .value = value});
}

std::string Timeline::left_out_text() const {
  std::string text;
  for (const auto& [category, events] : left_out_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", events, category);
  }
  return text;
}

std::string Timeline::json(std::string_view version) const {
  Json left_out = Json::object();
  for (const auto& [category, events] : left_out_) left_out[category] = events;
  Json json = {{"displayTimeUnit", "ns"},
               {"otherData",
                {{"fredsim", version},
                 {"time", "simulated; args has the cycles of the run"},
                 {"max_events", max_events_},
                 {"left_out", std::move(left_out)}}}};
  // Event by event: as one tree of JSON values they would take many times the memory.
  std::string text = json.dump();
  text.back() = ',';
  text += "\"traceEvents\":[";
  const auto add = [&text](const Json& event) {
    text += text.back() == '[' ? "\n" : ",\n";
    text += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  for (int process = 0; process < std::ssize(processes_); ++process) {
    const Process& p = processes_[process];
    add(name_event("process_name", process, 0, p.name));
    for (int thread = 0; thread < std::ssize(p.tracks); ++thread) {
      add(name_event("thread_name", process, thread, p.tracks[thread]));
    }
  }
  for (const Event& e : events_) {
    const double us = 1e6 / processes_[e.track.process].clock_hz;
    Json event = {{"ph", std::string(1, e.type)},
                  {"pid", e.track.process},
                  {"tid", e.track.thread},
                  {"name", e.name},
                  {"ts", static_cast<double>(e.begin) * us}};
    if (e.type == 'C') {
      event["args"] = {{"value", e.value}};
    } else {
      event["cat"] = e.category;
      if (e.type == 'X') event["dur"] = static_cast<double>(e.cycles) * us;
      if (e.type == 'i') event["s"] = "t";
      Json args = {{"cycle", e.cycle}};
      if (e.type == 'X') args["cycles"] = e.cycles;
      for (const auto& [key, value] : e.args) args[key] = value;
      event["args"] = std::move(args);
    }
    add(event);
  }
  return text + "\n]}\n";
}

}  // namespace fredsim
