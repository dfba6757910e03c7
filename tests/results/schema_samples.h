// SPDX-License-Identifier: Apache-2.0
// Samples of every kind of file that writers of results make, as whole as they can be, by the
// definition of the schema that each keeps to.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

namespace fredsim {

struct SampleFile {
  const char* name;
  const char* definition;
  std::function<nlohmann::json()> make;
};

const std::vector<SampleFile>& sample_files();
void PrintTo(const SampleFile& file, std::ostream* out);

nlohmann::json whole_run_file();
nlohmann::json interrupted_run_file();
nlohmann::json own_file();
nlohmann::json whole_training_file();

}  // namespace fredsim
