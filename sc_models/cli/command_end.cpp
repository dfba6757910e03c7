// SPDX-License-Identifier: Apache-2.0
#include "cli/command_end.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>
#include <systemc>
#include <typeinfo>

#include "base/long_words.h"
#include "base/text_width.h"
#include "ranks/ranks.h"
#include "runner/program_name.h"

namespace fredsim {
namespace {

// SystemC prints its reports to standard output, which belongs to the results.
void report_to_stderr(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0) {
    fmt::print(stderr, "{}\n", sc_core::sc_report_compose_message(report));
  }
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

constexpr const char* kOutOfMemory =
    "out of memory; a smaller machine or group, or fewer sizes and machines in one command, need "
    "less";

// True for system errors due to lack of memory for another thread, child or mapping.
bool is_out_of_memory(const std::system_error& error) {
  return error.code() == std::errc::not_enough_memory ||
         error.code() == std::errc::resource_unavailable_try_again;
}

// Ends the process after an exception that cannot be caught: SystemC's destructors allocate, and
// throw if memory is exhausted.
[[noreturn]] void end_without_unwinding() {
  const char* message = "internal error, a fault of fredsim and not of its input";
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    message = kOutOfMemory;
  } catch (const std::system_error& error) {
    if (is_out_of_memory(error)) message = kOutOfMemory;
  } catch (...) {  // the message is kept
  }
  std::fputs(program_name(), stderr);
  std::fputs(": ", stderr);
  std::fputs(message, stderr);
  std::fputs("\n", stderr);
  std::_Exit(static_cast<int>(ExitCode::kFailed));
}

// Message of an internal error, which no user input should cause. Failed checks of fredsim are
// quoted; texts of libraries are not.
std::string what_stopped(const std::exception& error) {
  const bool is_ours = typeid(error) == typeid(std::logic_error);
  return fmt::format("internal error, a fault of fredsim and not of its input: {}",
                     is_ours ? error.what() : typeid(error).name());
}

std::string what_stopped(const sc_core::sc_report& report) {
  const std::string_view place = report.get_msg_type();
  if (place.starts_with("/fredsim/")) return report.get_msg();
  // Failures of the process, not of the model.
  if (place == "failed to allocate stack memory" || place == "stack setup failed")
    return kOutOfMemory;
  return fmt::format("internal error, a fault of fredsim and not of its input: SystemC, {}", place);
}

}  // namespace

void begin_process() {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);  // NOLINT(concurrency-mt-unsafe): no threads yet
  std::set_terminate(end_without_unwinding);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit is reported as an error
  sc_core::sc_report_handler::set_handler(report_to_stderr);
}

CommandEnd end_of(const std::function<void()>& command) {
  try {
    command();
    return {};
  } catch (const RankEnded& error) {
    return {error.code(), error.what(), true};
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const sc_core::sc_report& report) {
    return {ExitCode::kFailed, what_stopped(report)};
  } catch (const std::bad_alloc&) {
    return {ExitCode::kFailed, kOutOfMemory};
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return {ExitCode::kBadInput, kStdoutFailed};
    const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
    if (of_system != nullptr && is_out_of_memory(*of_system))
      return {ExitCode::kFailed, kOutOfMemory};
    return {ExitCode::kFailed, what_stopped(error)};
  }
}

std::string printed_message(const std::string& message, std::span<const std::string_view> words) {
  return printable_lines(with_short_words(message, words));
}

}  // namespace fredsim
