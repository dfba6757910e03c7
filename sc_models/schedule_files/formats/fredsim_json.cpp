// SPDX-License-Identifier: Apache-2.0
// fredsim_json: the program's own format, as `info --plan` writes it and people write it by hand
// (docs/user/schedules.md).
//
// Keys: fredsim_schedule (version, 1), collective, ranks, flows; optional name, root, chunks,
//   window, window_is_fixed, packet_order. Flows have share ([begin, end, of]) or chunk (a number
//   below `chunks`), and block, source, slice, sums, results or operands, as in
//   schedule_files/schedule.h. A hop is [from, to] or [from, to, "mp"].
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/suggest.h"
#include "schedule_files/detail/collective_words.h"
#include "schedule_files/detail/json_text.h"
#include "schedule_files/schedule_format.h"

namespace fredsim {
namespace {

constexpr int kMaxWindow = 1 << 20;
constexpr int kMaxSlices = 64;

class FredsimReader {
 public:
  explicit FredsimReader(const ScheduleText& file) : file_(file) {}

  CollectiveSchedule read() {
    const PlainJson all = parse_json(file_);
    const JsonPlace top(file_.path, all);
    top.allow({"fredsim_schedule", "name", "collective", "ranks", "root", "chunks", "window",
               "window_is_fixed", "packet_order", "flows"});
    top.number("fredsim_schedule", 1, 1);
    CollectiveSchedule schedule;
    schedule.file = file_.path;
    if (top.has("name")) schedule.name = top.text("name");
    schedule.collective = collective_of_word(file_.path + ": collective", top.text("collective"));
    ranks_ = schedule.ranks = static_cast<int>(top.number("ranks", 1, kMaxScheduleRanks));
    if (top.has("root")) schedule.root = static_cast<int>(top.number("root", 0, last_rank()));
    if (top.has("chunks")) chunks_ = top.number("chunks", 1, kMaxShares);
    if (top.has("window")) schedule.window = static_cast<int>(top.number("window", 1, kMaxWindow));
    if (top.has("window_is_fixed")) schedule.window_is_fixed = top.flag("window_is_fixed");
    if (top.has("packet_order")) schedule.packet_order = top.flag("packet_order");
    for (const JsonPlace& flow : top.list("flows"))
      schedule.flows.push_back(flow_of(flow, schedule.collective));
    return schedule;
  }

 private:
  std::uint64_t last_rank() const { return static_cast<std::uint64_t>(ranks_) - 1; }

  ScheduleFlow flow_of(const JsonPlace& from, Collective collective) const {
    from.allow({"share", "chunk", "block", "source", "slice", "sums", "results", "operands"});
    ScheduleFlow flow;
    if (has_blocks(collective)) flow.block = static_cast<int>(from.number("block", 0, last_rank()));
    if (collective == Collective::kAllToAll)
      flow.source = static_cast<int>(from.number("source", 0, last_rank()));
    if (from.has("chunk")) {
      flow.begin = from.number("chunk", 0, chunks_ - 1);
      flow.end = flow.begin + 1;
      flow.of = chunks_;
    } else if (from.has("share")) {
      const std::vector<JsonPlace> share = from.list("share");
      if (share.size() != 3) from.fail("share", "three numbers, [begin, end, of]");
      flow.of = share[2].number(1, kMaxShares);
      flow.end = share[1].number(1, flow.of);
      flow.begin = share[0].number(0, flow.end - 1);
    }
    if (from.has("slice")) flow.slice = static_cast<int>(from.number("slice", 0, kMaxSlices));
    if (from.has("sums")) flow.sums = hops_of(from.list("sums"));
    if (from.has("results")) flow.results = hops_of(from.list("results"));
    if (from.has("operands"))
      for (const JsonPlace& hops : from.list("operands"))
        flow.operands.push_back(hops_of(hops.list()));
    return flow;
  }

  std::vector<ScheduleHop> hops_of(const std::vector<JsonPlace>& list) const {
    std::vector<ScheduleHop> hops;
    for (const JsonPlace& place : list) {
      const std::vector<JsonPlace> hop = place.list();
      if (hop.size() != 2 && hop.size() != 3) place.fail("", "[from, to] or [from, to, \"mp\"]");
      ScheduleHop& read = hops.emplace_back();
      read.from = static_cast<int>(hop[0].number(0, last_rank()));
      read.to = static_cast<int>(hop[1].number(0, last_rank()));
      if (hop.size() == 3) read.vc = hop[2].parsed(parse_priority);
    }
    return hops;
  }

  const ScheduleText& file_;
  int ranks_ = 1;
  std::uint64_t chunks_ = 1;
};

}  // namespace

const ScheduleFormat& fredsim_json_format() {
  static const ScheduleFormat format{
      .name = "fredsim_json",
      .meaning = "a file of info --plan",
      .is =
          [](const ScheduleText& file) {
            return file.text.find("\"fredsim_schedule\"") != std::string::npos;
          },
      .read = [](const ScheduleText& file) { return FredsimReader(file).read(); }};
  return format;
}

}  // namespace fredsim
