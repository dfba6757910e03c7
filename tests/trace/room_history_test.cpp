// SPDX-License-Identifier: Apache-2.0
// Histories of places, credits and links against all edges written down, on random takes and gives,
// from seeds.
#include "trace/room_history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kEdges = 400;

// Free places at every edge, one edge after the other.
class WrittenDown {
 public:
  WrittenDown(int capacity, int delay) : delay_(static_cast<std::uint64_t>(delay)) {
    free_.assign(kEdges + 20, capacity);
  }
  void take(std::uint64_t edge) { change_from(edge + 1, -1); }
  void give(std::uint64_t edge) { change_from(edge + delay_, 1); }
  std::int64_t free_at(std::uint64_t edge) const { return free_[edge]; }

 private:
  void change_from(std::uint64_t edge, int by) {
    for (; edge < free_.size(); ++edge) free_[edge] += by;
  }
  std::uint64_t delay_;
  std::vector<std::int64_t> free_;
};

TEST(RoomHistory, IsWhatEveryEdgeHad) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int capacity = 1 + static_cast<int>(random.below(9));
    const int delay = static_cast<int>(random.below(6));
    RoomHistory history;
    history.reset(capacity, delay);
    WrittenDown expected(capacity, delay);
    int taken = 0;
    std::uint64_t kept_from = 0;
    for (std::uint64_t edge = 0; edge < kEdges; ++edge) {
      if (taken < capacity && random.below(2) == 0) {
        history.take(edge);
        expected.take(edge);
        ++taken;
      }
      if (taken > 0 && random.below(2) == 0) {
        history.give(edge);
        expected.give(edge);
        --taken;
      }
      if (random.below(20) == 0) {
        kept_from += random.below(edge - kept_from + 1);
        history.forget_before(kept_from);
      }
      // From somewhere on, some of the edges that follow.
      std::uint64_t asked = kept_from + random.below(edge - kept_from + 1);
      RoomHistory::Cursor cursor(history, asked);
      for (; asked <= edge; asked += 1 + random.below(4))
        ASSERT_EQ(cursor.free_at(asked), expected.free_at(asked)) << "edge " << asked;
    }
  }
}

TEST(RoomHistory, ForgetsAllThatIsBefore) {
  RoomHistory history;
  history.reset(4, 2);
  for (std::uint64_t edge = 0; edge < 100; ++edge) {
    history.take(edge);
    history.give(edge);
  }
  EXPECT_EQ(history.size(), 200U);
  history.forget_before(90);
  EXPECT_EQ(history.size(), 10U + 12U);  // a place is given back two edges later
  history.reset(3, 0);
  EXPECT_EQ(history.size(), 0U);
  EXPECT_EQ(RoomHistory::Cursor(history, 5).free_at(5), 3);
}

TEST(LinkHistory, IsBusyWhereItWasSaid) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    LinkHistory history;
    std::set<std::uint64_t> busy;
    std::uint64_t kept_from = 0;
    for (std::uint64_t edge = 0; edge < kEdges; ++edge) {
      if (random.below(3) != 0) {
        history.busy(edge);
        busy.insert(edge);
      }
      if (random.below(30) == 0) {
        kept_from += random.below(edge - kept_from + 1);
        history.forget_before(kept_from);
      }
      std::uint64_t asked = kept_from + random.below(edge - kept_from + 1);
      LinkHistory::Cursor cursor(history, asked);
      for (; asked <= edge; asked += 1 + random.below(4))
        ASSERT_EQ(cursor.busy_at(asked), busy.contains(asked)) << "edge " << asked;
    }
  }
}

}  // namespace
}  // namespace fredsim
