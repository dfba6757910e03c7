// SPDX-License-Identifier: Apache-2.0
#include "switch/wave_scope.h"

#include <fmt/format.h>

#include "base/flit.h"

namespace fredsim {

std::optional<WaveScope> WaveScope::around(const std::string& part) const {
  std::optional<std::string> outermost;
  const std::string end = fmt::format(".{}.clk_i", part);
  for (auto n = names_.lower_bound(path_); n != names_.end(); ++n) {
    if (!n->first.starts_with(path_)) break;
    if (!n->first.ends_with(end)) continue;
    const std::string path = n->first.substr(0, n->first.size() - end.size() + 1);
    if (!outermost || path.size() < outermost->size()) outermost = path;
  }
  if (!outermost) return std::nullopt;
  return WaveScope(names_, save_, *outermost);
}

void WaveScope::show(TraceFormat format, const std::string& signal) const {
  if (const WaveName* const n = find(signal)) save_.trace(format, n->path + n->range);
}

void WaveScope::show(TraceNames as, const std::string& signal) const {
  if (const WaveName* const n = find(signal)) save_.named(as, n->path + n->range);
}

void WaveScope::show(TraceFormat format, const std::string& title, const std::string& signal,
                     int index, int of) const {
  if (const WaveName* const n = find(signal)) {
    save_.bits(format, title, *n, index * (n->bits / of), n->bits / of);
  }
}

void WaveScope::show(TraceNames as, const std::string& title, const std::string& signal, int index,
                     int of) const {
  if (const WaveName* const n = find(signal)) {
    save_.named_bits(as, title, *n, index * (n->bits / of), n->bits / of);
  }
}

void WaveScope::show_bits(TraceFormat format, const std::string& title, const std::string& signal,
                          int index, int of, int lowest, int count) const {
  if (const WaveName* const n = find(signal)) {
    save_.bits(format, title, *n, index * (n->bits / of) + lowest, count);
  }
}

const WaveName* WaveScope::find(const std::string& signal) const {
  const auto found = names_.find(path_ + signal);
  return found == names_.end() ? nullptr : found->second;
}

void show_each_vc(GtkwaveSave& save, const std::function<void(int vc)>& show) {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    save.group(fmt::format("VC {}", kVcNames[vc]), false, [&] { show(vc); });
  }
}

}  // namespace fredsim
