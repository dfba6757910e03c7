// SPDX-License-Identifier: Apache-2.0
#include "report/time_left.h"

#include <algorithm>
#include <cmath>

namespace fredsim {

void TimeLeft::note(double seconds, const WorkDone& first, const WorkDone& repeated) {
  first_total_ = first.total;
  repeated_total_ = repeated.total;
  const double by_first = std::max(first.done - first_.done, 0.0);
  const double by_repeated = std::max(repeated.done - repeated_.done, 0.0);
  if (by_first + by_repeated == 0) return;  // its time belongs to the next work, too
  const double cost = by_first * first_.per_unit();
  const double of_repeated = repeated_.done > 0 ? repeated_.per_unit() : first_.per_unit();
  const double both = cost + by_repeated * of_repeated;
  double share = by_first > 0 ? 1 : 0;
  if (by_first > 0 && by_repeated > 0 && both > 0) share = cost / both;
  const double passed = seconds - noted_;
  noted_ = seconds;
  first_.done += by_first;
  first_.seconds += share * passed;
  repeated_.done += by_repeated;
  repeated_.seconds += (1 - share) * passed;
}

std::optional<double> TimeLeft::seconds() const {
  if (first_.done + repeated_.done == 0) return std::nullopt;
  return std::max(first_total_ - first_.done, 0.0) * first_.per_unit() + repeated_seconds();
}

double TimeLeft::repeated_seconds() const {
  const double left = std::max(repeated_total_ - repeated_.done, 0.0);
  const double per_unit = repeated_.done > 0 ? repeated_.per_unit() : first_.per_unit();
  if (!may_replay_ || first_total_ <= 0) return left * per_unit;
  const double of_first = first_total_ * first_.per_unit();
  const double in_full =
      of_first > 0 ? std::max((first_.seconds + repeated_.seconds) / of_first, 1.0) : 1.0;
  const double part = in_full / (in_full + 1);
  // The remainder of the current round has the cost measured so far; the first round after it costs
  // only a part.
  const double rounds = left / first_total_;
  const double later = repeated_.done > 0 ? std::floor(rounds) : rounds;
  const double others = part * (1 - std::pow(part, later)) / (1 - part);
  return first_total_ * per_unit * (rounds - later + others);
}

}  // namespace fredsim
