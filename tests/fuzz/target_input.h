// SPDX-License-Identifier: Apache-2.0
// Tools of targets: a file with the input, seeds from files, and the verdict on an input.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "support/temporary_folder.h"

namespace fredsim::fuzz {

// A file that is rewritten for every input, in a folder of this process.
class InputFile {
 public:
  explicit InputFile(const std::string& name) : path_(folder_.file(name)) {}
  const std::string& path() const { return path_; }
  void write(std::string_view text) const;

 private:
  TemporaryFolder folder_;
  std::string path_;
};

std::string text_of(const std::string& path);

// True if `read` accepts its input. `named`: text that a message must contain.
bool accepts(std::string_view named, const std::function<void()>& read);

}  // namespace fredsim::fuzz
