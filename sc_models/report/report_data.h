// SPDX-License-Identifier: Apache-2.0
// Data of the report's page from results JSON, checked and without unused fields.
//
// Common data of the runs of one machine, its links' ends and the layout, is there once:
//   {"files": [{"name", "version", "command"}],
//    "fabrics": [{"layout": {"kind", "nodes"} or null, "links": [{"name", "from", "to", "on_die"}],
//                 "switches": [name], "faults": ["npu:3"]}],
//    "runs": [{"file", "fabric_index", "links": [[flits, bytes, utilization]],
//              "switches": [{"model", "flits_in", …}], …}],
//    "conflicts": [{"file", "ports", …}], the rates of `conflicts`
//    "trainings": [{"file", "workload", "strategy", …, "breakdown_ns"}], the machines of `train`
//    "sweeps": [{"study", "missing", "points": [{"point", "machine", …, "results"}]}], of `sweep`
//    "microarchitectures": [{"name", "kind", …, "works": [{"work", …}]}]},
//                          of scripts/microarchitectures.sh
// "file" and "fabric_index" count from 0. The other keys of a run are copied unchanged from the
// results, except keys that the page does not show; keys of a testbench's own NPUs may be null.
// Interrupted runs ("incomplete") are left out.
// Errors: BadInput with the file and the key, the value found and the allowed ones.
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
  // Adds a file, in the order of the calls. The data is invalid after an error.
  void add(const ResultFile& file);
  const Json& json() const { return json_; }

 private:
  std::size_t fabric_index(Json fabric);

  Json json_;
  std::map<std::string, std::size_t> fabrics_;  // text of a fabric -> index
};

}  // namespace fredsim
