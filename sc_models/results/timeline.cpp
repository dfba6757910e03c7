// SPDX-License-Identifier: Apache-2.0
#include "results/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/int128.h"

namespace fredsim {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kTicksPerNs = 10'000;

// "npu2" before "npu10".
bool is_before(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto number = [&](std::string_view& text) {  // digits without leading zeros
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    const auto* const end = std::ranges::find_if_not(text, is_digit);
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = number(a);
      const std::string_view right = number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

// Time stamp of an edge, in ticks. Perfetto takes a time stamp times 1000, in floating point and
// cut to a whole number, as its ns: where that falls below the true ns, the next tick does not.
std::uint64_t ticks_of(std::uint64_t cycle, std::uint64_t clock_hz) {
  const auto ticks =
      static_cast<std::uint64_t>(Uint128{cycle} * (kTicksPerNs * 1'000'000'000) / clock_hz);
  const auto ns = static_cast<std::uint64_t>(static_cast<double>(ticks) /
                                             static_cast<double>(kTicksPerNs * 1000) * 1000.0);
  return ns < ticks / kTicksPerNs ? ticks + 1 : ticks;
}

double us_of(std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerNs * 1000);
}

Json meta_event(const char* what, int process, int thread, const char* key, Json value) {
  return {{"ph", "M"},
          {"pid", process},
          {"tid", thread},
          {"name", what},
          {"args", {{key, std::move(value)}}}};
}

}  // namespace

int Timeline::add_process(const std::string& name, std::uint64_t clock_hz) {
  processes_.push_back({.name = name, .clock_hz = clock_hz, .tracks = {}});
  return static_cast<int>(processes_.size()) - 1;
}

Timeline::Track Timeline::add_track(int process, int owner, const std::string& name) {
  std::vector<NamedTrack>& tracks = processes_[process].tracks;
  tracks.push_back({.owner = owner, .name = name});
  return {process, static_cast<int>(tracks.size()) - 1};
}

void Timeline::begin_run(int process) {
  processes_[process].run_start = processes_[process].end;
  mark_ = {events_.size(), details_, arrows_.size(), failures_.size(), left_out_};
}

void Timeline::end_run(int process, std::uint64_t cycles) {
  processes_[process].end = processes_[process].run_start + cycles;
}

void Timeline::drop_run(int process) {
  events_.resize(mark_.events);
  arrows_.resize(mark_.arrows);
  failures_.resize(mark_.failures);
  details_ = mark_.details;
  left_out_ = mark_.left_out;
  processes_[process].end = processes_[process].run_start;
}

bool Timeline::has_room(Category category) {
  if (events_.size() == max_events_ || (category.is_detail && details_ == max_events_ / 2)) {
    ++left_out_[category.name];
    return false;
  }
  if (category.is_detail) ++details_;
  return true;
}

bool Timeline::span(Track track, Category category, std::string name, std::uint64_t begin,
                    std::uint64_t end, Args args) {
  if (!has_room(category)) return false;
  mark_used(track);
  events_.push_back({.type = 'X',
                     .track = track,
                     .category = category.name,
                     .name = std::move(name),
                     .begin = processes_[track.process].run_start + begin,
                     .cycles = end - begin,
                     .cycle = begin,
                     .args = args,
                     .values = {}});
  return true;
}

void Timeline::arrow(std::span<const Place> places, std::string name) {
  Arrow& arrow = arrows_.emplace_back(Arrow{.name = std::move(name)});
  for (const Place& place : places)
    arrow.places.push_back({place.track, processes_[place.track.process].run_start + place.cycle});
}

void Timeline::instant(Track track, Category category, std::string name, std::uint64_t cycle,
                       Args args) {
  if (!has_room(category)) return;
  mark_used(track);
  events_.push_back({.type = 'i',
                     .track = track,
                     .category = category.name,
                     .name = std::move(name),
                     .begin = processes_[track.process].run_start + cycle,
                     .cycle = cycle,
                     .args = args,
                     .values = {}});
}

void Timeline::counter(int process, const std::string& name, std::uint64_t cycle,
                       std::span<const Value> values) {
  if (!has_room({"counter values", false})) return;
  events_.push_back({.type = 'C',
                     .track = {process, 0},
                     .name = name,
                     .begin = processes_[process].run_start + cycle,
                     .cycle = cycle,
                     .args = {},
                     .values = {values.begin(), values.end()}});
}

void Timeline::failure(Track track, std::uint64_t cycle, const std::string& message) {
  mark_used(track);
  failures_.push_back({.track = track,
                       .begin = processes_[track.process].run_start + cycle,
                       .cycle = cycle,
                       .message = message});
}

std::string Timeline::left_out_text() const {
  std::string text;
  for (const auto& [category, events] : left_out_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", events, category);
  }
  return text;
}

std::vector<Timeline::Ids> Timeline::ids() const {
  std::vector<Ids> all;
  int next = 1;
  for (const Process& process : processes_) {
    std::vector<int> order(process.tracks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) {
      const NamedTrack& left = process.tracks[a];
      const NamedTrack& right = process.tracks[b];
      return left.owner != right.owner ? left.owner < right.owner
                                       : is_before(left.name, right.name);
    });
    Ids& ids = all.emplace_back();
    ids.process = next;
    ids.threads.resize(order.size());
    for (const int thread : order) ids.threads[thread] = next++;
    next = std::max(next, ids.process + 1);
  }
  return all;
}

std::string Timeline::json(std::string_view version) const {
  Json left_out = Json::object();
  for (const auto& [category, events] : left_out_) left_out[category] = events;
  Json json = {{"displayTimeUnit", "ns"},
               {"otherData",
                {{"fredsim", version},
                 {"time", fmt::format("{}; args has {}", words_.source, words_.unit)},
                 {"max_events", max_events_},
                 {"left_out", std::move(left_out)}}}};
  for (const Failure& f : failures_) json["otherData"]["failed"] = f.message;
  // Writes event by event: a single tree of JSON values would take many times the memory.
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.back() = ',';
  text += "\"traceEvents\":[";
  const auto add = [&text](const Json& event) {
    text += text.back() == '[' ? "\n" : ",\n";
    text += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const std::vector<Ids> all = ids();
  for (int process = 0; process < std::ssize(processes_); ++process) {
    const Process& p = processes_[process];
    const int id = all[process].process;
    add(meta_event("process_name", id, id, "name", p.name));
    add(meta_event("process_sort_index", id, id, "sort_index", process));
    for (int thread = 0; thread < std::ssize(p.tracks); ++thread) {
      if (!p.tracks[thread].is_used) continue;
      const int track = all[process].threads[thread];
      add(meta_event("thread_name", id, track, "name", p.tracks[thread].name));
      add(meta_event("thread_sort_index", id, track, "sort_index", track));
    }
  }
  const auto start = [&](char type, Track track, std::string_view name, std::uint64_t ticks) {
    const Ids& ids = all[track.process];
    return Json{{"ph", std::string(1, type)},
                {"pid", ids.process},
                {"tid", ids.threads.empty() ? ids.process : ids.threads[track.thread]},
                {"name", name},
                {"ts", us_of(ticks)}};
  };
  for (const Event& e : events_) {
    const std::uint64_t clock_hz = processes_[e.track.process].clock_hz;
    const std::uint64_t begin = ticks_of(e.begin, clock_hz);
    Json event = start(e.type, e.track, e.name, begin);
    Json args = Json::object();
    if (e.type == 'C') {
      for (const auto& [key, value] : e.values) args[key] = value;
    } else {
      event["cat"] = e.category;
      if (e.type == 'X') event["dur"] = us_of(ticks_of(e.begin + e.cycles, clock_hz) - begin);
      if (e.type == 'i') event["s"] = "t";
      args[words_.begin] = e.cycle;
      if (e.type == 'X') args[words_.length] = e.cycles;
      for (const auto& [key, value] : e.args) args[key] = value;
    }
    event["args"] = std::move(args);
    add(event);
  }
  for (std::size_t a = 0; a < arrows_.size(); ++a) {
    const std::vector<Place>& places = arrows_[a].places;
    for (std::size_t p = 0; p < places.size(); ++p) {
      const bool is_last = p + 1 == places.size();
      const Track track = places[p].track;
      Json event = start(p == 0    ? 's'
                         : is_last ? 'f'
                                   : 't',
                         track, arrows_[a].name,
                         ticks_of(places[p].cycle, processes_[track.process].clock_hz));
      event.update({{"cat", "arrows"}, {"id", a + 1}});
      if (is_last) event["bp"] = "e";  // binds to the span that begins there, not to the next one
      add(event);
    }
  }
  for (const Failure& f : failures_) {
    Json event =
        start('i', f.track, "failed", ticks_of(f.begin, processes_[f.track.process].clock_hz));
    event.update(
        {{"cat", "failures"}, {"s", "p"}, {"args", {{"cycle", f.cycle}, {"message", f.message}}}});
    add(event);
  }
  return text + "\n]}\n";
}

}  // namespace fredsim
