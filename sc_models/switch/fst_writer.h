// SPDX-License-Identifier: Apache-2.0
// Verilator's writer of FST files, adapted to full disks and to existing files.
//
// The writer comes with Verilator as a source that its runtime includes (verilated_fst_c.cpp);
// fst_writer.cpp builds it on top of other file functions:
// - An existing file is overwritten in place, so that it keeps its mode, owner and links.
// - Temporary data beside the waveform is in memory: no FILE.hier, no files in /tmp.
// - Disk errors are thrown. The original goes on, and maps missing pages at the end (SIGBUS).
// - Lack of memory is thrown as std::bad_alloc. The original goes on.
// - Value changes are written in blocks of a configured size. The original has blocks of 128 MB,
//   which take seconds.
// - The hierarchy of the signals is before the first block, not behind the last one: a file that
//   was never closed has it, and opens with all of its complete blocks.
// Errors: std::system_error, but only while the thread has an FstErrors, since destructors close
//   the writer, too. Without one errors are ignored, and the file is truncated.
#pragma once

#include <cstddef>

class VerilatedFst;

namespace fredsim {

class FstErrors {
 public:
  FstErrors();
  ~FstErrors();
  FstErrors(const FstErrors&) = delete;
  FstErrors& operator=(const FstErrors&) = delete;
};

// Sets the bytes of value changes that an open writer collects; the minimum is a multiple of the
// size of all values.
void limit_fst_blocks(VerilatedFst& writer, std::size_t bytes);

// Puts the hierarchy at the head of a newly opened file.
void write_fst_hierarchy(VerilatedFst& writer);

// Makes all value changes so far a complete block of the file. Call between the values of two
// times.
void end_fst_block(VerilatedFst& writer);

}  // namespace fredsim
