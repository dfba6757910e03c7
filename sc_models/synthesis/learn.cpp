// SPDX-License-Identifier: Apache-2.0
#include "synthesis/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "base/error.h"
#include "synthesis/detail/ngram.h"
#include "synthesis/detail/repeats.h"
#include "synthesis/detail/token_keys.h"

namespace fredsim {
namespace {

std::uint64_t to_digits(double value, int digits) {
  if (value < 1) return value < 0.5 ? 0 : 1;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - (digits - 1));
  return step <= 1 ? static_cast<std::uint64_t>(std::llround(value))
                   : static_cast<std::uint64_t>(std::llround(std::round(value / step) * step));
}

std::uint64_t disguised(std::uint64_t size, double factor) {
  constexpr std::uint64_t kSmall = 256;
  constexpr int kSizeDigits = 2;
  if (size == 0) return 0;
  if (size < kSmall) return std::bit_floor(size + size / 3);
  return to_digits(static_cast<double>(size) * factor, kSizeDigits);
}

// A distribution of at most 16 values: all, or quantiles of equal weight.
DrawnValues drawn_values(std::map<std::uint64_t, std::uint64_t> found) {
  constexpr std::uint64_t kMost = 16;
  DrawnValues drawn;
  if (found.size() == 1 && found.begin()->first == 0) return drawn;
  if (found.size() <= kMost) {
    std::uint64_t divisor = 0;
    for (const auto& [value, weight] : found) divisor = std::gcd(divisor, weight);
    for (const auto& [value, weight] : found) {
      drawn.values.push_back(value);
      drawn.weights.push_back(weight / divisor);
    }
    return drawn;
  }
  std::uint64_t total = 0, before = 0;
  for (const auto& [value, weight] : found) total += weight;
  for (const auto& [value, weight] : found) {
    before += weight;
    while (drawn.values.size() < kMost &&
           before * 2 * kMost > (2 * drawn.values.size() + 1) * total) {
      drawn.values.push_back(value);
      drawn.weights.push_back(1);
    }
  }
  return drawn;
}

class Learning {
 public:
  Learning(const std::vector<JobSequences>& jobs, double factor, int per_octave)
      : jobs_(jobs), factor_(factor), per_octave_(per_octave) {
    learned_.model.sources = jobs.size();
    add_tokens();
    fold();
    learned_.bits = held_out_bits(sequences_, scopes(), symbols());
    learned_.model.order = best_order(learned_.bits);
  }

  LearnedModel& with_order(int order) {
    learned_.model.order = order;
    learned_.model.scopes = count_variants(sequences_, scopes(), order);
    return learned_;
  }
  int order() const { return learned_.model.order; }

 private:
  struct Values {
    std::map<std::uint64_t, std::uint64_t> durations{}, sizes{}, operations{};
  };

  int scopes() const {
    return static_cast<int>(learned_.model.layouts.size()) + static_cast<int>(blocks_);
  }
  int symbols() const {
    return static_cast<int>(learned_.model.tokens.size() + learned_.model.repeats.size());
  }

  int layout_number(const TraceLayout& layout) {
    auto& layouts = learned_.model.layouts;
    const auto known = std::ranges::find(layouts, layout);
    if (known != layouts.end()) return static_cast<int>(known - layouts.begin());
    layouts.push_back(layout);
    learned_.model.weights.push_back(0);
    return static_cast<int>(layouts.size()) - 1;
  }

  int shape_number(const JointShape& shape) {
    auto& shapes = learned_.model.shapes;
    const auto known = std::ranges::find(shapes, shape);
    const auto number = static_cast<int>(known - shapes.begin());
    if (known == shapes.end()) shapes.push_back(shape);
    return number;
  }

  // Operations of a job's sequence with shapes by number of the model.
  std::vector<JobOperation> renumbered(const JobSequences& job,
                                       std::vector<JobOperation> sequence) {
    for (JobOperation& operation : sequence)
      if (int& shape = operation.token.shape; shape != TraceNode::kNobody)
        shape = shape_number(job.shapes[static_cast<std::size_t>(shape)]);
    return sequence;
  }

  void add_tokens() {
    constexpr std::uint64_t kShares = 840;  // divisible by 1 to 8, sequences of a job
    constexpr int kDurationDigits = 3;
    std::map<TokenKey, int> numbers;
    std::vector<Values> values;
    for (const JobSequences& job : jobs_) {
      learned_.nodes += job.nodes;
      const int layout = layout_number(job.layout);
      const std::uint64_t weight = kShares / job.sequences.size();
      for (const auto& recorded : job.sequences) {
        std::vector<JobOperation> sequence = renumbered(job, recorded);
        const std::vector<TokenKey> keys = token_keys(sequence, per_octave_);
        ScopedSequence& symbols = sequences_.emplace_back(ScopedSequence{layout, {}, weight});
        learned_.model.weights[static_cast<std::size_t>(layout)] += weight;
        for (std::size_t n = 0; n < sequence.size(); ++n) {
          const JobOperation& operation = sequence[n];
          const auto [token, is_new] = numbers.emplace(keys[n], static_cast<int>(numbers.size()));
          if (is_new) {
            learned_.model.tokens.push_back(operation.token);
            values.emplace_back();
          }
          symbols.symbols.push_back(token->second);
          Values& of = values[static_cast<std::size_t>(token->second)];
          of.durations[to_digits(static_cast<double>(operation.duration_ps), kDurationDigits)] +=
              weight;
          of.sizes[disguised(operation.bytes, factor_)] += weight;
          of.operations[disguised(operation.operations, factor_)] += weight;
        }
        learned_.symbols += symbols.symbols.size();
      }
    }
    for (std::size_t t = 0; t < values.size(); ++t) {
      TraceToken& token = learned_.model.tokens[t];
      token.durations = drawn_values(std::move(values[t].durations));
      token.sizes = drawn_values(std::move(values[t].sizes));
      token.operations = drawn_values(std::move(values[t].operations));
    }
    learned_.sequences = sequences_.size();
  }

  void fold() {
    RepeatFolder folder(static_cast<int>(learned_.model.tokens.size()));
    for (ScopedSequence& sequence : sequences_) sequence.symbols = folder.fold(sequence.symbols);
    learned_.model.repeats = folder.repeats();
    blocks_ = folder.blocks().size();
    const auto layouts = static_cast<int>(learned_.model.layouts.size());
    for (std::size_t b = 0; b < blocks_; ++b)
      sequences_.push_back({layouts + static_cast<int>(b), folder.blocks()[b], 1});
    for (const ScopedSequence& sequence : sequences_) learned_.folded += sequence.symbols.size();
    std::uint64_t divisor = 0;
    for (const std::uint64_t weight : learned_.model.weights) divisor = std::gcd(divisor, weight);
    for (const ScopedSequence& sequence : sequences_)
      if (sequence.scope < layouts) divisor = std::gcd(divisor, sequence.weight);
    for (std::uint64_t& weight : learned_.model.weights) weight /= divisor;
    for (ScopedSequence& sequence : sequences_)
      if (sequence.scope < layouts) sequence.weight /= divisor;
  }

  const std::vector<JobSequences>& jobs_;
  double factor_;
  int per_octave_;
  std::vector<ScopedSequence> sequences_;
  std::size_t blocks_ = 0;
  LearnedModel learned_;
};

}  // namespace

double secret_factor() {
  std::random_device device;
  return std::uniform_real_distribution<double>(kLeastFactor, kMostFactor)(device);
}

LearnedModel learn_model(const std::vector<JobSequences>& jobs, double factor) {
  constexpr int kFinest = 4;
  for (int per_octave = kFinest; per_octave > 0; per_octave /= 2) {
    Learning learning(jobs, factor, per_octave);
    const int least = per_octave == 1 ? 1 : learning.order();
    for (int order = learning.order(); order >= least; --order) {
      LearnedModel& learned = learning.with_order(order);
      if (model_text(learned.model).size() <= TraceModel::kMaxBytes) return std::move(learned);
    }
  }
  throw BadInput(fmt::format("TRACE: found {} jobs, whose model has over {} bytes; allowed: fewer",
                             jobs.size(), TraceModel::kMaxBytes));
}

}  // namespace fredsim
