// SPDX-License-Identifier: Apache-2.0
// Exchange between processes of the results that have arrived at NPUs and of the complete parts and
// ranks, so that jobs in flight (npu/collective_job.h) have the same state in all processes.
//
// The data travels with the flits that cross, at the exchange of FabricCore::on_exchange();
// exchange() is for later changes, and for edges without one. All processes have the same jobs in
// flight, in the same order.
// Errors: as Ranks (ranks/ranks.h).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "fabric/fabric_core.h"
#include "npu/collective_job.h"
#include "ranks/rank_message.h"

namespace fredsim {

class JobNews {
 public:
  // `jobs`: returns the jobs in flight.
  JobNews(FabricCore& core, std::function<std::vector<CollectiveJob*>()> jobs)
      : core_(core), jobs_(std::move(jobs)) {}

  void start();  // takes part in every exchange from now on
  void exchange();

 private:
  void publish(RankMessage& message) const;
  void collect(RankMessage& message);

  FabricCore& core_;
  std::function<std::vector<CollectiveJob*>()> jobs_;
  bool has_exchanged_ = false;  // an exchange has taken place since the last exchange()
};

}  // namespace fredsim
