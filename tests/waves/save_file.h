// GTKWave save files for tests: what a .gtkw names.
#pragma once

#include <string>
#include <vector>

#include "vcd.h"

namespace fredsim {

struct SavedSignal {
  std::string path;  // scopes and name with dots between
  int bits = 1;      // as its range says
};

struct SaveFile {
  std::vector<SavedSignal> signals;
  std::vector<std::string> filters;      // translate filter files
  std::vector<std::string> open_groups;  // that no line closes
};

SaveFile read_save_file(const std::string& path);

// What keeps GTKWave, started at the top of the checkout, from showing all of the save file on a waveform with
// these signals, or another checkout from using it; empty: nothing.
std::vector<std::string> problems_of(const std::string& path, const std::vector<VcdName>& names);

}  // namespace fredsim
