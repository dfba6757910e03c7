// SPDX-License-Identifier: Apache-2.0
// Data of the report's page from results JSON, checked and without unused fields.
//
// Structure, with the links' ends and the layout of a machine once for all of its runs:
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
  // Adds a file that is no results, such as an execution trace.
  void add_input(const std::string& path);
  void set_traces(Json traces);  // report/trace_page.h
  const Json& json() const { return json_; }

 private:
  std::size_t fabric_index(Json fabric);

  Json json_;
  std::map<std::string, std::size_t> fabrics_;  // text of a fabric -> index
};

}  // namespace fredsim
