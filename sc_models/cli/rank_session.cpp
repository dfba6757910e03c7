// SPDX-License-Identifier: Apache-2.0
#include "cli/rank_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "cli/commands.h"
#include "ranks/mpi_transport.h"
#include "ranks/rank_guard.h"
#include "report/output_file.h"
#include "results/version.h"
#include "runner/program_name.h"

namespace fredsim {
namespace {

// Hash of a file; "none" if it cannot be read as a file, which other code reports.
std::string hash_of(const std::string& path) {
  const std::optional<std::string> text = file_text(path);
  return text ? content_hash(*text) : "none";
}

}  // namespace

void RankSession::launch(const char* program) {
  const std::optional<LaunchedRank> launched = launched_rank();
  if (!launched) return;
  // A launcher's own terminal may be between the first rank and a file.
  ::setenv("NO_COLOR", "1", 0);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
  guard_rank(launched->rank, program);
  if (launched->rank == 0) return;
  OutputFile::discard_all();
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

RankSession::RankSession() {
  constexpr double kPatience = 300;  // seconds; --rank-timeout
  if (!launched_rank()) return;
  std::unique_ptr<RankTransport> transport = mpi_transport();
  if (transport == nullptr) return;
  ranks_ = std::make_unique<Ranks>(std::move(transport), kPatience);
  set_run_ranks(ranks_.get());
}

RankSession::~RankSession() { set_run_ranks(nullptr); }

void RankSession::begin(const ParsedCommand& command) {
  if (ranks_ == nullptr) return;
  if (!command.runs_on_ranks) {
    std::vector<std::string_view> on_several;
    for (const CommandRow& row : commands())
      if (row.runs_on_ranks) on_several.emplace_back(row.name);
    throw BadInput(fmt::format("{}: found {} processes; allowed: one. On several run: {}",
                               command.name, ranks_->size(), fmt::join(on_several, ", ")));
  }
  const std::string version = version_text();
  const std::string program = hash_of("/proc/self/exe");
  std::vector<std::string> inputs;
  for (const FileUse& input : command.invocation.files.inputs)
    inputs.push_back(hash_of(input.given));
  std::vector<Ranks::Agreed> texts{{"version", version},
                                   {"program", program},
                                   {"command line", command.invocation.command_line}};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    texts.push_back({command.invocation.files.inputs[i].given, inputs[i]});
  ranks_->greet(texts);
}

RankSession::End RankSession::end(ExitCode code, const std::string& text, bool by_other) {
  if (ranks_ == nullptr) return {code, text, true};
  const Ranks::End end = ranks_->end(code, text, by_other);
  const bool is_own = end.rank == ranks_->rank() || end.text == text;
  return {end.code, is_own ? end.text : fmt::format("rank {}: {}", end.rank, end.text),
          ranks_->is_first()};
}

}  // namespace fredsim
