// SPDX-License-Identifier: Apache-2.0
#include "study/study_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "report/output_file.h"
#include "results/fields/sweep.h"
#include "results/json_object.h"
#include "study/detail/run_values.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFolderFile = "folder.json";
constexpr std::string_view kPoints = "points";

std::string member_text(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>()
                                                                       : std::string();
}

Json parsed(const std::string& path, const std::string& text, std::string_view allowed) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw BadInput(fmt::format("{}: found no JSON object; allowed: {}", path, allowed));
  return json;
}

// Creates the folder before any point is run, so that no results are lost.
void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0)
    error.assign(errno, std::generic_category());
  if (error) {
    throw BadInput(
        fmt::format("--results: '{}': cannot be written: {}; allowed: a folder that can be written",
                    path, error.message()));
  }
}

// True if the folder has files other than folder.json and its temporary files.
bool has_other_files(const std::string& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error))
    if (!entry.path().filename().string().starts_with(kFolderFile)) return true;
  return false;
}

}  // namespace

std::string ModelVersion::text() const {
  return fmt::format("fredsim {} (commit {}{})", version, commit,
                     program.empty() ? "" : fmt::format(", program {}", program));
}

StudyFolder::StudyFolder(std::string path, ModelVersion version)
    : path_(std::move(path)), version_(std::move(version)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_directory(status)) {
    throw BadInput(
        fmt::format("--results: found '{}', which is no folder; allowed: a folder, or a "
                    "name that is free",
                    path_));
  }
  check_version();
}

void StudyFolder::check_version() const {
  constexpr std::string_view kAllowed = "an empty folder, or one that sweep made";
  const std::string name = file(std::string(kFolderFile));
  const std::optional<std::string> text = file_text(name);
  if (!text && errno != ENOENT) {
    throw BadInput(
        fmt::format("{}: cannot be read: {}", name, std::generic_category().message(errno)));
  }
  if (!text) {
    if (!has_other_files(path_)) return;
    throw BadInput(
        fmt::format("--results: found other files in '{}'; allowed: {}", path_, kAllowed));
  }
  const Json json = parsed(name, *text, "the file that sweep wrote");
  const ModelVersion found{.version = member_text(json, "fredsim"),
                           .commit = member_text(json, "commit"),
                           .program = member_text(json, "program")};
  if (found == version_) return;
  throw BadInput(fmt::format(
      "{}: found results of {}; allowed: those of this program, {}, or another folder (--results)",
      name, found.text(), version_.text()));
}

void StudyFolder::create() const {
  const std::string name = file(std::string(kFolderFile));
  make_folder(path_);
  std::error_code error;
  if (!std::filesystem::exists(name, error)) {
    Json json = {{"fredsim", version_.version}, {"commit", version_.commit}};
    if (!version_.program.empty()) json["program"] = version_.program;
    OutputFile(name, "--results").write(text_of(json));
  }
  make_folder(file(std::string(kPoints)));
}

std::string StudyFolder::point_file(const std::string& hash) const {
  return file(fmt::format("{}/{}.json", kPoints, hash));
}

std::optional<PointOutcome> StudyFolder::find(const std::string& hash,
                                              const fields::Object& document) const {
  const std::string name = point_file(hash);
  const std::optional<std::string> text = file_text(name);
  if (!text && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!text) {
    throw BadInput(
        fmt::format("{}: cannot be read: {}", name, std::generic_category().message(errno)));
  }
  const Json json = parsed(name, *text, "results of the point");
  if (const auto failed = json.find("failed"); failed != json.end())
    return PointOutcome{.is_done = false, .message = member_text(*failed, "message")};
  return PointOutcome{.is_done = true, .results = run_values(document, json, name)};
}

void StudyFolder::keep(const std::string& hash, const std::string& text) const {
  OutputFile(point_file(hash), "--results").write(text);
}

std::string failed_point_text(const Origin& origin, int exit_code, const std::string& message) {
  JsonObject<fields::kFailedPointDocument> json;
  json.add(document_of(origin));
  json.set("failed",
           JsonObject<fields::kPointFailure>{{"exit_code", exit_code}, {"message", message}});
  return text_of(json);
}

}  // namespace fredsim
