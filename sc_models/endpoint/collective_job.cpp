#include "endpoint/collective_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/random.h"
#include "endpoint/packet_extension.h"

namespace fredsim {
namespace {

constexpr std::size_t kCachePackets = 1024;

}  // namespace

CollectiveJob::CollectiveJob(const Plan& plan, std::vector<std::uint16_t> addresses,
                             FpFormat format, std::uint64_t seed, int lanes)
    : plan_(plan),
      addresses_(std::move(addresses)),
      format_(format),
      seed_(seed),
      lanes_(lanes),
      cache_(kCachePackets),
      cached_lanes_(kCachePackets * static_cast<std::size_t>(plan.packet_flits * lanes)) {
  assert(plan.packet_flits >= 1 && plan.packet_flits <= kPacketFlits && plan.window > 0);
  assert(2 * plan.trees.size() <= kMaxStreams);
  for (int rank = 0; rank < static_cast<int>(addresses_.size()); ++rank) {
    ranks_.emplace_back(addresses_[rank], rank);
  }
  std::ranges::sort(ranks_);
  for (const Tree& tree : plan.trees) {
    const auto receivers = std::ranges::count_if(tree.ranks, &TreeRank::receives);
    total_ += tree.flits * static_cast<std::uint64_t>(receivers);
  }
}

int CollectiveJob::rank_of(std::uint16_t address) const {
  const auto found = std::ranges::lower_bound(ranks_, std::pair(address, 0));
  return found != ranks_.end() && found->first == address ? found->second : -1;
}

std::uint64_t CollectiveJob::packets(int tree) const {
  const auto size = static_cast<std::uint64_t>(plan_.packet_flits);
  return (plan_.trees[tree].flits + size - 1) / size;
}

int CollectiveJob::flits(int tree, std::uint64_t packet) const {
  const auto size = static_cast<std::uint64_t>(plan_.packet_flits);
  return static_cast<int>(std::min(size, plan_.trees[tree].flits - packet * size));
}

std::uint64_t CollectiveJob::flit_bytes(std::uint64_t flit) const {
  const std::uint64_t begin = flit * kFlitBytes;
  return std::min<std::uint64_t>(kFlitBytes, plan_.bytes > begin ? plan_.bytes - begin : 0);
}

std::uint64_t CollectiveJob::bytes(int tree, std::uint64_t packet) const {
  const std::uint64_t first =
      plan_.trees[tree].first_flit + packet * static_cast<std::uint64_t>(plan_.packet_flits);
  const auto count = static_cast<std::uint64_t>(flits(tree, packet));
  return (count - 1) * kFlitBytes + flit_bytes(first + count - 1);
}

void CollectiveJob::fill_operand(int rank, int tree, std::uint64_t packet,
                                 std::uint16_t* lanes) const {
  const std::uint64_t first =
      plan_.trees[tree].first_flit + packet * static_cast<std::uint64_t>(plan_.packet_flits);
  fill_operands(format_, seed_, rank, first, flits(tree, packet), lanes_, lanes);
}

const std::uint16_t* CollectiveJob::expected_packet(int tree, std::uint64_t packet) {
  const std::uint64_t key = mix64(packet << 16 | static_cast<std::uint64_t>(tree));
  const std::size_t place = key % kCachePackets;
  std::uint16_t* const wanted =
      &cached_lanes_[place * static_cast<std::size_t>(plan_.packet_flits * lanes_)];
  Expected& entry = cache_[place];
  if (entry.tree == tree && entry.packet == packet) return wanted;
  entry.tree = tree;
  entry.packet = packet;
  const Tree& t = plan_.trees[tree];
  const std::uint64_t first =
      t.first_flit + packet * static_cast<std::uint64_t>(plan_.packet_flits);
  std::uint16_t* out = wanted;
  const int count = flits(tree, packet);
  for (int f = 0; f < count; ++f) {
    for (int l = 0; l < lanes_; ++l) {
      *out++ = expected(format_, seed_, t.order, first + static_cast<std::uint64_t>(f), l);
    }
  }
  return wanted;
}

void CollectiveJob::accept_result(int rank, int tree, std::uint64_t packet,
                                  const std::uint16_t* lanes) {
  const int count = flits(tree, packet);
  const std::uint16_t* wanted = expected_packet(tree, packet);
  if (std::memcmp(lanes, wanted, static_cast<std::size_t>(count * lanes_) * 2) != 0) {
    report_difference(rank, tree, packet, lanes, wanted);
    return;
  }
  delivered_ += static_cast<std::uint64_t>(count);
}

void CollectiveJob::report_difference(int rank, int tree, std::uint64_t packet,
                                      const std::uint16_t* lanes, const std::uint16_t* wanted) {
  int at = 0;
  while (lanes[at] == wanted[at]) ++at;
  const std::uint64_t flit = plan_.trees[tree].first_flit +
                             packet * static_cast<std::uint64_t>(plan_.packet_flits) +
                             static_cast<std::uint64_t>(at / lanes_);
  fail(
      fmt::format("payload wrong at rank {}: flit {} lane {} (tree {}, packet {}) is {:#06x}, "
                  "expected {:#06x}",
                  rank, flit, at % lanes_, tree, packet, lanes[at], wanted[at]));
}

void CollectiveJob::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

}  // namespace fredsim
