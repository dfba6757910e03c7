// SPDX-License-Identifier: Apache-2.0
// Folder of a study's results: a file per point, named by its hash and written atomically; and the
// version of fredsim that wrote them.
//
//   folder.json        version of fredsim that the results are of
//   points/HASH.json   results of the point's command (--json), or how it failed (results/fields/sweep.h)
// Several processes may write points at the same time. Nothing is ever removed; points of other
//   studies may be there as well.
// Errors: BadInput naming the folder or file, what was found and what is allowed: results of
//   another version, a folder with other files in it, a file that is no result.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/document.h"
#include "results/fields/field.h"

namespace fredsim {

// Version that results depend on.
struct ModelVersion {
  std::string version, commit;
  std::string
      program{};  // hash of the program if the commit does not identify its sources; else empty
  std::string text() const;  // "0.3.0 (commit 5da5371-dirty, program 3f…)"
  friend bool operator==(const ModelVersion&, const ModelVersion&) = default;
};

struct PointOutcome {
  bool is_done = false;
  std::string message{};             // why the point failed
  nlohmann::ordered_json results{};  // values of a completed point: study/detail/run_values.h
};

class StudyFolder {
 public:
  StudyFolder(std::string path, ModelVersion version);

  // Creates the folder if it is missing.
  void create() const;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string point_file(const std::string& hash) const;
  // Outcome of a point; none: the point has no file. `document`: table of the results of its
  // command.
  std::optional<PointOutcome> find(const std::string& hash, const fields::Object& document) const;
  // Writes the file of a point, after create(). `text`: of the whole file.
  void keep(const std::string& hash, const std::string& text) const;

 private:
  void check_version() const;

  std::string path_;
  ModelVersion version_;
};

// Text of the file of a failed point. `origin`: of its command.
std::string failed_point_text(const Origin& origin, int exit_code, const std::string& message);

}  // namespace fredsim
