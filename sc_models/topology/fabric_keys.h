// SPDX-License-Identifier: Apache-2.0
// Keys of a machine file that a kind of topology, or a scheme of links, has for itself, and how it
// reads them. The file is somebody else's (config/config_reader.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/key_reader.h"
#include "topology/topology.h"

namespace fredsim {

// Key of a fabric. All texts have static lifetime. A key shared by several kinds is equal in each,
// or of another form.
struct FabricKey {
  std::string_view
      path;  // "fabric.width"; in a list without the entry's number: "fabric.levels.below"
  std::string_view meaning;
  Holds holds = Holds::kValue;
  std::string_view default_value =
      {};  // default; empty: the key is required, or has no value when left out
  std::string_view instead = {};  // path of a list that may replace the key
  std::string_view words = {};    // values allowed for a kWord, separated by spaces
  bool from_zero = false;         // kInteger: 0 is allowed, else the minimum is 1
  bool is_optional = false;       // may be left out although it has no default
  std::string_view aliases = {};  // names of the key elsewhere, separated by blanks, for hints
  bool operator==(const FabricKey&) const = default;
};

// Values of a machine file by key, defaults included. The third entry of a list is at "path.3".
// Errors: BadInput with file and line, the key, what was found and what is allowed.
class FabricKeys : public KeyValues {
 public:
  // True if the machine file has the key; false if only a setting has it.
  virtual bool is_in_file(std::string_view path) const = 0;
  virtual int entries(std::string_view path) const = 0;  // length of a list
  // Names under a section of kValues, in order; empty if the section is left out.
  virtual std::vector<std::string> names(std::string_view path) const = 0;
  // Share or rate: 0, or from `min` to `max`.
  virtual double share(std::string_view path, double min, double max) const = 0;
  // Builds another machine by the name of its file, as `fredsim info` would: found in the folder of
  // this file, else as on the command line (config/machine_path.h). BadInput inside such a machine,
  // since machines do not nest further.
  virtual Topology machine(std::string_view path) const = 0;
  // Path of a file that is not a machine, by its name in the folder of this one.
  virtual std::string file(std::string_view path) const = 0;
  // Name of a kind of switches that can route in such a topology.
  virtual std::string switch_kind_name(std::string_view path) const = 0;
};

}  // namespace fredsim
