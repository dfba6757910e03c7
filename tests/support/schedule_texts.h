// SPDX-License-Identifier: Apache-2.0
// Algorithms of MSCCL as text, written as its users do: for tests of schedules.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fredsim::test {

// Steps of an in-place all-reduce, by rank and by thread block, that is by the ranks that it sends
// to and receives from.
class MscclText {
 public:
  MscclText(int ranks, int chunks) : chunks_(chunks), ranks_(static_cast<std::size_t>(ranks)) {}

  // A step of a type on a chunk. `after`: the last step of another thread block.
  std::pair<int, int> step(int rank, int send, int receive, const std::string& type, int chunk,
                           std::pair<int, int> after = {-1, -1}) {
    auto& blocks = ranks_[static_cast<std::size_t>(rank)];
    const std::pair<int, int> key{send, receive};
    std::size_t block = 0;
    while (block < blocks.size() && blocks[block].first != key) ++block;
    if (block == blocks.size()) blocks.emplace_back(key, std::vector<std::string>{});
    auto& steps = blocks[block].second;
    steps.push_back(fmt::format(
        "<step s=\"{}\" type=\"{}\" srcbuf=\"i\" srcoff=\"{}\" dstbuf=\"i\" dstoff=\"{}\" "
        "cnt=\"1\" depid=\"{}\" deps=\"{}\" hasdep=\"0\"/>",
        steps.size(), type, chunk, chunk, after.first, after.second));
    return {static_cast<int>(block), static_cast<int>(steps.size()) - 1};
  }

  std::string text(const std::string& collective = "allreduce") const {
    std::string text = fmt::format(
        "<algo name=\"test\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
        "inplace=\"1\">\n",
        chunks_, ranks_.size(), collective);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      text += fmt::format("<gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"0\" s_chunks=\"0\">\n", rank,
                          chunks_);
      for (std::size_t block = 0; block < ranks_[rank].size(); ++block) {
        const auto& [ends, steps] = ranks_[rank][block];
        text += fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", block,
                            ends.first, ends.second);
        for (const std::string& step : steps) text += step + "\n";
        text += "</tb>\n";
      }
      text += "</gpu>\n";
    }
    return text + "</algo>\n";
  }

 private:
  int chunks_;
  std::vector<std::vector<std::pair<std::pair<int, int>, std::vector<std::string>>>> ranks_;
};

// Ring in one thread block per rank, a chunk per rank.
inline std::string msccl_ring(int ranks) {
  MscclText text(ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int next = (rank + 1) % ranks;
    const int before = (rank + ranks - 1) % ranks;
    const auto chunk = [&](int step) { return (rank + 2 * ranks - step) % ranks; };
    text.step(rank, next, before, "s", chunk(0));
    for (int k = 1; k < ranks; ++k) {
      text.step(rank, next, before, "rrc", chunk(k));
      text.step(rank, next, before, "s", chunk(k));
    }
    for (int k = ranks; k < 2 * ranks - 1; ++k) {
      text.step(rank, next, before, "r", chunk(k));
      if (k < 2 * ranks - 2) text.step(rank, next, before, "s", chunk(k));
    }
  }
  return text.text();
}

// Recursive halving and doubling of 2^k ranks: a thread block per partner.
inline std::string msccl_halving_doubling(int ranks) {
  MscclText text(ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::pair<int, int> last{-1, -1};
    for (int bit = ranks / 2; bit > 0; bit /= 2) {
      const int partner = rank ^ bit;
      const auto is_of = [&](int chunk, int of) { return (chunk ^ of) / (2 * bit) == 0; };
      for (int chunk = 0; chunk < ranks; ++chunk)
        if (is_of(chunk, rank) && ((chunk ^ partner) & bit) == 0)
          last = text.step(rank, partner, partner, "s", chunk, last);
      for (int chunk = 0; chunk < ranks; ++chunk)
        if (is_of(chunk, rank) && ((chunk ^ rank) & bit) == 0)
          last = text.step(rank, partner, partner, "rrc", chunk, last);
    }
    for (int bit = 1; bit < ranks; bit *= 2) {
      const int partner = rank ^ bit;
      for (int chunk = 0; chunk < ranks; ++chunk)
        if ((chunk ^ rank) / bit == 0) last = text.step(rank, partner, partner, "s", chunk, last);
      for (int chunk = 0; chunk < ranks; ++chunk)
        if ((chunk ^ partner) / bit == 0)
          last = text.step(rank, partner, partner, "r", chunk, last);
    }
  }
  return text.text();
}

// Binary trees, one per root, each with its chunk; places count from the root.
inline std::string msccl_trees(int ranks) {
  MscclText text(ranks, ranks);
  std::vector<std::pair<int, int>> last(static_cast<std::size_t>(ranks), {-1, -1});
  for (int root = 0; root < ranks; ++root) {
    const auto rank = [&](int place) { return (root + place) % ranks; };
    const auto step = [&](int place, int send, int receive, const char* type) {
      const int own = rank(place);
      last[own] = text.step(own, send, receive, type, root, last[own]);
    };
    for (int place = ranks - 1; place >= 0; --place) {
      for (int child = 2 * place + 1; child <= 2 * place + 2 && child < ranks; ++child)
        step(place, -1, rank(child), "rrc");
      if (place > 0) step(place, rank((place - 1) / 2), -1, "s");
    }
    for (int place = 0; place < ranks; ++place) {
      if (place > 0) step(place, -1, rank((place - 1) / 2), "r");
      for (int child = 2 * place + 1; child <= 2 * place + 2 && child < ranks; ++child)
        step(place, rank(child), -1, "s");
    }
  }
  return text.text();
}

}  // namespace fredsim::test
