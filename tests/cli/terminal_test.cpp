// Progress on a terminal: there during a long run, not with --quiet and not without a terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "program.h"

namespace fredsim {
namespace {

// What a run of minutes prints on a terminal until `stop_at` is seen or `seconds` are
// over; it is ended then.
std::string terminal_output(const std::string& stop_at, int seconds, bool quiet) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execl(FREDSIM_PROGRAM, "fredsim", "run", "configs/mesh_2x2.yaml", "--size", "16GiB",
            quiet ? "--quiet" : nullptr, nullptr);
    ::_exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::string text;
  while (text.find(stop_at) == std::string::npos && std::chrono::steady_clock::now() < end) {
    pollfd ready{.fd = terminal, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 200) <= 0) continue;
    std::array<char, 1024> part{};
    const ssize_t length = ::read(terminal, part.data(), part.size());
    if (length <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  return text;
}

TEST(Terminal, ShowsProgressOfALongRun) {
  const std::string text = terminal_output(" left - ", 60, false);
  EXPECT_NE(text.find("\r\x1b[K[----------] "), std::string::npos) << text;
  EXPECT_NE(text.find(" delivered, "), std::string::npos) << text;
  EXPECT_NE(text.find(" kcycles/s, "), std::string::npos) << text;
  EXPECT_NE(text.find(" left - "), std::string::npos) << text;
}

TEST(Terminal, QuietShowsNone) { EXPECT_EQ(terminal_output("kcycles/s", 4, true), ""); }

}  // namespace
}  // namespace fredsim
