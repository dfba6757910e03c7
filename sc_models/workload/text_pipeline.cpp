// SPDX-License-Identifier: Apache-2.0
#include "workload/text_pipeline.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>

namespace fredsim {
namespace {

using Identity = std::tuple<std::string_view, int, int, std::uint64_t, int, int, std::uint64_t, int,
                            int, std::uint64_t>;

// Name, collectives and bytes of a line.
Identity identity_of(const TextLayer& layer) {
  const auto collective = [](const TextPass& pass) {
    return pass.collective ? static_cast<int>(*pass.collective) : -1;
  };
  const auto group = [](const TextPass& pass) { return static_cast<int>(pass.group); };
  const TextPass &f = layer.forward, &i = layer.input_gradient, &w = layer.weight_gradient;
  return {layer.name, collective(f), group(f),      f.bytes,  collective(i),
          group(i),   i.bytes,       collective(w), group(w), w.bytes};
}

}  // namespace

TextMicrobatches text_microbatches(const TextWorkload& workload) {
  const auto lines = static_cast<int>(workload.layers.size());
  const int count = workload.ga.value_or(1);
  const TextMicrobatches whole{.lines = lines};
  if (count == 1) return whole;
  // Places of equal lines, in the order of their first place.
  std::map<Identity, int> numbers;
  std::vector<int> number(workload.layers.size());
  std::vector<std::vector<int>> places;
  for (int l = 0; l < lines; ++l) {
    const auto [at, is_new] =
        numbers.try_emplace(identity_of(workload.layers[l]), static_cast<int>(places.size()));
    if (is_new) places.emplace_back();
    number[l] = at->second;
    places[at->second].push_back(l);
  }
  constexpr int kTries = 64;  // different lines that may begin a microbatch
  int tries = 0;
  for (const std::vector<int>& at : places) {
    if (std::ssize(at) % count != 0) continue;
    if (++tries > kTries) break;
    const int first = at.front();
    const int period = at[at.size() / static_cast<std::size_t>(count)] - first;
    const int end = first + period * count;
    if (end > lines) continue;
    if (std::equal(number.begin() + first, number.begin() + end - period,
                   number.begin() + first + period))
      return {.first = first, .lines = period, .count = count};
  }
  return whole;
}

int text_parts(const TextWorkload& workload) {
  return std::min(workload.vpp.value_or(1), text_microbatches(workload).lines);
}

std::vector<TextStep> text_steps(const TextWorkload& workload, int stage, int stages) {
  using Kind = TextStep::Kind;
  const auto lines = static_cast<int>(workload.layers.size());
  std::vector<TextStep> steps;
  const auto add_lines = [&](int from, int to) {
    for (int l = from; l < to; ++l) steps.push_back({.line = l});
  };
  if (stages == 1) {
    add_lines(0, lines);
    return steps;
  }
  const TextMicrobatches batch = text_microbatches(workload);
  const int parts = text_parts(workload);
  const auto begin_of = [&](int microbatch, std::int64_t part) {
    return batch.first + microbatch * batch.lines + static_cast<int>(part * batch.lines / parts);
  };
  add_lines(0, batch.first);
  for (int block = 0; block < batch.count; block += stages) {
    for (int part = 0; part < parts; ++part) {
      for (int m = block; m < std::min(block + stages, batch.count); ++m) {
        const int place = part * stages + stage;
        if (place > 0)
          steps.push_back({.kind = Kind::kReceive, .microbatch = m, .place = place - 1});
        add_lines(begin_of(m, part), begin_of(m, part + 1));
        if (place + 1 < parts * stages)
          steps.push_back({.kind = Kind::kSend, .microbatch = m, .place = place});
      }
    }
  }
  add_lines(batch.first + batch.count * batch.lines, lines);
  return steps;
}

}  // namespace fredsim
