// SPDX-License-Identifier: Apache-2.0
// Slots of phases in the stores: found again, least recently used ones evicted, held ones never.
#include "engine/row_store.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "collective/phase_room.h"
#include "config/config.h"

namespace fredsim::test {
namespace {

class RowStoreTest : public testing::Test {
 protected:
  RowStoreTest() {
    for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id)
      if (!topology_.nodes[id].is_endpoint()) switches_.push_back(id);
  }
  // A phase of its own name in some switches.
  PhaseRows phase(std::uint32_t name, unsigned where = 7) const {
    PhaseRows rows;
    for (std::size_t s = 0; s < switches_.size(); ++s)
      if ((where >> s & 1U) != 0) rows[switches_[s]] = {name};
    return rows;
  }
  Topology topology_ = load_config("configs/fred_small.yaml").topology;
  std::vector<NodeId> switches_;
};

TEST_F(RowStoreTest, FindsWhatIsThereAndEvictsTheLeastRecentlyUsed) {
  RowStore store(topology_, 2);
  const auto use = [&](std::uint32_t name) {
    RowStore::Acquired got;
    const std::vector<PhaseRows> wanted{phase(name)};
    EXPECT_TRUE(store.acquire(wanted, got));
    store.release(got.phases);
    return got;
  };
  EXPECT_EQ(use(1).to_load.size(), 1U);
  EXPECT_EQ(use(2).evictions, 0);
  EXPECT_EQ(use(1).hits, 1);
  EXPECT_EQ(use(3).evictions, 1);  // 2
  EXPECT_EQ(use(1).hits, 1);
  EXPECT_EQ(use(2).evictions, 1);  // 3
  EXPECT_EQ(use(1).hits, 1);
}

TEST_F(RowStoreTest, WhatIsHeldStays) {
  RowStore store(topology_, 2);
  RowStore::Acquired a, b, c;
  const std::vector<PhaseRows> two{phase(1), phase(2)}, third{phase(3)}, first{phase(1)};
  ASSERT_TRUE(store.acquire(two, a));
  EXPECT_FALSE(store.acquire(third, b));
  ASSERT_TRUE(store.acquire(first, b));
  EXPECT_EQ(b.phases.front(), a.phases.front());
  store.release(a.phases);
  ASSERT_TRUE(store.acquire(third, c));  // in place of 2
  EXPECT_EQ(c.evictions, 1);
  EXPECT_NE(c.phases.front()->index, b.phases.front()->index);
}

TEST_F(RowStoreTest, WhatCanNeverFitIsRefused) {
  const RowStore store(topology_, 2);
  const std::vector<PhaseRows> three{phase(1), phase(2), phase(3)};
  EXPECT_THROW(store.refuse(three), BadInput);
}

// Plans for which an empty store has no room are refused before a run, with the same message: one
// phase more each time, up to the first that does not fit.
TEST_F(RowStoreTest, HasRoomForWhatPlansAreGiven) {
  const auto text_of = [](const auto& action) {
    try {
      action();
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<PhaseRows> phases;
    std::vector<PhaseSwitches> switches;
    std::string text;
    bool fits = true;
    while (fits) {
      phases.push_back(phase(static_cast<std::uint32_t>(phases.size()),
                             1 + static_cast<unsigned>(random.below(7))));
      switches.emplace_back();
      for (const auto& [node, row] : phases.back()) switches.back().insert(node);
      RowStore store(topology_);
      RowStore::Acquired got;
      fits = store.acquire(phases, got);
      text = text_of([&] { check_phase_room(topology_, switches); });
      ASSERT_EQ(text.empty(), fits) << phases.size() << " phases";
    }
    EXPECT_GE(phases.size(), static_cast<std::size_t>(phase_room(topology_, switches_.front())));
    EXPECT_EQ(text, text_of([&] { RowStore(topology_).refuse(phases); }));
  }
}

// Random requests and releases: no two phases share a row, and held ones stay in place.
TEST_F(RowStoreTest, RandomRequestsNeverShareARow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    RowStore store(topology_, 1 + static_cast<int>(random.below(5)));
    struct Held {
      RowStore::Acquired got;
      std::vector<PhaseRows> asked;
      std::vector<int> indices;
    };
    std::vector<Held> held;
    for (int n = 0; n < 2000; ++n) {
      if (!held.empty() && random.below(2) == 0) {
        const auto at = static_cast<std::ptrdiff_t>(random.below(held.size()));
        store.release(held[at].got.phases);
        held.erase(held.begin() + at);
      } else {
        Held next;
        for (std::uint64_t i = random.below(3); i < 3; ++i)
          next.asked.push_back(phase(static_cast<std::uint32_t>(random.below(8)),
                                     1 + static_cast<unsigned>(random.below(7))));
        if (!store.acquire(next.asked, next.got)) continue;
        for (const StoredPhase* p : next.got.phases) next.indices.push_back(p->index);
        held.push_back(std::move(next));
      }
      std::map<std::pair<NodeId, int>, PhaseRows> rows;
      for (const Held& h : held) {
        for (std::size_t p = 0; p < h.asked.size(); ++p) {
          ASSERT_EQ(h.got.phases[p]->rows, h.asked[p]);
          ASSERT_EQ(h.got.phases[p]->index, h.indices[p]);
          for (const auto& [node, row] : h.asked[p]) {
            const auto [place, added] = rows.try_emplace({node, h.indices[p]}, h.asked[p]);
            ASSERT_EQ(place->second, h.asked[p]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fredsim::test
