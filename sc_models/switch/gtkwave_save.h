// SPDX-License-Identifier: Apache-2.0
// The text of a GTKWave save file: groups of traces, their formats, and names in place of numbers.
//
// Use: group() around related traces, with trace(), named() and bits() in it. A group without a
//   trace is left out. Names are as in the waveform file, "[7:0]" included.
// Filters: files of names by value (write_filters()), beside the waveform file, with its name.
// Errors: BadInput when a file cannot be opened for writing, RunFailed when writing it fails.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "switch/wave_name.h"

namespace fredsim {

// Names behind STEM of all files that GtkwaveSave may write.
std::vector<std::string> gtkwave_extensions();

enum class TraceFormat : std::uint8_t { kBinary, kHex, kDecimal };
enum class TraceNames : std::uint8_t { kVc, kPhase, kDirection };

class GtkwaveSave {
 public:
  // `stem`: path of the waveform file without ".fst". `settings`: viewer settings, the lines that a
  // save file opens with.
  GtkwaveSave(std::filesystem::path stem, std::string settings)
      : stem_(std::move(stem)), text_(std::move(settings)) {}

  template <typename Contents>
  void group(const std::string& name, bool open, const Contents& contents) {
    const std::size_t before = text_.size();
    begin_group(name, open);
    const std::size_t empty = text_.size();
    contents();
    if (text_.size() == empty) {
      text_.resize(before);
    } else {
      end_group(name, open);
    }
  }
  void trace(TraceFormat format, const std::string& name);
  void named(TraceNames names, const std::string& name);
  // Shows `count` bits of a wider signal, from bit `lowest`, under a name of their own.
  void bits(TraceFormat format, const std::string& title, const WaveName& of, int lowest,
            int count);
  void named_bits(TraceNames names, const std::string& title, const WaveName& of, int lowest,
                  int count);

  void write() const;  // STEM.gtkw and its filters

 private:
  void begin_group(const std::string& name, bool open);
  void end_group(const std::string& name, bool open);
  std::filesystem::path filter(TraceNames names) const;
  std::filesystem::path beside(const std::string& extension) const;

  std::filesystem::path stem_;
  std::string text_;
};

}  // namespace fredsim
