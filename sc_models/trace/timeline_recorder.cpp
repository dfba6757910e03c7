// SPDX-License-Identifier: Apache-2.0
#include "trace/timeline_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/flit.h"
#include "base/port_mask.h"
#include "base/units.h"
#include "base/vc_order.h"

namespace fredsim {
namespace {

constexpr Timeline::Category kRuns{"runs", false}, kParts{"parts", false}, kSteps{"steps", false},
    kPhases{"phases", false}, kPreEmptions{"pre-emptions", false}, kSent{"packets sent", true},
    kReceived{"packets received", true}, kAdditions{"additions", true},
    kOnLinks{"packets on links", true};

// Tracks in the order of reading: runs, NPUs and I/O controllers, switches, links.
int owner_of_node(const Topology& topology, NodeId id) {
  const bool is_switch = topology.nodes[id].is_switch();
  return 1 + id + (is_switch ? static_cast<int>(topology.nodes.size()) : 0);
}
int owner_of_link(const Topology& topology, int link) {
  return 1 + 2 * static_cast<int>(topology.nodes.size()) + link;
}

std::string work_name(std::span<const Part* const> work) {
  const Part& first = *work.front();
  const std::string others = work.size() > 1 ? fmt::format(" and {} more", work.size() - 1) : "";
  return fmt::format("{} of {}{}", to_string(first.collective), format_size(first.bytes), others);
}

}  // namespace

TimelineRecorder::TimelineRecorder(Timeline& timeline, int level, const std::string& name,
                                   Fabric& fabric)
    : timeline_(timeline),
      level_(level),
      fabric_(fabric),
      process_(timeline.add_process(name, fabric.topology().clock_hz)),
      runs_(timeline.add_track(process_, 0, "runs")),
      counters_(timeline, process_, fabric) {
  const Topology& topology = fabric.topology();
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    nodes_.push_back(
        timeline.add_track(process_, owner_of_node(topology, id), topology.nodes[id].name));
  }
  if (level < 3) return;
  for (int l = 0; l < std::ssize(topology.links); ++l) {
    links_.push_back(
        timeline.add_track(process_, owner_of_link(topology, l), topology.links[l].name));
  }
}

void TimelineRecorder::begin_run(std::uint64_t first_edge, std::span<const Part* const> work) {
  is_running_ = true;
  work_ = work_name(work);
  first_ = first_edge;
  jobs_.clear();
  shown_until_.clear();
  queued_.clear();
  last_sent_.clear();
  shown_sent_.clear();
  phases_.clear();
  on_links_.assign(links_.size(), {});
  timeline_.begin_run(process_);
  const Topology& topology = fabric_.topology();
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    SwitchPhase phase;
    if (topology.nodes[id].is_switch() && fabric_.switch_core(id).peek_phase(phase)) {
      phases_.push_back({.node = id, .now = phase});
    }
  }
  if (level_ >= 1) counters_.begin_run();
}

void TimelineRecorder::edge() {
  std::ranges::for_each(phases_, [&](PhaseInUse& phase) { look_at_phase(phase); });
  if (level_ >= 3) {
    const FabricCore& core = fabric_.core();
    for (NodeId id = 0; id < std::ssize(fabric_.topology().nodes); ++id) {
      const SwitchPins* pins = core.launched(id, core.edge() - 1);
      if (pins != nullptr) look_at_links(id, *pins);
    }
  }
  if (level_ >= 1) counters_.edge(now());
}

void TimelineRecorder::end_run(std::uint64_t cycles) {
  if (!is_running_) return;  // stopped before it began
  for (const PhaseInUse& phase : phases_) {
    if (in_use(phase.now) && phase.since < cycles) show_phase(phase, cycles);
  }
  for (const auto& [first_tree, job] : jobs_.all()) show(job);
  jobs_.clear();
  for (int link = 0; link < std::ssize(links_); ++link) show_on_link(link);
  if (level_ >= 1) counters_.end_run(now(), cycles);
  timeline_.span(runs_, kRuns, work_, 0, cycles);
  timeline_.end_run(process_, cycles);
  is_running_ = false;
  end_ = cycles;
}

void TimelineRecorder::run_failed(const std::string& message) {
  if (is_running_) end_run(now());
  timeline_.failure(runs_, end_, message);
}

void TimelineRecorder::remove(const CollectiveJob& job) {
  if (const Jobs::Entry* const entry = jobs_.find(job); entry != nullptr) show(*entry);
  jobs_.remove(job);
}

// ---- tracks of NPUs

std::string TimelineRecorder::packet_name(std::uint32_t stream, std::uint32_t index, int vc) {
  const Jobs::Place at = jobs_.find(static_cast<int>(stream >> 1));
  return at.entry == nullptr ? fmt::format("tree {} #{}", stream >> 1, index)
                             : at.entry->of.packet_name(at.tree, index, vc);
}

// Operations of a work follow each other rank by rank: each one's span begins with the first work
// of its NPU for it.
void TimelineRecorder::active(int npu, const Jobs::Place& at, std::uint64_t cycle) {
  const CollectiveJob& job = *at.entry->of.job;
  const Tree& tree = job.plan().trees[at.tree];
  const std::uint64_t start = at.entry->of.name.empty() ? job.start_cycle(tree.part) : cycle;
  Activity& activity = at.entry->known;
  activity.parts.try_emplace({npu, tree.part}, Extent{start, cycle}).first->second.end = cycle;
  if (level_ < 1) return;
  const Extent step{cycle, cycle};
  activity.steps.try_emplace({npu, {tree.part, tree.step}}, step).first->second.end = cycle;
}

void TimelineRecorder::show(const Jobs::Entry& job) {
  show_parts(job);
  show_steps(job);
}

// The last packets of an operation may leave when the next one has begun.
void TimelineRecorder::show_after_others(Timeline::Track track, Timeline::Category category,
                                         const std::string& name, const Extent& extent,
                                         Timeline::Args args) {
  std::uint64_t& until = shown_until_[track.thread];
  const std::uint64_t begin = std::max(extent.begin, until);
  if (begin > extent.end) return;
  timeline_.span(track, category, name, begin, extent.end, args);
  until = extent.end;
}

// Parts run in parallel, and so do steps: a track each.
void TimelineRecorder::show_parts(const Jobs::Entry& job) {
  const Plan& plan = job.of.job->plan();
  const bool is_alone = plan.parts.size() == 1 && job.of.name.empty();
  for (const auto& [key, extent] : job.known.parts) {
    const auto& [npu, number] = key;
    const Part& part = plan.parts[number];
    std::string name = fmt::format("{} {}", to_string(part.collective), part.algorithm);
    if (!is_alone) name += fmt::format(", part {}", job.of.part(number));
    if (!job.of.name.empty()) name = fmt::format("{}: {}", job.of.name, name);
    const std::string& node = fabric_.topology().nodes[npu].name;
    show_after_others(is_alone
                          ? nodes_[npu]
                          : track_named(npu, fmt::format("{} part {}", node, job.of.part(number))),
                      kParts, name, extent, {{"bytes", part.bytes}});
  }
}

// The step of a part with only one adds no information.
void TimelineRecorder::show_steps(const Jobs::Entry& job) {
  std::map<int, std::set<int>> of_part;
  for (const Tree& tree : job.of.job->plan().trees) of_part[tree.part].insert(tree.step);
  for (const auto& [key, extent] : job.known.steps) {
    const auto& [npu, place] = key;
    const auto& [part, step] = place;
    if (of_part[part].size() < 2) continue;
    const std::string name = fmt::format("part {} step {}", job.of.part(part), step);
    show_after_others(track_named(npu, fabric_.topology().nodes[npu].name + " " + name), kSteps,
                      name, extent);
  }
}

Timeline::Track TimelineRecorder::port_track(int npu, const char* direction,
                                             const PacketExtension& e) {
  return track_named(npu, fmt::format("{} port {} {} {}", fabric_.topology().nodes[npu].name,
                                      e.port, kVcNames[e.vc], direction));
}

Timeline::Track TimelineRecorder::track_named(int owner, const std::string& name) {
  const auto found = others_.find(name);
  if (found != others_.end()) return found->second;
  const int place = owner_of_node(fabric_.topology(), owner);
  return others_.emplace(name, timeline_.add_track(process_, place, name)).first->second;
}

void TimelineRecorder::queued(int npu, const Packet& packet) {
  const Jobs::Place at =
      jobs_.find(static_cast<int>(packet.get_extension<PacketExtension>()->stream >> 1));
  if (at.entry == nullptr) return;
  queued_[&packet] = now();
  active(npu, at, now());
}

void TimelineRecorder::sent(int npu, Packet& packet) {
  const PacketExtension& e = extension(packet);
  const Jobs::Place at = jobs_.find(static_cast<int>(e.stream >> 1));
  if (at.entry == nullptr) return;
  active(npu, at, now());
  const auto since = queued_.find(&packet);
  if (since == queued_.end()) return;
  const std::uint64_t handed_over = since->second;
  queued_.erase(since);
  if (level_ < 2) return;
  // Packets of a port and VC leave one after the other.
  const Timeline::Track track = port_track(npu, "send", e);
  std::uint64_t& last = last_sent_[track.thread];
  const std::uint64_t begin = std::max(handed_over, last);
  const bool is_shown = timeline_.span(
      track, kSent, packet_name(e.stream, e.index, e.vc), begin, now(),
      {{"packet", e.index}, {"flits", static_cast<std::uint64_t>(e.flits)}, {"bytes", e.bytes}});
  if (is_shown)
    shown_sent_[{fabric_.topology().nodes[npu].address, e.stream, e.index}] = {track, begin};
  last = now();
}

void TimelineRecorder::received(int npu, Packet& packet) {
  const PacketExtension& e = extension(packet);
  const Jobs::Place at = jobs_.find(static_cast<int>(e.stream >> 1));
  if (at.entry == nullptr) return;
  active(npu, at, now());
  if (level_ < 2) return;
  const Timeline::Track track = port_track(npu, "receive", e);
  const std::string name = packet_name(e.stream, e.index, e.vc);
  const std::uint64_t begin = now() - 1;
  if (!timeline_.span(track, kReceived, name, begin, now(),
                      {{"packet", e.index}, {"flits", static_cast<std::uint64_t>(e.flits)}}))
    return;
  const auto sent = shown_sent_.find({e.source, e.stream, e.index});
  if (sent == shown_sent_.end()) return;  // its span did not fit
  timeline_.arrow(std::array{sent->second, Timeline::Place{track, begin}}, name);
}

void TimelineRecorder::added(int npu, int tree, int additions) {
  if (!is_running_ || level_ < 3) return;
  const Jobs::Place at = jobs_.find(tree);
  if (at.entry == nullptr) return;
  timeline_.instant(nodes_[npu], kAdditions,
                    fmt::format("add, {}", at.entry->of.tree_name(at.tree)), now(),
                    {{"additions", static_cast<std::uint64_t>(additions)}});
}

// ---- switches and links

void TimelineRecorder::look_at_phase(PhaseInUse& phase) {
  SwitchPhase next;
  fabric_.switch_core(phase.node).peek_phase(next);
  const SwitchPhase was = std::exchange(phase.now, next);
  if (next == was) return;
  const std::uint64_t cycle = now() - 1;  // edge that caused it
  if (in_use(was) && !in_use(next)) {
    phase.before = was;
    phase.was_busy = was.busy;
    show_phase(phase, cycle);
  } else if (!in_use(was) && in_use(next)) {
    phase.since = cycle;
    const VcOrder& order = fabric_.topology().vc_order;
    if (phase.was_busy && priority_rank(order, next.vc) < priority_rank(order, phase.before.vc)) {
      timeline_.instant(nodes_[phase.node], kPreEmptions,
                        fmt::format("phase {} pre-empts {}", next.phase, phase.before.phase),
                        cycle);
    }
  }
}

void TimelineRecorder::show_phase(const PhaseInUse& phase, std::uint64_t end) {
  const SwitchPhase& shown = in_use(phase.now) ? phase.now : phase.before;
  timeline_.span(nodes_[phase.node], kPhases,
                 fmt::format("phase {}, {}", shown.phase, kVcNames[shown.vc]), phase.since, end);
}

// Spans of single flits would be shorter than the ns that viewers can show.
void TimelineRecorder::look_at_links(NodeId node, const SwitchPins& pins) {
  const auto words = static_cast<std::size_t>(flit_words(fabric_.lanes()));
  for_each_port(pins.out_valid, [&](int port) {
    const int link = fabric_.topology().link_out(node, port);
    if (link < 0) return;
    const FlitHeader flit = unpack_header(&pins.out_flit[static_cast<std::size_t>(port) * words]);
    OnLink& passing = on_links_[link];
    if (passing.flits == 0 || passing.tag != flit.tag || passing.vc != flit.vc) {
      show_on_link(link);
      passing = {packet_name(flit.tag >> kStreamShift, flit.tag & kIndexMask, flit.vc),
                 flit.tag,
                 flit.vc,
                 {now() - 1, now()},
                 0};
    }
    passing.extent.end = now();
    ++passing.flits;
  });
}

void TimelineRecorder::show_on_link(int link) {
  const OnLink& passing = on_links_[link];
  if (passing.flits == 0) return;
  timeline_.span(links_[link], kOnLinks, passing.name, passing.extent.begin, passing.extent.end,
                 {{"flits", passing.flits}});
}

}  // namespace fredsim
