// SPDX-License-Identifier: Apache-2.0
// A key of a machine file that was set on the command line, as results name it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fredsim {

struct Setting {
  std::string key;    // example: "fabric.middle"
  std::string value;  // value as typed
  friend bool operator==(const Setting&, const Setting&) = default;
};

// Settings made over a machine file, in the order in which they took effect, each key once.
struct Settings {
  std::vector<Setting> all;  // --set and the machine's own
  std::vector<Setting> own;  // the ones that came with the name of the file
};

// "fabric.middle=2,fabric.slices=1", as typed; empty: none.
std::string settings_text(std::span<const Setting> settings);

// "fred_d", or with settings of its own "fred_d@fabric.middle=2,fabric.slices=1", as typed.
std::string with_settings(const std::string& machine, std::span<const Setting> own);

}  // namespace fredsim
