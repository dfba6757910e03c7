#include "observe/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>

#include "base/error.h"
#include "observe/same_file.h"

namespace fredsim {

namespace {

constexpr std::size_t kProbeBytes = 4096;

// The signals that end the program wait while it lives.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

// Writes all of `text`; the system's error number, 0 when it went well.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

// A temporary file with the text, on the disk beside the target. Destroyed before keep(), all is as it was.
class OutputFile::Beside {
 public:
  Beside(const OutputFile& file, std::string_view text)
      : file_(file), temporary_(file.target_ + ".XXXXXX") {
    const int descriptor = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor < 0) file.fail("cannot be created", errno);
    int error = write_all(descriptor, text);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (error == 0 && ::fchmod(descriptor, 0666 & ~mask) != 0) error = errno;
    if (error == 0 && ::fsync(descriptor) != 0) error = errno;
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error == 0) return;
    ::unlink(temporary_.c_str());
    file.fail("cannot be written", error);
  }
  ~Beside() {
    if (!is_replaced_) {
      ::unlink(temporary_.c_str());
    } else if (has_older_ && !is_kept_) {
      ::rename(older().c_str(), file_.target_.c_str());
    } else if (has_older_) {
      ::unlink(older().c_str());
    } else if (!is_kept_) {
      ::unlink(file_.target_.c_str());
    }
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  // Takes the place of the target; one that is there from before stays beside it.
  void replace() {
    has_older_ = ::link(file_.target_.c_str(), older().c_str()) == 0;
    const bool was_there = !has_older_ && errno != ENOENT;
    if (::rename(temporary_.c_str(), file_.target_.c_str()) != 0) {
      const int error = errno;
      if (has_older_) ::unlink(older().c_str());
      file_.fail("cannot be written", error);
    }
    is_replaced_ = true;
    is_kept_ = was_there;  // it cannot go back
  }
  void keep() { is_kept_ = true; }

 private:
  std::string older() const { return temporary_ + ".old"; }

  const OutputFile& file_;
  std::string temporary_;
  bool has_older_ = false, is_replaced_ = false, is_kept_ = false;
};

OutputFile::OutputFile(std::string path, std::string option)
    : path_(std::move(path)), option_(std::move(option)) {
  if (path_.empty()) {
    throw BadInput(fmt::format("{}: found an empty path; allowed: a file or '-'", option_));
  }
  if (path_ == "-") {
    is_direct_ = true;
    return;
  }
  struct stat status = {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("is a directory", 0);
    if (::access(path_.c_str(), W_OK) != 0) fail("cannot be written", errno);
    is_direct_ = !S_ISREG(status.st_mode);
  }
  target_ = target_of(path_).string();
  if (is_direct_) return;
  const SignalsWait signals_wait;
  Beside(*this, std::string(kProbeBytes, ' '));
}

void OutputFile::write(std::string_view text) const {
  if (is_direct_) return write_directly(text);
  write_together({this, 1}, {&text, 1});
}

void OutputFile::write_together(std::span<const OutputFile> files,
                                std::span<const std::string_view> texts) {
  const SignalsWait signals_wait;
  std::deque<Beside> beside;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].is_direct_) beside.emplace_back(files[i], texts[i]);
  for (Beside& one : beside) one.replace();
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].is_direct_) files[i].write_directly(texts[i]);
  for (Beside& one : beside) one.keep();
}

void OutputFile::write_directly(std::string_view text) const {
  const int descriptor = is_stdout() ? STDOUT_FILENO : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot be opened", errno);
  int error = write_all(descriptor, text);
  if (!is_stdout() && ::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) fail("cannot be written", error);
}

void OutputFile::fail(const std::string& what, int error) const {
  throw BadInput(
      fmt::format("{} {}: {}{}{}; allowed: a file in a directory that can be written, "
                  "with room for it, or '-' for standard output",
                  option_, is_stdout() ? "standard output" : "'" + path_ + "'", what,
                  error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error)));
}

}  // namespace fredsim
