// SPDX-License-Identifier: Apache-2.0
// Order in which a stage of a pipeline runs the lines of a text workload.
//
// Every stage runs all lines. Microbatches (`ga:`): the first stretch of lines that repeats as
//   often, equal in names, collectives and bytes; what comes before it and behind it runs once. A
//   file without such a stretch is one microbatch. Parts (`vpp:`): equal numbers of the lines of a
//   microbatch, which the stages run in turns: part c of stage s hands over to part c of stage
//   s + 1, the last stage to part c + 1 of the first one.
// Forward order: as many microbatches at a time as there are stages; part by part, within a part
//   microbatch by microbatch (Megatron's interleaved order). Backward: the reverse, with sending and
//   receiving exchanged. All forward passes come before all backward passes, as in the file.
// No circle: in the order of steps, and for equal steps of stages, everything waits for what is
//   earlier.
#pragma once

#include <cstdint>
#include <vector>

#include "workload_files/text_workload.h"

namespace fredsim {

struct TextStep {
  enum class Kind : std::uint8_t { kLine, kReceive, kSend };
  Kind kind = Kind::kLine;
  int line = 0;
  // Receive, send: between parts `place` and `place` + 1, counted over the parts of all stages.
  int microbatch = 0;
  int place = 0;
};

struct TextMicrobatches {
  int first = 0;  // line
  int lines = 0;  // of a microbatch
  int count = 1;
};

TextMicrobatches text_microbatches(const TextWorkload& workload);
// Parts of a microbatch, at most as many as it has lines.
int text_parts(const TextWorkload& workload);

// Forward order of a stage.
std::vector<TextStep> text_steps(const TextWorkload& workload, int stage, int stages);

}  // namespace fredsim
