// SPDX-License-Identifier: Apache-2.0
// The registry of link schemes, and a scheme that only this program knows: links that are idle for
// some cycles after every packet.
#include "links/link_scheme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "config/config_schema.h"
#include "config/describe.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "fabric/cut.h"
#include "fabric/fabric_core.h"
#include "links/link_policy.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr std::string_view kGap = "link.packet_gap";

// A flit is at the receiver a cycle later than on a plain link, a credit as soon where the latency
// is 2 or more.
class GapChannel final : public LinkChannel {
 public:
  GapChannel(const Link& link, int gap, std::size_t words)
      : gap_(static_cast<std::uint64_t>(gap)),
        latency_(static_cast<std::uint64_t>(link.latency)),
        words_(words) {}

  void reset() override {
    stay_active(false);
    waiting_.clear();
    on_wire_.clear();
    credits_.clear();
    given_ = 0;
    free_at_ = 0;
    clear_counts();
  }
  void clear_counts() override { gaps_ = 0; }
  void add_counts(LinkCount& count) const override { count.of_policy[0] = gaps_; }
  bool is_ready(const LinkTx& tx, std::uint64_t edge) const override {
    return edge + 1 >= free_at_ &&
           tx.takes_behind(static_cast<std::uint32_t>(waiting_.size()), edge);
  }
  void push(const std::uint32_t* flit) override { waiting_.emplace_back(flit, flit + words_); }
  void give_credit(std::uint32_t vc) override { given_ |= 1U << vc; }
  Out step(std::uint64_t edge, LinkTx& tx) override {
    Out out;
    if (!waiting_.empty() && edge >= free_at_ && tx.takes_now(edge)) {
      const std::uint64_t at = edge + latency_ + tx.serialise(edge) - 1;
      const bool is_tail = (waiting_.front()[2] & kTailBit) != 0;
      on_wire_.push_back({at, std::move(waiting_.front())});
      waiting_.pop_front();
      out.is_sending = true;
      if (is_tail) {
        free_at_ = edge + gap_ + 1;
        ++gaps_;
      }
    }
    if (given_ != 0) credits_.push_back({edge + std::max<std::uint64_t>(latency_, 2) - 2, given_});
    given_ = 0;
    if (!credits_.empty() && credits_.front().at == edge) {
      out.credits = credits_.front().vcs;
      credits_.pop_front();
    }
    if (!on_wire_.empty() && on_wire_.front().at == edge) {
      arrived_ = std::move(on_wire_.front().words);
      on_wire_.pop_front();
      out.flit = arrived_.data();
    }
    stay_active(!waiting_.empty() || !on_wire_.empty() || !credits_.empty());
    return out;
  }
  int flits_inside(int vc) const override {
    const auto waiting = std::ranges::count_if(
        waiting_, [&](const std::vector<std::uint32_t>& flit) { return vc_of(flit.data()) == vc; });
    const auto on_wire = std::ranges::count_if(
        on_wire_, [&](const SentFlit& flit) { return vc_of(flit.words.data()) == vc; });
    return static_cast<int>(waiting + on_wire);
  }
  int credits_inside(int vc) const override {
    const auto has = [&](std::uint32_t vcs) { return (vcs >> vc & 1U) != 0; };
    return static_cast<int>(
        std::ranges::count_if(credits_, [&](const Credits& one) { return has(one.vcs); }) +
        (has(given_) ? 1 : 0));
  }

 private:
  struct SentFlit {
    std::uint64_t at = 0;  // edge
    std::vector<std::uint32_t> words;
  };
  struct Credits {
    std::uint64_t at = 0;
    std::uint32_t vcs = 0;
  };
  std::uint64_t gap_, latency_;
  std::size_t words_;
  std::deque<std::vector<std::uint32_t>> waiting_;
  std::deque<SentFlit> on_wire_;
  std::deque<Credits> credits_;
  std::vector<std::uint32_t> arrived_;
  std::uint32_t given_ = 0;
  std::uint64_t free_at_ = 0;  // edge
  std::uint64_t gaps_ = 0;
};

class GapPolicy final : public LinkPolicy {
 public:
  explicit GapPolicy(int gap) : gap_(gap) {}
  std::string_view title() const override { return "links pause after packets (link.packet_gap)"; }
  std::unique_ptr<LinkChannel> make_channel(const Link& link, int /*number*/,
                                            std::size_t words) const override {
    return std::make_unique<GapChannel>(link, gap_, words);
  }
  std::span<const std::string_view> counters() const override {
    static constexpr std::array<std::string_view, 1> kNames = {"gaps"};
    return kNames;
  }

 private:
  int gap_;
};

class GapScheme final : public LinkScheme {
 public:
  std::string_view name() const override { return "packet_gap"; }
  std::span<const FabricKey> keys() const override {
    static constexpr std::array kKeys = {FabricKey{.path = kGap,
                                                   .meaning = "cycles without flits",
                                                   .holds = Holds::kInteger,
                                                   .default_value = "0",
                                                   .from_zero = true}};
    return kKeys;
  }
  LinkChange change(const FabricKeys& keys) const override {
    const int gap = keys.has("link") ? keys.integer(kGap, 0, 1000) : 0;
    if (gap == 0) return {};
    return [gap](Topology& topology) {
      set_wafer_policy(topology, std::make_shared<const GapPolicy>(gap));
      topology.notes.emplace_back("links pause after packets");
    };
  }
};

const GapScheme& gap_scheme() {
  static const GapScheme kScheme;
  return kScheme;
}
// Before anything in this program reads a machine file.
[[maybe_unused]] const bool kIsAdded = [] {
  add_link_scheme(gap_scheme());
  return true;
}();

Topology mesh_with(const std::vector<std::string>& settings) {
  return load_config("configs/mesh_2x2.yaml", settings).topology;
}

RunResult all_reduce(const Topology& topology, bool skip) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, 200'000, "auto");
  Simulation simulation;
  Machine machine("machine", topology, {.skip = skip});
  RunResult result;
  simulation.run([&] { result = run_plan(machine, plan); });
  return result;
}

TEST(LinkSchemes, HaveNamesAndKeysOfTheirOwn) {
  std::set<std::string_view> names, paths;
  for (const LinkScheme* scheme : link_schemes()) {
    EXPECT_TRUE(names.insert(scheme->name()).second) << scheme->name();
    for (const FabricKey& key : scheme->keys()) {
      EXPECT_TRUE(paths.insert(key.path).second) << key.path;
      const Key* const known = find_key(key.path);
      ASSERT_NE(known, nullptr) << key.path;
      EXPECT_EQ(known->meaning, key.meaning);
      EXPECT_FALSE(known->default_value.empty()) << key.path;
      EXPECT_NE(find_key(parent(key.path)), nullptr) << key.path;
    }
  }
  EXPECT_THROW(add_link_scheme(gap_scheme()), std::logic_error);
}

TEST(LinkSchemes, OneOfAProgramChangesWaferLinks) {
  const Topology plain = mesh_with({});
  EXPECT_EQ(find_link_policy(plain), nullptr);
  EXPECT_EQ(find_link_policy(mesh_with({"link.packet_gap=0"})), nullptr);
  const Topology topology = mesh_with({"link.packet_gap=4"});
  for (const Link& link : topology.links) EXPECT_EQ(link.policy != nullptr, !link.on_die);
  EXPECT_NE(describe(topology, 100).find("links pause after packets"), std::string::npos);
}

TEST(LinkSchemes, OneOfAProgramRefusesWhatItsKeysDoNotAllow) {
  const auto refused = [](const std::vector<std::string>& settings) {
    return message_of<BadInput>([&] { mesh_with(settings); });
  };
  EXPECT_NE(refused({"link.packet_gap=1001"}).find("link.packet_gap: found '1001'"),
            std::string::npos);
  EXPECT_NE(refused({"link.packet_gap=4", "link.reliability=link"}).find("links of two schemes"),
            std::string::npos);
}

TEST(LinkSchemes, OneOfAProgramRuns) {
  const RunResult plain = all_reduce(mesh_with({}), true);
  std::uint64_t cycles = plain.cycles;
  for (const int gap : {1, 10, 40}) {
    const Topology topology = mesh_with({"link.packet_gap=" + std::to_string(gap)});
    const RunResult result = all_reduce(topology, true);
    EXPECT_EQ(result.payload, "exact");
    EXPECT_GT(result.cycles, cycles) << gap;
    cycles = result.cycles;
    EXPECT_EQ(all_reduce(topology, false).cycles, cycles) << gap;
    for (std::size_t l = 0; l < result.links.size(); ++l) {
      const LinkResult& link = result.links[l];
      EXPECT_EQ(link.has_counter("gaps"), !link.on_die);
      EXPECT_EQ(link.flits, plain.links[l].flits) << link.name;
      if (!link.on_die && link.flits > 0) {
        // Packets have eight flits at most.
        EXPECT_GE(link.counter("gaps"), link.flits / 8) << link.name;
        EXPECT_LE(link.counter("gaps"), link.flits) << link.name;
      }
    }
  }
}

TEST(LinkSchemes, LinksWithAChannelDoNotCross) {
  const Topology topology = mesh_with({"link.packet_gap=4"});
  EXPECT_NO_THROW(FabricCore(topology, 1));
  EXPECT_THROW(FabricCore(topology, 1, cut_evenly(topology, 2)), std::logic_error);
}

}  // namespace
}  // namespace fredsim::test
