// SPDX-License-Identifier: Apache-2.0
// Timeline as a trace of Perfetto (perfetto_trace.proto): the tracks, events and arrows of the
// JSON, in the order of time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/int128.h"
#include "results/perfetto_trace.pb.h"
#include "results/timeline.h"

namespace fredsim {

namespace {

constexpr std::uint64_t kFileTrack = 1;  // uuid of the track that describes the file

// Ids of processes and of tracks are two rows of numbers, each without 0.
std::uint64_t uuid_of_process(int id) { return 2 * static_cast<std::uint64_t>(id) + 1; }
std::uint64_t uuid_of_track(int id) { return 2 * static_cast<std::uint64_t>(id); }

std::uint64_t ns_of(std::uint64_t cycle, std::uint64_t clock_hz) {
  return static_cast<std::uint64_t>(Uint128{cycle} * 1'000'000'000 / clock_hz);
}

void annotate(perfetto::Event& event, const std::string& name, std::uint64_t value) {
  perfetto::Annotation& annotation = *event.add_annotations();
  annotation.set_name(name);
  annotation.set_uint_value(value);
}

void annotate(perfetto::Event& event, const std::string& name, const std::string& text) {
  perfetto::Annotation& annotation = *event.add_annotations();
  annotation.set_name(name);
  annotation.set_string_value(text);
}

}  // namespace

// Writes one timeline.
class Timeline::PerfettoWriter {
 public:
  explicit PerfettoWriter(const Timeline& timeline) : t_(timeline), ids_(timeline.ids()) {}

  std::string write(std::string_view version) {
    add_file(version);
    add_tracks();
    add_counters();
    lay_out();
    add_arrows();
    for (const Edge& edge : edges_) add_edge(edge);
    return std::move(packets_).text();
  }

 private:
  // Packets, one after the other; each is a Trace of its own in the file.
  class Packets {
   public:
    perfetto::Packet& next() {
      flush();
      perfetto::Packet& packet = *trace_.add_packet();
      packet.set_sequence_id(1);
      if (std::exchange(is_first_, false))
        packet.set_sequence_flags(perfetto::Packet::STATE_CLEARED);
      return packet;
    }
    perfetto::Event& event(std::uint64_t ns, perfetto::Event::Type type, std::uint64_t track) {
      perfetto::Packet& packet = next();
      packet.set_timestamp(ns);
      perfetto::Event& event = *packet.mutable_event();
      event.set_type(type);
      event.set_track_uuid(track);
      return event;
    }
    std::string text() && {
      flush();
      return std::move(text_);
    }

   private:
    void flush() {
      trace_.AppendToString(&text_);
      trace_.Clear();
    }
    perfetto::Trace trace_;
    bool is_first_ = true;
    std::string text_;
  };

  // Begin or end of a span, or an event without duration.
  struct Edge {
    std::uint64_t ns = 0, cycle = 0;
    std::size_t event = 0;  // failures are behind the events
    bool is_end = false;
    int level = 0;  // order of edges at one time
  };
  struct Flows {  // ids of arrows at a span
    std::set<std::uint64_t> through, end;
  };
  using CounterName = std::tuple<int, std::string, std::string>;  // process, name, key

  const Process& process_of(Track track) const { return t_.processes_[track.process]; }
  std::uint64_t uuid_of(Track track) const {
    return uuid_of_track(ids_[track.process].threads[track.thread]);
  }

  void add_file(std::string_view version) {
    perfetto::Track& track = *packets_.next().mutable_track();
    track.set_uuid(kFileTrack);
    track.set_name("fredsim");
    perfetto::Event& event = packets_.event(0, perfetto::Event::INSTANT, kFileTrack);
    event.set_name("file");
    annotate(event, "fredsim", std::string(version));
    annotate(event, "time",
             fmt::format("{}; annotations have {}", t_.words_.source, t_.words_.unit));
    annotate(event, "max_events", t_.max_events_);
    for (const auto& [category, events] : t_.left_out_)
      annotate(event, "left_out." + category, events);
    if (!t_.failures_.empty()) annotate(event, "failed", t_.failures_.back().message);
  }

  void add_tracks() {
    for (int p = 0; p < std::ssize(t_.processes_); ++p) {
      const Process& process = t_.processes_[p];
      const int pid = ids_[p].process;
      perfetto::Track& of_process = *packets_.next().mutable_track();
      of_process.set_uuid(uuid_of_process(pid));
      of_process.mutable_process()->set_pid(pid);
      of_process.mutable_process()->set_process_name(process.name);
      of_process.mutable_process()->set_sort_index(p);
      for (std::size_t thread = 0; thread < process.tracks.size(); ++thread) {
        if (!process.tracks[thread].is_used) continue;
        const int tid = ids_[p].threads[thread];
        perfetto::Track& track = *packets_.next().mutable_track();
        track.set_uuid(uuid_of_track(tid));
        track.mutable_thread()->set_pid(pid);
        track.mutable_thread()->set_tid(tid);
        track.mutable_thread()->set_thread_name(process.tracks[thread].name);
        track.mutable_thread()->set_sort_index(tid);
      }
    }
  }

  void add_counters() {
    int next = 1;
    for (const Ids& ids : ids_) {
      next = std::max(next, ids.process + 1);
      for (const int thread : ids.threads) next = std::max(next, thread + 1);
    }
    for (const Event& e : t_.events_) {
      for (const auto& [key, value] : e.values) {
        const auto [place, is_new] = counters_.try_emplace({e.track.process, e.name, key}, 0);
        if (!is_new) continue;
        place->second = uuid_of_track(next++);
        perfetto::Track& track = *packets_.next().mutable_track();
        track.set_uuid(place->second);
        track.set_name(e.name + " " + key);
        track.set_parent_uuid(uuid_of_process(ids_[e.track.process].process));
        track.mutable_counter();
      }
    }
  }

  // Puts all edges in the order of time, edges of a track in the order of its spans.
  void lay_out() {
    std::vector<std::size_t> order(t_.events_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      const Event& e = t_.events_[i];
      return std::tuple(track_of(e), e.begin, e.begin + e.cycles);
    });
    for (const std::size_t i : order) {
      const Event& e = t_.events_[i];
      add_edge_at(e.track, e.begin, i, false);
      if (e.type != 'X') continue;
      add_edge_at(e.track, e.begin + e.cycles, i, true);
      spans_[track_of(e)].push_back(i);
    }
    find_begins();
    find_arrows();
    // Arrows in opposite directions at one time have no order: the passes are bounded.
    constexpr int kPasses = 8;
    for (int pass = 0; pass < kPasses; ++pass)
      if (!put_arrows_in_order()) break;
    for (std::size_t f = 0; f < t_.failures_.size(); ++f)
      add_edge_at(t_.failures_[f].track, t_.failures_[f].begin, t_.events_.size() + f, false);
    std::ranges::stable_sort(edges_, {},
                             [](const Edge& e) { return std::tuple(e.ns, e.cycle, e.level); });
    find_begins();
  }

  std::pair<int, int> track_of(const Event& e) const {
    return {e.track.process, e.type == 'C' ? -1 : e.track.thread};
  }

  void add_edge_at(Track track, std::uint64_t cycle, std::size_t event, bool is_end) {
    edges_.push_back({ns_of(cycle, process_of(track).clock_hz), cycle, event, is_end});
  }

  void find_begins() {
    begins_.resize(t_.events_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (!edges_[i].is_end && edges_[i].event < begins_.size()) begins_[edges_[i].event] = i;
  }

  // An arrow goes through the spans of its places.
  void find_arrows() {
    for (const Arrow& arrow : t_.arrows_) {
      std::vector<std::size_t>& through = arrows_.emplace_back();
      for (const Place& place : arrow.places) {
        const std::vector<std::size_t>& on_track =
            spans_[{place.track.process, place.track.thread}];
        const auto behind = std::ranges::upper_bound(
            on_track, place.cycle, {}, [&](std::size_t i) { return t_.events_[i].begin; });
        if (behind != on_track.begin() && std::ranges::count(through, *(behind - 1)) == 0)
          through.push_back(*(behind - 1));
      }
    }
  }

  // Raises the levels of edges at one time by the arrows between them, then along the tracks, whose
  // edges follow each other. False: nothing changed.
  bool put_arrows_in_order() {
    bool has_changed = false;
    const auto raise = [&](const Edge& before, Edge& after, int by) {
      if (before.cycle != after.cycle || after.level >= before.level + by) return;
      after.level = before.level + by;
      has_changed = true;
    };
    for (const std::vector<std::size_t>& through : arrows_)
      for (std::size_t i = 1; i < through.size(); ++i)
        raise(edges_[begins_[through[i - 1]]], edges_[begins_[through[i]]], 1);
    for (std::size_t i = 1; i < edges_.size(); ++i)
      if (track_of(t_.events_[edges_[i - 1].event]) == track_of(t_.events_[edges_[i].event]))
        raise(edges_[i - 1], edges_[i], 0);
    return has_changed;
  }

  // Perfetto takes the order of an arrow from the file.
  void add_arrows() {
    flows_.resize(t_.events_.size());
    for (std::size_t a = 0; a < arrows_.size(); ++a) {
      const std::vector<std::size_t>& through = arrows_[a];
      if (through.size() < 2) continue;
      const std::size_t last =
          *std::ranges::max_element(through, {}, [&](std::size_t span) { return begins_[span]; });
      for (const std::size_t span : through)
        (span == last ? flows_[span].end : flows_[span].through).insert(a + 1);
    }
  }

  void add_edge(const Edge& edge) {
    if (edge.event >= t_.events_.size()) {
      add_failure(edge.ns, t_.failures_[edge.event - t_.events_.size()]);
      return;
    }
    const Event& e = t_.events_[edge.event];
    if (e.type == 'C') {
      for (const auto& [key, value] : e.values)
        packets_
            .event(edge.ns, perfetto::Event::COUNTER, counters_.at({e.track.process, e.name, key}))
            .set_counter_value(value);
      return;
    }
    if (edge.is_end) {
      packets_.event(edge.ns, perfetto::Event::SLICE_END, uuid_of(e.track));
      return;
    }
    const bool is_span = e.type == 'X';
    perfetto::Event& event =
        packets_.event(edge.ns, is_span ? perfetto::Event::SLICE_BEGIN : perfetto::Event::INSTANT,
                       uuid_of(e.track));
    event.set_name(e.name);
    event.add_categories(e.category);
    annotate(event, t_.words_.begin, e.cycle);
    if (is_span) annotate(event, t_.words_.length, e.cycles);
    for (const auto& [key, value] : e.args) annotate(event, key, value);
    for (const std::uint64_t id : flows_[edge.event].through) event.add_flow_ids(id);
    for (const std::uint64_t id : flows_[edge.event].end) event.add_terminating_flow_ids(id);
  }

  // A failure is an instant of the process, as the JSON has it across the tracks.
  void add_failure(std::uint64_t ns, const Failure& failure) {
    perfetto::Event& event = packets_.event(ns, perfetto::Event::INSTANT,
                                            uuid_of_process(ids_[failure.track.process].process));
    event.set_name("failed");
    event.add_categories("failures");
    annotate(event, "cycle", failure.cycle);
    annotate(event, "message", failure.message);
  }

  const Timeline& t_;
  const std::vector<Ids> ids_;
  Packets packets_;
  std::map<CounterName, std::uint64_t> counters_;                  // uuids
  std::map<std::pair<int, int>, std::vector<std::size_t>> spans_;  // by track, in order of time
  std::vector<std::vector<std::size_t>> arrows_;                   // events of their spans
  std::vector<Edge> edges_;
  std::vector<std::size_t> begins_;  // index: event; place among the edges
  std::vector<Flows> flows_;         // index: event
};

std::string Timeline::perfetto(std::string_view version) const {
  return PerfettoWriter(*this).write(version);
}

bool is_perfetto_file(std::string_view path) {
  return path.ends_with(".pftrace") || path.ends_with(".perfetto-trace");
}

}  // namespace fredsim
