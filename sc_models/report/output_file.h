// SPDX-License-Identifier: Apache-2.0
// A result file that is either complete or not there.
//
// Text goes to a temporary file in the same directory, is flushed to the disk, closed with every
// error checked, and renamed over the target. After a failure the temporary file is removed and an
// older file of that name stays as it was. A new file inherits mode, owner and group of the file
// that it replaces. A symbolic link keeps its target; a file with several hard links is refused,
// since they would no longer name one file. A device or pipe (such as /dev/stdout) is written to
// directly, a pipe opened at once, when a reader has it open. SIGINT, SIGTERM and SIGHUP are
// deferred until a file is complete or gone. Path "-" is standard output. Several files are written
// all or none: each is on the disk before the first takes its place, and if one cannot, the others
// are restored (as far as the file system has hard links).
// Errors: BadInput with `option`, the path and the system's reason; Interrupted, if one of these
// signals comes while a pipe is not read, or came before (`stop` is set) and nobody reads for a
// second.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fredsim {

class OutputFile {
 public:
  // Checks at once whether a file can be written there, so that no simulation is lost to a bad
  // path: makes a temporary file beside the target, writes a block and removes it again.
  OutputFile(std::string path, std::string option, const std::atomic<bool>* stop = nullptr);
  void write(std::string_view text) const;
  // Writes the files, each with its text, all or none.
  static void write_together(std::span<const OutputFile> files,
                             std::span<const std::string_view> texts);
  bool is_stdout() const { return path_ == "-"; }
  const std::string& path() const { return path_; }
  // Disables all files of this process, both checks and writes: another process writes them.
  static void discard_all();

 private:
  class Beside;
  class Pipe;
  void wait_for_reader();
  void write_directly(std::string_view text) const;
  [[noreturn]] void interrupted() const;
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string path_;
  std::string option_;
  const std::atomic<bool>* stop_;
  std::string target_;  // path_ with symbolic links resolved
  std::shared_ptr<const Pipe> pipe_{};
  bool is_direct_ = false;  // standard output, device or pipe: no temporary file
};

}  // namespace fredsim
