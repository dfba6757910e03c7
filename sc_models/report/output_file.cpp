// SPDX-License-Identifier: Apache-2.0
#include "report/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>

#include "base/error.h"
#include "report/detail/signals_wait.h"
#include "report/same_file.h"

namespace fredsim {

namespace {

bool discards_all = false;

constexpr std::size_t kProbeBytes = 4096;
constexpr timespec kPatience{.tv_sec = 1, .tv_nsec = 0};

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

// Variant for targets that may block for long; once `stop` is set, it waits for kPatience at most.
// EINTR: a signal came, or the target took no data in that time.
int write_slowly(int descriptor, std::string_view text, const std::atomic<bool>* stop) {
  const SignalsWait signals_wait;
  while (!text.empty()) {
    pollfd out{.fd = descriptor, .events = POLLOUT, .revents = 0};
    const bool is_stopped = stop != nullptr && *stop;
    const int ready = signals_wait.poll({&out, 1}, is_stopped ? &kPatience : nullptr);
    if (ready == 0) return EINTR;
    if (ready < 0) return errno;
    // A write of this size does not block if there is any room (pipe(7)).
    const ssize_t written =
        ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EAGAIN) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Returns true if the open file has this owner and group.
bool belongs_to(int descriptor, const struct stat& status) {
  struct stat own = {};
  return ::fstat(descriptor, &own) == 0 && own.st_uid == status.st_uid &&
         own.st_gid == status.st_gid;
}

}  // namespace

// A pipe that is open for writing.
class OutputFile::Pipe {
 public:
  explicit Pipe(int descriptor) : descriptor_(descriptor) {}
  ~Pipe() { ::close(descriptor_); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// A temporary file with the text, on the disk beside the target. Destruction before keep() restores
// the state before.
class OutputFile::Beside {
 public:
  Beside(const OutputFile& file, std::string_view text)
      : file_(file), temporary_(file.target_ + ".XXXXXX") {
    const int descriptor = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor < 0) file.fail("cannot be created", errno);
    int error = write_all(descriptor, text);
    if (error == 0) error = give_rights(descriptor);
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

  // Takes the place of the target; an existing target stays beside it.
  void replace() {
    has_older_ = ::link(file_.target_.c_str(), older().c_str()) == 0;
    const bool was_there = !has_older_ && errno != ENOENT;
    if (::rename(temporary_.c_str(), file_.target_.c_str()) != 0) {
      const int error = errno;
      if (has_older_) ::unlink(older().c_str());
      file_.fail("cannot be written", error);
    }
    is_replaced_ = true;
    is_kept_ = was_there;  // the replacement cannot be undone
  }
  void keep() { is_kept_ = true; }

 private:
  std::string older() const { return temporary_ + ".old"; }

  // Gives it the rights of the file that it replaces, or of any new file.
  int give_rights(int descriptor) const {
    struct stat status = {};
    if (::stat(file_.target_.c_str(), &status) != 0) {
      const mode_t mask = ::umask(0);
      ::umask(mask);
      return ::fchmod(descriptor, 0666 & ~mask) == 0 ? 0 : errno;
    }
    if (!belongs_to(descriptor, status) && ::fchown(descriptor, status.st_uid, status.st_gid) != 0)
      return errno;
    return ::fchmod(descriptor, status.st_mode & 07777) == 0 ? 0 : errno;
  }

  const OutputFile& file_;
  std::string temporary_;
  bool has_older_ = false, is_replaced_ = false, is_kept_ = false;
};

void OutputFile::discard_all() { discards_all = true; }

OutputFile::OutputFile(std::string path, std::string option, const std::atomic<bool>* stop)
    : path_(std::move(path)), option_(std::move(option)), stop_(stop) {
  if (path_.empty()) {
    throw BadInput(fmt::format("{}: found an empty path; allowed: a file or '-'", option_));
  }
  if (discards_all && path_ != "-") path_ = target_ = "/dev/null";
  if (path_ == "-" || discards_all) {
    is_direct_ = true;
    return;
  }
  struct stat status = {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("is a directory", 0);
    if (::access(path_.c_str(), W_OK) != 0) fail("cannot be written", errno);
    if (S_ISFIFO(status.st_mode)) wait_for_reader();
    is_direct_ = !S_ISREG(status.st_mode);
    if (!is_direct_ && status.st_nlink > 1)
      fail(fmt::format("has {} hard links, which would part", status.st_nlink), 0);
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

void OutputFile::wait_for_reader() {
  const SignalsWait signals_wait;
  constexpr timespec kAgain{.tv_sec = 0, .tv_nsec = 20'000'000};
  for (bool is_first = true;; is_first = false) {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) {
      pipe_ = std::make_shared<Pipe>(descriptor);
      return;
    }
    if (errno != ENXIO) fail("cannot be opened", errno);
    if (is_first)
      fmt::print(stderr, "{} '{}': waits until somebody reads this pipe\n", option_, path_);
    if (signals_wait.poll({}, &kAgain) < 0) interrupted();
  }
}

void OutputFile::write_directly(std::string_view text) const {
  const bool opens = !is_stdout() && !pipe_;
  const int descriptor = is_stdout() ? STDOUT_FILENO
                         : pipe_     ? pipe_->descriptor()
                                     : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot be opened", errno);
  int error = write_slowly(descriptor, text, stop_);
  if (opens && ::close(descriptor) != 0 && error == 0) error = errno;
  if (error == EINTR) interrupted();
  if (error == EPIPE && is_stdout()) std::raise(SIGPIPE);  // `| head`: ends without a message
  if (error != 0) fail("cannot be written", error);
}

void OutputFile::interrupted() const {
  throw Interrupted(fmt::format("interrupted while {} {} was not read", option_,
                                is_stdout() ? "on standard output" : "'" + path_ + "'"));
}

void OutputFile::fail(const std::string& what, int error) const {
  throw BadInput(
      fmt::format("{} {}: {}{}{}; allowed: a file in a directory that can be written, or -",
                  option_, is_stdout() ? "standard output" : "'" + path_ + "'", what,
                  error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error)));
}

}  // namespace fredsim
