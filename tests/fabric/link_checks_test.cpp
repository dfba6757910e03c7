// SPDX-License-Identifier: Apache-2.0
// Checks of the fabric on every link, each rule kept exactly and broken by exactly one: room at the
// receiver, credits owed, the link's readiness. Two puppets follow the script of each case.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "fabric/fabric_core.h"
#include "fabric/two_endpoints.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

constexpr int kDepth = 3;
constexpr int kCheckedLatency = 5;

// Executes act(e, pins) at edge e, permitted or not.
class Puppet final : public EndpointCore {
 public:
  void reset() override { edge_ = 0; }
  void set_credits(int, int vc, int flits) override { credits[vc] = flits; }
  void step(SwitchPins& pins) override {
    pins.out_valid = 0;
    pins.in_credit = {};
    if (act) act(edge_, pins);
    ++edge_;
  }
  bool idle() const override { return false; }
  bool empty() const override { return true; }
  void describe_waiting(const std::vector<std::string>&, std::vector<std::string>&) const override {
  }
  std::function<void(int edge, SwitchPins& pins)> act;
  std::array<int, kNumVcs> credits{};

 private:
  int edge_ = 0;
};

void launch(SwitchPins& pins, int vc = kDp) {
  pins.out_valid = 1;
  pack_header({.vc = static_cast<std::uint8_t>(vc), .head = true, .tail = true},
              pins.out_flit.data());
}

class LinkChecks : public testing::Test {
 protected:
  explicit LinkChecks(Topology topology = two_endpoints({1, 1}, kCheckedLatency, kDepth))
      : topology_(std::move(topology)) {
    core_.attach(0, sender_);
    core_.attach(1, receiver_);
    core_.reset();
  }
  void run(int edges) {
    for (int i = 0; i < edges; ++i) core_.tick();
  }
  std::string failure(int edges) {
    return message_of<RunFailed>([&] { run(edges); });
  }

  Topology topology_;
  FabricCore core_{topology_, 1};
  Puppet sender_, receiver_;
};

const std::string kNoCredit = "npu0 port 0 launched a flit without a credit";
const std::string kTooMany = "npu1 port 0 returned a credit too many";

TEST_F(LinkChecks, EndpointsAreToldTheDepthOfTheOtherEnd) {
  EXPECT_EQ(sender_.credits, (std::array<int, kNumVcs>{kDepth, kDepth, kDepth, kDepth}));
  for (int vc = 0; vc < kNumVcs; ++vc) EXPECT_EQ(core_.receiver_depth(0, vc), kDepth);
}

TEST_F(LinkChecks, AsManyFlitsAsThereIsRoomFor) {
  sender_.act = [](int edge, SwitchPins& pins) {
    if (edge < kDepth) launch(pins);
  };
  EXPECT_EQ(failure(100), "");
  EXPECT_EQ(core_.outstanding(0, kDp), kDepth);
  EXPECT_EQ(core_.buffered(1, 0, kDp), kDepth);
}

TEST_F(LinkChecks, OneFlitMoreThanThereIsRoomFor) {
  sender_.act = [](int edge, SwitchPins& pins) {
    if (edge <= kDepth) launch(pins);
  };
  EXPECT_EQ(failure(100), fmt::format("cycle {}: {}", kDepth, kNoCredit));
}

// Each VC has room of its own.
TEST_F(LinkChecks, OneFlitMoreOnEachVc) {
  for (int over = 0; over < kNumVcs; ++over) {
    core_.reset();
    sender_.act = [over](int edge, SwitchPins& pins) {
      if (edge < kDepth * kNumVcs) launch(pins, edge % kNumVcs);
      if (edge == 20) launch(pins, over);
    };
    EXPECT_EQ(failure(20), "");
    EXPECT_EQ(failure(20), "cycle 20: " + kNoCredit);
  }
}

// A credit given back at edge e is the sender's at edge e + latency, and at no edge before.
TEST_F(LinkChecks, ACreditIsWorthAFlitFromItsArrivalOn) {
  for (const bool early : {true, false}) {
    core_.reset();
    const int again = 10 + kCheckedLatency - (early ? 1 : 0);
    sender_.act = [again](int edge, SwitchPins& pins) {
      EXPECT_EQ(pins.out_credit[kDp] != 0, edge == 10 + kCheckedLatency);
      if (edge < kDepth || edge == again) launch(pins);
    };
    receiver_.act = [](int edge, SwitchPins& pins) {
      if (edge == 10) pins.in_credit[kDp] = 1;
    };
    EXPECT_EQ(failure(100), early ? fmt::format("cycle {}: {}", again, kNoCredit) : "");
  }
}

// … and one that is not owed is found as it arrives.
TEST_F(LinkChecks, ACreditTooMany) {
  sender_.act = [](int edge, SwitchPins& pins) {
    if (edge == 0) launch(pins);
  };
  receiver_.act = [](int edge, SwitchPins& pins) {
    if (edge == 10 || edge == 20) pins.in_credit[kDp] = 1;
  };
  EXPECT_EQ(failure(20 + kCheckedLatency), "");
  EXPECT_EQ(core_.outstanding(0, kDp), 0);
  EXPECT_EQ(failure(1), fmt::format("cycle {}: {}", 20 + kCheckedLatency, kTooMany));
}

TEST_F(LinkChecks, ACreditOfAnotherVcIsOneTooMany) {
  sender_.act = [](int edge, SwitchPins& pins) {
    if (edge < kDepth) launch(pins, kDp);
  };
  receiver_.act = [](int edge, SwitchPins& pins) {
    if (edge == 10) pins.in_credit[kPp] = 1;
  };
  EXPECT_EQ(failure(100), fmt::format("cycle {}: {}", 10 + kCheckedLatency, kTooMany));
}

// The endpoints with a second, unconnected port each.
class FreePortChecks : public LinkChecks {
 protected:
  FreePortChecks() : LinkChecks(with_free_ports()) {}

 private:
  static Topology with_free_ports() {
    Topology topology = two_endpoints({1, 1}, kCheckedLatency, kDepth);
    for (Node& node : topology.nodes) node.ports = 2;
    topology.index_ports();
    return topology;
  }
};

TEST_F(FreePortChecks, ACreditFromAPortWithoutALink) {
  receiver_.act = [](int edge, SwitchPins& pins) {
    if (edge == 10) pins.in_credit[kDp] = 2;
  };
  EXPECT_EQ(failure(10), "");
  EXPECT_EQ(failure(1), "cycle 10: npu1 port 1 returned a credit, but has no link");
}

TEST_F(FreePortChecks, AFlitToAPortWithoutALink) {
  sender_.act = [](int edge, SwitchPins& pins) {
    if (edge == 10) pins.out_valid = 2;
  };
  EXPECT_EQ(failure(10), "");
  EXPECT_EQ(failure(1), "cycle 10: npu0 port 1 launched a flit although its link was not ready");
}

class LateSwitch final : public SwitchCore {
 public:
  explicit LateSwitch(int launch_edges) : launch_edges_(launch_edges) {}
  void reset() override {}
  void step(SwitchPins&) override {}
  bool idle() const override { return true; }
  std::uint32_t error() const override { return 0; }
  std::string_view model() const override { return "late"; }
  int launch_edges() const override { return launch_edges_; }

 private:
  int launch_edges_;
};

TEST(LaunchEdges, AsManyAsLinksGiveNoticeOf) {
  const Topology topology = two_endpoints({1, 1}, kCheckedLatency, kDepth);
  FabricCore core(topology, 1);
  for (const int edges : {0, 2}) {
    LateSwitch late(edges);
    EXPECT_NO_THROW(core.attach(0, late)) << edges;
  }
  for (const int edges : {-1, 3}) {
    LateSwitch late(edges);
    EXPECT_EQ(message_of<std::logic_error>([&] { core.attach(0, late); }),
              fmt::format("npu0: launch_edges() is {}; allowed: 0 to 2", edges));
  }
}

// Positions of flits: on the link until they arrive, then buffered, and outstanding until their
// credit is back.
TEST_F(LinkChecks, WhereFlitsAndCreditsAre) {
  sender_.act = [](int edge, SwitchPins& pins) {
    if (edge < 2) launch(pins, edge == 0 ? kMp : kDp);
  };
  receiver_.act = [](int edge, SwitchPins& pins) {
    if (edge == 10) pins.in_credit[kMp] = 1;
  };
  for (int edges = 1; edges <= 20; ++edges) {
    SCOPED_TRACE(edges);
    run(1);
    // Launched at edges 0 and 1; arrived when the step of edge kCheckedLatency or kCheckedLatency +
    // 1 has been.
    EXPECT_EQ(core_.flits_on_links(), (edges <= kCheckedLatency ? 1 : 0) +
                                          (edges > 1 && edges <= kCheckedLatency + 1 ? 1 : 0));
    EXPECT_EQ(core_.buffered(1, 0, kMp), edges > kCheckedLatency && edges <= 10 ? 1 : 0);
    EXPECT_EQ(core_.buffered(1, 0, kDp), edges > kCheckedLatency + 1 ? 1 : 0);
    EXPECT_EQ(core_.buffered(1, 0, kPp), 0);
    EXPECT_EQ(core_.credits_on_links(), edges > 10 && edges <= 10 + kCheckedLatency ? 1 : 0);
    EXPECT_EQ(core_.outstanding(0, kMp), edges <= 10 + kCheckedLatency ? 1 : 0);
    EXPECT_EQ(core_.outstanding(0, kDp), edges > 1 ? 1 : 0);
    EXPECT_EQ(core_.launched(0, core_.edge() - 1) != nullptr, edges <= 2);
    EXPECT_EQ(core_.launched(1, core_.edge() - 1), nullptr);
    EXPECT_EQ(core_.quiet_cycles(), static_cast<std::uint64_t>(edges <= 2 ? 0 : edges - 2));
  }
}

// A flit every fourth cycle: the link is ready at edge 0, then from four edges after a launch on.
class SlowLinkChecks : public LinkChecks {
 protected:
  SlowLinkChecks() : LinkChecks(two_endpoints({1, 4}, kCheckedLatency, kDepth)) {}
};

TEST_F(SlowLinkChecks, ALinkIsReadyWhenTheFlitBeforeHasLeft) {
  for (const int second : {3, 4, 9}) {
    core_.reset();
    sender_.act = [second](int edge, SwitchPins& pins) {
      const bool ready = edge == 0 || (edge >= 4 && (edge <= second || edge >= second + 4));
      EXPECT_EQ((pins.out_ready & 1U) != 0, ready) << edge;
      if (edge == 0 || edge == second) launch(pins);
    };
    const std::string message = "npu0 port 0 launched a flit although its link was not ready";
    EXPECT_EQ(failure(30), second == 3 ? "cycle 3: " + message : "");
  }
}

}  // namespace
}  // namespace fredsim::test
