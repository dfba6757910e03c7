// SPDX-License-Identifier: Apache-2.0
#include "cli/fredsim_main.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <systemc>
#include <typeinfo>
#include <vector>

#include "base/error.h"
#include "base/long_words.h"
#include "base/text_width.h"
#include "cli/parse_command.h"
#include "cli/rank_session.h"
#include "runner/program_name.h"

namespace {

// SystemC prints its reports to standard output, which belongs to the results.
void report_to_stderr(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0) {
    fmt::print(stderr, "{}\n", sc_core::sc_report_compose_message(report));
  }
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

std::vector<std::string_view> words_of_user(int argc, char** argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

void print_failure(const std::string& message, std::span<const std::string_view> words) {
  std::fflush(stdout);
  // Quoted input may be long, and may hold what a terminal would obey.
  const std::string text = fredsim::printable_lines(fredsim::with_short_words(message, words));
  std::fputs(fmt::format("{}: {}\n", fredsim::program_name(), text).c_str(), stderr);
}

bool stdout_failed() { return std::ferror(stdout) != 0; }

constexpr const char* kOutOfMemory =
    "out of memory; a smaller machine or group, or fewer sizes and machines in one command, need "
    "less";

// Errors of the system where it has no memory for another thread, child or mapping.
bool is_out_of_memory(const std::system_error& error) {
  return error.code() == std::errc::not_enough_memory ||
         error.code() == std::errc::resource_unavailable_try_again;
}

// An exception that cannot be caught: SystemC's destructors allocate, and throw where there is nothing left.
[[noreturn]] void end_without_unwinding() {
  const char* message = "internal error, a fault of fredsim and not of its input";
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    message = kOutOfMemory;
  } catch (const std::system_error& error) {
    if (is_out_of_memory(error)) message = kOutOfMemory;
  } catch (...) {  // the message stays
  }
  std::fputs(fredsim::program_name(), stderr);
  std::fputs(": ", stderr);
  std::fputs(message, stderr);
  std::fputs("\n", stderr);
  std::_Exit(static_cast<int>(fredsim::ExitCode::kFailed));
}

constexpr const char* kStdoutFailed = "standard output: cannot be written";

// Nothing a user does should lead here. Our own checks say what does not hold; what a library says is not shown.
std::string what_stopped(const std::exception& error) {
  const bool is_ours = typeid(error) == typeid(std::logic_error);
  return fmt::format("internal error, a fault of fredsim and not of its input: {}",
                     is_ours ? error.what() : typeid(error).name());
}

std::string what_stopped(const sc_core::sc_report& report) {
  const std::string_view place = report.get_msg_type();
  if (place.starts_with("/fredsim/")) return report.get_msg();
  // A failure of the process.
  if (place == "failed to allocate stack memory" || place == "stack setup failed")
    return kOutOfMemory;
  return fmt::format("internal error, a fault of fredsim and not of its input: SystemC, {}", place);
}

void run(int argc, char** argv, fredsim::RankSession& ranks) {
  const std::optional<fredsim::ParsedCommand> command = fredsim::parse_command_line(argc, argv);
  if (command) {
    ranks.begin(*command);
    command->run();
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw fredsim::BadInput(kStdoutFailed);
  }
}

// End of a command line.
struct Ended {
  fredsim::ExitCode code = fredsim::ExitCode::kDone;
  std::string text;      // empty: nothing went wrong
  bool by_rank = false;  // only since another one ended
};

Ended run_to_end(int argc, char** argv, fredsim::RankSession& ranks) {
  using fredsim::ExitCode;
  try {
    run(argc, argv, ranks);
    return {};
  } catch (const fredsim::RankEnded& error) {
    return {error.code(), error.what(), true};
  } catch (const fredsim::Error& error) {
    return {error.code(), error.what()};
  } catch (const sc_core::sc_report& report) {
    return {ExitCode::kFailed, what_stopped(report)};
  } catch (const std::bad_alloc&) {
    return {ExitCode::kFailed, kOutOfMemory};
  } catch (const std::exception& error) {
    if (stdout_failed()) return {ExitCode::kBadInput, kStdoutFailed};
    const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
    if (of_system != nullptr && is_out_of_memory(*of_system))
      return {ExitCode::kFailed, kOutOfMemory};
    return {ExitCode::kFailed, what_stopped(error)};
  }
}

}  // namespace

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_handler(report_to_stderr);
  std::optional<fredsim::RankSession> ranks;
  try {
    ranks.emplace();
  } catch (const fredsim::Error& error) {  // built without MPI
    print_failure(error.what(), {});
    return static_cast<int>(error.code());
  }
  const Ended mine = run_to_end(argc, argv, *ranks);
  const fredsim::RankSession::End all = ranks->end(mine.code, mine.text, mine.by_rank);
  if (all.prints && !all.text.empty()) print_failure(all.text, words_of_user(argc, argv));
  return static_cast<int>(all.code);
}

int fredsim::fredsim_main(int argc, char** argv, const char* program) {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  std::set_terminate(end_without_unwinding);
  RankSession::launch(program);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit is an error to report, not a death
  std::string name(program);
  std::vector<char*> words(argv, argv + argc);
  words.resize(std::max<std::size_t>(words.size(), 1));
  words[0] = name.data();
  words.push_back(nullptr);
  return sc_core::sc_elab_and_sim(static_cast<int>(words.size()) - 1, words.data());
}
