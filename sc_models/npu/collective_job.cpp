// SPDX-License-Identifier: Apache-2.0
#include "npu/collective_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "nic/packet_extension.h"
#include "operations/own_ranks.h"
#include "plan/operand.h"
#include "topology/system.h"

namespace fredsim {
namespace {

// Packets kept per member of the largest part: ranks that are far apart check the same packets at
// different times. Two packets that share a place evict each other, rank by rank, so there are more
// places than a plan has packets, within a limit in bytes.
constexpr std::uint64_t kPlacesPerPacket = 4;
constexpr std::uint64_t kCachedPerMember = 32;
constexpr std::uint64_t kMinCached = 1024;
constexpr std::uint64_t kMaxCachedBytes = std::uint64_t{4} << 20U;

// Number of cached packets, a power of two.
std::size_t cached_packets(const Plan& plan, std::uint64_t packet_bytes) {
  std::uint64_t packets = 1;
  std::uint64_t members = 1;
  for (const Tree& tree : plan.trees) {
    const auto size = static_cast<std::uint64_t>(plan.parts[tree.part].packet_flits);
    packets += (tree.flits + size - 1) / size;
  }
  for (const Part& part : plan.parts) members = std::max(members, part.members.size());
  return std::bit_floor(std::min({std::bit_ceil(kPlacesPerPacket * packets),
                                  std::bit_ceil(std::max(kMinCached, kCachedPerMember * members)),
                                  kMaxCachedBytes / packet_bytes}));
}

}  // namespace

CollectiveJob::CollectiveJob(const Plan& plan, const Topology& topology, std::uint64_t seed,
                             int lanes, const std::vector<int>& copies)
    : plan_(plan),
      parts_(plan.parts.size()),
      trees_(plan.trees.size()),
      format_(topology.format),
      lanes_(lanes),
      cache_(cached_packets(plan, static_cast<std::uint64_t>(kPacketFlits * lanes) * 2)),
      cached_lanes_(cache_.size() * static_cast<std::size_t>(kPacketFlits * lanes)) {
  if (2 * plan.trees.size() > kMaxStreams) {
    throw BadInput(fmt::format("plan: {} trees found, a run distinguishes {}", plan.trees.size(),
                               kMaxStreams / 2));
  }
  for (int p = 0; p < std::ssize(plan.parts); ++p) {
    const Part& part = plan.parts[p];
    assert(part.window > 0 && part.run > 0);
    assert(part.packet_flits >= 1 && part.packet_flits <= kPacketFlits);
    PartState& state = parts_[p];
    state.seed = operand_seed(seed, p);
    for (const NodeId member : part.members) {
      const std::uint16_t address = address_in(topology, member, part.dimension);
      state.ranks.emplace_back(address, static_cast<int>(state.addresses.size()));
      state.addresses.push_back(address);
    }
    std::ranges::sort(state.ranks);
  }
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const Tree& tree = plan.trees[t];
    trees_[t].receivers = tree.receivers();
    total_ += tree.flits * trees_[t].receivers;
    if (!copies.empty()) trees_[t].copies = static_cast<std::uint64_t>(copies[t]);
    total_bytes_ += tree.bytes * trees_[t].receivers * trees_[t].copies;
  }
  const std::vector<int> receivers = receivers_of_parts(plan);
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].receivers_left = receivers[p];
}

int CollectiveJob::rank_of(int part, std::uint16_t address) const {
  const auto& ranks = parts_[part].ranks;
  const auto found = std::ranges::lower_bound(ranks, std::pair(address, 0));
  return found != ranks.end() && found->first == address ? found->second : -1;
}

void CollectiveJob::note_ends(std::uint64_t cycle, std::uint64_t now) {
  if (!ended_some_) return;
  ended_some_ = false;
  for (PartState& part : parts_) {
    if (!part.released || part.ended || part.receivers_left != 0) continue;
    part.ended = true;
    const std::uint64_t ago = 1 + now - std::min(now, part.last_result);
    // A part without packets to send ends as it starts.
    part.end = std::max(part.start, cycle - std::min(cycle, ago));
  }
}

void CollectiveJob::release(int part, std::uint64_t cycle) {
  PartState& state = parts_[part];
  state.released = true;
  state.start = state.last_begin = cycle;
  if (state.receivers_left == 0) ended_some_ = true;
}

std::uint64_t CollectiveJob::last_end() const {
  std::uint64_t last = 0;
  for (const PartState& part : parts_) last = std::max(last, part.end);
  return last;
}

std::uint64_t CollectiveJob::packets(int tree) const {
  const auto size = packet_flits(tree);
  return (sent_flits(tree) + size - 1) / size;
}

int CollectiveJob::flits(int tree, std::uint64_t packet) const {
  const auto size = packet_flits(tree);
  return static_cast<int>(std::min(size, sent_flits(tree) - packet * size));
}

std::uint64_t CollectiveJob::bytes(int tree, std::uint64_t packet) const {
  const Tree& t = plan_.trees[tree];
  const std::uint64_t begin = packet * packet_flits(tree) * kFlitBytes;
  const auto whole = static_cast<std::uint64_t>(flits(tree, packet)) * kFlitBytes;
  return std::min(whole, t.bytes - trees_[tree].left_out * packet_flits(tree) * kFlitBytes - begin);
}

void CollectiveJob::fill_operand(int rank, int tree, std::uint64_t packet,
                                 std::uint16_t* lanes) const {
  const std::uint64_t first = plan_.trees[tree].first_flit + packet * packet_flits(tree);
  fill_operands(format_, parts_[plan_.trees[tree].part].seed, rank, first, flits(tree, packet),
                lanes_, lanes);
}

const std::uint16_t* CollectiveJob::expected_packet(int tree, std::uint64_t packet) {
  const std::uint64_t key = mix64(packet << 16 | static_cast<std::uint64_t>(tree));
  const std::size_t place = key & (cache_.size() - 1);
  std::uint16_t* const wanted =
      &cached_lanes_[place * static_cast<std::size_t>(kPacketFlits * lanes_)];
  Expected& entry = cache_[place];
  if (entry.tree == tree && entry.packet == packet) return wanted;
  entry.tree = tree;
  entry.packet = packet;
  const Tree& t = plan_.trees[tree];
  const std::uint64_t first = t.first_flit + packet * packet_flits(tree);
  std::uint16_t* out = wanted;
  const std::uint64_t seed = parts_[t.part].seed;
  const int count = flits(tree, packet);
  for (int f = 0; f < count; ++f) {
    for (int l = 0; l < lanes_; ++l) {
      *out++ = expected(format_, seed, t.order.sum(), first + static_cast<std::uint64_t>(f), l);
    }
  }
  return wanted;
}

void CollectiveJob::count_result(int tree, std::uint64_t packet) {
  const auto more = static_cast<std::uint64_t>(flits(tree, packet));
  const std::uint64_t more_bytes = bytes(tree, packet) * trees_[tree].copies;
  delivered_ += more;
  delivered_bytes_ += more_bytes;
  if (!keeps_news_) return;
  news_.flits += more;
  news_.bytes += more_bytes;
}

void CollectiveJob::has_all_results(int part, std::uint64_t now) {
  count_receivers(part, 1, now);
  if (keeps_news_) news_.parts.push_back({part, 1, now});
}

void CollectiveJob::count_receivers(int part, int receivers, std::uint64_t now) {
  PartState& state = parts_[part];
  state.last_result = std::max(state.last_result, now);
  state.receivers_left -= receivers;
  if (state.receivers_left == 0) ended_some_ = true;
}

CollectiveJob::News CollectiveJob::take_news() {
  news_.completed = std::exchange(completed_, {});
  return std::exchange(news_, {});
}

void CollectiveJob::add_counts(const News& of_others) {
  delivered_ += of_others.flits;
  delivered_bytes_ += of_others.bytes;
  for (const News::PartNews& part : of_others.parts)
    count_receivers(part.part, part.receivers, part.last_result);
}

void CollectiveJob::add_completed(const News& news) {
  completed_.insert(completed_.end(), news.completed.begin(), news.completed.end());
}

void CollectiveJob::report_difference(int rank, int tree, std::uint64_t packet,
                                      const std::uint16_t* lanes, const std::uint16_t* wanted) {
  int at = 0;
  while (lanes[at] == wanted[at]) ++at;
  const std::uint64_t flit = plan_.trees[tree].first_flit + packet * packet_flits(tree) +
                             static_cast<std::uint64_t>(at / lanes_);
  fail(fmt::format("payload wrong at rank {}: flit {} lane {} (tree {}, packet {}) is {:#06x}, "
                   "expected {:#06x}",
                   rank, flit, at % lanes_, tree, packet, lanes[at], wanted[at]),
       FailureCause::kPayload);
}

void CollectiveJob::fail(const std::string& what, FailureCause cause) {
  if (!failure_.empty()) return;
  failure_ = what;
  failure_cause_ = cause;
}

void CollectiveJob::add_state(StateDigest& digest) const {
  for (const PartState& part : parts_)
    digest.add((part.released ? 1U : 0U) | (part.ended ? 2U : 0U));
}

void CollectiveJob::add_state_with_counts(std::uint64_t cycle, StateDigest& digest) const {
  digest.add(static_cast<std::uint64_t>(first_tree_));
  digest.add_all(phases_);
  digest.add(ended_some_ ? 1 : 0);
  digest.add(delivered_);
  digest.add(completed_.size());
  for (const PartState& part : parts_) {
    digest.add(static_cast<std::uint64_t>(part.receivers_left));
    digest.add(part.released ? cycle - part.start : 0);
    digest.add(part.ended ? cycle - part.end : 0);
  }
  add_state(digest);
}

void CollectiveJob::shift(std::uint64_t cycles) {
  for (PartState& part : parts_) {
    if (part.released) part.start += cycles;
    if (part.ended) part.end += cycles;
  }
}

void CollectiveJob::leave_out(const std::vector<std::uint64_t>& packets) {
  for (int t = 0; t < std::ssize(trees_); ++t) {
    TreeCount& tree = trees_[t];
    tree.left_out += packets[t];
    const std::uint64_t flits = packets[t] * packet_flits(t) * tree.receivers;
    delivered_ += flits;
    delivered_bytes_ += flits * kFlitBytes * tree.copies;
  }
}

}  // namespace fredsim
