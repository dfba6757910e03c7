// SPDX-License-Identifier: Apache-2.0
// A scope in the hierarchy of a waveform file, and the signals in it that a viewer shows
// (switch/gtkwave_save.h).
//
// Missing signals are left out, so that a user's own design shows the signals with the expected
// names. Vectors that hold a value per port or virtual channel are split, each value under a name
// of its own.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "switch/gtkwave_save.h"
#include "switch/wave_name.h"

namespace fredsim {

class WaveScope {
 public:
  using Names = std::map<std::string, const WaveName*, std::less<>>;  // key: path

  // `path`: "l1_0.s0.", with the dot. Names and save outlive the scope.
  WaveScope(const Names& names, GtkwaveSave& save, std::string path)
      : names_(names), save_(save), path_(std::move(path)) {}

  WaveScope inside(const std::string& part) const { return {names_, save_, path_ + part + "."}; }
  // The outermost module here, at any depth, that has a part of this name; no value: there is none.
  std::optional<WaveScope> around(const std::string& part) const;

  void show(TraceFormat format, const std::string& signal) const;
  void show(TraceNames as, const std::string& signal) const;
  // Shows one of `of` values of equal width in a vector, the first one lowest.
  void show(TraceFormat format, const std::string& title, const std::string& signal, int index,
            int of) const;
  void show(TraceNames as, const std::string& title, const std::string& signal, int index,
            int of) const;
  // Shows `count` bits from bit `lowest` on of such a value.
  void show_bits(TraceFormat format, const std::string& title, const std::string& signal, int index,
                 int of, int lowest, int count) const;

 private:
  const WaveName* find(const std::string& signal) const;

  const Names& names_;
  GtkwaveSave& save_;
  std::string path_;
};

// A group for each virtual channel.
void show_each_vc(GtkwaveSave& save, const std::function<void(int vc)>& show);

}  // namespace fredsim
