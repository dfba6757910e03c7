// SPDX-License-Identifier: Apache-2.0
#include "placement/detail/placement_search.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/random.h"
#include "plan/mesh_rings.h"

namespace fredsim {
namespace {

constexpr std::size_t kStarts = 4;
// Steps of one search; a larger number of workers gets more steps, since there are more places to
// try.
constexpr std::uint64_t kStepsPerWorker = 6'000'000;
constexpr std::uint64_t kMaxSteps = 800'000'000;
// Threshold as a fraction of the cost, at the start and at the end.
constexpr double kFirstThreshold = 0.05;
constexpr double kLastThreshold = 0.0005;
constexpr double kCalmShare = 0.8;  // fraction of the steps, after which only improvements are
                                    // taken
constexpr double kNoChange = 1e-9;

class Annealer {
 public:
  Annealer(PlacementLoad& load, std::span<const int> npus, std::uint64_t seed)
      : load_(load),
        npus_(npus.begin(), npus.end()),
        groups_(load.worker_groups()),
        random_(seed) {}

  // Best placement found by the search.
  std::vector<int> run(const std::vector<int>& start, std::uint64_t steps) {
    load_.place(start);
    worker_on_.assign(static_cast<std::size_t>(std::ranges::max(npus_)) + 1, -1);
    for (int w = 0; w < std::ssize(start); ++w) worker_on_[start[w]] = w;
    std::vector<int> best = start;
    double now = load_.cost();
    double min = now;
    const std::uint64_t first = load_.steps();
    for (std::uint64_t done = 0; done < steps; done = load_.steps() - first + ++changes_) {
      propose();
      if (moves_.empty()) continue;
      load_.move(moves_);
      const double cost = load_.cost();
      const double part = static_cast<double>(done) / (kCalmShare * static_cast<double>(steps));
      if (cost <= now + threshold(part) * now) {
        for (const PlacementLoad::Move& old : olds_) worker_on_[old.npu] = -1;
        for (const PlacementLoad::Move& move : moves_) worker_on_[move.npu] = move.worker;
        now = cost;
        if (now < min * (1 - kNoChange)) {
          min = now;
          best = load_.npus();
        }
      } else {
        load_.move(olds_);
      }
    }
    return best;
  }

 private:
  // Threshold: decreases linearly; scaled by a random number that is mostly small.
  double threshold(double part) {
    if (part >= 1) return 0;
    const double at = kFirstThreshold + (kLastThreshold - kFirstThreshold) * part;
    constexpr std::uint64_t kSteps = 1 << 20;
    const double chance = static_cast<double>(random_.below(kSteps)) / kSteps;
    const double height = (1 - part) * at;
    return height * chance * chance * chance;
  }

  void propose() {
    moves_.clear();
    olds_.clear();
    constexpr std::uint64_t kTurn = 10, kInsert = 20, kExchange = 30, kAll = 100;
    const std::uint64_t kind = groups_.empty() ? kAll : random_.below(kAll);
    if (kind < kTurn) {
      turn(any_group());
    } else if (kind < kInsert) {
      insert(any_group());
    } else if (kind < kExchange) {
      exchange(any_group(), any_group());
    } else {
      swap_two();
    }
  }

  const std::vector<int>& any_group() { return groups_[random_.below(groups_.size())]; }

  // Moves a worker to an NPU; a worker already there moves to the first one's NPU.
  void swap_two() {
    const int worker = static_cast<int>(random_.below(load_.npus().size()));
    const int npu = npus_[random_.below(npus_.size())];
    const int here = load_.npus()[worker];
    if (npu == here) return;
    const int other = worker_on_[npu];
    add(worker, npu);
    if (other >= 0) add(other, here);
  }

  std::pair<std::size_t, std::size_t> stretch(std::size_t size) {
    std::size_t a = random_.below(size), b = random_.below(size);
    if (a > b) std::swap(a, b);
    return {a, b};
  }

  void turn(const std::vector<int>& group) {
    const auto [a, b] = stretch(group.size());
    for (std::size_t i = a; i <= b; ++i)
      if (2 * i != a + b) add(group[i], at(group[a + b - i]));
  }

  void insert(const std::vector<int>& group) {
    const auto [a, b] = stretch(group.size());
    if (a == b) return;
    const bool ahead = random_.below(2) == 0;
    for (std::size_t i = a; i <= b; ++i) {
      const std::size_t from = ahead ? (i == b ? a : i + 1) : (i == a ? b : i - 1);
      add(group[i], at(group[from]));
    }
  }

  // Exchanges two groups position by position, unless they share a worker.
  void exchange(const std::vector<int>& one, const std::vector<int>& other) {
    if (one.size() != other.size()) return;
    for (const int worker : one)
      if (std::ranges::find(other, worker) != other.end()) return;
    for (std::size_t i = 0; i < one.size(); ++i) {
      add(one[i], at(other[i]));
      add(other[i], at(one[i]));
    }
  }

  int at(int worker) const { return load_.npus()[worker]; }
  void add(int worker, int npu) {
    moves_.push_back({worker, npu});
    olds_.push_back({worker, at(worker)});
  }

  PlacementLoad& load_;
  std::vector<int> npus_;
  std::vector<std::vector<int>> groups_;
  Random random_;
  std::vector<int> worker_on_;  // by NPU; -1: free
  std::vector<PlacementLoad::Move> moves_, olds_;
  std::uint64_t changes_ = 0;
};

// Cells of a rectangle of `count` cells or a few more, in the order in which its contents are
// assigned.
struct Tile {
  int width = 1, height = 1;
  std::vector<int> order;  // y * width + x
};

std::vector<Tile> tiles_of(int count, int max_width, int max_height, bool as_rings) {
  std::vector<Tile> tiles;
  for (int width = 1; width <= max_width; ++width) {
    const int height = (count + width - 1) / width;
    if (height > max_height || width * height - count >= std::min(width, height)) continue;
    Tile tile{width, height, std::vector<int>(static_cast<std::size_t>(width) * height)};
    std::iota(tile.order.begin(), tile.order.end(), 0);
    if (as_rings) tile.order = mesh_ring(width, height);
    tile.order.resize(static_cast<std::size_t>(count));
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

class Nesting {
 public:
  Nesting(const Topology& topology, std::span<const int> npus, std::vector<int> sizes)
      : topology_(topology), npus_(npus.begin(), npus.end()), sizes_(std::move(sizes)) {
    int stride = 1;
    for (const int size : sizes_) {
      strides_.push_back(stride);
      stride *= size;
    }
    workers_ = stride;
    std::ranges::sort(npus_);
  }

  std::vector<std::vector<int>> run() {
    std::vector<int> dimensions;  // dimensions with more than one worker
    for (int d = 0; d < std::ssize(sizes_); ++d)
      if (sizes_[d] > 1) dimensions.push_back(d);
    do {
      order_ = dimensions;
      if (topology_.has_places()) {
        for (as_rings_ = false;; as_rings_ = true) {
          tiles_.clear();
          nest(1, 1);
          if (as_rings_) break;
        }
      } else {
        in_line(1);
        if (!order_.empty()) in_line(sizes_[order_.front()]);
      }
    } while (std::ranges::next_permutation(dimensions).found);
    return {found_.begin(), found_.end()};
  }

 private:
  // Nests the next outer rectangle, built from rectangles of this size.
  void nest(int width, int height) {
    if (tiles_.size() == order_.size()) return add();
    const int count = sizes_[order_[tiles_.size()]];
    for (Tile& tile :
         tiles_of(count, topology_.grid.width / width, topology_.grid.height / height, as_rings_)) {
      const int outer_width = width * tile.width, outer_height = height * tile.height;
      tiles_.push_back(std::move(tile));
      nest(outer_width, outer_height);
      tiles_.pop_back();
    }
  }

  void add() {
    if (npu_at_.empty()) {
      npu_at_.assign(static_cast<std::size_t>(topology_.grid.width) * topology_.grid.height, -1);
      for (const int npu : npus_) {
        const MeshPlace& at = topology_.nodes[topology_.nodes[topology_.npus[npu]].above].mesh;
        npu_at_[at.y * topology_.grid.width + at.x] = npu;
      }
    }
    std::vector<int> placement(static_cast<std::size_t>(workers_));
    for (int w = 0; w < workers_; ++w) {
      int x = 0, y = 0, width = 1, height = 1;
      for (std::size_t i = 0; i < order_.size(); ++i) {
        const int k = w / strides_[order_[i]] % sizes_[order_[i]];
        const int cell = tiles_[i].order[k];
        x += width * (cell % tiles_[i].width);
        y += height * (cell / tiles_[i].width);
        width *= tiles_[i].width;
        height *= tiles_[i].height;
      }
      placement[w] = npu_at_[y * topology_.grid.width + x];
      if (placement[w] < 0) return;
    }
    found_.insert(std::move(placement));
  }

  // Places workers on consecutive NPUs; `whole` workers never cross switches if a switch has room
  // for them.
  void in_line(int whole) {
    std::vector<int> line;
    const auto switch_of = [&](int npu) { return topology_.nodes[topology_.npus[npu]].above; };
    for (std::size_t at = 0; at < npus_.size();) {
      std::size_t end = at;
      while (end < npus_.size() && switch_of(npus_[end]) == switch_of(npus_[at])) ++end;
      const std::size_t kept = (end - at) / whole * whole;
      line.insert(line.end(), npus_.begin() + at, npus_.begin() + at + kept);
      at = end;
    }
    if (std::ssize(line) < workers_) return;
    std::vector<int> placement(static_cast<std::size_t>(workers_));
    for (int w = 0; w < workers_; ++w) {
      int place = 0, stride = 1;
      for (const int d : order_) {
        place += stride * (w / strides_[d] % sizes_[d]);
        stride *= sizes_[d];
      }
      placement[w] = line[place];
    }
    found_.insert(std::move(placement));
  }

  const Topology& topology_;
  std::vector<int> npus_;
  std::vector<int> sizes_, strides_;
  int workers_ = 1;
  std::vector<int> order_;  // dimensions, the innermost first
  bool as_rings_ = false;
  std::vector<Tile> tiles_;
  std::vector<int> npu_at_;  // by cell; -1: none
  std::set<std::vector<int>> found_;
};

}  // namespace

std::vector<std::vector<int>> nested_placements(const Topology& topology, std::span<const int> npus,
                                                const std::vector<int>& sizes) {
  return Nesting(topology, npus, sizes).run();
}

std::vector<std::vector<int>> search_placements(PlacementLoad& load, std::span<const int> npus,
                                                std::vector<std::vector<int>> starts,
                                                std::uint64_t seed) {
  std::vector<std::pair<double, std::size_t>> costs;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    load.place(starts[s]);
    costs.emplace_back(load.cost(), s);
  }
  std::ranges::sort(costs);
  costs.resize(std::min(costs.size(), kStarts));
  const auto workers = static_cast<std::uint64_t>(starts.front().size());
  const std::uint64_t steps = std::min(kMaxSteps, kStepsPerWorker * workers) / costs.size();
  std::vector<std::vector<int>> found;
  for (const auto& [cost, s] : costs) {
    found.push_back(Annealer(load, npus, seed + s).run(starts[s], steps));
    found.push_back(std::move(starts[s]));
  }
  return found;
}

}  // namespace fredsim
