// SPDX-License-Identifier: Apache-2.0
// Answers a question, given in the words of its command, for another program: Python, or a study
// with the question as a point.
//
//   fredsim::AskedQuestion asked({"traffic", "mesh_2x2", "--rate=0.1"});
//   const fredsim::CommandEnd end = asked.answer();  // code and text
//
// Output is the same as the command's with --quiet; files that the question names are written.
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
  // `words`: words of the command line, without the program.
  explicit AskedQuestion(std::vector<std::string> words);

  // Opens the progress file; answer() does it unless it is open.
  void begin();
  // Answers the question; may be called once. The text is the results in the form of --json, or the
  // error message; errors in the words come first.
  CommandEnd answer();
  // Writes results or message to the descriptors; returns the exit code.
  int answer_into(int out, int err);

 private:
  CommandEnd ended(const std::function<void()>& work) const;

  std::vector<std::string> words_;
  std::optional<Question> question_;
  FileUses files_;
  std::string command_line_;
  CommandEnd end_;  // end so far
  bool has_begun_ = false;
};

}  // namespace fredsim
