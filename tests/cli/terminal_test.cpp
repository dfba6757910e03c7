// SPDX-License-Identifier: Apache-2.0
// On a terminal: tables are kept to its width and have a little colour; there is progress during a
// long run, not with --quiet and not without a terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <sstream>

#include "base/text_width.h"
#include "support/program.h"

namespace fredsim {
namespace {

using Words = std::vector<std::string>;

struct Window {
  unsigned short columns = 80;
  Words environment{};    // "NAME=value", set; "NAME", not set
  bool progress = false;  // standard error is there, too
};

// Becomes the program, on the terminal; never returns.
[[noreturn]] void become_program(Words words, const Window& window) {
  if (!window.progress) ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
  for (const char* name : {"COLUMNS", "NO_COLOR"})
    ::unsetenv(name);  // independent of the user's
                       // environment
  ::setenv("TERM", "xterm", 1);
  for (const std::string& setting : window.environment) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      ::unsetenv(setting.c_str());
    } else {
      ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    }
  }
  words.insert(words.begin(), "fredsim");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(FREDSIM_PROGRAM, argv.data());
  ::_exit(127);
}

// Output of the program on a terminal until it ends, `stop_at` is seen or `seconds` are over; it is
// ended then.
std::string terminal_output(const Words& words, const Window& window,
                            const std::string& stop_at = "\1", int seconds = 60) {
  int terminal = -1;
  const winsize size{.ws_row = 25, .ws_col = window.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become_program(words, window);
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

// A run of minutes.
std::string long_run(const std::string& stop_at, int seconds, bool quiet) {
  Words words{"run", "configs/mesh_2x2.yaml", "--size", "16GiB", "--no-skip"};
  if (quiet) words.emplace_back("--quiet");
  return terminal_output(words, {.progress = true}, stop_at, seconds);
}

// Lines as they stand on the screen.
Words screen(std::string text) {
  std::erase(text, '\r');
  for (const std::string escape : {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"}) {
    for (std::size_t at = 0; (at = text.find(escape)) != std::string::npos;)
      text.erase(at, escape.size());
  }
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_fits(const Words& words, const std::string& text, std::size_t columns) {
  const Words lines = screen(text);
  EXPECT_GT(lines.size(), 5U) << words.front() << ":\n" << text;
  for (const std::string& line : lines) {
    EXPECT_LE(display_width(line), columns) << words.front() << ": " << line;
  }
}

// Every command that prints tables, notes and legends.
std::vector<Words> commands() {
  return {
      {"compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "configs/mesh.yaml",
       "--group", "0,1,2,3", "-b", "1KiB", "-e", "1MiB", "-f", "32"},
      {"run", "configs/mesh_2x2.yaml", "--size", "1MiB", "--set",
       "name=" + std::string(150, 'm')},  // wider than any terminal
      {"run", "configs/fred_d.yaml", "--strategy", "mp2-dp5-pp2", "--dimension", "mp,dp,pp",
       "--size", "64KiB"},
      {"traffic", "configs/mesh_2x2.yaml", "--rate", "0.1,3", "--warmup", "50", "--cycles", "200"},
      {"conflicts", "--ports", "12", "--middle", "2,3", "--flows", "3", "--trials", "10"},
      {"strategies", "configs/fred_small.yaml", "--middle", "2:4", "--all"},
      {"info", "configs/fred_d.yaml"},
      {"info", "configs/mesh.yaml"},
      {"route", "--ports", "32", "--middle", "4", "0-15:0-15", "16-31:16"}};
}

TEST(Terminal, ShowsProgressOfALongRun) {
  const std::string text = long_run(" left - ", 60, false);
  EXPECT_NE(text.find("\r\x1b[K[----------] "), std::string::npos) << text;
  EXPECT_NE(text.find(" delivered, "), std::string::npos) << text;
  EXPECT_NE(text.find(" kcycles/s, "), std::string::npos) << text;
  EXPECT_NE(text.find(" left - "), std::string::npos) << text;
}

TEST(Terminal, QuietShowsNone) { EXPECT_EQ(long_run("kcycles/s", 4, true), ""); }

class TerminalWidth : public testing::TestWithParam<unsigned short> {};

TEST_P(TerminalWidth, NoLineOfAnyCommandIsWider) {
  for (const Words& words : commands()) {
    expect_fits(words, terminal_output(words, {.columns = GetParam()}), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, TerminalWidth, testing::Values(60, 80, 160),
                         testing::PrintToStringParamName());

TEST(Terminal, A180ColumnsHaveRoomForAllAndOthersSayWhatIsLeftOut) {
  Words compare = commands().front();
  compare.emplace_back("--legend");
  const std::string wide = terminal_output(compare, {.columns = 180});
  EXPECT_EQ(wide.find("Columns hidden"), std::string::npos) << wide;
  EXPECT_NE(wide.find("bytes/NPU"), std::string::npos) << wide;
  const std::string usual = terminal_output(compare, {});
  EXPECT_EQ(usual.find("bytes/NPU"), std::string::npos) << usual;
  for (const char* text :
       {"Columns hidden at 80 columns: algbw, injected/NPU, ", "bound*", "--format", "machine",
        "algorithm", "cycles", "busbw", "speed-up", "payload"})
    EXPECT_NE(usual.find(text), std::string::npos) << text << '\n' << usual;
}

TEST(Terminal, ColumnsOfTheEnvironmentCountMoreThanTheWindow) {
  const Words compare = commands().front();
  expect_fits(compare, terminal_output(compare, {.columns = 160, .environment = {"COLUMNS=72"}}),
              72);
  const std::string unknown = terminal_output(compare, {.columns = 0});
  expect_fits(compare, unknown, 80);
}

TEST(Terminal, ColoursUnlessTheUserOrTheTerminalWantsNone) {
  const Words words{"compare", "configs/mesh.yaml", "configs/fred_d.yaml", "--size", "64KiB"};
  const std::string text = terminal_output(words, {});
  EXPECT_NE(text.find("\x1b[1mmachine\x1b[0m"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[32m"), std::string::npos) << "the fastest: " << text;
  EXPECT_NE(terminal_output(words, {.environment = {"NO_COLOR="}}).find('\x1b'), std::string::npos)
      << "empty counts as not set";
  for (const char* setting : {"NO_COLOR=1", "TERM=dumb", "TERM"}) {
    EXPECT_EQ(terminal_output(words, {.environment = {setting}}).find('\x1b'), std::string::npos)
        << setting;
  }
  for (const char* format : {"csv", "markdown"}) {
    Words other = words;
    other.insert(other.end(), {"--format", format});
    EXPECT_EQ(terminal_output(other, {}).find('\x1b'), std::string::npos) << format;
  }
}

}  // namespace
}  // namespace fredsim
