// SPDX-License-Identifier: Apache-2.0
#include "plan/mesh_rings.h"

#include <numeric>

#include "routing/mesh_routing.h"

namespace fredsim {

Rational rows_first_share(int width, int height) {
  // Loads per D with share s rows first: row links 2a (s + (1-s)/h), column links 2b ((1-s) + s/w),
  // where a = (w-1)/w and b = (h-1)/h. Equal at this s, which lies in (0, 1) for all w, h > 1.
  const auto w = static_cast<std::uint64_t>(width);
  const auto h = static_cast<std::uint64_t>(height);
  return Rational::reduced(w * (h - 1) - (w - 1), 2 * (w - 1) * (h - 1));
}

std::uint64_t rows_first_flits(int width, int height, std::uint64_t flits) {
  // The quotient keeps the product within 64 bits.
  const Rational share = rows_first_share(width, height);
  return flits / share.den * share.num +
         (flits % share.den * share.num + share.den / 2) / share.den;
}

std::vector<int> mesh_ring(int width, int height) {
  // A snake through the rows; for a cycle it leaves column 0 free as the return path.
  const bool cycle = width > 1 && height > 1 && width * height % 2 == 0;
  const bool transposed = cycle && height % 2 != 0;
  const int columns = transposed ? height : width;
  const int rows = transposed ? width : height;
  const auto cell = [&](int x, int y) { return transposed ? x * width + y : y * width + x; };
  const int first = cycle ? 1 : 0;
  std::vector<int> ring;
  for (int y = 0; y < rows; ++y)
    for (int k = first; k < columns; ++k)
      ring.push_back(cell(y % 2 == 0 ? k : columns - 1 + first - k, y));
  if (cycle)
    for (int y = rows - 1; y >= 0; --y) ring.push_back(cell(0, y));
  return ring;
}

RingBox rows_first_box(const Topology& topology, const std::vector<NodeId>& members) {
  RingBox box{{topology.grid.width, topology.grid.height}, std::vector<int>(members.size())};
  for (std::size_t r = 0; r < members.size(); ++r) {
    const MeshPosition at = mesh_position(topology.nodes[members[r]].address);
    box.ranks[at.y * topology.grid.width + at.x] = static_cast<int>(r);
  }
  return box;
}

RingBox columns_first_box(const Topology& topology, const std::vector<NodeId>& members) {
  const int width = topology.grid.width;
  const int height = topology.grid.height;
  const RingBox rows = rows_first_box(topology, members);
  RingBox box{{height, width}, std::vector<int>(members.size())};
  for (int cell = 0; cell < width * height; ++cell)
    box.ranks[columns_first_position(width, height, cell)] = rows.ranks[cell];
  return box;
}

int diagonal_cell(int width, int height, int k) {
  const int x = k % width;
  const int y = (k + k * std::gcd(width, height) / (width * height)) % height;
  return y * width + x;
}

int columns_first_position(int width, int height, int cell) {
  return cell % width * height + cell / width;
}

}  // namespace fredsim
