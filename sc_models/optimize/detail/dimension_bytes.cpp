// SPDX-License-Identifier: Apache-2.0
#include "optimize/detail/dimension_bytes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace fredsim {

std::vector<int> group_extents(const std::vector<int>& sizes, const GroupSpan& span,
                               const std::string& what) {
  std::vector<int> extents(sizes.size(), 1);
  int stride = span.stride, left = span.size;
  const auto refuse = [&] {
    throw BadInput(fmt::format(
        "{}: found groups of {}, {} apart, on {} NPUs; allowed: all or an even part of the places "
        "of each dimension",
        what, span.size, span.stride, fmt::join(sizes, " x ")));
  };
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    int places = sizes[d];
    if (stride > 1) {
      if (stride % places == 0) {
        stride /= places;
        continue;
      }
      if (places % stride != 0) refuse();
      places /= stride;
      stride = 1;
    }
    if (left == 1) continue;
    if (left % places == 0) {
      extents[d] = places;
    } else if (places % left == 0) {
      extents[d] = left;
    } else {
      refuse();
    }
    left /= extents[d];
  }
  if (left > 1 || stride > 1) refuse();
  return extents;
}

std::vector<double> dimension_bytes(Collective collective, double bytes,
                                    const std::vector<int>& extents, const std::string& what) {
  std::vector<double> sent(extents.size(), 0.0);
  double left = bytes;
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
      for (std::size_t d = 0; d < extents.size(); ++d) {
        const double part = left / extents[d];
        sent[d] = (collective == Collective::kAllReduce ? 2 : 1) * part * (extents[d] - 1);
        left = part;
      }
      return sent;
    case Collective::kAllGather:
      for (std::size_t d = extents.size(); d-- > 0;) {
        sent[d] = left * (extents[d] - 1);
        left *= extents[d];
      }
      return sent;
    case Collective::kAllToAll:
      for (std::size_t d = 0; d < extents.size(); ++d)
        sent[d] = bytes / extents[d] * (extents[d] - 1);
      return sent;
    default:
      throw BadInput(
          fmt::format("{}: found {}; allowed: all_reduce, reduce_scatter, all_gather, all_to_all",
                      what, to_string(collective)));
  }
}

}  // namespace fredsim
