#include "switch/fred/fred_twin.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/fp.h"
#include "base/port_mask.h"
#include "base/vc_priority.h"
#include "routing/fred_routing.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

constexpr int rank_of(int vc) { return (vc + 1) & 3; }  // 0 is the highest priority
constexpr std::uint32_t kLinkBits = 0x0003'FFFF;  // of header word 2: those that leave the switch

std::uint8_t phase_of(const std::uint32_t* flit) { return static_cast<std::uint8_t>(flit[2]); }

void advance(std::uint16_t& place, int depth) {
  place = static_cast<std::uint16_t>(place + 1 == depth ? 0 : place + 1);
}

}  // namespace

FredTwin::FredTwin(const FredShape& shape)
    : shape_(shape),
      ports_(shape.fred.ports),
      words_(static_cast<std::size_t>(flit_words(shape.lanes))),
      in_slots_(3 * shape.buffers.data_flits + shape.buffers.control_flits),
      out_depth_(shape.buffers.output_flits),
      row_words_(phase_row_words(shape.fred)),
      phases_(num_phases(shape.fred)),
      stages_(fred_stages(shape.fred.ports)),
      packet_flits_(shape.packet_flits),
      yield_(shape.yield),
      quantum_(shape.quantum),
      in_(static_cast<std::size_t>(ports_)),
      out_(in_.size()),
      in_flits_(in_.size() * static_cast<std::size_t>(in_slots_) * words_),
      out_flits_(in_.size() * static_cast<std::size_t>(kNumVcs * out_depth_) * words_),
      destination_(in_.size() * kNumVcs),
      online_(shape.fred),
      pipeline_(static_cast<std::size_t>(stages_)),
      store_(static_cast<std::size_t>(phases_ * row_words_)),
      rows_(static_cast<std::size_t>(phases_)),
      flits_in_(in_.size()),
      flits_out_(in_.size()) {
  reset();
}

void FredTwin::reset() {
  const BufferShape& buffers = shape_.buffers;
  for (auto& port : in_) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      port[vc] = {};
      port[vc].base = static_cast<std::uint16_t>(vc * buffers.data_flits);
      port[vc].depth = static_cast<std::uint16_t>(buffers.depth(vc));
    }
  }
  for (auto& port : out_) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      port[vc] = {};
      port[vc].base = static_cast<std::uint16_t>(vc * out_depth_);
      port[vc].places = static_cast<std::uint16_t>(out_depth_);
      port[vc].credits = static_cast<std::uint16_t>(buffers.depth(vc));
    }
  }
  const Ports all = ~Ports{0} >> (32 - ports_);
  valid_ = some_ = online_fronts_ = {};
  std::ranges::fill(destination_, std::uint16_t{0});
  online_.reset();
  has_credit_.fill(all);
  room_.fill(all);
  match_ = 0;
  reserved_ = 0;
  std::ranges::fill(pipeline_, PortsByVc{});
  pipe_ = 0;
  std::ranges::fill(store_, 0U);
  std::ranges::fill(rows_, nullptr);
  active_ = loading_ = false;
  vc_ = phase_ = next_phase_ = 0;
  now_ = next_ = std::make_shared<const FredRow>();
  open_ = 0;
  lock_ = busy_ = 0;
  silent_ = yield_;
  pointer_ = {};
  std::ranges::fill(flits_in_, 0U);
  std::ranges::fill(flits_out_, 0U);
  reductions_ = phase_changes_ = 0;
  stall_join_ = stall_credit_ = stall_phase_ = stall_arbiter_ = stall_link_ = 0;
  launched_ = stalled_links_ = credits_out_ = 0;
  overflow_ = next_overflow_ = join_error_ = phase_error_ = route_error_ = false;
  error_ = rdata_ = 0;
}

bool FredTwin::idle() const {
  return !loading_ && lock_ == 0 && silent_ == yield_ && reserved_ == 0 && launched_ == 0 &&
         credits_out_ == 0 && (valid_[0] | valid_[1] | valid_[2] | valid_[3]) == 0;
}

// ---- one clock edge. Everything is judged by the state before it; the order below keeps that.

void FredTwin::step(SwitchPins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

template <int kWords>
void FredTwin::step_words(SwitchPins& pins) {
  join_error_ = phase_error_ = route_error_ = false;
  if (pins.reg.valid && !pins.reg.write) access(pins.reg);
  const PortsByVc arriving = std::exchange(pipeline_[pipe_], {});
  const Decision decision = decide();
  PortsByVc popped{};
  Fired fired;
  if ((online_fronts_[0] | online_fronts_[1] | online_fronts_[2] | online_fronts_[3]) == 0) {
    fired = fire<kWords>(decision.change);
  } else {
    const PortsByVc room = room_;
    const Ports held_before = held();
    fired = fire<kWords>(decision.change);
    popped = send_online<kWords>(online_.route(
        online_fronts_, destination_, room,
        {fired.inputs, fired.outputs, held_before, vc_, now_->in_path, now_->out_path}));
  }
  popped[vc_] |= fired.inputs;
  launch<kWords>(pins);
  accept<kWords>(pins, popped);
  if (error_ == reg::kErrorNone) {
    error_ = overflow_      ? reg::kErrorOverflow
             : join_error_  ? reg::kErrorJoin
             : phase_error_ ? reg::kErrorPhase
             : route_error_ ? reg::kErrorRoute
                            : reg::kErrorNone;
  }
  overflow_ = next_overflow_;
  deliver(arriving);
  advance_control(decision, fired.inputs != 0);
  if (pins.reg.valid && pins.reg.write) access(pins.reg);
  pins.reg_rdata = rdata_;
}

// The candidate of every VC, and whether the switch changes to one of them.
FredTwin::Decision FredTwin::decide() {
  std::uint32_t ready = 0;
  std::array<int, kNumVcs> phases{};
  for (int vc = 0; vc < kNumVcs; ++vc) {
    const Ports waiting = others(vc);
    if (waiting == 0) continue;
    stall_phase_ += static_cast<std::uint64_t>(std::popcount(waiting));
    const Ports after = waiting >> pointer_[vc] << pointer_[vc];
    const int port = std::countr_zero(after != 0 ? after : waiting);
    phases[vc] = in_[port][vc].phase;
    if (phases[vc] < phases_ && candidate_ready(*row(phases[vc]), vc, port, phases[vc], waiting)) {
      ready |= 1U << vc;
      continue;
    }
    if (phases[vc] >= phases_) phase_error_ = true;
    pointer_[vc] = static_cast<std::uint8_t>(port == ports_ - 1 ? 0 : port + 1);
  }
  if (ready == 0 || loading_ || lock_ != 0) return {};
  Decision decision;
  for (const int vc : kVcPriority) {
    if ((ready >> vc & 1U) == 0) continue;
    decision.vc = vc;
    decision.phase = phases[vc];
    break;
  }
  const bool silent = silent_ == yield_ && open_ == 0;
  decision.change = !active_ || silent || rank_of(decision.vc) < rank_of(vc_) ||
                    (decision.vc == vc_ && busy_ == quantum_);
  return decision;
}

bool FredTwin::candidate_ready(const FredRow& candidate, int vc, int port, int phase,
                               Ports waiting) {
  if (!candidate.valid || candidate.vc != vc || (candidate.inputs >> port & 1U) == 0) {
    phase_error_ = true;
    return false;
  }
  Ports there = 0;
  for_each_port(waiting & candidate.inputs, [&](int p) {
    if (in_[p][vc].phase == phase) there |= 1U << p;
  });
  return std::ranges::any_of(candidate.flows, [&](const FredRow::Flow& flow) {
    return (flow.inputs & ~there) == 0 &&
           (flow.outputs & ~(room_[vc] & ~online_.locked()[vc])) == 0;
  });
}

// Flow join.
template <int kWords>
FredTwin::Fired FredTwin::fire(bool change) {
  if (match_ == 0) return {};
  const Ports room = room_[vc_] & ~online_.locked()[vc_];
  Ports popped = 0;
  Ports reserved = 0;
  int adds = 0;
  std::uint32_t unequal = 0;  // not zero: flits of a flow differ in tag or tail
  for (std::size_t f = 0; f < now_->flows.size(); ++f) {
    const FredRow::Flow& flow = now_->flows[f];
    if ((flow.inputs & match_) == 0 || flow.code > ports_) continue;
    const bool open = (open_ >> f & 1U) != 0;
    if ((flow.inputs & ~match_) != 0) {
      ++stall_join_;
    } else if (!open && (flow.outputs & ~room) != 0) {
      ++stall_credit_;
    } else if (open || !change) {
      popped |= flow.inputs;
      reserved |= flow.outputs;
      adds += flow.adds;
      const std::uint32_t* const one = front(std::countr_zero(flow.inputs), vc_);
      std::uint32_t tail = one[2] & kTailBit;
      for_each_port(flow.inputs & (flow.inputs - 1), [&](int p) {
        const std::uint32_t* const other = front(p, vc_);
        unequal |= (one[0] ^ other[0]) | ((one[2] ^ other[2]) & kTailBit);
        tail |= other[2] & kTailBit;
      });
      open_ = tail != 0 ? open_ & ~(1U << f) : open_ | 1U << f;
    }
  }
  if (popped == 0) return {};
  reductions_ += static_cast<std::uint64_t>(adds);
  if (adds != 0 && unequal != 0 && !joins_agree(popped)) join_error_ = true;
  for_each_port(reserved, [&](int p) {
    --out_[p][vc_].places;
    set_room(p, vc_);
  });
  reserved_ += std::popcount(reserved);
  send<kWords>(popped);
  return {popped, reserved};
}

// Outputs of flows that are inside a packet.
FredTwin::Ports FredTwin::held() const {
  Ports outputs = 0;
  for (std::uint32_t open = open_; open != 0; open &= open - 1) {
    outputs |= now_->flows[std::countr_zero(open)].outputs;
  }
  return outputs;
}

// Takes the online unicasts that move to their places in the staging; returns the inputs they leave.
template <int kWords>
FredTwin::PortsByVc FredTwin::send_online(std::span<const FredOnline::Move> moves) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  stall_credit_ += static_cast<std::uint64_t>(online_.stall_credit());
  stall_arbiter_ += static_cast<std::uint64_t>(online_.stall_arbiter());
  route_error_ = online_.error_route();
  PortsByVc popped{};
  for (const FredOnline::Move& move : moves) {
    const std::uint32_t* flit = front(move.input, move.vc);
    OutVc& out = out_[move.output][move.vc];
    std::memcpy(out_slot(move.output, out.base + out.free), flit, words * sizeof(std::uint32_t));
    advance(out.free, out_depth_);
    --out.places;
    ++reserved_;
    set_room(move.output, move.vc);
    pipeline_[pipe_][move.vc] |= 1U << move.output;
    popped[move.vc] |= 1U << move.input;
    online_.commit(move, (flit[2] & kTailBit) != 0);
  }
  return popped;
}

bool FredTwin::joins_agree(Ports popped) const {
  bool agree = true;
  for_each_port(popped, [&](int p) {
    const std::uint32_t* a = front(p, vc_);
    const std::uint32_t* b = front(now_->partner[p], vc_);
    agree = agree && a[0] == b[0] && ((a[2] ^ b[2]) & kTailBit) == 0;
  });
  return agree;
}

// What the µSwitches make of the fronts that leave, to its places in the staging.
template <int kWords>
void FredTwin::send(Ports popped) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  std::array<std::uint32_t, kMaxFlitWords> sum;
  for (const FredRow::Sum& s : now_->sums) {
    if ((s.leaves & popped) == 0 || (s.leaves & ~popped) != 0) continue;
    const std::uint32_t* result = front(s.first, vc_);
    if (s.postfix.size() > 1) {
      std::memcpy(sum.data(), result, kHeaderWords * sizeof(std::uint32_t));
      std::fill(sum.begin() + kHeaderWords, sum.begin() + static_cast<std::ptrdiff_t>(words), 0U);
      std::array<const std::uint32_t*, 32> leaf;
      for_each_port(s.leaves, [&](int p) { leaf[p] = front(p, vc_); });
      for (int lane = 0; lane < shape_.lanes; ++lane) {
        std::array<std::uint16_t, 32> stack;
        std::size_t depth = 0;
        for (const int n : s.postfix) {
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
      result = sum.data();
    }
    pipeline_[pipe_][vc_] |= s.outputs;
    for_each_port(s.outputs, [&](int p) {
      OutVc& out = out_[p][vc_];
      std::memcpy(out_slot(p, out.base + out.free), result, words * sizeof(std::uint32_t));
      advance(out.free, out_depth_);
    });
  }
}

// Links first, by the staging before the edge; then what the interconnect delivers at it.
template <int kWords>
void FredTwin::launch(SwitchPins& pins) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  Ports able_any = 0;
  Ports taken = 0;
  for (const int vc : kVcPriority) {
    const Ports able = some_[vc] & (has_credit_[vc] | pins.out_credit[vc]);
    has_credit_[vc] |= pins.out_credit[vc];
    for_each_port(pins.out_credit[vc], [&](int p) {
      if (++out_[p][vc].credits == 0) has_credit_[vc] &= ~(1U << p);  // 16 bits
    });
    able_any |= able;
    const Ports leaving = able & pins.out_ready & ~taken;
    taken |= leaving;
    for_each_port(leaving, [&](int p) {
      OutVc& out = out_[p][vc];
      std::memcpy(&pins.out_flit[static_cast<std::size_t>(p) * words],
                  out_slot(p, out.base + out.head), words * sizeof(std::uint32_t));
      advance(out.head, out_depth_);
      if (--out.count == 0) some_[vc] &= ~(1U << p);
      ++out.places;
      set_room(p, vc);
      if (--out.credits == 0) has_credit_[vc] &= ~(1U << p);
      ++flits_out_[p];
    });
  }
  reserved_ -= std::popcount(taken);
  pins.out_valid = launched_ = taken;
  stalled_links_ = able_any & ~pins.out_ready;
  stall_link_ += static_cast<std::uint64_t>(std::popcount(stalled_links_));
}

template <int kWords>
void FredTwin::accept(SwitchPins& pins, const PortsByVc& popped) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  next_overflow_ = false;
  Ports changed = popped[vc_];
  for_each_port(pins.in_valid, [&](int p) {
    ++flits_in_[p];
    const std::uint32_t* flit = &pins.in_flit[static_cast<std::size_t>(p) * words];
    const int vc = vc_of(flit);
    InVc& in = in_[p][vc];
    if (in.count == in.depth) {
      next_overflow_ = true;
      return;
    }
    std::uint32_t* slot = in_slot(p, in.base + in.free);
    std::memcpy(slot, flit, words * sizeof(std::uint32_t));
    slot[2] &= kLinkBits;
    advance(in.free, in.depth);
    if (in.count++ != 0) return;
    show_front(p, vc);
    if (vc == vc_) changed |= 1U << p;
  });
  credits_out_ = 0;
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(popped[vc], [&](int p) {
      InVc& in = in_[p][vc];
      advance(in.head, in.depth);
      --in.count;
      show_front(p, vc);
    });
    credits_out_ |= popped[vc];
  }
  pins.in_credit = popped;
  for_each_port(changed, [&](int p) { match_front(p); });
}

void FredTwin::show_front(int port, int vc) {
  const Ports bit = 1U << port;
  InVc& in = in_[port][vc];
  if (in.count == 0) {
    valid_[vc] &= ~bit;
    online_fronts_[vc] &= ~bit;
    return;
  }
  const std::uint32_t* flit = front(port, vc);
  in.phase = phase_of(flit);
  destination_[static_cast<std::size_t>(kNumVcs * port + vc)] = static_cast<std::uint16_t>(flit[1]);
  valid_[vc] |= bit;
  online_fronts_[vc] =
      in.phase == kPhaseOnline ? online_fronts_[vc] | bit : online_fronts_[vc] & ~bit;
}

void FredTwin::match_front(int port) {
  const bool match = active_ && (valid_[vc_] >> port & 1U) != 0 && in_[port][vc_].phase == phase_;
  match_ = match ? match_ | 1U << port : match_ & ~(1U << port);
}

void FredTwin::find_matches() {
  match_ = 0;
  if (active_ && !loading_) for_each_port(valid_[vc_], [&](int p) { match_front(p); });
}

// Flits that come out of the interconnect at this edge; the next one is that of the next place.
void FredTwin::deliver(const PortsByVc& arriving) {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(arriving[vc], [&](int p) { ++out_[p][vc].count; });
    some_[vc] |= arriving[vc];
  }
  pipe_ = pipe_ + 1 == pipeline_.size() ? 0 : pipe_ + 1;
}

// The registers of the control unit.
void FredTwin::advance_control(const Decision& decision, bool fired) {
  if (lock_ != 0) --lock_;
  if (fired) {
    silent_ = 0;
    if (busy_ != quantum_) ++busy_;
  } else if (silent_ != yield_) {
    ++silent_;
  }
  if (loading_) {
    ++phase_changes_;
    loading_ = false;
    active_ = true;
    phase_ = next_phase_;
    now_ = next_;
    vc_ = now_->vc;
    lock_ = stages_;
    silent_ = busy_ = 0;
    find_matches();
  } else if (decision.change && open_ == 0) {
    loading_ = true;
    next_phase_ = decision.phase;
    next_ = row(decision.phase);
    match_ = 0;
  }
}

const FredTwin::Row& FredTwin::row(int phase) {
  Row& decoded = rows_[phase];
  if (decoded == nullptr) {
    const auto words = static_cast<std::size_t>(row_words_);
    decoded = std::make_shared<const FredRow>(
        decode_row(shape_.fred, {&store_[static_cast<std::size_t>(phase) * words], words}));
  }
  return decoded;
}

}  // namespace fredsim
