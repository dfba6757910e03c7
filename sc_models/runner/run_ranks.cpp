// SPDX-License-Identifier: Apache-2.0
#include "runner/run_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/error.h"
#include "runner/program_name.h"

namespace fredsim {

namespace {

Ranks* session_ranks = nullptr;

}  // namespace

void set_run_ranks(Ranks* ranks) { session_ranks = ranks; }

Ranks* run_ranks() { return session_ranks; }

void note_ranks(bool quiet) {
  if (session_ranks == nullptr || quiet) return;
  RankTraffic total;
  double most_waited_s = 0;
  for (const RankTraffic& of_rank :
       session_ranks->gather_values(Ranks::Purpose::kResults, session_ranks->traffic())) {
    total.exchanges = std::max(total.exchanges, of_rank.exchanges);
    total.messages += of_rank.messages;
    total.bytes += of_rank.bytes;
    most_waited_s = std::max(most_waited_s, of_rank.waited_s);
  }
  fmt::print(stderr,
             "{}: {} ranks: {} exchanges, {} messages of {:.0f} bytes, up to {:.2f} s waited\n",
             program_name(), session_ranks->size(), total.exchanges, total.messages,
             static_cast<double>(total.bytes) /
                 static_cast<double>(std::max<std::uint64_t>(total.messages, 1)),
             most_waited_s);
}

void refuse_on_ranks(std::string_view option, bool is_given) {
  if (session_ranks == nullptr || !is_given) return;
  throw BadInput(fmt::format("{}: found with {} processes; allowed: in one process", option,
                             session_ranks->size()));
}

}  // namespace fredsim
