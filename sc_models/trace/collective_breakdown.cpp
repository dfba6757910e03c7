// SPDX-License-Identifier: Apache-2.0
#include "trace/collective_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kFewestPlaces = 16;

std::uint32_t stream_of(const FlitHeader& header) { return header.tag >> kStreamShift; }
std::uint32_t index_of(const FlitHeader& header) { return header.tag & kIndexMask; }
int tree_of(const FlitHeader& header) { return static_cast<int>(stream_of(header) >> 1); }

std::size_t queue_of(NodeId node, int port, int vc) {
  return (static_cast<std::size_t>(node) * kMaxPorts + static_cast<std::size_t>(port)) * kNumVcs +
         static_cast<std::size_t>(vc);
}

// Places for packets of a tree at an NPU: more than arrive before the oldest has been forwarded.
std::size_t places_of(const Part& part) {
  const std::uint64_t window = std::max(kFewestPlaces, 4 * static_cast<std::uint64_t>(part.window));
  return std::min<std::size_t>(kIndexMask + 1, std::bit_ceil(window));
}

}  // namespace

CollectiveBreakdown::CollectiveBreakdown(const BreakdownOptions& options, Fabric& fabric)
    : PacketFollower(fabric.core(), fabric.topology(), fabric.switches(), fabric.lanes()),
      options_(options),
      cycles_(stages().count()) {}

void CollectiveBreakdown::begin_run(std::size_t parts) {
  is_running_ = true;
  jobs_.clear();
  first_ = core().edge();
  handed_.assign(topology().nodes.size() * kMaxPorts * kNumVcs, {});
  parts_.clear();
  for (std::size_t part = 0; part < parts; ++part) {
    parts_.push_back({.statistics = BreakdownStatistics(stages().count()),
                      .list = PacketList(options_),
                      .path = StageCycles(stages().count())});
  }
  paths_.clear();
  received_.clear();
  delivered_.clear();
  begin();
}

void CollectiveBreakdown::add(const ObservedJob& job, std::span<const PhaseProgram> programs) {
  load(programs);
  jobs_.add(job).known.resize(job.job->plan().parts.size());
}

void CollectiveBreakdown::remove(const CollectiveJob& job) {
  Jobs::Entry* const entry = jobs_.find(job);
  if (entry == nullptr) return;
  add_up(*entry);
  const int trees = job.first_tree() + static_cast<int>(job.plan().trees.size());
  paths_.erase(paths_.lower_bound({job.first_tree(), 0}), paths_.lower_bound({trees, 0}));
  jobs_.remove(job);
}

void CollectiveBreakdown::edge_of_run() {
  try {
    edge();
  } catch (const RunFailed& failed) {
    if (jobs_.all().empty()) throw;
    jobs_.all().begin()->second.of.job->fail(failed.what());
  }
}

CollectiveBreakdown::Jobs::Place CollectiveBreakdown::place_of(const FlitHeader& header) {
  const Jobs::Place at = jobs_.find(tree_of(header));
  if (at.entry != nullptr) return at;
  throw RunFailed(
      fmt::format("breakdown: a packet of tree {}, which no collective has", tree_of(header)));
}

std::string CollectiveBreakdown::packet_name(const FlitHeader& header) {
  const Jobs::Place at = place_of(header);
  return at.entry->of.packet_name(at.tree, index_of(header), header.vc);
}

void CollectiveBreakdown::queued(int npu, const Packet& packet) {
  if (!is_running_) return;
  const PacketExtension& e = *packet.get_extension<PacketExtension>();
  handed_[queue_of(npu, e.port, e.vc)].push({core().edge(), e.stream, e.index});
}

void CollectiveBreakdown::received(int npu, Packet& packet) {
  if (!is_running_) return;
  const PacketExtension& e = extension(packet);
  received_.push_back({npu, e.port, e.stream, e.index});
}

CollectiveBreakdown::Name CollectiveBreakdown::name_of(int node, int port,
                                                       const FlitHeader& header) {
  return {node, port, stream_of(header), index_of(header)};
}

std::uint64_t CollectiveBreakdown::handed_over(NodeId node, int port, const FlitHeader& head) {
  RingQueue<Handed>& queue = handed_[queue_of(node, port, head.vc)];
  if (queue.empty() || queue.front().stream != stream_of(head) ||
      queue.front().index != index_of(head)) {
    throw RunFailed(fmt::format("breakdown: {} sends a packet ({}) that its NPU did not hand over",
                                topology().nodes[node].name, packet_name(head)));
  }
  return queue.pop().edge;
}

void CollectiveBreakdown::joined(int stage, const FlitHeader& flit, std::uint64_t cycles) {
  const Jobs::Place at = place_of(flit);
  const int part = at.entry->of.job->plan().trees[at.tree].part;
  parts_[at.entry->of.part(part)].statistics.add_join(stage, cycles, at.entry->of.count(at.tree));
}

// Cause: the delivery that the sender needed before it could send this packet; null: none.
const CollectiveBreakdown::CriticalPath* CollectiveBreakdown::cause_of(
    const Delivery& packet) const {
  const std::uint32_t index = index_of(packet.header);
  const auto found = paths_.find({tree_of(packet.header), source(packet)});
  if (found == paths_.end() || found->second.empty()) return nullptr;
  const CriticalPath& path = found->second[index & (found->second.size() - 1)];
  const bool fits = path.is_there && path.index == index && path.delivered <= packet.handed;
  return fits ? &path : nullptr;
}

// A packet that combines others must have a known predecessor.
void CollectiveBreakdown::check_originates(const Delivery& packet, const Jobs::Place& at) {
  const Plan& plan = at.entry->of.job->plan();
  const Tree& of = plan.trees[at.tree];
  if (of.transport == Transport::kInSwitch) return;
  const auto& members = plan.parts[of.part].members;
  const auto sender = std::ranges::find(members, source(packet));
  const auto rank = std::ranges::find(of.ranks, sender - members.begin(), &TreeRank::rank);
  const bool is_result = (stream_of(packet.header) & 1U) != 0;
  if (rank != of.ranks.end() && rank->reduce_from.empty() &&
      (!is_result || rank->reduce_to.empty())) {
    return;
  }
  throw RunFailed(fmt::format("breakdown: {}: what it was made of is not known any more",
                              packet_name(packet.header)));
}

// Adds the cycles of the packet's predecessors to its own, which are in cycles_.
void CollectiveBreakdown::find_path(const Delivery& packet, const Jobs::Place& at,
                                    CriticalPath& path) {
  path.is_there = true;
  path.index = index_of(packet.header);
  path.delivered = packet.delivered;
  path.packets = 1;
  if (const CriticalPath* const cause = cause_of(packet); cause != nullptr) {
    path.packets += cause->packets;
    for (const StageCycles::Item& item : cause->cycles) cycles_.add(item);
    cycles_.add(BreakdownStages::kNpu, DelayCause::kQueue, packet.handed - cause->delivered);
  } else {
    check_originates(packet, at);
    const CollectiveJob& job = *at.entry->of.job;
    const std::uint64_t start = first_ + job.start_cycle(job.plan().trees[at.tree].part);
    cycles_.add(BreakdownStages::kNpu, DelayCause::kSource, packet.handed - start);
  }
  cycles_.list(path.cycles);
}

bool CollectiveBreakdown::passes_on(NodeId npu, const Jobs::Place& at) {
  const Plan& plan = at.entry->of.job->plan();
  const Tree& of = plan.trees[at.tree];
  const auto& members = plan.parts[of.part].members;
  const auto rank = std::ranges::find(of.ranks, std::ranges::find(members, npu) - members.begin(),
                                      &TreeRank::rank);
  return rank != of.ranks.end() && (!rank->reduce_to.empty() || !rank->broadcast_to.empty());
}

void CollectiveBreakdown::delivered(const Delivery& packet) {
  delivered_.push_back(name_of(packet.node, packet.port, packet.header));
  if (packet.header.vc == kControl) return;
  const Jobs::Place at = place_of(packet.header);
  const Plan& plan = at.entry->of.job->plan();
  const Tree& of = plan.trees[at.tree];
  PartState& part = parts_[at.entry->of.part(of.part)];
  cycles_.clear();
  visits_.clear();
  PacketFollower::add_up(packet, cycles_, visits_);
  part.statistics.add(packet.latency(), cycles_, visits_, at.entry->of.count(at.tree));
  if (part.list.wants(packet.latency())) part.list.add(described(packet));
  JobPart& job_part = at.entry->known[of.part];
  const bool is_last = !job_part.has_last || packet.delivered > job_part.last.delivered;
  if (!is_last && of.transport == Transport::kInSwitch) return;
  find_path(packet, at, path_);
  if (is_last) {
    hold(packet.last_hop);
    if (job_part.has_last) let_go(job_part.last.last_hop);
    job_part.has_last = true;
    job_part.last = packet;
    job_part.path = path_;
  }
  if (of.transport == Transport::kInSwitch) return;
  const auto [paths, is_new] = paths_.try_emplace({tree_of(packet.header), packet.node});
  if (is_new && passes_on(packet.node, at)) paths->second.resize(places_of(plan.parts[of.part]));
  if (paths->second.empty()) return;
  std::swap(paths->second[index_of(packet.header) & (paths->second.size() - 1)], path_);
}

// Compares the NPUs' arrivals with the pins'.
void CollectiveBreakdown::edge_done() {
  if (std::ranges::any_of(jobs_.all(), [](const auto& job) { return job.second.of.job->failed(); }))
    return;
  const auto order = [](const Name& a, const Name& b) {
    return std::tie(a.node, a.port, a.stream, a.index) <
           std::tie(b.node, b.port, b.stream, b.index);
  };
  std::ranges::sort(received_, order);
  std::ranges::sort(delivered_, order);
  if (received_ != delivered_) {
    throw RunFailed(fmt::format(
        "breakdown: cycle {}: by the pins {} packets have come, by what NPUs say {} or others",
        core().edge() - 1, delivered_.size(), received_.size()));
  }
  received_.clear();
  delivered_.clear();
}

PacketBreakdown CollectiveBreakdown::described(const Delivery& packet) {
  PacketBreakdown shown = describe(packet, first_);
  shown.name = packet_name(packet.header);
  return shown;
}

void CollectiveBreakdown::add_up(Jobs::Entry& job) {
  for (int p = 0; p < std::ssize(job.known); ++p) {
    const JobPart& job_part = job.known[p];
    if (!job_part.has_last) continue;
    const int number = job.of.part(p);
    PartState& part = parts_[number];
    part.last = described(job_part.last);
    let_go(job_part.last.last_hop);
    part.packets += job_part.path.packets;
    std::uint64_t cycles = 0;
    for (const StageCycles::Item& item : job_part.path.cycles) {
      part.path.add(item);
      cycles += item.cycles;
    }
    const CollectiveJob& of = *job.of.job;
    const std::uint64_t took = of.ended(p) ? of.end_cycle(p) - of.start_cycle(p) : cycles;
    // A receiver that had not begun when all packets were there has the result as it begins, at the
    // edge after the end.
    if (cycles < took && of.last_begin(p) > of.end_cycle(p)) {
      part.path.add(BreakdownStages::kNpu, DelayCause::kSource, took - cycles);
      cycles = took;
    }
    if (cycles != took) {
      throw RunFailed(fmt::format("breakdown: part {} took {} cycles, but its breakdown has {}",
                                  number, took, cycles));
    }
  }
}

PathBreakdown CollectiveBreakdown::path_of(const PartState& part) const {
  PathBreakdown path{.packets = part.packets, .stages = {}};
  for (int stage = 0; stage < stages().count(); ++stage) {
    NamedCycles causes = named_cycles(part.path.of(stage));
    for (const auto& [cause, cycles] : causes) path.cycles += cycles;
    if (!causes.empty()) path.stages.emplace_back(stages().name(stage), std::move(causes));
  }
  return path;
}

void CollectiveBreakdown::fill(RunResult& result) {
  for (auto& [first_tree, job] : jobs_.all()) add_up(job);
  jobs_.clear();
  is_running_ = false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const PartState& part = parts_[p];
    const PartResult& of = result.parts[p];
    LatencyBreakdown breakdown = part.statistics.result(stages());
    breakdown.work =
        fmt::format("{}{}{} {}", of.name, of.name.empty() ? "" : ", ", of.collective, of.algorithm);
    if (of.operations > 1) breakdown.work += fmt::format(", {} times", of.operations);
    breakdown.listed = part.list.packets();
    if (part.last) {
      breakdown.critical = part.last;
      breakdown.path = path_of(part);
    }
    result.breakdowns.push_back(std::move(breakdown));
  }
}

}  // namespace fredsim
