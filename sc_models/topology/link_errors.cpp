#include "topology/link_errors.h"

#include <fmt/format.h>
#include <rtl/link_pkg.h>

#include "base/flit.h"

namespace fredsim {
namespace {

// Bits of a flit on the wire, without and with what protects it.
constexpr std::uint64_t kBare = kFlitBytes * 8 + noc_pkg::HEADER_W;
constexpr std::uint64_t kProtected = kBare + link_pkg::OVERHEAD_W;

Rational protected_rate(const Rational& rate) {
  return Rational::reduced(rate.num * kBare, rate.den * kProtected);
}

}  // namespace

void set_link_errors(Topology& topology, const LinkErrors& errors) {
  topology.link_errors = errors;
  if (!errors.retry) return;
  for (Link& link : topology.links) {
    if (link.on_die) continue;
    link.rate = protected_rate(link.rate);
    link.wire_stretch = static_cast<double>(kProtected) / static_cast<double>(kBare);
    if (link.burst > 0) link.peak = protected_rate(link.peak);
  }
  topology.notes.push_back(fmt::format(
      "wafer links send flits again: {} bits a flit protect it ({:.1f} % of the bandwidth), {} "
      "cycles more a "
      "hop; the wires that acknowledgements and credits go back on are not counted",
      link_pkg::OVERHEAD_W, 100.0 * link_pkg::OVERHEAD_W / static_cast<double>(kProtected),
      link_pkg::TX_EDGES + link_pkg::RX_EDGES));
  if (!errors.any() || !topology.has_slices()) return;
  topology.fred.simulate_all_slices = true;
  topology.notes.emplace_back("all slices are simulated: errors differ from one to the other");
}

}  // namespace fredsim
