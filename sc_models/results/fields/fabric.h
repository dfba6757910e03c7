// SPDX-License-Identifier: Apache-2.0
// Fields of every run on a fabric: its machine, links, switches, layout.
#pragma once

#include "results/fields/field.h"

namespace fredsim::fields {

inline constexpr std::string_view kModels = "rtl tlm lockstep";

inline constexpr auto kMachineFields = std::to_array<Field>({
    {"config", or_null(kText, Null::kOwn), kNone, "machine file, as given"},
    {"settings",
     {Kind::kTexts},
     kNone,
     "keys set over the machine file, by `--set` or as `CONFIG@key=value,…`, values as typed"},
    {"machine", or_null({Kind::kMachine}, Null::kOwn), kNone,
     "the machine as a machine file, with every key that its fabric type has: defaults and "
     "settings are in it; `io`, `link`, `faults` and `switch.rtl_top` are left out where there are "
     "none"},
    {"fabric", kText, kNone, "name of the machine"},
});
inline constexpr auto kClockFields = std::to_array<Field>({
    {"lanes", kPositive, kNone, "lanes of a flit that are carried, of 256"},
    {"clock_ghz", kNumber, kGhz, "clock of the fabric"},
    {"faults", list(pattern("^((link|switch):.+|(npu|io):[0-9]+)$")), kNone,
     "components that failed from the start, as `--fault` takes them",
     "of machines with failed components"},
});
inline constexpr auto kRunHeadFields =
    join(kMachineFields,
         std::to_array<Field>(
             {{"model", pattern("^((rtl|tlm|lockstep)([+](rtl|tlm|lockstep))*|flow)$"), kNone,
               "implementation of the switches: rtl, tlm, lockstep; joined by + where they differ; "
               "flow: "
               "none, with `--engine flow`"}}),
         kClockFields);
inline constexpr Object kRunHead{"run_head", "what was run", kRunHeadFields};

inline constexpr auto kLinkFields = std::to_array<Field>({
    {"name", kText, kNone, "of the link, with both its ends"},
    {"from", kText, kNone, "node that sends"},
    {"to", kText, kNone, "node that receives"},
    {"on_die", kFlag, kNone, "between a mesh NPU and its own router: no wafer link"},
    {"flits", kCount, kFlits, "carried, retransmissions not counted"},
    {"bytes", kCount, kBytes, "payload carried"},
    {"busy_cycles", kCount, kCycles, "in which a flit was launched, for the first time or again"},
    {"utilization", kNumber, kNone, "flits sent / flits that the link's rate allows, 1 at most"},
    {"resent_flits", kCount, kFlits, "retransmitted", "of links that retransmit"},
    {"damaged_flits", kCount, kFlits, "that arrived with an error", "of links that retransmit"},
    {"lost_flits", kCount, kFlits, "that did not arrive", "of links that retransmit"},
});
inline constexpr Object kLink{"link", "one direction of a link", kLinkFields};

inline constexpr auto kStallFields = std::to_array<Field>({
    {"credit", kCount, kCycles, "without credit"},
    {"arbiter", kCount, kCycles, "lost to another input"},
    {"link", kCount, kCycles, "with the link busy"},
    {"join", kCount, kCycles, "without the other operands of the sum", "of switches with phases"},
    {"phase", kCount, kCycles, "with another phase in use", "of switches with phases"},
});
inline constexpr Object kStalls{
    "stalls", "cycles in which a head-of-line flit could not leave, by reason", kStallFields};

inline constexpr auto kSwitchFields = std::to_array<Field>({
    {"name", kText, kNone, "of the switch"},
    {"model", word(kModels), kNone, "its implementation"},
    {"flits_in", kCount, kFlits, "received"},
    {"flits_out", kCount, kFlits, "sent"},
    {"reductions", kCount, kNone, "additions of two flits"},
    {"phase_changes", kCount, kNone, "phases taken into use"},
    {"stall_cycles", object(kStalls), kCycles, "in which flits could not leave, by reason"},
});
inline constexpr Object kSwitch{"switch", "the counters of a switch", kSwitchFields};

// Energy by part and by event.
inline constexpr auto kEnergyEventFields = std::to_array<Field>({
    {"unicast_flits", kCount, kFlits, "unicasts through switches, counted in each"},
    {"flow_flits", kCount, kFlits,
     "made by flows of phases of their operands, before they are copied, counted in each switch"},
    {"additions", kCount, kNone, "of two flits, in switches"},
    {"copies", kCount, kNone, "of a flit, in switches: outputs beyond the first"},
    {"npu_additions", kCount, kNone, "of two flits, at NPUs and other endpoints"},
    {"buffer_flits", kCount, kFlits, "written to and read from memories of switches"},
    {"link_flits", kCount, kFlits, "on wafer links, retransmissions too"},
    {"npu_bytes", kCount, kBytes, "read and written by NPUs to send, receive and add"},
    {"flops", kNumber, "FLOP", "of computations"},
});
inline constexpr Object kEnergyEvents{"energy_events", "events that energies are of",
                                      kEnergyEventFields};

inline constexpr std::string_view kPj = "pJ";
inline constexpr auto kEnergyFields = std::to_array<Field>({
    {"missing", or_null(kText), kNone,
     "why there is no energy, and all other keys are null; null: there is"},
    {"total_pj", or_null(kNumber), kPj, "sum of the parts"},
    {"pj_per_bit", or_null(kNumber), "pJ/bit",
     "total / bits of the vectors of all collectives; null: training"},
    {"adders_pj", or_null(kNumber), kPj,
     "additions in switches, with what operands go through on the way there"},
    {"interconnect_pj", or_null(kNumber), kPj, "flits that pass switches, and copies"},
    {"buffers_pj", or_null(kNumber), kPj, "input buffers, staging and operands' memories"},
    {"tables_pj", or_null(kNumber), kPj,
     "rows of phases written and taken into use; null: of flows with phases, which do not count "
     "them"},
    {"npu_links_pj", or_null(kNumber), kPj, "wafer links of NPUs; null: there are none"},
    {"switch_links_pj", or_null(kNumber), kPj, "wafer links between switches; null: likewise"},
    {"io_links_pj", or_null(kNumber), kPj, "links of I/O controllers; null: likewise"},
    {"clock_pj", or_null(kNumber), kPj,
     "clock of the registers of interconnects, in every cycle and as flits open clock gates"},
    {"npu_adders_pj", or_null(kNumber), kPj,
     "additions at NPUs, each taken to be that of a µSwitch"},
    {"npu_memory_pj", or_null(kNumber), kPj,
     "what NPUs read and write to send, receive and add; null: `energy.npu_memory_pj_per_bit` is "
     "none"},
    {"npu_compute_pj", or_null(kNumber), kPj,
     "computations; null: `energy.npu_compute_pj_per_flop` is none, or their FLOPs are not known"},
    {"events", or_null(object(kEnergyEvents)), kNone, "what was counted"},
});
inline constexpr Object kEnergy{"energy", "energy, by counters and measured rows of the switches",
                                kEnergyFields};

inline constexpr auto kNodeFields = std::to_array<Field>({
    {"name", kText, kNone, "of the node, as in `links`"},
    {"kind", kText, kNone, "npu, io, or the top module of the switch: fred_switch, mesh_router, …"},
    {"x", kCount, kNone, "column, from the west", "of switches of a mesh or torus"},
    {"y", kCount, kNone, "row, from the north", "of switches of a mesh or torus"},
    {"level", kPositive, kNone, "1: joined to NPUs", "of switches of a tree"},
    {"switch", kCount, kNone, "among those of its level", "of switches of a tree"},
    {"slice", kCount, kNone, "of the switch", "of switches of a tree"},
    {"chiplet", kCount, kNone, "of the slice", "of switches of a tree"},
    {"lost", kTrue, kNone, "failed from the start, with all its links", "of failed nodes"},
    {"above", kText, kNone, "a switch that it was joined to, one level up", "of failed nodes"},
});
inline constexpr Object kNode{"node", "a node of the fabric and its place", kNodeFields};

inline constexpr auto kLayoutFields = std::to_array<Field>({
    {"kind", kText, kNone, "as `fabric.type` in a machine file"},
    {"nodes", list(object(kNode)), kNone, "NPUs, I/O controllers and switches"},
});
inline constexpr Object kLayout{"layout", "places of the nodes, for a drawing", kLayoutFields};

inline constexpr auto kFabricCountFields = std::to_array<Field>({
    {"links", list(object(kLink)), kNone, "all links, each direction for itself"},
    {"switches", list(object(kSwitch)), kNone, "all switches that were simulated"},
});
inline constexpr auto kRunTailFields = std::to_array<Field>({
    {"layout", object(kLayout), kNone, "places of the nodes"},
    {"wall_s", kNumber, "s", "time that the simulation took; differs from run to run"},
    {"sim_cycles_per_s", kNumber, "cycles/s",
     "cycles that were simulated, without those skipped, per second of `wall_s`"},
});

inline constexpr auto kInterruptedFields = std::to_array<Field>({
    {"incomplete", kTrue, kNone, "the run was interrupted: counters are those so far",
     kWhenInterrupted},
    {"delivered_bytes", kCount, kBytes, "delivered at all NPUs together", kWhenInterrupted},
});

inline constexpr auto kBestBaseFields = std::to_array<Field>({
    {"best_base", kTrue, kNone, "the base once more, as well as it can",
     "with `--best-base`, of that run"},
    {"speedup_best_base", kNumber, kNone,
     "time of the base or its best self, whichever is less, / time of this run",
     "with `--best-base`"},
});

}  // namespace fredsim::fields
