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

std::string packet_name(const FlitHeader& header) {
  return fmt::format("tree {} #{}", tree_of(header), index_of(header));
}

std::size_t queue_of(NodeId node, int port, int vc) {
  return (static_cast<std::size_t>(node) * kMaxPorts + static_cast<std::size_t>(port)) * kNumVcs +
         static_cast<std::size_t>(vc);
}

// At an NPU, of a tree: more than come in before the oldest has been passed on.
std::size_t places_of(const Part& part) {
  const std::uint64_t window = std::max(kFewestPlaces, 4 * static_cast<std::uint64_t>(part.window));
  return std::min<std::size_t>(kIndexMask + 1, std::bit_ceil(window));
}

}  // namespace

CollectiveBreakdown::CollectiveBreakdown(const BreakdownOptions& options, Fabric& fabric)
    : PacketFollower(fabric.core(), fabric.topology(), fabric.switches(), fabric.lanes()),
      options_(options),
      cycles_(stages().count()) {}

void CollectiveBreakdown::begin_run(CollectiveJob& job, const std::vector<int>& copies) {
  job_ = &job;
  copies_ = copies;
  copies_.resize(job.plan().trees.size(), 1);
  first_ = core().edge();
  handed_.assign(topology().nodes.size() * kMaxPorts * kNumVcs, {});
  parts_.clear();
  for (std::size_t part = 0; part < job.plan().parts.size(); ++part) {
    parts_.push_back({.statistics = BreakdownStatistics(stages().count()),
                      .list = PacketList(options_),
                      .way = {}});
  }
  ways_.clear();
  received_.clear();
  delivered_.clear();
  begin(job.plan().programs);
}

void CollectiveBreakdown::edge_of_run() {
  try {
    edge();
  } catch (const RunFailed& failed) {
    job_->fail(failed.what());
  }
}

void CollectiveBreakdown::queued(int npu, const Packet& packet) {
  if (job_ == nullptr) return;
  const PacketExtension& e = *packet.get_extension<PacketExtension>();
  handed_[queue_of(npu, e.port, e.vc)].push({core().edge(), e.stream, e.index});
}

void CollectiveBreakdown::received(int npu, Packet& packet) {
  if (job_ == nullptr) return;
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
  const int tree = tree_of(flit);
  parts_[job_->plan().trees[tree].part].statistics.add_join(
      stage, cycles, static_cast<std::uint64_t>(copies_[tree]));
}

// What the sender needed before it could send this packet; null: nothing.
const CollectiveBreakdown::Way* CollectiveBreakdown::cause_of(const Delivery& packet, int tree,
                                                              std::uint32_t index) const {
  const auto found = ways_.find({source(packet), tree});
  if (found == ways_.end() || found->second.empty()) return nullptr;
  const Way& way = found->second[index & (found->second.size() - 1)];
  const bool fits = way.is_there && way.index == index && way.delivered <= packet.handed;
  return fits ? &way : nullptr;
}

// A packet that is made of others has one of them before it.
void CollectiveBreakdown::check_originates(const Delivery& packet, int tree) const {
  const Tree& of = job_->plan().trees[tree];
  if (of.transport == Transport::kInSwitch) return;
  const auto& members = job_->plan().parts[of.part].members;
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

// Of the packet with cycles_, to which those of the packets before it are added.
void CollectiveBreakdown::find_way(const Delivery& packet, int tree, std::uint32_t index,
                                   Way& way) {
  way.is_there = true;
  way.index = index;
  way.delivered = packet.delivered;
  way.packets = 1;
  if (const Way* const cause = cause_of(packet, tree, index); cause != nullptr) {
    way.packets += cause->packets;
    for (const StageCycles::Item& item : cause->cycles) cycles_.add(item);
    cycles_.add(BreakdownStages::kNpu, DelayCause::kQueue, packet.handed - cause->delivered);
  } else {
    check_originates(packet, tree);
    const std::uint64_t start = first_ + job_->start_cycle(job_->plan().trees[tree].part);
    cycles_.add(BreakdownStages::kNpu, DelayCause::kSource, packet.handed - start);
  }
  cycles_.list(way.cycles);
}

bool CollectiveBreakdown::passes_on(NodeId npu, int tree) const {
  const Tree& of = job_->plan().trees[tree];
  const auto& members = job_->plan().parts[of.part].members;
  const auto rank = std::ranges::find(of.ranks, std::ranges::find(members, npu) - members.begin(),
                                      &TreeRank::rank);
  return rank != of.ranks.end() && (!rank->reduce_to.empty() || !rank->broadcast_to.empty());
}

void CollectiveBreakdown::delivered(const Delivery& packet) {
  delivered_.push_back(name_of(packet.node, packet.port, packet.header));
  if (packet.header.vc == kControl) return;
  const int tree = tree_of(packet.header);
  const std::uint32_t index = index_of(packet.header);
  const Tree& of = job_->plan().trees.at(static_cast<std::size_t>(tree));
  PartState& part = parts_[of.part];
  cycles_.clear();
  visits_.clear();
  add_up(packet, cycles_, visits_);
  part.statistics.add(packet.latency(), cycles_, visits_,
                      static_cast<std::uint64_t>(copies_[tree]));
  if (part.list.wants(packet.latency())) part.list.add(described(packet));
  const bool is_last = !part.has_last || packet.delivered > part.last.delivered;
  if (!is_last && of.transport == Transport::kInSwitch) return;
  find_way(packet, tree, index, way_);
  if (is_last) {
    hold(packet.last_hop);
    if (part.has_last) let_go(part.last.last_hop);
    part.has_last = true;
    part.last = packet;
    part.way = way_;
  }
  if (of.transport == Transport::kInSwitch) return;
  const auto [ways, is_new] = ways_.try_emplace({packet.node, tree});
  if (is_new && passes_on(packet.node, tree)) {
    ways->second.resize(places_of(job_->plan().parts[of.part]));
  }
  if (ways->second.empty()) return;
  std::swap(ways->second[index & (ways->second.size() - 1)], way_);
}

// Packets come when the pins say so.
void CollectiveBreakdown::edge_done() {
  if (job_->failed()) return;
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

PacketBreakdown CollectiveBreakdown::described(const Delivery& packet) const {
  PacketBreakdown shown = describe(packet, first_);
  shown.name = packet_name(packet.header);
  return shown;
}

PathBreakdown CollectiveBreakdown::path_of(const Way& way) const {
  PathBreakdown path{.packets = way.packets, .stages = {}};
  StageCycles cycles(stages().count());
  for (const StageCycles::Item& item : way.cycles) {
    cycles.add(item);
    path.cycles += item.cycles;
  }
  for (int stage = 0; stage < stages().count(); ++stage) {
    NamedCycles causes = named_cycles(cycles.of(stage));
    if (!causes.empty()) path.stages.emplace_back(stages().name(stage), std::move(causes));
  }
  return path;
}

void CollectiveBreakdown::fill(RunResult& result) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const PartState& part = parts_[p];
    const PartResult& of = result.parts[p];
    LatencyBreakdown breakdown = part.statistics.result(stages());
    breakdown.work = fmt::format("{} {}", of.collective, of.algorithm);
    breakdown.listed = part.list.packets();
    if (part.has_last) {
      breakdown.critical = described(part.last);
      breakdown.path = path_of(part.way);
      if (!of.incomplete && breakdown.path->cycles != of.cycles) {
        throw RunFailed(fmt::format("breakdown: part {} took {} cycles, but its breakdown has {}",
                                    p, of.cycles, breakdown.path->cycles));
      }
    }
    result.breakdowns.push_back(std::move(breakdown));
  }
}

}  // namespace fredsim
