// SPDX-License-Identifier: Apache-2.0
#include "plan/parallelism.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <numeric>
#include <string_view>

#include "base/error.h"
#include "base/flit.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

constexpr auto kDimensions = std::to_array<std::string_view>({"mp", "dp", "pp"});

int rank_of(const Strategy& s, int mp, int dp, int pp) { return mp + s.mp * (dp + s.dp * pp); }

[[noreturn]] void refuse_strategy(const std::string& text) {
  throw BadInput(
      fmt::format("strategy: found '{}'; allowed: sizes of at least one of mp, dp and pp, such as "
                  "mp2-dp5-pp2, each once, {} workers at most",
                  text, kMaxWorkers));
}

}  // namespace

std::string to_string(const Strategy& strategy) {
  return fmt::format("mp{}-dp{}-pp{}", strategy.mp, strategy.dp, strategy.pp);
}

Strategy parse_strategy(const std::string& text) {
  std::array<int, kDimensions.size()> sizes{};
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t end = rest.find('-');
    const std::string_view field = rest.substr(0, end);
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    std::size_t d = 0;
    while (d < kDimensions.size() && !field.starts_with(kDimensions[d])) ++d;
    if (d == kDimensions.size() || sizes[d] != 0) refuse_strategy(text);
    const char* last = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data() + 2, last, sizes[d]);
    if (stop != last || error != std::errc() || sizes[d] < 1 || sizes[d] > kMaxWorkers)
      refuse_strategy(text);
  }
  std::int64_t workers = 1;
  for (int& size : sizes) {
    if (size == 0) size = 1;
    workers *= size;
    if (workers > kMaxWorkers) refuse_strategy(text);
  }
  return {.mp = sizes[0], .dp = sizes[1], .pp = sizes[2]};
}

std::vector<Strategy> all_strategies(int npus) {
  std::vector<Strategy> strategies;
  for (int mp = 1; mp <= npus; ++mp)
    for (int dp = 1; mp * dp <= npus; ++dp)
      for (int pp = 1; mp * dp * pp <= npus; ++pp)
        strategies.push_back({.mp = mp, .dp = dp, .pp = pp});
  return strategies;
}

std::string to_string(Dimension dimension) {
  return std::string(kDimensions[static_cast<std::size_t>(dimension)]);
}

constexpr auto kDimensionAliases = std::to_array<Alias>(
    {{"mp", "tp tensor model ep"}, {"dp", "data fsdp zero ddp"}, {"pp", "pipeline"}});

Dimension parse_dimension(const std::string& text) {
  for (std::size_t d = 0; d < kDimensions.size(); ++d)
    if (text == kDimensions[d]) return static_cast<Dimension>(d);
  throw BadInput(fmt::format("dimension: found '{}'; {}", text,
                             advice(text, kDimensions, {.aliases = kDimensionAliases})));
}

Collective collective_of(Dimension dimension) {
  return dimension == Dimension::kPp ? Collective::kMulticast : Collective::kAllReduce;
}

int vc_of(Dimension dimension) {
  constexpr std::array kVcs{kMp, kDp, kPp};
  return kVcs[static_cast<std::size_t>(dimension)];
}

std::vector<std::vector<int>> groups_of(const Strategy& s, Dimension dimension) {
  std::vector<std::vector<int>> groups;
  switch (dimension) {
    case Dimension::kMp:
      if (s.mp == 1) break;
      for (int pp = 0; pp < s.pp; ++pp) {
        for (int dp = 0; dp < s.dp; ++dp) {
          std::vector<int>& group = groups.emplace_back();
          for (int mp = 0; mp < s.mp; ++mp) group.push_back(rank_of(s, mp, dp, pp));
        }
      }
      break;
    case Dimension::kDp:
      if (s.dp == 1) break;
      for (int pp = 0; pp < s.pp; ++pp) {
        for (int mp = 0; mp < s.mp; ++mp) {
          std::vector<int>& group = groups.emplace_back();
          for (int dp = 0; dp < s.dp; ++dp) group.push_back(rank_of(s, mp, dp, pp));
        }
      }
      break;
    case Dimension::kPp:
      for (int pp = 0; pp + 1 < s.pp; ++pp) {
        for (int dp = 0; dp < s.dp; ++dp) {
          std::vector<int>& group = groups.emplace_back();
          group.push_back(rank_of(s, 0, dp, pp));
          for (int mp = 0; mp < s.mp; ++mp) group.push_back(rank_of(s, mp, dp, pp + 1));
        }
      }
      break;
  }
  return groups;
}

std::vector<int> paper_placement(const Strategy& s) {
  std::vector<int> npus(s.workers());
  for (int pp = 0; pp < s.pp; ++pp)
    for (int dp = 0; dp < s.dp; ++dp)
      for (int mp = 0; mp < s.mp; ++mp) npus[rank_of(s, mp, dp, pp)] = mp + s.mp * (pp + s.pp * dp);
  return npus;
}

std::vector<int> identity_placement(int workers) {
  std::vector<int> npus(workers);
  std::iota(npus.begin(), npus.end(), 0);
  return npus;
}

std::vector<int> placed(const std::vector<int>& group, const std::vector<int>& placement) {
  std::vector<int> npus;
  for (const int rank : group) {
    if (rank < 0 || rank >= std::ssize(placement))
      throw BadInput(fmt::format("group: worker {} found, the placement has workers 0 to {}", rank,
                                 std::ssize(placement) - 1));
    npus.push_back(placement[rank]);
  }
  return npus;
}

}  // namespace fredsim
