// fredsim, the command line: parses, runs a command, turns errors into exit codes.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "base/error.h"
#include "commands.h"
#include "options.h"

namespace {

// SystemC prints its reports to standard output, which belongs to the results.
void report_to_stderr(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0) {
    fmt::print(stderr, "{}\n", sc_core::sc_report_compose_message(report));
  }
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

int fail(fredsim::ExitCode code, const char* message) {
  std::fflush(stdout);
  fmt::print(stderr, "fredsim: {}\n", message);
  return static_cast<int>(code);
}

void run(const fredsim::Options& options) {
  switch (options.command) {
    case fredsim::Command::kRun:
    case fredsim::Command::kCompare:
      return fredsim::run_command(options);
    case fredsim::Command::kTraffic:
      return fredsim::traffic_command(options);
    case fredsim::Command::kInfo:
      return fredsim::info_command(options);
    case fredsim::Command::kRoute:
      return fredsim::route_command(options);
    case fredsim::Command::kConflicts:
      return fredsim::conflicts_command(options);
    case fredsim::Command::kStrategies:
      return fredsim::strategies_command(options);
    case fredsim::Command::kReport:
      return fredsim::report_command(options);
  }
}

void run(int argc, char** argv) {
  const std::optional<fredsim::Options> options = fredsim::parse_command_line(argc, argv);
  if (options) run(*options);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw fredsim::BadInput("standard output: cannot be written");
  }
}

}  // namespace

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_handler(report_to_stderr);
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  try {
    run(argc, argv);
    return static_cast<int>(fredsim::ExitCode::kDone);
  } catch (const fredsim::Error& error) {
    return fail(error.code(), error.what());
  } catch (const sc_core::sc_report& report) {
    return fail(fredsim::ExitCode::kFailed, report.get_msg());
  } catch (const std::bad_alloc&) {
    return fail(fredsim::ExitCode::kFailed, "out of memory");
  } catch (const std::exception& error) {
    return fail(fredsim::ExitCode::kFailed, error.what());
  }
}

int main(int argc, char** argv) {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit is an error to report, not a death
  return sc_core::sc_elab_and_sim(argc, argv);
}
