// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/schedule_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/int128.h"
#include "plan/pattern.h"

namespace fredsim {
namespace {

constexpr int kNobody = -1;

// Order of the fractions a / of and b / of_b.
int compare(std::uint64_t a, std::uint64_t of_a, std::uint64_t b, std::uint64_t of_b) {
  const Uint128 left = static_cast<Uint128>(a) * of_b;
  const Uint128 right = static_cast<Uint128>(b) * of_a;
  return left < right ? -1 : left > right ? 1 : 0;
}

class ScheduleCheck {
 public:
  explicit ScheduleCheck(const CollectiveSchedule& schedule)
      : schedule_(schedule), pattern_(pattern_of(schedule.collective)) {}

  void run() {
    if (schedule_.ranks < 1 || schedule_.ranks > kMaxScheduleRanks)
      fail(fmt::format("ranks: found {}; allowed: 1 to {}", schedule_.ranks, kMaxScheduleRanks));
    check_rank("root", schedule_.root);
    for (const ScheduleFlow& flow : schedule_.flows) check_flow(flow);
    shares();
  }

 private:
  using Hops = std::span<const ScheduleHop>;

  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}: {}", schedule_.file, what));
  }
  std::string chunk(const ScheduleFlow& flow) const { return chunk_name(schedule_, flow); }

  void check_rank(const char* what, int rank) const {
    if (rank < 0 || rank >= schedule_.ranks)
      fail(fmt::format("{}: found rank {}; allowed: 0 to {}", what, rank, schedule_.ranks - 1));
  }

  void check_hops(const ScheduleFlow& flow, Hops hops) const {
    for (const ScheduleHop& hop : hops) {
      check_rank("hop", hop.from);
      check_rank("hop", hop.to);
      if (hop.from == hop.to)
        fail(fmt::format("rank {} sends {} to itself; allowed: another rank", hop.from,
                         chunk(flow)));
    }
  }

  void check_flow(const ScheduleFlow& flow) const {
    if (flow.of == 0 || flow.of > kMaxShares || flow.begin >= flow.end || flow.end > flow.of)
      fail(
          fmt::format("share: found [{}, {}, {}]; allowed: [begin, end, of] with begin < end <= of "
                      "<= {}",
                      flow.begin, flow.end, flow.of, kMaxShares));
    if (has_blocks(schedule_.collective)) check_rank("block", flow.block);
    if (schedule_.collective == Collective::kAllToAll) check_rank("source", flow.source);
    check_hops(flow, flow.sums);
    check_hops(flow, flow.results);
    if (!flow.operands.empty()) return check_operands(flow);
    int holder = first_holder(flow);
    if (adds()) {
      holder = root_of_sums(flow);
    } else if (!flow.sums.empty()) {
      fail(fmt::format("{}: found sums of {}; allowed: results, since it adds nothing",
                       to_string(schedule_.collective), chunk(flow)));
    }
    check_results(flow, flow.results, holder);
    for (const auto& [rank, of] : receivers(flow, holder))
      if (!reaches(flow.results, holder, rank)) lacks(flow, rank, of);
  }

  bool adds() const {
    return schedule_.collective == Collective::kAllReduce ||
           schedule_.collective == Collective::kReduceScatter ||
           schedule_.collective == Collective::kReduce;
  }

  // Rank that holds the data of a flow that adds nothing.
  int first_holder(const ScheduleFlow& flow) const {
    switch (schedule_.collective) {
      case Collective::kAllGather:
      case Collective::kGather:
        return flow.block;
      case Collective::kAllToAll:
        return flow.source;
      case Collective::kUnicast:
        return 0;
      default:
        return schedule_.root;
    }
  }

  // Ranks that need the result, each with the rank whose data it is.
  std::vector<std::pair<int, int>> receivers(const ScheduleFlow& flow, int holder) const {
    switch (schedule_.collective) {
      case Collective::kReduce:
      case Collective::kGather:
        return {{schedule_.root, holder}};
      case Collective::kReduceScatter:
      case Collective::kScatter:
      case Collective::kAllToAll:
        return {{flow.block, holder}};
      case Collective::kUnicast:
        return {{1, 0}};
      default:
        break;
    }
    std::vector<std::pair<int, int>> all;
    for (int rank = 0; rank < schedule_.ranks; ++rank) all.emplace_back(rank, holder);
    return all;
  }

  [[noreturn]] void lacks(const ScheduleFlow& flow, int rank, int of) const {
    if (adds()) fail(fmt::format("rank {} lacks the sum of {}", rank, chunk(flow)));
    fail(fmt::format("rank {} lacks {} of rank {}", rank, chunk(flow), of));
  }

  int root_of_sums(const ScheduleFlow& flow) const {
    std::vector<int> to(static_cast<std::size_t>(schedule_.ranks), kNobody);
    for (const ScheduleHop& hop : flow.sums) {
      if (to[hop.from] != kNobody)
        fail(fmt::format("rank {} has {} of rank {} twice: it is sent to ranks {} and {}", hop.to,
                         chunk(flow), hop.from, to[hop.from], hop.to));
      to[hop.from] = hop.to;
    }
    const auto ends = [&](int rank) {
      for (int steps = 0; to[rank] != kNobody; rank = to[rank])
        if (++steps > schedule_.ranks)
          fail(fmt::format("sums of {} go round in a circle at rank {}", chunk(flow), rank));
      return rank;
    };
    int root = kNobody;
    for (const ScheduleHop& hop : flow.sums)
      if (root == kNobody) root = ends(hop.to);
    if (root == kNobody) root = holder_alone(flow);
    for (int rank = 0; rank < schedule_.ranks; ++rank)
      if (ends(rank) != root)
        fail(fmt::format("rank {} lacks {} of rank {}", root, chunk(flow), rank));
    return root;
  }

  int holder_alone(const ScheduleFlow& flow) const {
    if (schedule_.ranks == 1) return 0;
    if (has_blocks(schedule_.collective)) return flow.block;
    return pattern_ == Pattern::kOneRoot ? schedule_.root : 0;
  }

  void check_results(const ScheduleFlow& flow, Hops hops, int holder) const {
    std::vector<int> from(static_cast<std::size_t>(schedule_.ranks), kNobody);
    from[holder] = holder;
    for (const ScheduleHop& hop : hops) {
      if (from[hop.to] != kNobody)
        fail(fmt::format("rank {} has {} twice, from ranks {} and {}", hop.to, chunk(flow),
                         from[hop.to], hop.from));
      from[hop.to] = hop.from;
    }
    for (const ScheduleHop& hop : hops)
      if (!reaches(hops, holder, hop.from))
        fail(fmt::format("rank {} sends {}, which it never has", hop.from, chunk(flow)));
    if (pattern_ == Pattern::kPairs) check_path(flow, hops);
  }

  void check_path(const ScheduleFlow& flow, Hops hops) const {
    for (std::size_t k = 1; k < hops.size(); ++k)
      if (hops[k].from != hops[k - 1].to)
        fail(fmt::format("hops of {}: found {} to {} after {} to {}; allowed: a path, hop by hop",
                         chunk(flow), hops[k].from, hops[k].to, hops[k - 1].from, hops[k - 1].to));
  }

  // True where results reach a rank.
  bool reaches(Hops hops, int holder, int rank) const {
    if (hops.data() != reached_of_ || holder != reached_from_) {
      std::vector<std::vector<int>> to(static_cast<std::size_t>(schedule_.ranks));
      for (const ScheduleHop& hop : hops) to[hop.from].push_back(hop.to);
      reached_.assign(to.size(), false);
      reached_[holder] = true;
      std::vector<int> found{holder};
      for (std::size_t k = 0; k < found.size(); ++k)
        for (const int next : to[found[k]]) {
          if (!reached_[next]) found.push_back(next);
          reached_[next] = true;
        }
      reached_of_ = hops.data();
      reached_from_ = holder;
    }
    return reached_[rank];
  }

  void check_operands(const ScheduleFlow& flow) const {
    if (schedule_.collective != Collective::kAllReduce || !flow.sums.empty() ||
        !flow.results.empty())
      fail(
          fmt::format("operands of {}: found beside sums, results or {}; allowed: alone, for "
                      "all_reduce",
                      chunk(flow), to_string(schedule_.collective)));
    if (std::ssize(flow.operands) != schedule_.ranks)
      fail(fmt::format("operands of {}: found {} lists of hops; allowed: {}, one per rank",
                       chunk(flow), flow.operands.size(), schedule_.ranks));
    for (int of = 0; of < schedule_.ranks; ++of) {
      check_hops(flow, flow.operands[of]);
      check_results(flow, flow.operands[of], of);
      for (int rank = 0; rank < schedule_.ranks; ++rank)
        if (!reaches(flow.operands[of], of, rank))
          fail(fmt::format("rank {} lacks {} of rank {}", rank, chunk(flow), of));
    }
  }

  // Flows of one vector or block, by source and block.
  void shares() const {
    std::map<std::pair<int, int>, std::vector<const ScheduleFlow*>> blocks;
    const int of_blocks = has_blocks(schedule_.collective) ? schedule_.ranks : 1;
    const int sources = schedule_.collective == Collective::kAllToAll ? schedule_.ranks : 1;
    for (int source = 0; source < sources; ++source)
      for (int block = 0; block < of_blocks; ++block) blocks[{source, block}];
    for (const ScheduleFlow& flow : schedule_.flows)
      blocks[{sources > 1 ? flow.source : 0, of_blocks > 1 ? flow.block : 0}].push_back(&flow);
    for (auto& [place, flows] : blocks) {
      if (is_own(place)) continue;
      std::ranges::sort(flows, [](const ScheduleFlow* a, const ScheduleFlow* b) {
        const int order = compare(a->begin, a->of, b->begin, b->of);
        return order != 0 ? order < 0 : a->slice < b->slice;
      });
      check_shares(place, flows);
    }
  }

  // Blocks that stay where they are need no flow.
  bool is_own(const std::pair<int, int>& place) const {
    switch (schedule_.collective) {
      case Collective::kAllToAll:
        return place.first == place.second;
      case Collective::kGather:
      case Collective::kScatter:
        return place.second == schedule_.root;
      default:
        return schedule_.ranks == 1;
    }
  }

  void check_shares(const std::pair<int, int>& place,
                    std::span<const ScheduleFlow* const> flows) const {
    ScheduleFlow whole{.block = place.second, .source = place.first};
    const ScheduleFlow* before = nullptr;
    for (const ScheduleFlow* flow : flows) {
      const int order = before == nullptr ? compare(0, 1, flow->begin, flow->of)
                                          : compare(before->end, before->of, flow->begin, flow->of);
      if (order > 0)
        fail(fmt::format("rank {} has {} twice: two flows have it", first_receiver(*flow),
                         chunk(*flow)));
      if (order < 0) missing_before(*flow, before);
      before = flow;
    }
    if (before == nullptr)
      fail(fmt::format("rank {} lacks {}: no flow has it", first_receiver(whole), chunk(whole)));
    if (before->end != before->of) {
      const ScheduleFlow rest{.block = before->block,
                              .source = before->source,
                              .begin = before->end,
                              .end = before->of,
                              .of = before->of};
      fail(fmt::format("rank {} lacks {}: no flow has it", first_receiver(rest), chunk(rest)));
    }
  }

  [[noreturn]] void missing_before(const ScheduleFlow& flow, const ScheduleFlow* before) const {
    const std::string from =
        before == nullptr ? "the start" : fmt::format("{} / {}", before->end, before->of);
    fail(fmt::format("rank {} lacks the data from {} to {} / {}, before {}: no flow has it",
                     first_receiver(flow), from, flow.begin, flow.of, chunk(flow)));
  }

  // First rank that receives it from another one.
  int first_receiver(const ScheduleFlow& flow) const {
    if (adds()) return receivers(flow, 0).front().first;
    const int holder = first_holder(flow);
    for (const auto& [rank, of] : receivers(flow, holder))
      if (rank != holder) return rank;
    return holder;
  }

  const CollectiveSchedule& schedule_;
  Pattern pattern_;
  mutable std::vector<bool> reached_{};  // ranks that the last hops reach
  mutable const ScheduleHop* reached_of_ = nullptr;
  mutable int reached_from_ = kNobody;
};

}  // namespace

void check_schedule(const CollectiveSchedule& schedule) { ScheduleCheck(schedule).run(); }

}  // namespace fredsim
