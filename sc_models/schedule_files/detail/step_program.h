// SPDX-License-Identifier: Apache-2.0
// Schedule as programs of ranks: thread blocks with steps that send, receive, add and copy chunks
// of buffers. Formats of GPU runtimes are read into it; detail/symbolic_run.h runs it.
//
// Step, in this order: waits for the steps that it names, for tokens, and for data; receives `count`
//   chunks; adds its source chunks to them; stores the outcome in its targets; sends it; gives
//   tokens. Without receiving, the outcome is its source.
// Buffers: the buffers of a rank, each of `chunks` places. Buffers may overlap (in-place collectives):
//   place k of buffer b is place `base[b] + k` of the rank's memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/collective.h"

namespace fredsim {

inline constexpr int kMaxBufferChunks = 1 << 16;  // chunks of a rank
inline constexpr int kMaxPlaces = 1 << 22;        // places of all ranks

enum class ScheduleBuffer : std::uint8_t { kInput, kOutput, kScratch };

struct ChunkPlace {
  ScheduleBuffer buffer = ScheduleBuffer::kInput;
  int offset = 0;
  int rank = -1;  // -1: of the rank itself
};

struct ProgramStep {
  struct Dependency {
    int block = 0, step = 0;
  };
  // Chunks or a token go from a sender to a receiver, in order, by channel.
  struct Message {
    int peer = 0, channel = 0;
  };

  std::string name{};  // place in errors: "gpu 0, tb 1, step 2"
  std::vector<Dependency> after{};
  int count = 0;                    // chunks; 0: nothing moves
  std::vector<Message> receives{};  // at most one
  std::vector<ChunkPlace> adds{};   // added to what is received, or to the first of them
  std::vector<ChunkPlace> stores{};
  std::vector<Message> sends{};
  std::vector<Message> takes{}, gives{};  // tokens
  bool waits_for_data = false;            // at all places that it adds
};

struct RankProgram {
  std::array<int, 3> chunks{};                     // by buffer
  std::array<int, 3> base{};                       // by buffer
  int memory = 0;                                  // places
  std::vector<std::vector<ProgramStep>> blocks{};  // thread blocks
};

struct StepProgram {
  std::string file;
  Collective collective = Collective::kAllReduce;
  int root = 0;
  int chunks = 1;  // chunks of the vector, or of each block
  std::vector<RankProgram> ranks{};
  struct Token {
    int from = 0, to = 0, channel = 0;
  };
  std::vector<Token> tokens{};  // there at the start
};

// Lays out the memory of a rank: buffers one after the other, or as an in-place collective has
// them.
void lay_out(RankProgram& program, const StepProgram& of, int rank, bool in_place);
// Chunks of the vector, or of each rank's block, from the longest input and output of a rank; 0:
// none, or not as many for each rank.
int chunks_of(const StepProgram& program, int input, int output);
// Errors: BadInput for a program with more than kMaxPlaces places, or that the collective makes
// larger.
void check_places(const StepProgram& program, std::int64_t places);
// Chunks of each rank's input and output.
int input_chunks(const StepProgram& program, int rank);
int output_chunks(const StepProgram& program, int rank);

}  // namespace fredsim
