// SPDX-License-Identifier: Apache-2.0
// Machine files by their names: those of an installation, or of the checkout that the program was
// built in.
//
// A file that exists is that file. Else a name without a folder is a file of share/fredsim/configs
//   (or configs/ of the checkout) or of systems/ there, with or without its ending: fred_small is
//   fred_small.yaml there.
// Errors: BadInput where a name without folder and ending is neither, with the nearest name or all
//   names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fredsim {

// Anything else stays as it is: whoever opens it refuses it.
std::string machine_path(const std::string& word);
// The same with another folder.
std::string machine_path(const std::string& word, const std::filesystem::path& folder);

// Models and text workloads (models/ and workloads/ in the folder): a file that exists, or one that
// is there by this name, with or without its ending; empty: neither.
std::string workload_path(const std::string& word);
std::string workload_path(const std::string& word, const std::filesystem::path& folder);
std::vector<std::string> workload_names(const std::filesystem::path& folder);

// The folder, empty where there is none, and the names in it, sorted. Of this program, or of
// another one, as those who are no program themselves have it (sc_models/python/).
std::filesystem::path machine_folder();
std::filesystem::path machine_folder(const std::filesystem::path& program);
std::vector<std::string> machine_names(const std::filesystem::path& folder);

}  // namespace fredsim
