#include "fabric/timeline_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/port_mask.h"
#include "base/vc_priority.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kFirstInterval = 64;  // cycles
constexpr std::size_t kMaxIntervals = 256;
// Cycles without a flit of a phase after which its next one begins a new span.
constexpr std::uint64_t kSilence = 64;

constexpr Timeline::Category kRuns{"runs", false}, kParts{"parts", false}, kSteps{"steps", false},
    kPhases{"phases", false}, kPreEmptions{"pre-emptions", false}, kSent{"packets sent", true},
    kReceived{"packets received", true}, kAdditions{"additions", true}, kFlits{"flits", true};

bool is_switch(const Node& node) {
  return node.kind != NodeKind::kNpu && node.kind != NodeKind::kIo;
}

// By VC, as traces name them, and by priority.
constexpr std::array<const char*, kNumVcs> kVcs = [] {
  std::array<const char*, kNumVcs> names{};
  names[kControl] = "control";
  names[kMp] = "mp";
  names[kPp] = "pp";
  names[kDp] = "dp";
  return names;
}();

int rank_of(int vc) {
  return static_cast<int>(std::ranges::find(kVcPriority, vc) - kVcPriority.begin());
}

struct SwitchSeries {
  const char* name;
  std::uint64_t SwitchCounters::*count;
};
constexpr SwitchSeries kSwitchSeries[] = {{"stalls, join", &SwitchCounters::stall_join},
                                          {"stalls, credit", &SwitchCounters::stall_credit},
                                          {"stalls, phase", &SwitchCounters::stall_phase},
                                          {"stalls, arbiter", &SwitchCounters::stall_arbiter},
                                          {"stalls, link", &SwitchCounters::stall_link},
                                          {"phase changes", &SwitchCounters::phase_changes}};

}  // namespace

TimelineRecorder::TimelineRecorder(Timeline& timeline, int level, const std::string& name,
                                   Fabric& fabric)
    : timeline_(timeline),
      level_(level),
      fabric_(fabric),
      process_(timeline.add_process(name, static_cast<double>(fabric.topology().clock_hz))),
      runs_(timeline.add_track(process_, "runs")) {
  const Topology& topology = fabric.topology();
  for (const Node& node : topology.nodes) {
    nodes_.push_back(timeline.add_track(process_, node.name));
  }
  if (level >= 3) {
    for (const Link& link : topology.links) {
      links_.push_back(timeline.add_track(process_, link.name));
    }
  }
}

void TimelineRecorder::begin_run(const CollectiveJob& job, std::uint64_t first_edge) {
  job_ = &job;
  first_ = first_edge;
  parts_.clear();
  steps_.clear();
  queued_.clear();
  last_sent_.clear();
  phases_.assign(fabric_.topology().nodes.size(), {});
  interval_ = next_sample_ = kFirstInterval;
  link_series_.clear();
  switch_series_.clear();
  timeline_.begin_run(process_);
  if (level_ < 1) return;
  const Topology& topology = fabric_.topology();
  for (const Link& link : topology.links) {
    link_series_.push_back({link.name + " utilization", link.rate.value(), 0, {}});
  }
  SwitchCounters counters;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (!is_switch(topology.nodes[id]) || !fabric_.switch_core(id).peek_counters(counters))
      continue;
    for (const SwitchSeries& s : kSwitchSeries) {
      switch_series_.push_back(
          {fmt::format("{} {}", topology.nodes[id].name, s.name), 1, counters.*s.count, {}});
    }
  }
}

void TimelineRecorder::edge() {
  const Topology& topology = fabric_.topology();
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const SwitchPins* pins = fabric_.core().launched(id);
    if (pins == nullptr) continue;
    if (topology.nodes[id].kind == NodeKind::kFredSwitch) look_at_phase(id, *pins);
    if (level_ >= 3) show_flits(id, *pins);
  }
  if (level_ >= 1 && now() == next_sample_) sample();
}

void TimelineRecorder::end_run(std::uint64_t cycles) {
  if (job_ == nullptr) return;  // stopped before it began
  for (std::vector<Phase>& phases : phases_)
    std::ranges::for_each(phases, [&](Phase& p) { close(p); });
  // Spans of one track must not overlap but as one lies inside another: parts run side by side, steps too.
  const std::vector<Node>& nodes = fabric_.topology().nodes;
  const bool is_alone = job_->plan().parts.size() == 1;
  for (const auto& [key, extent] : parts_) {
    const auto& [npu, number] = key;
    const Part& part = job_->plan().parts[number];
    const std::string name = fmt::format("part {}", number);
    timeline_.span(is_alone ? nodes_[npu] : track_named(nodes[npu].name + " " + name), kParts,
                   fmt::format("{} {} {}", to_string(part.collective), part.algorithm, name),
                   extent.begin, extent.end, {{"bytes", part.bytes}});
  }
  for (const auto& [key, extent] : steps_) {
    const auto& [npu, place] = key;
    const std::string name = fmt::format("part {} step {}", place.first, place.second);
    timeline_.span(track_named(nodes[npu].name + " " + name), kSteps, name, extent.begin,
                   extent.end);
  }
  if (level_ >= 1) {
    if (now() + interval_ > next_sample_) sample();  // what is left of the last interval
    emit_series(cycles);
  }
  const Part& first = job_->plan().parts.front();
  timeline_.span(runs_, kRuns,
                 fmt::format("{} of {} bytes", to_string(first.collective), first.bytes), 0,
                 cycles);
  timeline_.end_run(process_, cycles);
  job_ = nullptr;
}

// ---- NPUs

void TimelineRecorder::active(int npu, const Tree& tree, std::uint64_t cycle) {
  const Extent part{job_->start_cycle(tree.part), cycle};
  parts_.try_emplace({npu, tree.part}, part).first->second.end = cycle;
  if (level_ < 1) return;
  const Extent step{cycle, cycle};
  steps_.try_emplace({npu, {tree.part, tree.step}}, step).first->second.end = cycle;
}

Timeline::Track TimelineRecorder::port_track(int npu, const char* way, const PacketExtension& e) {
  return track_named(
      fmt::format("{} port {} {} {}", fabric_.topology().nodes[npu].name, e.port, kVcs[e.vc], way));
}

Timeline::Track TimelineRecorder::track_named(const std::string& name) {
  const auto found = others_.find(name);
  if (found != others_.end()) return found->second;
  return others_.emplace(name, timeline_.add_track(process_, name)).first->second;
}

void TimelineRecorder::queued(int npu, const Packet& packet) {
  if (job_ == nullptr) return;
  queued_[&packet] = now();
  active(npu, tree_of(*packet.get_extension<PacketExtension>()), now());
}

void TimelineRecorder::sent(int npu, Packet& packet) {
  if (job_ == nullptr) return;
  const PacketExtension& e = extension(packet);
  active(npu, tree_of(e), now());
  const auto since = queued_.find(&packet);
  if (since == queued_.end()) return;
  const std::uint64_t handed_over = since->second;
  queued_.erase(since);
  if (level_ < 2) return;
  // Packets of a port and VC leave one after the other.
  const Timeline::Track track = port_track(npu, "send", e);
  std::uint64_t& last = last_sent_[track.thread];
  timeline_.span(
      track, kSent, fmt::format("tree {}", e.stream >> 1), std::max(handed_over, last), now(),
      {{"packet", e.index}, {"flits", static_cast<std::uint64_t>(e.flits)}, {"bytes", e.bytes}});
  last = now();
}

void TimelineRecorder::received(int npu, Packet& packet) {
  if (job_ == nullptr) return;
  const PacketExtension& e = extension(packet);
  if (static_cast<std::size_t>(e.stream >> 1) >= job_->plan().trees.size()) return;
  active(npu, tree_of(e), now());
  if (level_ < 2) return;
  timeline_.instant(port_track(npu, "receive", e), kReceived, fmt::format("tree {}", e.stream >> 1),
                    now(), {{"packet", e.index}, {"flits", static_cast<std::uint64_t>(e.flits)}});
}

void TimelineRecorder::added(int npu, int tree, int inputs) {
  if (job_ == nullptr || level_ < 3) return;
  timeline_.instant(nodes_[npu], kAdditions, fmt::format("add, tree {}", tree), now(),
                    {{"inputs", static_cast<std::uint64_t>(inputs)}});
}

// ---- switches and links

void TimelineRecorder::look_at_phase(NodeId node, const SwitchPins& pins) {
  const auto words = static_cast<std::size_t>(flit_words(fabric_.lanes()));
  for_each_port(pins.out_valid, [&](int port) {
    const FlitHeader flit = unpack_header(&pins.out_flit[static_cast<std::size_t>(port) * words]);
    if (flit.phase != kPhaseOnline) show_phase(node, flit, now() - 1);
  });
}

void TimelineRecorder::show_phase(NodeId node, const FlitHeader& flit, std::uint64_t cycle) {
  std::vector<Phase>& phases = phases_[node];
  const auto is_leaving = [&](const Phase& p) {
    return p.is_open && cycle <= p.extent.end + kSilence;
  };
  auto phase = std::ranges::find(phases, flit.phase, &Phase::phase);
  if (phase == phases.end()) {
    const std::string name =
        fmt::format("{} phase {}", fabric_.topology().nodes[node].name, flit.phase);
    phases.push_back(
        {.phase = flit.phase, .vc = flit.vc, .track = track_named(name), .extent = {}});
    phase = std::prev(phases.end());
  }
  if (!is_leaving(*phase)) {
    close(*phase);
    *phase = {flit.phase, flit.vc, phase->track, {cycle, cycle}, true};
    const bool preempts = std::ranges::any_of(phases, [&](const Phase& other) {
      return is_leaving(other) && rank_of(flit.vc) < rank_of(other.vc);
    });
    if (preempts) {
      timeline_.instant(nodes_[node], kPreEmptions,
                        fmt::format("pre-emption by phase {}", flit.phase), cycle);
    }
  }
  phase->extent.end = cycle;
}

void TimelineRecorder::close(Phase& phase) {
  if (!phase.is_open) return;
  timeline_.span(phase.track, kPhases, fmt::format("phase {}, {}", phase.phase, kVcs[phase.vc]),
                 phase.extent.begin, phase.extent.end);
  phase.is_open = false;
}

void TimelineRecorder::show_flits(NodeId node, const SwitchPins& pins) {
  for_each_port(pins.out_valid, [&](int port) {
    const int link = fabric_.topology().link_out(node, port);
    if (link >= 0) timeline_.instant(links_[link], kFlits, "flit", now() - 1);
  });
}

void TimelineRecorder::sample() {
  const auto take = [](Series& series, std::uint64_t count) {
    series.differences.push_back(count - series.last);
    series.last = count;
  };
  for (int l = 0; l < std::ssize(link_series_); ++l) {
    take(link_series_[l], fabric_.core().count(l).flits);
  }
  const Topology& topology = fabric_.topology();
  SwitchCounters counters;
  std::size_t at = 0;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (!is_switch(topology.nodes[id]) || !fabric_.switch_core(id).peek_counters(counters))
      continue;
    for (const SwitchSeries& s : kSwitchSeries) take(switch_series_[at++], counters.*s.count);
  }
  if (link_series_.front().differences.size() == kMaxIntervals) merge_intervals();
  next_sample_ += interval_;
}

void TimelineRecorder::merge_intervals() {
  for (std::vector<Series>* all : {&link_series_, &switch_series_}) {
    for (Series& series : *all) {
      std::vector<std::uint64_t>& d = series.differences;
      for (std::size_t i = 0; i < d.size() / 2; ++i) d[i] = d[2 * i] + d[2 * i + 1];
      d.resize(d.size() / 2);
    }
  }
  interval_ *= 2;
}

// Only where a value changes; zero after the end.
void TimelineRecorder::emit_series(std::uint64_t cycles) {
  for (const std::vector<Series>* all : {&link_series_, &switch_series_}) {
    for (const Series& series : *all) {
      double shown = 0;
      for (std::size_t i = 0; i < series.differences.size(); ++i) {
        const std::uint64_t begin = i * interval_;
        const std::uint64_t length = std::min(interval_, std::max(cycles, begin) + 1 - begin);
        const double value = static_cast<double>(series.differences[i]) /
                             (static_cast<double>(length) * series.scale);
        if (value != shown) timeline_.counter(process_, series.name, begin, value);
        shown = value;
      }
      if (shown != 0) timeline_.counter(process_, series.name, cycles, 0);
    }
  }
}

}  // namespace fredsim
