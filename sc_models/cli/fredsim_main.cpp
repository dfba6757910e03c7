// SPDX-License-Identifier: Apache-2.0
#include "cli/fredsim_main.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "cli/command_end.h"
#include "cli/parse_command.h"
#include "cli/rank_session.h"
#include "runner/program_name.h"

namespace {

std::vector<std::string_view> words_of_user(int argc, char** argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

void print_failure(const std::string& message, std::span<const std::string_view> words) {
  std::fflush(stdout);
  const std::string text = fredsim::printed_message(message, words);
  std::fputs(fmt::format("{}: {}\n", fredsim::program_name(), text).c_str(), stderr);
}

void run(int argc, char** argv, fredsim::RankSession& ranks) {
  const std::optional<fredsim::ParsedCommand> command = fredsim::parse_command_line(argc, argv);
  if (command) {
    ranks.begin(*command);
    command->run();
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw fredsim::BadInput(fredsim::kStdoutFailed);
}

}  // namespace

int sc_main(int argc, char** argv) {
  std::optional<fredsim::RankSession> ranks;
  try {
    ranks.emplace();
  } catch (const fredsim::Error& error) {  // built without MPI
    print_failure(error.what(), {});
    return static_cast<int>(error.code());
  }
  const fredsim::CommandEnd mine = fredsim::end_of([&] { run(argc, argv, *ranks); });
  const fredsim::RankSession::End all = ranks->end(mine.code, mine.text, mine.by_rank);
  if (all.prints && !all.text.empty()) print_failure(all.text, words_of_user(argc, argv));
  return static_cast<int>(all.code);
}

int fredsim::fredsim_main(int argc, char** argv, const char* program) {
  begin_process();
  RankSession::launch(program);
  std::string name(program);
  std::vector<char*> words(argv, argv + argc);
  words.resize(std::max<std::size_t>(words.size(), 1));
  words[0] = name.data();
  words.push_back(nullptr);
  return sc_core::sc_elab_and_sim(static_cast<int>(words.size()) - 1, words.data());
}
