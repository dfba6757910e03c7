// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <rtl/link_pkg.h>

#include <array>
#include <limits>

#include "base/error.h"
#include "base/flit.h"
#include "links/link_policy.h"
#include "links/link_scheme.h"
#include "links/retransmission/reliable_link.h"
#include "links/retransmission/retransmission.h"

namespace fredsim {
namespace {

// Bits of a flit on the wire, without and with its protection.
constexpr std::uint64_t kBare = kFlitBytes * 8 + noc_pkg::HEADER_W;
constexpr std::uint64_t kProtected = kBare + link_pkg::OVERHEAD_W;
constexpr int kMaxErrorBurst = 4096;  // bits
constexpr int kMaxRetransmissions = 1'000'000;

constexpr std::array kReliabilityKeys = {
    FabricKey{.path = "link.reliability",
              .meaning = "none, or link: links detect errors and retransmit, hop by hop",
              .holds = Holds::kWord,
              .default_value = "none",
              .words = "none link"},
    FabricKey{.path = "link.bit_error_rate",
              .meaning = "probability that a bit on a wafer link is wrong, bursts included",
              .holds = Holds::kText,
              .default_value = "0"},
    FabricKey{.path = "link.error_burst",
              .meaning = "length of an error, in bits",
              .holds = Holds::kInteger,
              .default_value = "1"},
    FabricKey{.path = "link.flit_loss",
              .meaning = "probability that a wafer link loses a flit",
              .holds = Holds::kText,
              .default_value = "0"},
    FabricKey{.path = "link.max_retransmissions",
              .meaning = "maximum number of retransmissions of a flit; beyond it the link is dead",
              .holds = Holds::kInteger,
              .default_value = "1000"},
    FabricKey{.path = "link.seed",
              .meaning = "seed of the errors",
              .holds = Holds::kInteger,
              .default_value = "1",
              .from_zero = true},
};

class RetransmissionPolicy final : public LinkPolicy {
 public:
  explicit RetransmissionPolicy(const LinkErrors& errors) : errors_(errors) {}
  std::string_view title() const override { return "links retransmit (link.reliability)"; }
  std::unique_ptr<LinkChannel> make_channel(const Link& link, int number,
                                            std::size_t words) const override {
    return std::make_unique<ReliableLink>(link, number, errors_, words);
  }
  // Same order as ReliableLink::add_counts().
  std::span<const std::string_view> counters() const override {
    static constexpr std::array<std::string_view, 3> kNames = {"resent_flits", "damaged_flits",
                                                               "lost_flits"};
    return kNames;
  }

 private:
  LinkErrors errors_;
};

// Lengthens flits on the wire by their protection, with a note.
void protect_flits(Topology& topology, const LinkErrors& errors) {
  for (Link& link : topology.links)
    if (!link.on_die) lengthen_flits(link, kBare, kProtected);
  retransmit(topology, errors);
  topology.notes.push_back(fmt::format(
      "wafer links send flits again: {} bits a flit protect it ({:.1f} % of the bandwidth), {} "
      "cycles more a "
      "hop; the wires that acknowledgements and credits go back on are not counted",
      link_pkg::OVERHEAD_W, 100.0 * link_pkg::OVERHEAD_W / static_cast<double>(kProtected),
      link_pkg::TX_EDGES + link_pkg::RX_EDGES));
  if (!errors.any() || !topology.has_slices()) return;
  topology.simulate_all_slices = true;
  topology.notes.emplace_back("all slices are simulated: errors differ from one to the other");
}

class RetransmissionScheme final : public LinkScheme {
 public:
  std::string_view name() const override { return "retransmission"; }
  std::span<const FabricKey> keys() const override { return kReliabilityKeys; }

  LinkChange change(const FabricKeys& keys) const override {
    if (!keys.has("link")) return {};
    static constexpr std::array<std::string_view, 2> kReliability = {"none", "link"};
    LinkErrors errors;
    const bool is_on = keys.choice("link.reliability", kReliability) == 1;
    errors.bit_error_rate = keys.share("link.bit_error_rate", 1e-9, 1e-2);
    errors.burst_bits = keys.integer("link.error_burst", 1, kMaxErrorBurst);
    errors.flit_loss = keys.share("link.flit_loss", 1e-9, 0.5);
    errors.seed =
        static_cast<std::uint64_t>(keys.integer("link.seed", 0, std::numeric_limits<int>::max()));
    errors.max_retransmissions = keys.integer("link.max_retransmissions", 1, kMaxRetransmissions);
    if (is_on) return [errors](Topology& topology) { protect_flits(topology, errors); };
    if (!errors.any()) return {};
    const std::string_view path =
        errors.bit_error_rate > 0 ? "link.bit_error_rate" : "link.flit_loss";
    throw BadInput(fmt::format(
        "{}: found {}, but link.reliability is none: nothing would mend errors; allowed: 0, or "
        "link.reliability: link",
        keys.label(path), keys.text(path)));
  }
};

}  // namespace

void retransmit(Topology& topology, const LinkErrors& errors) {
  set_wafer_policy(topology, std::make_shared<const RetransmissionPolicy>(errors));
}

const LinkScheme& retransmission_scheme() {
  static const RetransmissionScheme kScheme;
  return kScheme;
}

}  // namespace fredsim
