// SPDX-License-Identifier: Apache-2.0
// History of free resources: places of a buffer or credits of a virtual channel, and a link, at
// past edges. For users that learn only afterwards what a flit has waited for (packet_follower.h).
//
// Edges are recorded in ascending order, and queried in ascending order from any first edge;
//   history before an edge that is no longer queried can be dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fredsim {

class RoomHistory {
 public:
  // Sets `capacity` places. A place returned at an edge is free `delay` edges later.
  void reset(int capacity, int delay) {
    capacity_ = capacity;
    delay_ = static_cast<std::uint64_t>(delay);
    takes_.clear();
    gives_.clear();
    forgotten_takes_ = forgotten_gives_ = 0;
  }
  int capacity() const { return capacity_; }
  // the place is taken from the next edge on
  void take(std::uint64_t edge) { takes_.push_back(edge); }
  void give(std::uint64_t edge) { gives_.push_back(edge + delay_); }

  class Cursor {
   public:
    Cursor(const RoomHistory& of, std::uint64_t edge) : of_(of) {
      taken_ = count_below(of.takes_, edge);
      given_ = count_below(of.gives_, edge + 1);
    }
    // Places free at the edge, which is not before that of the last query.
    std::int64_t free_at(std::uint64_t edge) {
      while (taken_ < of_.takes_.size() && of_.takes_[taken_] < edge) ++taken_;
      while (given_ < of_.gives_.size() && of_.gives_[given_] <= edge) ++given_;
      return of_.capacity_ - static_cast<std::int64_t>(of_.forgotten_takes_ + taken_) +
             static_cast<std::int64_t>(of_.forgotten_gives_ + given_);
    }

   private:
    static std::size_t count_below(const std::vector<std::uint64_t>& edges, std::uint64_t edge) {
      return static_cast<std::size_t>(std::ranges::lower_bound(edges, edge) - edges.begin());
    }
    const RoomHistory& of_;
    std::size_t taken_ = 0, given_ = 0;
  };

  std::size_t size() const { return takes_.size() + gives_.size(); }
  void forget_before(std::uint64_t edge) {
    forgotten_takes_ += drop_below(takes_, edge);
    forgotten_gives_ += drop_below(gives_, edge);
  }

 private:
  static std::size_t drop_below(std::vector<std::uint64_t>& edges, std::uint64_t edge) {
    const auto end = std::ranges::lower_bound(edges, edge);
    const auto dropped = static_cast<std::size_t>(end - edges.begin());
    edges.erase(edges.begin(), end);
    return dropped;
  }

  int capacity_ = 0;
  std::uint64_t delay_ = 0;
  std::vector<std::uint64_t> takes_, gives_;
  std::size_t forgotten_takes_ = 0, forgotten_gives_ = 0;
};

// Edges at which a link took no flit; at edges without a record it took one.
class LinkHistory {
 public:
  void reset() { busy_.clear(); }
  void busy(std::uint64_t edge) {
    if (!busy_.empty() && busy_.back().end == edge) {
      ++busy_.back().end;
    } else {
      busy_.push_back({edge, edge + 1});
    }
  }
  class Cursor {
   public:
    Cursor(const LinkHistory& of, std::uint64_t edge) : of_(of) {
      const auto found = std::ranges::upper_bound(of.busy_, edge, {}, &Interval::end);
      at_ = static_cast<std::size_t>(found - of.busy_.begin());
    }
    bool busy_at(std::uint64_t edge) {
      while (at_ < of_.busy_.size() && of_.busy_[at_].end <= edge) ++at_;
      return at_ < of_.busy_.size() && of_.busy_[at_].begin <= edge;
    }

   private:
    const LinkHistory& of_;
    std::size_t at_ = 0;
  };
  std::size_t size() const { return busy_.size(); }
  void forget_before(std::uint64_t edge) {
    const auto end = std::ranges::upper_bound(busy_, edge, {}, &Interval::end);
    busy_.erase(busy_.begin(), end);
  }

 private:
  struct Interval {
    std::uint64_t begin, end;
  };
  std::vector<Interval> busy_;
};

}  // namespace fredsim
