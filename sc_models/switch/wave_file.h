// SPDX-License-Identifier: Apache-2.0
// One FST or VCD file with the signals of several RTL instances, distinguished by their instance
// names, and with values of the model itself.
//
// Use: add() every instance and value, open(), then dump() once per clock cycle after all steps,
//   close(). names() lists the recorded signals, for the writer of a save file. Time in the file is
//   in picoseconds. Instances of one file share one RtlContext. A dump shows the registers after
//   the clock edge of that cycle.
// File: an existing file is overwritten in place and keeps its mode, owner and links. It is locked
//   (flock) until it is closed, so that two runs do not write one waveform. Blocks are small, so
//   that closing the file takes a fraction of a second. They are written at the first dump, and
//   then at the first dump of every second: the file of a killed run opens, with all but its last
//   second.
// VCD: if the path ends in .vcd. FILE.vcd.fst is recorded then, and becomes FILE.vcd when it is
//   closed (switch/vcd_file.h); a killed run leaves FILE.vcd.fst.
// Errors: BadInput when the file cannot be opened, is no regular file, or another run writes it;
//   RunFailed when it cannot be written to its end, with the system's reason and the number of
//   bytes written: it is removed, with all of `beside`; likewise without memory, std::bad_alloc.
//   ~WaveFile throws nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "switch/rtl_switch.h"
#include "switch/wave_name.h"

namespace fredsim {

// A value that a dump reads in place.
struct WaveSignal {
  std::string scope;  // path, its parts separated by spaces
  std::string name;
  int bits = 1;  // 1 … 32
  const std::uint32_t* value = nullptr;
};

class WaveFile {
 public:
  using Clock = std::chrono::steady_clock;

  // `beside`: accompanying files, such as the save file. `now`: clock for the times at which blocks
  // go to the file.
  explicit WaveFile(std::string path, std::vector<std::string> beside = {},
                    std::function<Clock::time_point()> now = &Clock::now);
  ~WaveFile();  // closes the file
  WaveFile(const WaveFile&) = delete;
  WaveFile& operator=(const WaveFile&) = delete;

  void add(RtlSwitch& instance);
  void add(std::vector<WaveSignal> signals);  // call once; their values outlive the file
  void open();
  // valid once open; empty without RTL
  const std::vector<WaveName>& names() const { return names_; }
  void dump(std::uint64_t time_ps);
  void end_block();  // call before a gap without dumps
  void close();
  void remove();  // removes it with all beside it

 private:
  struct Callbacks;  // callbacks of the writer for signals_
  class Lock;

  template <typename Action>
  void guarded(const Action& action);
  [[noreturn]] void fail(int error);
  void open_writer();
  void read_names();
  void write_as_vcd();

  std::string path_;
  std::string recorded_;  // path of the FST file
  std::vector<std::string> beside_;
  std::unique_ptr<Lock> lock_;  // lock on the open file
  std::function<Clock::time_point()> now_;
  std::optional<Clock::time_point> block_ended_;
  bool has_failed_ = false;
  std::vector<WaveSignal> signals_;
  std::vector<WaveName> names_;
  bool has_instances_ = false;
  std::uint32_t first_code_ = 0;  // first code of signals_ in the writer
  std::unique_ptr<VerilatedFstC> file_;
};

}  // namespace fredsim
