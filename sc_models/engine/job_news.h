// SPDX-License-Identifier: Apache-2.0
// Tells other processes, and hears from them, which results have arrived at NPUs and which parts and ranks are complete, so that the
// jobs under way (npu/collective_job.h) of all processes know the same.
//
// News go with what crosses, when processes meet (FabricCore::on_meeting()); exchange() is for what has been told since, and for
// edges without a meeting. All processes have the same jobs under way, in the same order.
// Errors: those of Ranks (ranks/ranks.h).
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
  // `jobs`: those under way.
  JobNews(FabricCore& core, std::function<std::vector<CollectiveJob*>()> jobs)
      : core_(core), jobs_(std::move(jobs)) {}

  void start();  // from now on with every meeting
  void exchange();

 private:
  void tell(RankMessage& message) const;
  void hear(RankMessage& message);

  FabricCore& core_;
  std::function<std::vector<CollectiveJob*>()> jobs_;
  bool has_met_ = false;  // since the last exchange()
};

}  // namespace fredsim
