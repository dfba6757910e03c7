// One FST file with the signals of several RTL instances, told apart by their instance names.
//
// Use: add() every instance, open(), then dump() once per clock cycle after all steps. Time in the
//   file is in picoseconds. Instances of one file share one RtlContext. A dump shows the registers
//   after the clock edge of that cycle.
// Errors: BadInput when the file cannot be written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "switch/rtl_switch.h"

namespace fredsim {

class WaveFile {
 public:
  explicit WaveFile(std::string path);
  ~WaveFile();  // closes the file
  WaveFile(const WaveFile&) = delete;
  WaveFile& operator=(const WaveFile&) = delete;

  void add(RtlSwitch& instance);
  void open();
  void dump(std::uint64_t time_ps);

 private:
  std::string path_;
  std::unique_ptr<VerilatedFstC> file_;
};

}  // namespace fredsim
