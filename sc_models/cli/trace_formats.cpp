// SPDX-License-Identifier: Apache-2.0
// `fredsim trace convert --to`, `--from`: Chakra traces between protobuf and JSON.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_text.h"
#include "base/option_words.h"
#include "cli/trace_action.h"
#include "profile/convert.h"
#include "report/output_file.h"
#include "runner/interrupt.h"
#include "runner/trace_output.h"
#include "workload_files/chakra_formats.h"
#include "workload_files/trace_files.h"

namespace fredsim {
namespace {

struct NamedFormat {
  std::string_view word;  // also the ending of its files
  ChakraFormat format;
};
constexpr auto kTraceFormats = std::to_array<NamedFormat>({{"et", ChakraFormat::kProtobuf},
                                                           {"json", ChakraFormat::kJson},
                                                           {"jsonl", ChakraFormat::kJsonLines}});

const NamedFormat& format_named(std::string_view option, const std::string& word) {
  std::vector<std::string_view> words;
  for (const NamedFormat& one : kTraceFormats) words.push_back(one.word);
  return kTraceFormats[parse_word(option, word, words)];
}

// The format asked for: that of --to; et, if only --from is given.
const NamedFormat& target_of(const TraceOptions& request) {
  return format_named("--to", request.to.empty() ? "et" : request.to);
}

std::string file_of_rank(const TraceOptions& request, std::size_t rank) {
  return fmt::format("{}.{}.{}", request.out, rank, target_of(request).word);
}

void check_source(const TraceOptions& request, const std::string& path) {
  if (request.from.empty()) return;
  const bool is_json = is_json_trace(path);
  if (is_json != (request.from != "et"))
    throw BadInput(fmt::format("--from: found {} in {}; allowed: {}", is_json ? "JSON" : "protobuf",
                               path, request.from));
}

}  // namespace

bool converts_formats(const TraceOptions& request) {
  return !request.to.empty() || !request.from.empty();
}

void check_formats(const TraceOptions& request) {
  target_of(request);
  if (!request.from.empty()) format_named("--from", request.from);
  const bool has_profile_option = !request.hosts.empty() || !request.steps.empty() ||
                                  request.gpu_only || request.unknown_is_compute;
  if (has_profile_option)
    throw BadInput(fmt::format(
        "{}: found with an option of profiles; allowed: of execution traces, --out alone",
        request.to.empty() ? "--from" : "--to"));
}

void convert_formats(const TraceOptions& request) {
  const std::vector<std::string> paths = profile_paths(request.files);
  std::error_code error;
  const std::string beyond = file_of_rank(request, paths.size());
  if (std::filesystem::exists(beyond, error))
    throw BadInput(fmt::format(
        "--out: found '{}', of a rank beyond the {} given; allowed: a prefix without such a file",
        beyond, paths.size()));
  const ChakraFormat to = target_of(request).format;
  std::vector<std::string> texts;
  std::vector<OutputFile> files;
  for (const std::string& path : paths) {
    check_source(request, path);
    texts.push_back(chakra_text(path, to));
    files.emplace_back(file_of_rank(request, files.size()), "--out", &interrupt_flag());
  }
  // Process groups beside the traces go with them: train --trace reads both.
  const std::string groups = groups_file(trace_name(paths.front()).prefix);
  const std::string copy = groups_file(request.out);
  if (std::filesystem::exists(groups, error) && !std::filesystem::equivalent(groups, copy, error)) {
    std::optional<std::string> text = file_text(groups);
    if (!text) throw BadInput(fmt::format("{}: {}", groups, std::strerror(errno)));
    texts.push_back(std::move(*text));
    files.emplace_back(copy, "--out", &interrupt_flag());
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  OutputFile::write_together(files, views);
  for (std::size_t n = 0; n < files.size(); ++n)
    fmt::print("{}: {} bytes\n", files[n].path(), texts[n].size());
}

}  // namespace fredsim
