// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/detail/step_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "schedule_files/schedule.h"

namespace fredsim {

int chunks_of(const StepProgram& program, int input, int output) {
  const auto ranks = static_cast<int>(program.ranks.size());
  const auto share = [&](int all) { return all % ranks == 0 ? all / ranks : 0; };
  switch (program.collective) {
    case Collective::kAllToAll:
      return share(std::max(input, output));
    case Collective::kAllGather:
    case Collective::kGather:
      return output > 0 ? share(output) : input;
    case Collective::kReduceScatter:
    case Collective::kScatter:
      return input > 0 ? share(input) : output;
    default:
      return std::max(input, output);
  }
}

void check_places(const StepProgram& program, std::int64_t places) {
  const std::int64_t least = std::ssize(program.ranks) * (input_chunks(program, program.root) +
                                                          output_chunks(program, program.root));
  if (std::max(places, least) > kMaxPlaces)
    throw BadInput(fmt::format("{}: found {} chunks at all ranks; allowed: {}", program.file,
                               std::max(places, least), kMaxPlaces));
}

int input_chunks(const StepProgram& program, int rank) {
  const auto ranks = static_cast<int>(program.ranks.size());
  switch (program.collective) {
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
      return ranks * program.chunks;
    case Collective::kScatter:
      return rank == program.root ? ranks * program.chunks : 0;
    case Collective::kBroadcast:
    case Collective::kMulticast:
      return rank == program.root ? program.chunks : 0;
    default:
      return program.chunks;
  }
}

int output_chunks(const StepProgram& program, int rank) {
  const auto ranks = static_cast<int>(program.ranks.size());
  switch (program.collective) {
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return ranks * program.chunks;
    case Collective::kGather:
      return rank == program.root ? ranks * program.chunks : 0;
    case Collective::kReduce:
      return rank == program.root ? program.chunks : 0;
    default:
      return program.chunks;
  }
}

void lay_out(RankProgram& program, const StepProgram& of, int rank, bool in_place) {
  constexpr auto kInput = static_cast<std::size_t>(ScheduleBuffer::kInput);
  constexpr auto kOutput = static_cast<std::size_t>(ScheduleBuffer::kOutput);
  constexpr auto kScratch = static_cast<std::size_t>(ScheduleBuffer::kScratch);
  auto& chunks = program.chunks;
  chunks[kInput] = std::max(chunks[kInput], input_chunks(of, rank));
  chunks[kOutput] = std::max(chunks[kOutput], output_chunks(of, rank));
  if (in_place && !has_blocks(of.collective))
    chunks[kInput] = chunks[kOutput] = std::max(chunks[kInput], chunks[kOutput]);
  program.base = {0, in_place ? 0 : chunks[kInput], 0};
  if (in_place && of.collective == Collective::kAllGather) program.base[kInput] = rank * of.chunks;
  if (in_place && of.collective == Collective::kReduceScatter)
    program.base[kOutput] = rank * of.chunks;
  program.base[kScratch] =
      std::max(program.base[kInput] + chunks[kInput], program.base[kOutput] + chunks[kOutput]);
  program.memory = program.base[kScratch] + chunks[kScratch];
}

}  // namespace fredsim
