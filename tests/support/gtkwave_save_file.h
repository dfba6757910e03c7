// SPDX-License-Identifier: Apache-2.0
// GTKWave save files read back: their groups, and the signals behind every trace.
#pragma once

#include <string>
#include <vector>

#include "support/vcd.h"

namespace fredsim {

// A signal, or one bit of it.
struct SavedPiece {
  std::string path;   // scopes and name with dots between
  std::string range;  // "[7:0]", empty of a signal of one bit
  int bit = -1;       // counted from the most significant one; -1: all of them
};

struct SavedTrace {
  std::vector<std::string> groups;  // it stands in, the outermost first
  std::string title;                // its alias, else the signal's name
  std::string filter;               // file of names, empty without
  std::vector<SavedPiece> pieces;   // most significant first
  std::string group_path() const;   // "outer/inner"
};

struct SaveFile {
  std::vector<SavedTrace> traces;
  std::vector<std::string> open_groups;  // groups that no line closes
};

SaveFile read_save_file(const std::string& text);

// Problems that keep GTKWave from showing all of a save file on a waveform with these signals;
// empty: none.
std::vector<std::string> problems_of(const SaveFile& save, const std::vector<VcdName>& names);

// Problems of a committed save file, at `path`: also problems that keep it from being used from the
// top of any checkout.
std::vector<std::string> problems_of_committed(const std::string& path,
                                               const std::vector<VcdName>& names);

}  // namespace fredsim
