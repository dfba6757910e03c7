// SPDX-License-Identifier: Apache-2.0
// mscclpp_json: execution plans of MSCCL++, as its language writes them.
//
// Operations go from src_buff to dst_buff, each a list of places, with a buffer type (this rank's)
//   or a buffer_id (another rank's, of remote_buffers):
//   put, pws, pwsf, ppkt, rppkt, get, copy, cpkt, upkt   copies, to all targets
//   re, repkt, recpkt, res, respkt, recspkt, rre, rres   sums of all sources, to all targets
//   signal, rlxsignal, wait, rlxwait (and pws, pwsf)     tokens on channels, by channel_ids
//   sem_acquire, sem_release, barrier                    within a rank
//   nop, flush                                           nothing to do here
//   pipeline                                             its operations, once
// Packets: an operation on packets waits for the data that it reads.
// Channels of two ranks and one type are joined in the order in which both list them.
// Thread block groups: the first thread block does all of an operation.
// Refused: sums in switches (gstore, glre, glres), and plans without input_chunks, of older
//   versions.
// Source: MSCCL++ DSL, Execution plan (documentation of MSCCL++ 0.8).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "schedule_files/detail/collective_words.h"
#include "schedule_files/detail/json_text.h"
#include "schedule_files/detail/symbolic_run.h"
#include "schedule_files/schedule_format.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMaxIds = 1U << 16U;
constexpr int kMaxOperations = 1 << 20;

enum class Does : std::uint8_t { kNothing, kCopies, kAdds, kSignals, kWaits, kAcquires, kReleases };
struct Operation {
  std::string_view name;
  Does does;
  bool of_packets = false;  // waits for what it reads
  bool signals = false;     // after its copy
};
constexpr auto kOperations = std::to_array<Operation>({{"nop", Does::kNothing},
                                                       {"flush", Does::kNothing},
                                                       {"barrier", Does::kNothing},
                                                       {"pipeline", Does::kNothing},
                                                       {"put", Does::kCopies},
                                                       {"pws", Does::kCopies, false, true},
                                                       {"pwsf", Does::kCopies, false, true},
                                                       {"ppkt", Does::kCopies},
                                                       {"rppkt", Does::kCopies, true},
                                                       {"get", Does::kCopies},
                                                       {"copy", Does::kCopies},
                                                       {"cpkt", Does::kCopies},
                                                       {"upkt", Does::kCopies, true},
                                                       {"re", Does::kAdds},
                                                       {"repkt", Does::kAdds, true},
                                                       {"recpkt", Does::kAdds, true},
                                                       {"res", Does::kAdds},
                                                       {"respkt", Does::kAdds, true},
                                                       {"recspkt", Does::kAdds, true},
                                                       {"rre", Does::kAdds},
                                                       {"rres", Does::kAdds},
                                                       {"signal", Does::kSignals},
                                                       {"rlxsignal", Does::kSignals},
                                                       {"wait", Does::kWaits},
                                                       {"rlxwait", Does::kWaits},
                                                       {"sem_acquire", Does::kAcquires},
                                                       {"sem_release", Does::kReleases}});

class MscclppReader {
 public:
  explicit MscclppReader(const ScheduleText& file) : file_(file) {}

  CollectiveSchedule read() {
    const PlainJson all = parse_json(file_);
    const JsonPlace top(file_.path, all);
    CollectiveSchedule schedule;
    schedule.file = program_.file = file_.path;
    if (top.has("name")) schedule.name = top.text("name");
    schedule.collective = program_.collective =
        collective_of_word(file_.path + ": collective", top.text("collective"));
    const std::vector<JsonPlace> gpus = top.list("gpus");
    if (gpus.empty() || std::ssize(gpus) > kMaxScheduleRanks)
      top.fail("gpus", fmt::format("1 to {}", kMaxScheduleRanks));
    schedule.ranks = static_cast<int>(gpus.size());
    read_sizes(top, gpus, top.has("inplace") && top.flag("inplace"));
    read_channels(gpus);
    for (int rank = 0; rank < schedule.ranks; ++rank) read_rank(rank, gpus[rank]);
    run_symbolically(program_, schedule);
    return schedule;
  }

 private:
  int ranks() const { return static_cast<int>(program_.ranks.size()); }

  void read_sizes(const JsonPlace& top, const std::vector<JsonPlace>& gpus, bool in_place) {
    constexpr const char* kSizes[] = {"input_chunks", "output_chunks", "scratch_chunks"};
    program_.ranks.resize(gpus.size());
    std::int64_t places = 0;
    int input = 0;
    int output = 0;
    for (int rank = 0; rank < ranks(); ++rank) {
      gpus[rank].number("id", static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(rank));
      auto& chunks = program_.ranks[rank].chunks;
      for (std::size_t b = 0; b < std::size(kSizes); ++b) {
        chunks[b] = static_cast<int>(gpus[rank].number(kSizes[b], 0, kMaxBufferChunks));
        places += chunks[b];
      }
      input = std::max(input, chunks[0]);
      output = std::max(output, chunks[1]);
    }
    program_.chunks = chunks_of(program_, input, output);
    if (program_.chunks == 0)
      top.fail("gpus", fmt::format("input_chunks and output_chunks above 0 that are as many for "
                                   "each of {} ranks",
                                   ranks()));
    check_places(program_, places);
    for (int rank = 0; rank < ranks(); ++rank)
      lay_out(program_.ranks[rank], program_, rank, in_place);
  }

  // The other rank of a channel, and its number among the channels of the two.
  struct End {
    int peer = 0, number = 0;
  };
  using Ends = std::map<std::pair<std::string, int>, End>;

  // Older plans call the type of a channel `type`.
  static std::string type_of(const JsonPlace& channels) {
    return channels.has("channel_type") ? channels.text("channel_type") : channels.text("type");
  }

  void read_channels(const std::vector<JsonPlace>& gpus) {
    for (int rank = 0; rank < ranks(); ++rank) {
      Ends& ends = ends_.emplace_back();
      std::map<std::pair<std::string, int>, int> of_pair;
      if (!gpus[rank].has("channels")) continue;
      for (const JsonPlace& channels : gpus[rank].list("channels")) {
        const std::string type = type_of(channels);
        if (type == "switch")
          channels.fail("", "channels of memory or port: sums in switches have no schedule");
        int id = 0;
        for (const JsonPlace& to : channels.list("connected_to")) {
          const int peer = static_cast<int>(to.number(0, static_cast<std::uint64_t>(ranks()) - 1));
          ends[{type, id++}] = {peer, of_pair[{type, peer}]++};
        }
      }
    }
  }

  // Number of a channel, or of a semaphore, for tokens: distinct for all types.
  int token_channel(const std::string& type, int number) {
    return tokens_.emplace(std::pair(type, number), static_cast<int>(tokens_.size())).first->second;
  }

  void read_rank(int rank, const JsonPlace& gpu) {
    remote_.clear();
    if (gpu.has("remote_buffers"))
      for (const JsonPlace& buffer : gpu.list("remote_buffers")) {
        ChunkPlace place{buffer_of(buffer)};
        place.rank =
            static_cast<int>(buffer.number("rank", 0, static_cast<std::uint64_t>(ranks()) - 1));
        remote_.push_back(place);
      }
    if (gpu.has("semaphores")) read_semaphores(rank, gpu.list("semaphores"));
    barriers_.clear();
    int number = 0;
    for (const JsonPlace& block : gpu.list("threadblocks")) {
      refs_.clear();
      if (block.has("remote_buffer_refs"))
        for (const JsonPlace& refs : block.list("remote_buffer_refs"))
          for (const JsonPlace& id : refs.list("remote_buffer_ids"))
            refs_[access_type(refs)].push_back(static_cast<int>(id.number(0, kMaxIds)));
      channels_.clear();
      if (block.has("channels"))
        for (const JsonPlace& channels : block.list("channels"))
          for (const JsonPlace& id : channels.list("channel_ids"))
            channels_[channels.text("channel_type")].push_back(
                static_cast<int>(id.number(0, kMaxIds)));
      program_.ranks[rank].blocks.emplace_back();
      read_operations(rank, number++, block.list("ops"));
    }
    add_barriers(rank);
  }

  static std::string access_type(const JsonPlace& refs) { return refs.text("access_channel_type"); }

  void read_semaphores(int rank, const std::vector<JsonPlace>& semaphores) {
    int id = 0;
    for (const JsonPlace& semaphore : semaphores) {
      const std::uint64_t tokens =
          semaphore.has("init_value") ? semaphore.number("init_value", 0, kMaxIds) : 0;
      for (std::uint64_t k = 0; k < tokens; ++k)
        program_.tokens.push_back({rank, rank, token_channel("semaphore", id)});
      ++id;
    }
  }

  void read_operations(int rank, int block, const std::vector<JsonPlace>& operations) {
    for (const JsonPlace& from : operations) {
      if (++operations_ > kMaxOperations)
        from.fail("", fmt::format("at most {} operations", kMaxOperations));
      const std::string name = from.text("name");
      const auto operation = std::ranges::find(kOperations, name, &Operation::name);
      if (operation == kOperations.end()) {
        std::vector<std::string_view> names;
        for (const Operation& known : kOperations) names.push_back(known.name);
        from.fail("name", join_words(names));
      }
      if (name == "pipeline") {
        read_operations(rank, block, from.list("ops"));
        continue;
      }
      std::vector<ProgramStep>& steps = program_.ranks[rank].blocks[block];
      if (name == "barrier")
        barriers_[static_cast<int>(from.number("barrier_id", 0, kMaxIds))].emplace_back(
            block, static_cast<int>(steps.size()));
      ProgramStep step = step_of(rank, *operation, from);
      step.name =
          fmt::format("gpu {}, threadblock {}, op {} ({})", rank, block, steps.size(), name);
      steps.push_back(std::move(step));
    }
  }

  ProgramStep step_of(int rank, const Operation& operation, const JsonPlace& from) {
    ProgramStep step;
    const bool is_second =
        from.has("tbg_info") && from.at("tbg_info").number("tb_id", 0, kMaxIds) > 0;
    if (operation.does == Does::kCopies || operation.does == Does::kAdds) {
      if (!is_second) read_places(from, operation, step);
    }
    if (operation.does == Does::kSignals || operation.signals || operation.does == Does::kWaits)
      read_tokens(rank, operation.does == Does::kWaits, from, step);
    if (operation.does == Does::kAcquires || operation.does == Does::kReleases)
      for (const JsonPlace& id : from.list("semaphore_ids")) {
        const ProgramStep::Message token{
            rank, token_channel("semaphore", static_cast<int>(id.number(0, kMaxIds)))};
        (operation.does == Does::kAcquires ? step.takes : step.gives).push_back(token);
      }
    return step;
  }

  void read_tokens(int rank, bool waits, const JsonPlace& from, ProgramStep& step) {
    const std::string type = from.text("channel_type");
    for (const JsonPlace& id : from.list("channel_ids")) {
      const auto number = static_cast<std::size_t>(id.number(0, kMaxIds));
      const std::vector<int>& own = channels_[type];
      if (number >= own.size())
        id.fail("", fmt::format("0 to {}, the channels of the thread block",
                                static_cast<std::ptrdiff_t>(own.size()) - 1));
      const auto end = ends_[rank].find({type, own[number]});
      if (end == ends_[rank].end()) id.fail("", "a channel of the gpu");
      (waits ? step.takes : step.gives)
          .push_back({end->second.peer, token_channel(type, end->second.number)});
    }
  }

  void read_places(const JsonPlace& from, const Operation& operation, ProgramStep& step) {
    const std::vector<JsonPlace> sources = from.list("src_buff");
    const std::vector<JsonPlace> targets = from.list("dst_buff");
    if (sources.empty()) from.fail("src_buff", "a list of places");
    if (targets.empty()) from.fail("dst_buff", "a list of places");
    step.count = static_cast<int>(sources.front().number("size", 1, kMaxBufferChunks));
    step.waits_for_data = operation.of_packets;
    for (const JsonPlace& source : sources) step.adds.push_back(place_of(source, from, step.count));
    if (operation.does == Does::kCopies && sources.size() != 1) from.fail("src_buff", "one place");
    for (const JsonPlace& target : targets)
      step.stores.push_back(place_of(target, from, step.count));
  }

  ChunkPlace place_of(const JsonPlace& from, const JsonPlace& operation, int count) {
    ChunkPlace place;
    if (from.has("buffer_id")) {
      const auto id = static_cast<std::size_t>(from.number("buffer_id", 0, kMaxIds));
      const std::vector<int>& refs = refs_[operation.text("channel_type")];
      if (id >= refs.size() || static_cast<std::size_t>(refs[id]) >= remote_.size())
        from.fail("buffer_id", "a remote buffer of the thread block");
      place = remote_[static_cast<std::size_t>(refs[id])];
    } else {
      place.buffer = buffer_of(from);
    }
    place.offset = static_cast<int>(from.number("index", 0, kMaxBufferChunks));
    if (from.number("size", 1, kMaxBufferChunks) != static_cast<std::uint64_t>(count))
      from.fail("size", fmt::format("{}, as many chunks as the first source", count));
    return place;
  }

  static ScheduleBuffer buffer_of(const JsonPlace& from) {
    const std::string type = from.text("type");
    constexpr std::string_view kNames = "ios";
    const std::size_t at = type.size() == 1 ? kNames.find(type[0]) : std::string::npos;
    if (at == std::string::npos) from.fail("type", "i, o or s");
    return static_cast<ScheduleBuffer>(at);
  }

  // A barrier waits for all before it in the other thread blocks; barriers of one number meet as
  // often as each has it.
  void add_barriers(int rank) {
    auto& blocks = program_.ranks[rank].blocks;
    for (const auto& [id, all] : barriers_) {
      std::map<int, int> seen;  // by thread block
      std::map<int, std::vector<std::pair<int, int>>> rounds;
      for (const auto& [block, step] : all) rounds[seen[block]++].emplace_back(block, step);
      for (const auto& [round, meeting] : rounds)
        for (const auto& [block, step] : meeting)
          for (const auto& [other, last] : meeting)
            if (other != block && last > 0) blocks[block][step].after.push_back({other, last - 1});
    }
  }

  const ScheduleText& file_;
  StepProgram program_{};
  std::vector<Ends> ends_{};  // by rank
  std::map<std::pair<std::string, int>, int> tokens_{};
  int operations_ = 0;
  // State of the rank and of the thread block that is read.
  std::vector<ChunkPlace> remote_{};
  std::map<int, std::vector<std::pair<int, int>>> barriers_{};   // thread block and step, by number
  std::map<std::string, std::vector<int>> refs_{}, channels_{};  // by type of channel
};

}  // namespace

const ScheduleFormat& mscclpp_json_format() {
  static const ScheduleFormat format{
      .name = "mscclpp_json",
      .meaning = "an execution plan of MSCCL++",
      .is =
          [](const ScheduleText& file) {
            return file.path.ends_with(".json") && file.text.find("\"gpus\"") != std::string::npos;
          },
      .read = [](const ScheduleText& file) { return MscclppReader(file).read(); }};
  return format;
}

}  // namespace fredsim
