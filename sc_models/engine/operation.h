// SPDX-License-Identifier: Apache-2.0
// An operation that a communicator runs: what was issued, and how far it is. Its life: operations/operation_lifecycle.h.
// Internal to the communicator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job_npus.h"
#include "engine/row_store.h"
#include "npu/collective_job.h"
#include "operations/operation_lifecycle.h"

namespace fredsim {

class Operation final : public StagedOperation {
 public:
  // `starts`, by part: cycles from now on; empty: none.
  Operation(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan, std::uint64_t now,
            const IssueOptions& options, const std::vector<std::uint64_t>& starts);

  // All that its trajectory depends on, relative to `cycle`; `number_of` says how the digest calls the
  // operation of a handle.
  template <class NumberOf>
  void add_state(std::uint64_t cycle, const NumberOf& number_of, StateDigest& digest) const {
    add_state(cycle, digest);
    add_later(number_of, digest);
  }
  void shift(
      std::uint64_t cycles);  // all that happened of it after its issue did so that much later

  const std::uint64_t seed;
  OperationLabel label;
  RowStore::Acquired rows;
  int first_tree = 0;
  std::unique_ptr<CollectiveJob> job;  // open
  std::optional<JobNpus> npus;         // the same

 private:
  bool part_has_ended(int part) const override;
  void add_state(std::uint64_t cycle, StateDigest& digest) const;
  void add_report(std::uint64_t cycle, StateDigest& digest) const;
};

}  // namespace fredsim
