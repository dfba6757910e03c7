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

// All of it stays as long as the program. Kinds may share a key, which then is the same in each, or
// of another form.
struct FabricKey {
  std::string_view
      path;  // "fabric.width"; a key of an entry of a list without the entry's number: "fabric.levels.below"
  std::string_view meaning;
  Holds holds = Holds::kValue;
  std::string_view default_value =
      {};  // default; empty: the key is needed, or stands for nothing when left out
  std::string_view instead = {};  // path of a list that may stand in its place
  std::string_view words = {};    // values allowed for a kWord, separated by spaces
  bool from_zero = false;         // kInteger: 0 is allowed, else the minimum is 1
  bool is_optional = false;       // may be left out although it has no default
  std::string_view aliases = {};  // names that others have for it, blanks between, for hints
  bool operator==(const FabricKey&) const = default;
};

// Values of a machine file under its keys, defaults included. The third entry of a list is at
// "path.3".
// Errors: BadInput with file and line, the key, what was found and what is allowed.
class FabricKeys : public KeyValues {
 public:
  // True where the machine file says it, not a setting over it.
  virtual bool is_in_file(std::string_view path) const = 0;
  virtual int entries(std::string_view path) const = 0;  // length of a list
  // Names under a section of kValues, in order; none where it is not written.
  virtual std::vector<std::string> names(std::string_view path) const = 0;
  // A share or rate: 0, or from `least` to `most`.
  virtual double share(std::string_view path, double min, double max) const = 0;
  // Another machine, by the name of its file, as `fredsim info` would build it: as the folder of
  // this file has it, else as the command line would (config/machine_path.h). BadInput in such a
  // machine itself, which is made of none.
  virtual Topology machine(std::string_view path) const = 0;
  // Path of another file that is no machine, by its name in the folder of this one.
  virtual std::string file(std::string_view path) const = 0;
  // A kind of switches that can route in such a topology.
  virtual std::string switch_kind_name(std::string_view path) const = 0;
};

}  // namespace fredsim
