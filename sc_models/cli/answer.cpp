// SPDX-License-Identifier: Apache-2.0
#include "cli/answer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/parse_command.h"
#include "results/version.h"
#include "runner/program_name.h"
#include "runner/run.h"

namespace fredsim {
namespace {

// Writes the text, until the reader closes.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::optional<ParsedCommand> parsed_command(const std::vector<std::string>& words) {
  std::vector<const char*> all{program_name()};
  for (const std::string& word : words) all.push_back(word.c_str());
  const auto parse = [&](std::span<const CommandRow> rows) {
    return parse_command_line(static_cast<int>(all.size()), all.data(), rows);
  };
  const auto row = std::ranges::find(commands(), words.front(), &CommandRow::name);
  if (row == commands().end()) return parse(commands());
  try {
    return parse({&*row, 1});
  } catch (const BadInput&) {  // the message may name other commands
    return parse(commands());
  }
}

}  // namespace

AskedQuestion::AskedQuestion(std::vector<std::string> words) : words_(std::move(words)) {
  end_ = ended([&] {
    std::optional<ParsedCommand> parsed = parsed_command(words_);
    if (parsed) question_ = parsed->command->question();
    if (!question_)
      throw BadInput(fmt::format("{}: found a command without results", words_.front()));
    files_ = std::move(parsed->invocation.files);
    command_line_ = std::move(parsed->invocation.command_line);
  });
}

CommandEnd AskedQuestion::ended(const std::function<void()>& work) const {
  CommandEnd end = end_of(work);
  end.text = printed_message(end.text, std::vector<std::string_view>(words_.begin(), words_.end()));
  return end;
}

void AskedQuestion::begin() {
  if (std::exchange(has_begun_, true) || end_.code != ExitCode::kDone) return;
  end_ = ended([&] {
    std::visit(
        [](OutputOptions& output) { output.progress_log = open_progress(output.progress_file); },
        *question_);
  });
}

CommandEnd AskedQuestion::answer() {
  begin();
  if (end_.code != ExitCode::kDone) return end_;
  std::string text;
  CommandEnd end = ended([&] {
    RunObserver nobody;
    const Results results = run(*question_, nobody, files_);
    text = results_text(results, origin_of(command_line_));
    check_complete(results);
  });
  question_.reset();  // closes its progress file, whose end a reader may wait for
  if (end.code == ExitCode::kDone) end.text = std::move(text);
  return end;
}

int AskedQuestion::answer_into(int out, int err) {
  const CommandEnd end = answer();
  write_all(end.code == ExitCode::kDone ? out : err, end.text);
  return static_cast<int>(end.code);
}

}  // namespace fredsim
