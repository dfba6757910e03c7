#include "observe/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

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
  if (!is_direct_) write_beside(std::string(kProbeBytes, ' '), false);
}

void OutputFile::write(std::string_view text) const {
  if (!is_direct_) {
    write_beside(text, true);
    return;
  }
  const int descriptor = is_stdout() ? STDOUT_FILENO : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot be opened", errno);
  int error = write_all(descriptor, text);
  if (!is_stdout() && ::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) fail("cannot be written", error);
}

void OutputFile::write_beside(std::string_view text, bool keep) const {
  const SignalsWait signals_wait;
  std::string temporary = target_ + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) fail("cannot be created", errno);
  int error = write_all(descriptor, text);
  if (error == 0 && keep) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor, 0666 & ~mask) != 0) error = errno;
  }
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && keep && ::rename(temporary.c_str(), target_.c_str()) != 0) error = errno;
  if (error != 0 || !keep) ::unlink(temporary.c_str());
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
