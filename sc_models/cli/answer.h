// SPDX-License-Identifier: Apache-2.0
// A question in the words of its command, answered for another program: Python, or a study that has
// it as a point.
//
//   fredsim::AskedQuestion asked({"traffic", "mesh_2x2", "--rate=0.1"});
//   const fredsim::CommandEnd end = asked.answer();  // code and text
//
// Nothing is printed but what the command prints with --quiet; files that the question names are
//   written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_end.h"
#include "runner/file_uses.h"
#include "runner/question.h"

namespace fredsim {

class AskedQuestion {
 public:
  // `words`: of the command line, without the program.
  explicit AskedQuestion(std::vector<std::string> words);

  // Opens the file of progress; answer() does so where nobody has.
  void begin();
  // Once; the text are results in the form of --json, or the message of an error, that of the words
  // first.
  CommandEnd answer();
  // The same into descriptors, results or message. The exit code.
  int answer_into(int out, int err);

 private:
  CommandEnd ended(const std::function<void()>& work) const;

  std::vector<std::string> words_;
  std::optional<Question> question_;
  FileUses files_;
  std::string command_line_;
  CommandEnd end_;  // until now
  bool has_begun_ = false;
};

}  // namespace fredsim
