// Leaves out operations that take the same course as earlier ones, exactly: what is repeated often enough is simulated until
// the state recurs, and replayed from there.
//
// What it goes by: everything that the cycles to come depend on, relative to the current edge: links, switches, NICs and
//   NPUs, operations under way with how far each of their ranks and trees is, rows of the phase stores, and what the
//   caller, who issues, goes by. Not payload, nor the numbers of packets. Where that state is equal after the completion
//   of two operations, the cycles between the two repeat themselves for as long as the caller issues the same.
// How: digests are taken when an operation is complete. One that was there before gives a period; a second one, from there
//   on, must end in the same state and says how far every counter goes in one. Then whole periods pass over: counters of
//   links, switches, communicator and caller go on, operations under way stand for those so much later. A period in which
//   rows are loaded is not passed over: the state does not say which rows stand in the stores.
// Exact: cycles, counters and times are those of the run in full (tests/engine/repeated_operations_test.cpp). Payload is
//   made, carried and verified in the operations that are simulated.
// Cost: a digest per completion, rarer the longer none recurs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/state_digest.h"
#include "engine/communicator.h"
#include "engine/machine.h"
#include "fabric/window_counts.h"

namespace fredsim {

class RepeatedOperations {
 public:
  // Both outlive it.
  RepeatedOperations(Machine& machine, Communicator& communicator)
      : machine_(machine), communicator_(communicator) {}

  // What the caller counts, and by how much it may go on before something comes that has not been before.
  struct Count {
    std::uint64_t value = 0;
    std::uint64_t left = ~std::uint64_t{0};
  };
  // Out of the communicator's on_cycle(), after an edge at which an operation was complete. `digest`: what the caller goes
  // by; `counts`, as many as ever, have gone on where cycles have passed.
  void look(StateDigest digest, std::span<Count> counts);

  std::uint64_t cycles() const { return cycles_; }  // passed over in all
  std::uint64_t flit_hops() const { return flit_hops_; }

 private:
  static constexpr std::size_t kMostSeen = 32;

  void begin_search(std::uint64_t step);
  void begin_period(std::uint64_t completions, const StateDigest& digest,
                    std::span<const Count> counts);
  std::uint64_t periods(std::span<const Count> counts) const;
  void repeat(std::uint64_t number, std::span<Count> counts);

  Machine& machine_;
  Communicator& communicator_;
  std::uint64_t completions_ = 0;  // at which it was asked to look
  std::uint64_t next_ = 1;         // at which it does
  std::uint64_t step_ = 1;
  std::map<StateDigest, std::uint64_t> seen_;  // state -> completions
  // A period that is measured: where it began.
  bool measures_ = false;
  StateDigest state_{kIndexMask};
  std::uint64_t begin_ = 0;  // cycle
  std::vector<Count> before_;
  FabricCounts fabric_before_;
  std::vector<std::uint64_t> acknowledgements_before_;  // by node
  Communicator::Totals totals_before_;
  std::uint64_t cycles_ = 0, flit_hops_ = 0;
};

}  // namespace fredsim
