// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_twin.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/fp.h"
#include "base/port_mask.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

constexpr int kBeforeStages =
    3;  // edges from a pop to the first stage: memory, flit register, stage
constexpr unsigned kJoinCheck = 3;  // edges from a pop until the error register shows its errors
// Header word 2: link bits; above them, in an input buffer, 1 + output of an online unicast.
constexpr unsigned kRouteBit = (noc_pkg::TAIL_BIT + 1) % 32;
constexpr std::uint32_t kLinkBits = (1U << kRouteBit) - 1;
static_assert((noc_pkg::TAIL_BIT + 1) / 32 == 2);

std::uint8_t phase_of(const std::uint32_t* flit) {
  return static_cast<std::uint8_t>(kPhaseField.of(flit));
}

void advance(std::uint16_t& place, int depth) {
  place = static_cast<std::uint16_t>(place + 1 == depth ? 0 : place + 1);
}

}  // namespace

PhasedTwin::PhasedTwin(const PhasedShape& shape, PhasedNetwork network,
                       std::unique_ptr<PhasedRoutes> routes)
    : shape_(shape),
      network_(std::move(network)),
      interconnect_(network_.make_interconnect ? network_.make_interconnect() : nullptr),
      ports_(network_.ports),
      words_(static_cast<std::size_t>(flit_words(shape.lanes))),
      in_slots_(3 * shape.buffers.data_flits + shape.buffers.control_flits),
      row_words_(network_.row_words),
      phases_(network_.num_phases),
      yield_(shape.yield),
      quantum_(shape.quantum),
      two_(shape.phases_in_use > 1),
      in_(static_cast<std::size_t>(ports_)),
      in_flits_(in_.size() * static_cast<std::size_t>(in_slots_) * words_),
      outputs_(ports_, shape, network_.stages + kBeforeStages,
               interconnect_ != nullptr ? interconnect_->longest() : 0),
      hol_output_(in_.size() * kNumVcs),
      matcher_(ports_, network_.apart_levels, shape.vc_order),
      routes_(std::move(routes)),
      pin_flits_(in_.size() * words_),
      store_(static_cast<std::size_t>(phases_ * row_words_)),
      rows_(static_cast<std::size_t>(phases_)),
      candidates_(ports_),
      flits_in_(in_.size()) {
  for (int vc = 0; vc < kNumVcs; ++vc) rank_[vc] = priority_rank(shape.vc_order, vc);
  reset();
}

void PhasedTwin::reset() {
  const BufferShape& buffers = shape_.buffers;
  for (auto& port : in_) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      port[vc] = {};
      port[vc].base = static_cast<std::uint16_t>(vc * buffers.data_flits);
      port[vc].depth = static_cast<std::uint16_t>(buffers.depth(vc));
    }
  }
  outputs_.reset();
  if (interconnect_ != nullptr) interconnect_->reset();
  valid_ = online_hol_flits_ = request_ = tail_ = {};
  std::ranges::fill(hol_output_, std::uint8_t{0});
  matcher_.reset();
  routes_->reset();
  match_ = 0;
  popping_ = {};
  pin_valid_ = 0;
  std::ranges::fill(store_, 0U);
  std::ranges::fill(rows_, nullptr);
  candidates_.reset();
  slots_ = {};
  for (Slot& slot : slots_) slot.silent = yield_;
  second_in_ = second_out_ = 0;
  decided_ = false;
  next_phase_ = 0;
  replaced_ = 1;
  target_ = 0;
  now_ = std::make_shared<const PhasedRow>();
  next_ = changed_ = nullptr;
  together_.clear();
  open_ = 0;
  held_back_ = 0;
  since_load_ = rest_after_load();
  std::ranges::fill(flits_in_, 0U);
  counted_ = events_ = {};
  phase_changes_ = 0;
  credits_out_ = 0;
  overflow_ = next_overflow_ = phase_error_ = route_error_ = false;
  join_errors_ = config_errors_ = astray_ = 0;
  inside_ = {};
  error_ = rdata_ = 0;
}

bool PhasedTwin::idle() const {
  return !decided_ && since_load_ == rest_after_load() && slots_[0].silent == yield_ &&
         slots_[1].silent == yield_ && outputs_.empty() && (astray_ & on_their_way()) == 0 &&
         (pin_valid_ | credits_out_) == 0 && (valid_[0] | valid_[1] | valid_[2] | valid_[3]) == 0 &&
         matcher_.idle() && (interconnect_ == nullptr || interconnect_->idle());
}

int PhasedTwin::pipeline_edges() const { return network_.stages + kBeforeStages; }

// ---- one clock edge; every decision uses the state before it, which the order below preserves.

void PhasedTwin::step(SwitchPins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

template <int kWords>
void PhasedTwin::step_words(SwitchPins& pins) {
  phase_error_ = route_error_ = false;
  join_errors_ <<= 1U;
  config_errors_ <<= 1U;
  astray_ <<= 1U;
  if (pins.reg.valid && !pins.reg.write) access(pins.reg);
  count_events();
  outputs_.drive<kWords>(pins);
  const bool store_free = !pins.reg.valid || pins.reg.address < reg::kPhaseStore;
  const Control control = decide();
  if (two_ && control.change) {
    const Slot& other = slots_[1 - target_];
    const bool stays = other.active && (replaced_ >> (1 - target_) & 1U) == 0;
    changed_ = stays ? rows_together(next_, other.row) : next_;
  }
  look_up(store_free);
  std::span<const PhasedMatcher::Move> moves;
  Fired fired;
  const bool online = on_any_vc(online_hol_flits_) != 0 || !matcher_.idle();
  if (!online) {
    fired = fire<kWords>();
  } else {
    const PhasedMatcher::HolFlits hol_flits{request_, tail_, hol_output_, outputs_.room()};
    const Ports held_before = held();
    fired = fire<kWords>();
    moves = matcher_.step(hol_flits, seen_by_matcher(fired, held_before));
  }
  Ports lost = 0;  // outputs that unicasts do not reach
  if (fired.inputs != 0 && !sent().contradictory.empty()) lost = send_astray<kWords>(fired, moves);
  PortsByVc popped{};
  if (online) popped = send_online<kWords>(moves, lost);
  popped[slots_[0].vc] |= fired.inputs & ~second_in_;
  if (two_) popped[slots_[1].vc] |= fired.inputs & second_in_;
  if (interconnect_ != nullptr) {
    interconnect_->step(fired.inputs, control.change ? next_.get() : nullptr, outputs_);
  }
  outputs_.deliver();
  outputs_.launch(pins);
  accept<kWords>(pins, popped);
  if (error_ == reg::kErrorNone) {
    error_ = overflow_                                        ? reg::kErrorOverflow
             : (join_errors_ >> kJoinCheck & 1U) != 0         ? reg::kErrorJoin
             : phase_error_                                   ? reg::kErrorPhase
             : route_error_                                   ? reg::kErrorRoute
             : (config_errors_ >> pipeline_edges() & 1U) != 0 ? reg::kErrorConfig
                                                              : reg::kErrorNone;
  }
  overflow_ = next_overflow_;
  Slots rewritten = 0;
  if (pins.reg.valid) {
    for (int s = 0; s < slot_count(); ++s) {
      if (writes_row(pins.reg, slots_[s].phase)) rewritten |= 1U << s;
    }
  }
  advance_control(control, fired, rewritten);
  if (pins.reg.valid && pins.reg.write) access(pins.reg);
  pins.reg_rdata = rdata_;
}

void PhasedTwin::count_events() {
  counted_.reductions += events_.reductions;
  counted_.join += events_.join;
  counted_.credit += events_.credit;
  counted_.phase += events_.phase;
  counted_.arbiter += events_.arbiter;
  events_ = {};
}

// Advances the search for candidates by one edge.
void PhasedTwin::look_up(bool store_free) {
  PortsByVc waiting;
  Ports any = 0;
  for (int vc = 0; vc < kNumVcs; ++vc) any |= waiting[vc] = others(vc);
  if (any == 0) return;
  for (const Ports ports : waiting) {
    events_.phase += static_cast<std::uint64_t>(std::popcount(ports));
  }
  const PhasedCandidates::Read read = candidates_.read();
  const Row ready = read.valid ? ready_row(read, waiting[read.vc]) : nullptr;
  PhasedCandidates::Read next;
  if (!decided_ && store_free) {
    const PhasedCandidates::HolFlit hol = candidates_.choose(waiting);
    if (hol.port >= 0) next = {true, hol.port, hol.vc, in_[hol.port][hol.vc].phase};
  }
  candidates_.advance(ready, next);
}

// Checks a row that has been read; returns it, or null.
PhasedTwin::Row PhasedTwin::ready_row(const PhasedCandidates::Read& read, Ports waiting) {
  const PhasedRow* const of = read.phase < phases_ ? row(read.phase).get() : nullptr;
  if (of == nullptr || !of->valid || of->vc != read.vc || (of->inputs >> read.port & 1U) == 0) {
    phase_error_ = true;
    return nullptr;
  }
  Ports there = 0;
  for_each_port(waiting & of->inputs, [&](int p) {
    if (in_[p][read.vc].phase == read.phase) there |= 1U << p;
  });
  const Ports room = outputs_.room()[read.vc] & ~matcher_.locked()[read.vc];
  const bool ready = std::ranges::any_of(of->flows, [&](const PhasedRow::Flow& flow) {
    return (flow.inputs & ~there) == 0 && (flow.outputs & ~room) == 0;
  });
  return ready ? row(read.phase) : nullptr;
}

// Joins the flits of flows.
template <int kWords>
PhasedTwin::Fired PhasedTwin::fire() {
  held_back_ = 0;
  if (match_ == 0) return {};
  Ports match = match_;
  if (interconnect_ != nullptr) {
    held_back_ = match_ & interconnect_->hold();
    events_.arbiter += static_cast<std::uint64_t>(std::popcount(held_back_));
    match &= ~held_back_;
  }
  std::array<Ports, 2> room{}, reserved{};  // index: slot
  for (int s = 0; s < slot_count(); ++s) {
    const int vc = slots_[s].vc;
    room[s] = outputs_.room()[vc] & ~matcher_.locked()[vc];
  }
  Ports popped = 0;
  int adds = 0;
  std::uint32_t unequal = 0;  // nonzero: flits of a flow differ in tag or tail
  for (const PhasedRow::Flow& flow : now_->flows) {
    if ((flow.inputs & match) == 0) continue;
    const std::uint32_t bit = 1U << (flow.code - 1);
    const bool open = (open_ & bit) != 0;
    const int slot = slot_of(flow);
    const int vc = slots_[slot].vc;
    if ((flow.inputs & ~match) != 0) {
      ++events_.join;
    } else if (!open && (flow.outputs & ~room[slot]) != 0) {
      ++events_.credit;
    } else if (open || !decided_ || (replaced_ >> slot & 1U) == 0) {
      popped |= flow.inputs;
      reserved[slot] |= flow.outputs;
      adds += flow.adds;
      const std::uint32_t* const one = hol(std::countr_zero(flow.inputs), vc);
      std::uint32_t tail = one[2] & kTailBit;
      for_each_port(flow.inputs & (flow.inputs - 1), [&](int p) {
        const std::uint32_t* const other = hol(p, vc);
        unequal |= (one[0] ^ other[0]) | ((one[2] ^ other[2]) & kTailBit);
        tail |= other[2] & kTailBit;
      });
      open_ = tail != 0 ? open_ & ~bit : open_ | bit;
    }
  }
  if (popped == 0) return {};
  events_.reductions += static_cast<std::uint64_t>(adds);
  if (unequal != 0 && !joins_agree(popped)) join_errors_ |= 1U;
  outputs_.reserve(slots_[0].vc, reserved[0]);
  if (reserved[1] != 0) outputs_.reserve(slots_[1].vc, reserved[1]);
  if ((reserved[0] | reserved[1]) == 0) astray_ |= 1U;
  if (sent().contradictory.empty()) send<kWords>(popped);
  return {popped, reserved[0] | reserved[1]};
}

// Ports that the phase in use and the interconnect leave to online unicasts.
PhasedMatcher::Phase PhasedTwin::seen_by_matcher(const Fired& fired, Ports held_before) const {
  PhasedMatcher::Phase phase{.popped = fired.inputs,
                             .reserved = fired.outputs,
                             .held = held_before & ~second_out_,
                             .vc = slots_[0].vc,
                             .second_held = held_before & second_out_,
                             .second_vc = slots_[1].vc};
  if (interconnect_ != nullptr) {
    phase.closed = interconnect_->closed();
    phase.in_flight = interconnect_->in_flight();
    phase.in_flight_vc = interconnect_->in_flight_vc();
  }
  return phase;
}

// Outputs of flows that are inside a packet.
PhasedTwin::Ports PhasedTwin::held() const {
  Ports outputs = 0;
  if (open_ == 0) return outputs;
  for (const PhasedRow::Flow& flow : now_->flows) {
    if ((open_ >> (flow.code - 1) & 1U) != 0) outputs |= flow.outputs;
  }
  return outputs;
}

// Moves departing online unicasts to their places in the staging, except those that do not reach
// their outputs; returns the inputs that they leave.
template <int kWords>
PhasedTwin::PortsByVc PhasedTwin::send_online(std::span<const PhasedMatcher::Move> moves,
                                              Ports lost) {
  events_.credit += static_cast<std::uint64_t>(matcher_.stall_credit());
  events_.arbiter += static_cast<std::uint64_t>(matcher_.stall_arbiter());
  for (int vc = 0; vc < kNumVcs; ++vc) route_error_ |= (online_hol_flits_[vc] & ~request_[vc]) != 0;
  PortsByVc popped{};
  for (const PhasedMatcher::Move& move : moves) {
    outputs_.reserve(move.vc, 1U << move.output);
    const InVc& in = in_[move.input][move.vc];
    std::uint32_t* const flit = in_slot(move.input, in.base + in.head);
    flit[2] &= kLinkBits;  // drops the route with the departure from the buffer
    const Ports output = 1U << move.output;
    if ((output & lost) == 0) push<kWords>(move.vc, output, flit);
    popped[move.vc] |= 1U << move.input;
  }
  return popped;
}

bool PhasedTwin::joins_agree(Ports popped) const {
  bool agree = true;
  for_each_port(popped, [&](int p) {
    const std::uint32_t* a = hol(p, vc_of_input(p));
    const std::uint32_t* b = hol(now_->partner[p], vc_of_input(p));
    agree = agree && a[0] == b[0] && ((a[2] ^ b[2]) & kTailBit) == 0;
  });
  return agree;
}

// Moves the departing head-of-line flits through the interconnect, to their places in the staging.
template <int kWords>
void PhasedTwin::send(Ports popped) {
  std::array<std::uint32_t, kMaxFlitWords> sum;
  for (const PhasedRow::Sum& s : sent().sums) {
    if ((s.leaves & popped) == 0 || (s.leaves & ~popped) != 0) continue;
    const int vc = vc_of_input(s.first);
    const std::uint32_t* const result = add_up<kWords>(s.postfix, sum.data());
    if (interconnect_ != nullptr && s.postfix.size() > 1) {
      outputs_.stage<kWords>(vc, s.outputs, result);  // the interconnect reports the arrival
    } else {
      push<kWords>(vc, s.outputs, result);
    }
  }
}

// Puts a flit in flight to its places in the staging, and checks that it is the next of a packet
// there (rtl/fred/fred_exit.sv).
template <int kWords>
void PhasedTwin::push(int vc, Ports outputs, const std::uint32_t* flit) {
  outputs_.push<kWords>(vc, outputs, flit);
  if (!network_.carry) return;
  const bool head = (flit[2] & kHeadBit) != 0, tail = (flit[2] & kTailBit) != 0;
  if ((outputs & (head ? inside_[vc] : ~inside_[vc])) != 0) config_errors_ |= 1U;
  inside_[vc] = tail ? inside_[vc] & ~outputs : inside_[vc] | outputs;
}

// Variant for a row that contradicts its flows: returns the outputs that unicasts leaving at the
// same edge do not reach.
template <int kWords>
PhasedTwin::Ports PhasedTwin::send_astray(const Fired& fired,
                                          std::span<const PhasedMatcher::Move> moves) {
  std::vector<PhasedUnicast> unicasts;
  Ports lost = 0;
  for (const PhasedMatcher::Move& move : moves) {
    unicasts.push_back({move.input, move.output});
    lost |= 1U << move.output;
  }
  std::array<std::uint32_t, kMaxFlitWords> sum;
  Ports missing = fired.outputs;
  bool wrong = false;
  const std::vector<PhasedCarried> carried =
      network_.carry(sent(), fired.inputs, fired.outputs, unicasts);
  for (int p = 0; p < ports_; ++p) {
    const Ports output = 1U << p;
    if (carried[p].online) {
      lost &= ~output;
    } else if (!carried[p].postfix.empty() && (fired.outputs & output) != 0 &&
               vc_of_input(carried[p].postfix.front()) == vc_of_output(p)) {
      push<kWords>(vc_of_output(p), output, add_up<kWords>(carried[p].postfix, sum.data()));
      missing &= ~output;
    } else if (!carried[p].postfix.empty()) {
      wrong = true;
    }
  }
  astray_ |= 1U;
  if (wrong || (missing | lost) != 0) config_errors_ |= 1U;
  return lost;
}

// The sum of head-of-line flits of phases in use, or the only flit; `sum` is used if there is
// something to add.
template <int kWords>
const std::uint32_t* PhasedTwin::add_up(const std::vector<int>& postfix, std::uint32_t* sum) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  const std::uint32_t* const first = hol(postfix.front(), vc_of_input(postfix.front()));
  if (postfix.size() == 1) return first;
  std::memcpy(sum, first, kHeaderWords * sizeof(std::uint32_t));
  std::fill(sum + kHeaderWords, sum + words, 0U);
  std::array<const std::uint32_t*, 32> leaf;
  for (const int n : postfix) {
    if (n >= 0) leaf[n] = hol(n, vc_of_input(n));
  }
  for (int lane = 0; lane < shape_.lanes; ++lane) {
    std::array<std::uint16_t, 32> stack;
    std::size_t depth = 0;
    for (const int n : postfix) {
      if (n >= 0) {
        stack[depth++] = get_lane(leaf[n], lane);
      } else {
        --depth;
        stack[depth - 1] = fp_add(shape_.format, stack[depth - 1], stack[depth]);
      }
    }
    sum[kHeaderWords + static_cast<std::size_t>(lane) / 2] |= std::uint32_t{stack[0]}
                                                              << (lane % 2 * 16);
  }
  return sum;
}

template <int kWords>
void PhasedTwin::accept(SwitchPins& pins, const PortsByVc& popped) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  next_overflow_ = false;
  Ports changed = popped[slots_[0].vc];
  if (two_) changed |= popped[slots_[1].vc];
  for_each_port(pin_valid_, [&](int p) {
    const std::uint32_t* flit = &pin_flits_[static_cast<std::size_t>(p) * words];
    const int vc = vc_of(flit);
    InVc& in = in_[p][vc];
    if (in.count + (popping_[vc] >> p & 1U) == in.depth) {
      next_overflow_ = true;
      return;
    }
    std::uint32_t* slot = in_slot(p, in.base + in.free);
    std::memcpy(slot, flit, words * sizeof(std::uint32_t));
    advance(in.free, in.depth);
    if (in.count++ != 0) return;
    show_hol(p, vc);
    if (vc == vc_of_input(p)) changed |= 1U << p;
  });
  credits_out_ = 0;
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(popped[vc], [&](int p) {
      InVc& in = in_[p][vc];
      advance(in.head, in.depth);
      --in.count;
      show_hol(p, vc);
    });
    credits_out_ |= popped[vc];
  }
  pins.in_credit = popping_ = popped;
  for_each_port(changed, [&](int p) { match_hol(p); });
  pin_valid_ = pins.in_valid;
  for_each_port(pin_valid_, [&](int p) {
    ++flits_in_[p];
    const std::size_t first = static_cast<std::size_t>(p) * words;
    std::uint32_t* flit = &pin_flits_[first];
    std::memcpy(flit, &pins.in_flit[first], words * sizeof(std::uint32_t));
    flit[2] &= kLinkBits;
    if (phase_of(flit) == kPhaseOnline) flit[2] |= route_bits(p, flit);
  });
}

// 1 + the output of a flit, or 0: none; kept in header bits that do not leave the switch.
std::uint32_t PhasedTwin::route_bits(int port, const std::uint32_t* flit) const {
  const int output = routes_->output(port, static_cast<std::uint16_t>(kDstField.of(flit)));
  return static_cast<std::uint32_t>(output + 1) << kRouteBit;
}

void PhasedTwin::show_hol(int port, int vc) {
  const Ports bit = 1U << port;
  InVc& in = in_[port][vc];
  if (in.count == 0) {
    valid_[vc] &= ~bit;
    online_hol_flits_[vc] &= ~bit;
    request_[vc] &= ~bit;
    return;
  }
  const std::uint32_t* flit = hol(port, vc);
  in.phase = phase_of(flit);
  valid_[vc] |= bit;
  if (in.phase != kPhaseOnline) {
    online_hol_flits_[vc] &= ~bit;
    request_[vc] &= ~bit;
    return;
  }
  online_hol_flits_[vc] |= bit;
  const std::uint32_t route = flit[2] >> kRouteBit;
  request_[vc] = route != 0 ? request_[vc] | bit : request_[vc] & ~bit;
  tail_[vc] = (flit[2] & kTailBit) != 0 ? tail_[vc] | bit : tail_[vc] & ~bit;
  if (route != 0) {
    hol_output_[static_cast<std::size_t>(kNumVcs * port + vc)] =
        static_cast<std::uint8_t>(route - 1);
  }
}

void PhasedTwin::match_hol(int port) {
  const Slot& slot = slots_[slot_of_input(port)];
  const bool match =
      slot.active && (valid_[slot.vc] >> port & 1U) != 0 && in_[port][slot.vc].phase == slot.phase;
  match_ = match ? match_ | 1U << port : match_ & ~(1U << port);
}

void PhasedTwin::find_matches() {
  match_ = 0;
  Ports hol_flits = slots_[0].active ? valid_[slots_[0].vc] : 0;
  if (slots_[1].active) hol_flits |= valid_[slots_[1].vc];
  for_each_port(hol_flits, [&](int p) { match_hol(p); });
}

const PhasedTwin::Row& PhasedTwin::row(int phase) {
  Row& decoded = rows_[phase];
  if (decoded == nullptr) {
    const auto size = static_cast<std::size_t>(row_words_);
    const std::span words(&store_[static_cast<std::size_t>(phase) * size], size);
    PhasedRow row = network_.decode(words);
    if (two_) {
      row.words.assign(words.begin(), words.end());
      row.use = use_of_row(ports_, words, network_.row_bits, network_.config_field_bits);
    }
    decoded = std::make_shared<const PhasedRow>(std::move(row));
  }
  return decoded;
}

}  // namespace fredsim
