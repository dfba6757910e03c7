// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "workload_files/rank_manifest.h"

namespace fredsim {
namespace {

constexpr auto kTraceEndings =
    std::to_array<std::string_view>({".et", ".et.gz", ".json", ".json.gz", ".jsonl", ".jsonl.gz"});
constexpr int kMaxTraceRanks = 1 << 16;

std::string path_of(const TraceName& name, int rank) {
  return fmt::format("{}.{}{}", name.prefix, rank, name.ending);
}

bool is_file(const std::string& path) {
  std::error_code error;  // set, for example, by a name that is too long
  return std::filesystem::exists(path, error);
}

// True if a manifest counts.
bool may_share(const TraceName& name) { return name.ending.empty() || name.ending == ".et"; }

// Rank of a file "BEGIN3.et".
std::optional<int> rank_of(std::string_view file, std::string_view begin, std::string_view ending) {
  if (!file.starts_with(begin) || !file.ends_with(ending) ||
      file.size() <= begin.size() + ending.size())
    return std::nullopt;
  const std::string_view middle =
      file.substr(begin.size(), file.size() - begin.size() - ending.size());
  int rank = 0;
  const auto [end, error] = std::from_chars(middle.data(), middle.data() + middle.size(), rank);
  if (error != std::errc() || end != middle.data() + middle.size() || rank < 0) return std::nullopt;
  return rank;
}

// Endings that rank 0 has, where the word has none.
std::vector<std::string_view> endings_of(const TraceName& name) {
  if (!name.ending.empty()) return {name.ending};
  std::vector<std::string_view> found;
  for (const std::string_view ending : kTraceEndings)
    if (is_file(path_of({name.prefix, std::string(ending)}, 0))) found.push_back(ending);
  if (found.empty()) found.push_back(kTraceEndings.front());
  return found;
}

// A file of a later rank reveals a gap.
void check_no_gap(const TraceName& name, int ranks) {
  const std::filesystem::path of(name.prefix);
  const auto folder = of.has_parent_path() ? of.parent_path() : std::filesystem::path(".");
  const std::string begin = of.filename().string() + ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto rank = rank_of(entry.path().filename().string(), begin, name.ending);
    if (rank && *rank > ranks && *rank < 1'000'000)
      throw BadInput(
          fmt::format("{}: no such file, but there is {}; every rank from 0 on is wanted",
                      path_of(name, ranks), entry.path().string()));
  }
}

}  // namespace

TraceName trace_name(const std::string& word) {
  if (const std::string ending = manifest_file(""); word.ends_with(ending))
    return {word.substr(0, word.size() - ending.size()), ""};
  for (const std::string_view ending : kTraceEndings) {
    if (!word.ends_with(ending)) continue;
    const std::string_view rest = std::string_view(word).substr(0, word.size() - ending.size());
    const std::size_t dot = rest.rfind('.');
    const bool has_rank = dot != std::string_view::npos && dot > 0 && dot + 1 < rest.size() &&
                          rest.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
    if (has_rank) return {std::string(rest.substr(0, dot)), std::string(ending)};
  }
  return {word, ""};
}

std::vector<std::string> trace_files(const TraceName& given) {
  if (may_share(given))
    if (std::optional<std::vector<std::string>> shared = manifest_paths(given.prefix))
      return *std::move(shared);
  const std::vector<std::string_view> endings = endings_of(given);
  if (endings.size() > 1)
    throw BadInput(
        fmt::format("{}.0: found files that end on {}; allowed: one of them, or the name of a file",
                    given.prefix, fmt::join(endings, ", ")));
  const TraceName name{given.prefix, std::string(endings.front())};
  std::vector<std::string> paths = possible_trace_files(name);
  paths.pop_back();
  if (paths.empty())
    throw BadInput(fmt::format("{}: no such file; traces are {}.RANK{}, from rank 0 on",
                               path_of(name, 0), name.prefix, name.ending));
  check_no_gap(name, static_cast<int>(paths.size()));
  return paths;
}

std::vector<std::string> possible_trace_files(const TraceName& given) {
  const TraceName name{given.prefix, std::string(endings_of(given).front())};
  std::vector<std::string> paths;
  if (may_share(given) && is_file(manifest_file(given.prefix)))
    paths.push_back(manifest_file(given.prefix));
  for (int rank = 0; rank == 0 || (rank <= kMaxTraceRanks && is_file(paths.back())); ++rank)
    paths.push_back(path_of(name, rank));
  return paths;
}

}  // namespace fredsim
