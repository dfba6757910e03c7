// SPDX-License-Identifier: Apache-2.0
// An operation of a communicator: its plan and its progress. Its life:
// operations/operation_lifecycle.h.
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

  // Adds all that its trajectory depends on, relative to `cycle`; `number_of` gives the digest's
  // number for the operation of a handle.
  template <class NumberOf>
  void add_state(std::uint64_t cycle, const NumberOf& number_of, StateDigest& digest) const {
    add_state(cycle, digest);
    add_later(number_of, digest);
  }
  void shift(std::uint64_t cycles);  // delays all events after its issue

  const std::uint64_t seed;
  OperationLabel label;
  RowStore::Acquired rows;
  int first_tree = 0;
  std::unique_ptr<CollectiveJob> job;  // set while open
  std::optional<JobNpus> npus;         // set while open

 private:
  bool part_has_ended(int part) const override;
  void add_state(std::uint64_t cycle, StateDigest& digest) const;
  void add_report(std::uint64_t cycle, StateDigest& digest) const;
};

}  // namespace fredsim
