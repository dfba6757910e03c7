// SPDX-License-Identifier: Apache-2.0
// From results JSON to what the report's page draws, checked and freed from what it does not
// need.
//
// What runs of one machine share, its links' ends and the layout, is there once:
//   {"files": [{"name", "version", "command"}],
//    "fabrics": [{"layout": {"kind", "nodes"} or null, "links": [{"name", "from", "to", "on_die"}],
//                 "switches": [name], "faults": ["npu:3"]}],
//    "runs": [{"file", "fabric_index", "links": [[flits, bytes, utilization]],
//              "switches": [{"model", "flits_in", …}], …}],
//    "conflicts": [{"file", "ports", …}], the rates of `conflicts`
//    "trainings": [{"file", "workload", "strategy", …, "breakdown_ns"}], the machines of `train`
//    "sweeps": [{"study", "missing", "points": [{"point", "machine", …, "results"}]}], of `sweep`
//    "microarchitectures": [{"name", "kind", …, "works": [{"work", …}]}]}, of scripts/microarchitectures.sh
// "file" and "fabric_index" count from 0. The other keys of a run are those of the results, as they are
// there, without those that the page does not show; those of a testbench's own NPUs may be null.
// Interrupted runs ("incomplete") are left out.
// Errors: BadInput naming the file and the key, what was found and what is allowed.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace fredsim {

struct ResultFile {
  std::string path;
  std::string text;
};

class ReportData {
 public:
  using Json = nlohmann::ordered_json;

  ReportData();
  // In the order of the calls. The data is of no use any more after an error.
  void add(const ResultFile& file);
  const Json& json() const { return json_; }

 private:
  std::size_t fabric_index(Json fabric);

  Json json_;
  std::map<std::string, std::size_t> fabrics_;  // its text -> index
};

}  // namespace fredsim
