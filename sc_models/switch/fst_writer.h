// SPDX-License-Identifier: Apache-2.0
// Verilator's writer of FST files, made fit for disks that may be full and files that others may have.
//
// The writer comes with Verilator as a source that its runtime includes (verilated_fst_c.cpp); fst_writer.cpp builds it with
// other functions for files below it:
// - A file that is there is written in its place, so that it keeps its mode, owner and links.
// - What the writer needs beside the waveform is in memory: no FILE.hier, nothing in /tmp.
// - Errors of the disk are thrown, where the writer would go on and at the end map what is not there (SIGBUS).
// - Memory that there is not is thrown as std::bad_alloc, where the writer would go on.
// - Value changes go to the file in blocks of a size that is asked for, in place of 128 MB, which take seconds.
// - The hierarchy of the signals is put in front of the first block, not behind the last one: a file that was never closed has it,
//   and opens with all of its complete blocks.
// Errors: std::system_error, only while an FstErrors lives on the thread: the writer is closed by destructors, too. Without
//   one they are passed over, and the file is short.
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

// Sets the bytes of value changes that an open writer collects, but at least some times as much as all values take.
void limit_fst_blocks(VerilatedFst& writer, std::size_t bytes);

// Puts the hierarchy at the head of a file that was just opened.
void write_fst_hierarchy(VerilatedFst& writer);

// Makes all value changes so far a complete block of the file. Between the values of two times.
void end_fst_block(VerilatedFst& writer);

}  // namespace fredsim
