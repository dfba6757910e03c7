// What a viewer is to show of the inside of a switch's RTL: its registers by port, virtual channel and
// flow, for fred_switch (rtl/fred/fred_*.sv) and mesh_router (rtl/mesh/mesh_*.sv).
//
// Vectors that hold a value per port or virtual channel are cut up, each value under a name of its own.
//   A design of a user's own shows its pins, and of its inside whatever has our names, at any depth of
//   its hierarchy; all else is in the viewer's tree.
// Tests hold that everything named here exists in the RTL that is built.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/gtkwave_save.h"
#include "switch/wave_file.h"

namespace fredsim {

class WaveRtlView {
 public:
  // `names`: of the waveform file, of all instances in it; they outlive the view.
  explicit WaveRtlView(std::span<const WaveName> names);

  // Nothing where the instance has no RTL in the file. `ports`: of the switch.
  void add_control(GtkwaveSave& save, const std::string& instance, int ports) const;
  void add_port(GtkwaveSave& save, const std::string& instance, int port, int ports) const;

 private:
  using Names = std::map<std::string, const WaveName*, std::less<>>;  // by path
  class Scope;

  std::optional<std::string> core_of(const std::string& instance, const char* part) const;

  Names names_;
};

}  // namespace fredsim
