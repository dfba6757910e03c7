// SPDX-License-Identifier: Apache-2.0
// View of a switch's RTL in a waveform viewer: registers and pins, and the internal signals that
// its kind names (SwitchKind::show_control(), show_port()).
//
// A user's own design shows its pins, and the internal signals with the kind's names, at any depth
//   of its hierarchy; all others are in the viewer's tree.
#pragma once

#include <span>

#include "switch/gtkwave_save.h"
#include "switch/wave_scope.h"
#include "topology/topology.h"

namespace fredsim {

class WaveRtlView {
 public:
  // `names`: names in the waveform file, of all its instances; they outlive the view.
  explicit WaveRtlView(std::span<const WaveName> names);

  // Adds nothing for an endpoint, or a switch without RTL in the file.
  void add_control(GtkwaveSave& save, const Node& node) const;
  void add_port(GtkwaveSave& save, const Node& node, int port) const;

 private:
  WaveScope::Names names_;
};

}  // namespace fredsim
