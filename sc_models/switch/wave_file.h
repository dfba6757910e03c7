// One FST file with the signals of several RTL instances, told apart by their instance names, and
// with values of the model itself.
//
// Use: add() every instance and value, open(), then dump() once per clock cycle after all steps. names()
//   tells what there is to look at, for who writes a save file beside it. Time
//   in the file is in picoseconds. Instances of one file share one RtlContext. A dump shows the
//   registers after the clock edge of that cycle.
// Errors: BadInput when the file cannot be written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "switch/rtl_switch.h"
#include "switch/wave_name.h"

namespace fredsim {

// A value that a dump reads where it is.
struct WaveSignal {
  std::string scope;  // path, its parts separated by spaces
  std::string name;
  int bits = 1;  // 1 … 32
  const std::uint32_t* value = nullptr;
};

class WaveFile {
 public:
  explicit WaveFile(std::string path);
  ~WaveFile();  // closes the file
  WaveFile(const WaveFile&) = delete;
  WaveFile& operator=(const WaveFile&) = delete;

  void add(RtlSwitch& instance);
  void add(std::vector<WaveSignal> signals);  // once; their values outlive the file
  void open();
  const std::vector<WaveName>& names() const { return names_; }  // once open; empty without RTL
  void dump(std::uint64_t time_ps);

 private:
  struct Callbacks;  // what the writer calls for signals_

  void read_names();

  std::string path_;
  std::vector<WaveSignal> signals_;
  std::vector<WaveName> names_;
  bool has_instances_ = false;
  std::uint32_t first_code_ = 0;  // of signals_, in the writer
  std::unique_ptr<VerilatedFstC> file_;
};

}  // namespace fredsim
