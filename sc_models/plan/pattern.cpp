// SPDX-License-Identifier: Apache-2.0
#include "plan/pattern.h"

namespace fredsim {

Pattern pattern_of(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return Pattern::kAllRanks;
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kMulticast:
      return Pattern::kOneRoot;
    default:
      return Pattern::kPairs;
  }
}

Roles roles_of(Collective collective) {
  switch (collective) {
    case Collective::kReduceScatter:
    case Collective::kReduce:
      return Roles::kToRoot;
    case Collective::kAllGather:
    case Collective::kBroadcast:
      return Roles::kFromRoot;
    case Collective::kMulticast:
      return Roles::kToOthers;
    default:
      return Roles::kAllToAll;
  }
}

}  // namespace fredsim
