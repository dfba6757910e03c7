// SPDX-License-Identifier: Apache-2.0
// Lookup of machine files by name, in the installation or in the checkout of the build.
//
// An existing file takes precedence. Else a name without a folder is looked up in
//   share/fredsim/configs (or configs/ of the checkout) and in its systems/, with or without its
//   ending: fred_small finds fred_small.yaml.
// Errors: BadInput if a name without folder and ending is not found, with the nearest name or all
//   names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fredsim {

// Path of a machine file. Any other word is returned unchanged, so that opening it fails.
std::string machine_path(const std::string& word);
// Overload with an explicit folder.
std::string machine_path(const std::string& word, const std::filesystem::path& folder);

// Path of a model or text workload: an existing file, or a file of this name in models/ or
// workloads/ of the folder, with or without its ending; empty: not found.
std::string workload_path(const std::string& word);
std::string workload_path(const std::string& word, const std::filesystem::path& folder);
std::vector<std::string> workload_names(const std::filesystem::path& folder);

// Folder of machine files, empty if missing, and its sorted names: of this program, or of
// `program`, for libraries that are loaded into another program (sc_models/python/).
std::filesystem::path machine_folder();
std::filesystem::path machine_folder(const std::filesystem::path& program);
std::vector<std::string> machine_names(const std::filesystem::path& folder);

}  // namespace fredsim
