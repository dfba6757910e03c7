// SPDX-License-Identifier: Apache-2.0
#include "trace/wave_recorder.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/int128.h"
#include "nic/packet_extension.h"
#include "switch/switch_factory.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr std::uint64_t kCyclesBeforeTrigger = 40;  // cycles in view when the viewer opens

// value * num / den, rounded down; saturates at the largest number.
std::uint64_t scaled(std::uint64_t value, std::uint64_t num, std::uint64_t den) {
  const Uint128 result = static_cast<Uint128>(value) * num / den;
  return result > WaveWindow::kOpenEnd ? WaveWindow::kOpenEnd : static_cast<std::uint64_t>(result);
}

bool is_looked_for(FailureCause cause, WaveTriggerKind kind) {
  switch (kind) {
    case WaveTriggerKind::kPayload:
      return cause == FailureCause::kPayload;
    case WaveTriggerKind::kLockstep:
      return cause == FailureCause::kLockstepDifference;
    case WaveTriggerKind::kDeadlock:
      return cause == FailureCause::kDeadlock;
    default:
      return kind == WaveTriggerKind::kFailure;
  }
}

std::string to_text(const WaveWindow& window) {
  const char* const unit = window.in_picoseconds ? "ps" : "";
  if (window.to == WaveWindow::kOpenEnd) return fmt::format("{}{}:", window.from, unit);
  return fmt::format("{}{}:{}{}", window.from, unit, window.to, unit);
}

}  // namespace

WaveRecorder::WaveRecorder(Fabric& fabric, const WaveOptions& options)
    : WaveRecorder(fabric.topology(), fabric.core(), fabric.switches(), options) {
  fabric.observe(*this);
}

WaveRecorder::WaveRecorder(const Topology& topology, FabricCore& core,
                           std::span<const std::unique_ptr<SwitchCore>> switches,
                           const WaveOptions& options)
    : path_(options.file),
      topology_(topology),
      core_(core),
      trigger_(options.trigger),
      searching_(trigger_.has_value()),
      file_(options.file, files_beside_wave(options.file)) {
  set_windows(options.windows);
  choose_links(options.scope);
  if (!options.links_only) {
    for (const NodeId node : nodes_) {
      RtlSwitch* const rtl = switches[node] != nullptr ? rtl_inside(*switches[node]) : nullptr;
      if (rtl == nullptr) continue;
      file_.add(*rtl);
      rtl_.push_back(node);
    }
  }
  file_.add(signals());
  file_.open();
  try {
    write_view();
  } catch (const Error&) {
    file_.remove();
    throw;
  }
  if (!trigger_) return;
  std::vector<const SwitchCore*> watched;
  for (const NodeId node : nodes_) {
    if (switches[node] != nullptr) watched.push_back(switches[node].get());
  }
  watch_.emplace(*trigger_, watched, links_.size(), topology.vc_order);
}

WaveRecorder::~WaveRecorder() {
  try {
    finish();
  } catch (const Error&) {           // no caller to report to
  } catch (const std::bad_alloc&) {  // likewise
  }
}

// Adds a time after the last cycle, which gives it a width in a viewer.
void WaveRecorder::finish() {
  if (recording_ != 0) {
    clear_events();
    recording_ = 0;
    file_.dump(time_ps(cycle_));
  }
  file_.close();
}

void WaveRecorder::write_view() const {
  WaveView view{.start_ps = time_ps(windows_.front().from), .period_ps = time_ps(1)};
  if (found_) {
    view.trigger_ps = time_ps(*found_);
    const std::uint64_t lead = std::min(kCyclesBeforeTrigger, *found_);
    view.start_ps = std::max(view.start_ps, time_ps(*found_ - lead));
  }
  write_save_file(path_, topology_, nodes_, file_.names(), view);
}

void WaveRecorder::begin_search() {
  search_begin_ = cycle_;
  watch_->begin_run();
}

void WaveRecorder::run_failed(const RunFailed& failure) {
  const bool had_edges = cycle_ > search_begin_;
  if (!had_edges || !is_looked_for(failure.cause(), trigger_->kind)) return;
  found_ = cycle_ - 1 - (edge_before_ - failure.edge().value_or(edge_before_));
}

std::string WaveRecorder::why_empty() const {
  if (cycle_ == 0) return "the run ended before its first";
  if (searches()) return "what --wave-trigger looks for did not happen";
  if (recorded_ > 0) return "";
  return fmt::format("the run ended with cycle {}, before --wave-window", cycle_ - 1);
}

double WaveRecorder::found_ns() const { return static_cast<double>(time_ps(*found_)) / 1000; }

void WaveRecorder::record_found() {
  const std::uint64_t before = std::min(trigger_->before, *found_ - search_begin_);
  windows_ = {{*found_ - before, *found_ + trigger_->after}};
  cycle_ = search_begin_;
  searching_ = false;
  write_view();
}

void WaveRecorder::choose_links(const std::string& pattern) {
  std::vector<bool> in_scope(topology_.nodes.size());
  for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
    in_scope[id] = ::fnmatch(pattern.c_str(), topology_.nodes[id].name.c_str(), 0) == 0;
    if (in_scope[id]) nodes_.push_back(id);
  }
  if (nodes_.empty()) {
    throw BadInput(fmt::format("--wave-scope: found '{}', which matches no instance of {}", pattern,
                               topology_.name));
  }
  place_.assign(topology_.links.size(), -1);
  for (int link = 0; link < std::ssize(topology_.links); ++link) {
    const Link& l = topology_.links[link];
    if (!in_scope[l.from] && !in_scope[l.to]) continue;
    place_[link] = static_cast<int>(links_.size());
    links_.push_back({link, wave_scope_of(l)});
  }
  values_.resize(links_.size());
}

void WaveRecorder::set_windows(const std::vector<WaveWindow>& windows) {
  for (const WaveWindow& window : windows) {
    Cycles cycles{window.from, window.to};
    if (window.in_picoseconds) {
      const std::uint64_t hz = topology_.clock_hz;
      cycles.from = scaled(window.from, hz, kPicosecondsPerSecond);
      if (time_ps(cycles.from) < window.from) ++cycles.from;
      cycles.to = scaled(window.to, hz, kPicosecondsPerSecond);
      if (window.to != WaveWindow::kOpenEnd && time_ps(cycles.to + 1) <= window.to) ++cycles.to;
    }
    if (cycles.from > cycles.to) {
      throw BadInput(fmt::format("--wave-window: found '{}', in which {} has no clock edge",
                                 to_text(window), topology_.name));
    }
    if (!windows_.empty() && cycles.from <= windows_.back().to) {
      throw BadInput(fmt::format(
          "--wave-window: found '{}' after one that ends with cycle {}; allowed: windows in "
          "ascending order that do not overlap",
          to_text(window), windows_.back().to));
    }
    windows_.push_back(cycles);
  }
  if (windows_.empty()) windows_.push_back({0, WaveWindow::kOpenEnd});
}

std::vector<WaveSignal> WaveRecorder::signals() const {
  std::vector<WaveSignal> signals{{"wave", "cycle", 32, &shown_cycle_},
                                  {"wave", "recording", 1, &recording_}};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const LinkValues& v = values_[i];
    const std::string scope = "links " + links_[i].scope;
    const auto add = [&](const std::string& name, int bits, const std::uint32_t& value) {
      signals.push_back({scope, name, bits, &value});
    };
    add("valid", 1, v.valid);
    add("vc", 2, v.vc);
    add("phase", 8, v.phase);
    add("dst", 16, v.dst);
    add("src", 16, v.src);
    add("tag", 32, v.tag);
    add("stream", 32 - kStreamShift, v.stream);
    add("packet", kIndexBits, v.packet);
    add("seq", 6, v.seq);
    add("head", 1, v.head);
    add("tail", 1, v.tail);
    add("arrive", 1, v.arrive);
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const std::string name(kVcNames[vc]);
      add("valid_" + name, 1, v.valid_of[vc]);
      add("credit_" + name, 1, v.credit[vc]);
      add("credits_" + name, 16, v.credits[vc]);
    }
  }
  return signals;
}

WaveRecorder::LinkValues* WaveRecorder::traced(int link) {
  return place_[link] >= 0 ? &values_[place_[link]] : nullptr;
}

bool WaveRecorder::in_window() const {
  return !searching_ && window_ < windows_.size() && cycle_ >= windows_[window_].from;
}

std::uint64_t WaveRecorder::time_ps(std::uint64_t cycle) const {
  return scaled(cycle, kPicosecondsPerSecond, topology_.clock_hz);
}

void WaveRecorder::clear_events() {
  for (LinkValues& values : values_) {
    values.valid = values.head = values.tail = values.arrive = 0;
    values.valid_of = values.credit = {};
  }
}

void WaveRecorder::before_edge() {
  edge_before_ = core_.edge();
  if (!in_window() && recording_ == 0) return;
  clear_events();
  if (!in_window()) return;
  for (const NodeId node : rtl_) core_.wake(node);
  core_.visit_flits([&](NodeId node, int port) {
    if (LinkValues* const v = traced(topology_.link_in(node, port))) v->arrive = 1;
  });
  core_.visit_credits([&](NodeId node, int port, int vc) {
    if (LinkValues* const v = traced(topology_.link_out(node, port))) v->credit[vc] = 1;
  });
}

// Visits the flits launched at this edge: on_flit(link, header).
template <typename OnFlit>
void WaveRecorder::visit_launches(const OnFlit& on_flit) const {
  for (const WaveLink& traced : links_) {
    const Link& link = topology_.links[traced.link];
    const SwitchPins* const pins = core_.launched(link.from, edge_before_);
    if (pins == nullptr || (pins->out_valid >> link.from_port & 1U) == 0) continue;
    const std::size_t words =
        pins->out_flit.size() / static_cast<std::size_t>(topology_.nodes[link.from].ports);
    on_flit(traced.link,
            unpack_header(&pins->out_flit[static_cast<std::size_t>(link.from_port) * words]));
  }
}

void WaveRecorder::show_launches() {
  visit_launches([&](int link, const FlitHeader& header) {
    LinkValues* const v = &values_[place_[link]];
    v->valid = v->valid_of[header.vc] = 1;
    v->vc = header.vc;
    v->phase = header.phase;
    v->dst = header.dst;
    v->src = header.src;
    v->tag = header.tag;
    v->stream = header.tag >> kStreamShift;
    v->packet = header.tag & kIndexMask;
    v->seq = header.seq;
    v->head = header.head ? 1 : 0;
    v->tail = header.tail ? 1 : 0;
  });
}

void WaveRecorder::after_edge() {
  if (searching_ && !found_) {
    visit_launches(
        [&](int link, const FlitHeader& header) { watch_->launch(place_[link], header); });
    if (watch_->edge()) found_ = cycle_;
  }
  const bool records = in_window();
  if (records || recording_ != 0) {  // the edge after a window closes it: a gap has no changes
    if (records) show_launches();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const int link = links_[i].link;
      for (int vc = 0; vc < kNumVcs; ++vc) {
        values_[i].credits[vc] = static_cast<std::uint32_t>(core_.receiver_depth(link, vc) -
                                                            core_.outstanding(link, vc));
      }
    }
    recording_ = records ? 1 : 0;
    shown_cycle_ = static_cast<std::uint32_t>(edge_before_);
    file_.dump(time_ps(cycle_));
    if (!records) file_.end_block();
    recorded_ += recording_;
  }
  if (records && cycle_ == windows_[window_].to) ++window_;
  ++cycle_;
}

}  // namespace fredsim
