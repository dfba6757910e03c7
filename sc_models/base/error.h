// SPDX-License-Identifier: Apache-2.0
// Errors that a user can cause or must know of, each with the exit code of the command line.
// Purpose: thrown at the edges (configuration, files, routing), caught once in the program's main.
// Programming errors are assertions instead.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace fredsim {

enum class ExitCode : int {
  kDone = 0,             // done and payload verified
  kFailed = 1,           // payload wrong, deadlock, lockstep difference
  kBadInput = 2,         // the message names file, line or key, what was found, what is allowed
  kRoutingConflict = 3,  // a set of flows has no routing
  kInterrupted = 130,    // SIGINT or SIGTERM: 128 + 2, as in shells
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

class BadInput : public Error {
 public:
  explicit BadInput(const std::string& what) : Error(ExitCode::kBadInput, what) {}
};

class RoutingConflict : public Error {
 public:
  explicit RoutingConflict(const std::string& what) : Error(ExitCode::kRoutingConflict, what) {}
};

enum class FailureCause : std::uint8_t { kOther, kPayload, kDeadlock, kLockstepDifference };

class RunFailed : public Error {
 public:
  // `edge`: edge of the fabric (FabricCore::edge) if the failure lies before the last one, such as
  // the edge of a deadlock's last flit or that of a time-out.
  explicit RunFailed(const std::string& what, FailureCause cause = FailureCause::kOther,
                     std::optional<std::uint64_t> edge = {})
      : Error(ExitCode::kFailed, what), cause_(cause), edge_(edge) {}
  FailureCause cause() const { return cause_; }
  const std::optional<std::uint64_t>& edge() const { return edge_; }

 private:
  FailureCause cause_;
  std::optional<std::uint64_t> edge_;
};

class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& what) : Error(ExitCode::kInterrupted, what) {}
};

}  // namespace fredsim
