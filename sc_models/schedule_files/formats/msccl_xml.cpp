// SPDX-License-Identifier: Apache-2.0
// msccl_xml: algorithms of MSCCL, as its tools write them: <algo> with a <gpu> per rank, whose
// thread blocks <tb> have steps <step>.
//
// Thread blocks send to one rank and receive from one, on a channel. Types of steps: s, r, rcs,
//   rrs, rrc, rrcs (r: receive, r: add, c: store, s: send), cpy, re (dst = dst + src) and nop,
//   which only waits. depid and deps name a thread block of the same rank and its last step that
//   has to be done.
// Buffers: i, o, s. inplace="1" lets input and output share memory.
// Document types are refused, so that no entity is ever read.
// Source: the format as msccl-tools writes it, and Cowan et al., MSCCLang, ASPLOS 2023.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <pugixml.hpp>

#include "base/error.h"
#include "base/suggest.h"
#include "schedule_files/detail/collective_words.h"
#include "schedule_files/detail/symbolic_run.h"
#include "schedule_files/schedule_format.h"

namespace fredsim {
namespace {

struct StepType {
  std::string_view name;
  bool receives, adds, stores, sends;
};
constexpr auto kTypes = std::to_array<StepType>({{"s", false, true, false, true},
                                                 {"r", true, false, true, false},
                                                 {"rcs", true, false, true, true},
                                                 {"rrs", true, true, false, true},
                                                 {"rrc", true, true, true, false},
                                                 {"rrcs", true, true, true, true},
                                                 {"cpy", false, true, true, false},
                                                 {"re", false, true, true, false},
                                                 {"nop", false, false, false, false}});

class MscclReader {
 public:
  explicit MscclReader(const ScheduleText& file) : file_(file) {}

  CollectiveSchedule read() {
    parse();
    const pugi::xml_node algo = only(document_, "algo");
    CollectiveSchedule schedule;
    schedule.file = file_.path;
    schedule.name = algo.attribute("name").value();
    program_.file = file_.path;
    program_.collective = collective_of_word(place(algo, "coll"), text(algo, "coll"));
    schedule.collective = program_.collective;
    schedule.ranks = number(algo, "ngpus", 1, kMaxScheduleRanks);
    schedule.root = program_.root =
        algo.attribute("root").empty() ? 0 : number(algo, "root", 0, schedule.ranks - 1);
    const bool in_place = !algo.attribute("inplace").empty() && number(algo, "inplace", 0, 1) == 1;
    program_.ranks.resize(static_cast<std::size_t>(schedule.ranks));
    read_ranks(algo, in_place);
    run_symbolically(program_, schedule);
    return schedule;
  }

 private:
  std::size_t line_at(std::ptrdiff_t offset) const {
    const auto end =
        file_.text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(file_.text));
    return 1 + static_cast<std::size_t>(std::count(file_.text.begin(), end, '\n'));
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const {
    throw BadInput(fmt::format("{}:{}: {}", file_.path, line_at(node.offset_debug()), what));
  }
  std::string place(const pugi::xml_node& node, const char* attribute) const {
    return fmt::format("{}:{}: {} of <{}>", file_.path, line_at(node.offset_debug()), attribute,
                       node.name());
  }

  void parse() {
    const pugi::xml_parse_result result =
        document_.load_buffer(file_.text.data(), file_.text.size(),
                              pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    if (!result)
      throw BadInput(fmt::format("{}:{}: not XML: {}", file_.path, line_at(result.offset),
                                 result.description()));
    for (const pugi::xml_node node : document_.children())
      if (node.type() == pugi::node_doctype)
        throw BadInput(
            fmt::format("{}: found a document type; allowed: none, since its entities "
                        "are never read",
                        file_.path));
  }

  pugi::xml_node only(const pugi::xml_node& parent, const char* name) const {
    const pugi::xml_node node = parent.child(name);
    if (node.empty())
      throw BadInput(fmt::format("{}: found no <{}>; allowed: one", file_.path, name));
    return node;
  }
  std::string text(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (attribute.empty())
      throw BadInput(fmt::format("{}: found none; allowed: one", place(node, name)));
    return attribute.value();
  }
  int number(const pugi::xml_node& node, const char* name, int min, int max) const {
    const std::string found = text(node, name);
    int value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc() || end != found.data() + found.size() || value < min || value > max)
      throw BadInput(
          fmt::format("{}: found '{}'; allowed: {} to {}", place(node, name), found, min, max));
    return value;
  }

  void read_ranks(const pugi::xml_node& algo, bool in_place) {
    const auto ranks = static_cast<int>(program_.ranks.size());
    std::vector<pugi::xml_node> gpus(program_.ranks.size());
    std::int64_t places = 0;
    int input = 0;
    int output = 0;
    for (const pugi::xml_node gpu : algo.children("gpu")) {
      const int rank = number(gpu, "id", 0, ranks - 1);
      if (!gpus[rank].empty())
        throw BadInput(
            fmt::format("{}: found {} twice; allowed: each rank once", place(gpu, "id"), rank));
      gpus[rank] = gpu;
      constexpr const char* kSizes[] = {"i_chunks", "o_chunks", "s_chunks"};
      for (std::size_t b = 0; b < std::size(kSizes); ++b) {
        program_.ranks[rank].chunks[b] = number(gpu, kSizes[b], 0, kMaxBufferChunks);
        places += program_.ranks[rank].chunks[b];
      }
      input = std::max(input, program_.ranks[rank].chunks[0]);
      output = std::max(output, program_.ranks[rank].chunks[1]);
    }
    if (const auto missing = std::ranges::find_if(gpus, &pugi::xml_node::empty);
        missing != gpus.end())
      throw BadInput(fmt::format("{}: found no <gpu> of rank {}; allowed: ranks 0 to {}",
                                 file_.path, missing - gpus.begin(), ranks - 1));
    program_.chunks = chunks_of(program_, input, output);
    if (program_.chunks == 0)
      fail(algo, fmt::format("found i_chunks up to {} and o_chunks up to {}; allowed: above 0, as "
                             "many for each of {} ranks",
                             input, output, ranks));
    check_places(program_, places);
    for (int rank = 0; rank < ranks; ++rank) {
      lay_out(program_.ranks[rank], program_, rank, in_place);
      for (const pugi::xml_node block : gpus[rank].children("tb")) read_block(rank, block);
    }
    for (int rank = 0; rank < ranks; ++rank) check_dependencies(rank, gpus[rank]);
  }

  void read_block(int rank, const pugi::xml_node& node) {
    auto& blocks = program_.ranks[rank].blocks;
    const int block = number(node, "id", 0, kMaxBufferChunks);
    if (block != std::ssize(blocks))
      throw BadInput(fmt::format("{}: found {}; allowed: {}, in ascending order", place(node, "id"),
                                 block, blocks.size()));
    const auto ranks = static_cast<int>(program_.ranks.size());
    const int sends = number(node, "send", -1, ranks - 1);
    const int receives = number(node, "recv", -1, ranks - 1);
    const int channel = number(node, "chan", 0, kMaxBufferChunks);
    std::vector<ProgramStep>& steps = blocks.emplace_back();
    for (const pugi::xml_node step : node.children("step")) {
      const int index = number(step, "s", 0, kMaxPlaces);
      if (index != std::ssize(steps))
        throw BadInput(fmt::format("{}: found {}; allowed: {}, in ascending order",
                                   place(step, "s"), index, steps.size()));
      ProgramStep read = read_step(step);
      read.name = fmt::format("gpu {}, tb {}, step {}", rank, block, index);
      const StepType& type = type_of(step);
      const auto peer = [&](int other, const char* attribute) -> ProgramStep::Message {
        if (other < 0 || other == rank)
          throw BadInput(
              fmt::format("{}: found {}, of a thread block with steps of type {}; "
                          "allowed: another rank",
                          place(node, attribute), other, type.name));
        return {other, channel};
      };
      if (type.receives) read.receives.push_back(peer(receives, "recv"));
      if (type.sends) read.sends.push_back(peer(sends, "send"));
      steps.push_back(std::move(read));
    }
  }

  const StepType& type_of(const pugi::xml_node& node) const {
    const std::string type = text(node, "type");
    const auto found = std::ranges::find(kTypes, type, &StepType::name);
    if (found != kTypes.end()) return *found;
    std::vector<std::string_view> names;
    for (const StepType& known : kTypes) names.push_back(known.name);
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: {}", place(node, "type"), type, join_words(names)));
  }

  ChunkPlace chunk_place(const pugi::xml_node& node, const char* buffer, const char* offset) const {
    const std::string name = text(node, buffer);
    constexpr std::string_view kNames = "ios";
    const std::size_t at = name.size() == 1 ? kNames.find(name[0]) : std::string::npos;
    if (at == std::string::npos)
      throw BadInput(fmt::format("{}: found '{}'; allowed: i, o or s", place(node, buffer), name));
    return {static_cast<ScheduleBuffer>(at), number(node, offset, 0, kMaxBufferChunks)};
  }

  ProgramStep read_step(const pugi::xml_node& node) const {
    const StepType& type = type_of(node);
    ProgramStep step;
    const int block = number(node, "depid", -1, kMaxBufferChunks);
    const int last = number(node, "deps", -1, kMaxPlaces);
    if (block >= 0 && last >= 0) step.after.push_back({block, last});
    if (type.name == "nop") return step;
    step.count = number(node, "cnt", 1, kMaxBufferChunks);
    if (type.adds) step.adds.push_back(chunk_place(node, "srcbuf", "srcoff"));
    if (type.name == "re") step.adds.push_back(chunk_place(node, "dstbuf", "dstoff"));
    if (type.stores) step.stores.push_back(chunk_place(node, "dstbuf", "dstoff"));
    return step;
  }

  void check_dependencies(int rank, const pugi::xml_node& gpu) const {
    const auto& blocks = program_.ranks[rank].blocks;
    for (const std::vector<ProgramStep>& block : blocks)
      for (const ProgramStep& step : block)
        for (const auto& [other, last] : step.after)
          if (other >= std::ssize(blocks) || last >= std::ssize(blocks[other]))
            fail(gpu, fmt::format("{}: found depid {}, deps {}; allowed: a step of this <gpu>",
                                  step.name, other, last));
  }

  const ScheduleText& file_;
  pugi::xml_document document_{};
  StepProgram program_{};
};

bool is_msccl(const ScheduleText& file) {
  const std::size_t first = file.text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != std::string::npos && file.text[first] == '<';
}

}  // namespace

const ScheduleFormat& msccl_xml_format() {
  static const ScheduleFormat format{
      .name = "msccl_xml",
      .meaning = "MSCCL's XML",
      .is = is_msccl,
      .read = [](const ScheduleText& file) { return MscclReader(file).read(); }};
  return format;
}

}  // namespace fredsim
