# SPDX-License-Identifier: Apache-2.0
"""Energy of a flit in an interconnect: energy per toggle of every cell, from OpenSTA, times toggles of a simulation of
the netlist. Every kind of µSwitch, node of an adder tree, or output of a crossbar is simulated by itself, in every situation that the
traffic puts one in, and their energies are put together: all their outputs are registers, so that no glitch goes from one to
another. The interconnect of an aggregator is simulated as a whole."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..kinds import Kind
from . import cells, clock_gates, crossbars, gates, timing, traffic
from .sources import Sources
from .yosys import Part, Unfinished, locked

if TYPE_CHECKING:  # flow imports this module
    from .flow import Flow, Top

PERIOD_NS = 1000
MEMORY_NS = 2.0, 0.4  # clock to data, set-up

REPORT = """
set all [get_cells -hierarchical *]
foreach activity {0 1} {
  set_power_activity -global -activity $activity -duty 0.5
  puts "activity $activity"
  report_power -digits 6 -instances $all
}
"""


@dataclass
class Energy:
    """Energy of a flit in an interconnect, in pJ at 180 nm."""

    lanes: int
    clock_pj: float  # registers without a clock gate and clock gates, per cycle, for any traffic
    loading_pj: dict[str, float]  # kind of traffic -> in clocks behind gates that are open, per flit
    settled_pj: dict[str, float]  # kind of traffic -> per flit, without glitches
    glitch_pj: dict[str, float]  # kind of traffic -> per flit, with glitches
    load_pj: float = 0.0  # clock of a flit register behind gates, per flit loaded
    memories: dict[str, int] = field(default_factory=dict)  # kind of traffic -> memories in the interconnect that a flit goes through


@dataclass
class WaveTraffic:
    """Energy of a waveform's traffic in pJ at 180 nm."""

    instance: str
    lanes: int
    cycles: int
    parts: int
    flits_in: int
    flits_out: int
    clock_pj: float
    loading_pj: float
    settled_pj: float
    glitch_pj: float


@dataclass
class CellEnergy:
    """Energy of the cells of a netlist, in pJ."""

    toggle: dict[str, float]  # instance -> of a toggle of its output
    clock: float  # per cycle: registers without a clock gate, and clock gates
    opened: dict[str, float]  # cell that drives a gated clock -> of a pulse of it, with the registers behind it


def per_toggle(part: Part, flat: Path, memories: Sequence[cells.Memory], folder: Path, limit: int) -> CellEnergy:
    """Energies, from OpenSTA. Cells drive what they drive in the netlist; each of its outputs drives a register."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "top.v").write_text(timing.between_registers(part, gates.scalars))
    (folder / "clock_gates.v").write_text(clock_gates.NETLIST)
    (folder / "memories.lib").write_text(cells.memory_library(memories, *MEMORY_NS))
    log = timing.sta(folder, f"read_liberty {timing.LIBERTY}\nread_liberty memories.lib\nread_verilog {flat}\n"
                     "read_verilog clock_gates.v\nread_verilog top.v\n"
                     "link_design top\n"
                     f"create_clock -name clock -period {PERIOD_NS} [get_ports {timing.CLOCK}]\n{REPORT}", limit)  # fmt: skip
    number = r"(-?\d\.\d+e[-+]\d+)"
    watts: dict[int, dict[str, float]] = {}  # activity -> instance -> internal and switching power
    for line in log.splitlines():
        if line.startswith("activity "):
            found = watts.setdefault(int(line.split()[1]), {})
        elif row := re.fullmatch(rf"\s*{number}\s+{number}\s+{number}\s+{number}\s+(i/\S+)", line):
            found[row[5].replace("\\", "")] = float(row[1]) + float(row[2])
    to_pj = PERIOD_NS * 1e3  # W × ns -> pJ
    still, moving = ({name: value * to_pj for name, value in watts[activity].items()} for activity in (0, 1))
    opened = {}
    for gate, registers in clock_gates.gated_registers(flat).items():
        driver = f"i/{gate}/{clock_gates.CLOCK_DRIVER}"
        opened[driver] = sum(still.pop(name) for name in [driver, *(f"i/{register}" for register in registers)])
    # A cell of the clock has the same activity in both.
    return CellEnergy({name: moving[name] - still.get(name, moving[name]) for name in moving if name not in opened}, sum(still.values()), opened)


@dataclass
class Measured:
    """A µSwitch or a node, in pJ at 180 nm per cycle."""

    clock_pj: float  # in every situation
    loading_pj: list[float]  # by situation
    settled_pj: list[float]
    glitch_pj: list[float]
    bit_pj: float = 0.0  # per register behind a gate and edge at which it is open
    gated: int = 0  # number of registers behind gates


def measure(part: Part, netlists: Sequence[str], memories: Sequence[cells.Memory], sources: Sources, stimulus: traffic.Stimulus, folder: Path,
            limit: int) -> Measured:
    """A part under a stimulus, in every window; memories: memories in its netlists. Errors: ToolError where the netlist's outputs are not the
    RTL's."""
    key = hashlib.sha256(json.dumps([inspect.getsource(gates), inspect.getsource(clock_gates), inspect.getsource(per_toggle), REPORT, netlists,
                                     stimulus.rows, stimulus.windows]).encode()).hexdigest()  # fmt: skip
    kept = folder / "energy.json"
    if kept.exists() and (result := json.loads(kept.read_text()))["key"] == key:
        return Measured(**result["energy"])
    rtl = gates.rtl_outputs(part, sources, stimulus, folder / "rtl", limit)
    flat = gates.flatten(part, netlists, folder / "flat", limit)
    energy = per_toggle(part, flat, memories, folder / "power", limit)
    per_cycle: list[list[float]] = []
    for timed in (False, True):
        outputs, toggles = gates.gate_toggles(part, flat, memories, stimulus, timed, folder / ("timed" if timed else "settled"), limit)
        gates.compare(part, rtl, outputs)
        counted = list(zip(toggles, (edges for _, edges in stimulus.windows), strict=True))
        if not per_cycle:  # a pulse is two toggles
            per_cycle.append([sum(pj * found[name] / 2 for name, pj in energy.opened.items()) / edges for found, edges in counted])
        per_cycle.append([sum(energy.toggle[name] * number for name, number in found.items() if name not in energy.opened) / edges
                          for found, edges in counted])  # fmt: skip
    gated = sum(len(registers) for registers in clock_gates.gated_registers(flat).values())
    loading, settled, glitch = per_cycle
    measured = Measured(energy.clock, loading, settled, glitch, sum(energy.opened.values()) / gated if gated else 0.0, gated)
    kept.write_text(json.dumps({"key": key, "energy": vars(measured)}))
    return measured


# Module of which a kind says that its energy is measured -> its network, by ports and parameters of
# a top with it.
NETWORKS: dict[str, Callable[[int, Mapping[str, int]], traffic.Network]] = {
    "fred_interconnect": lambda ports, given: traffic.Fred(ports, given["M"], given["FORMAT"]),
    "reducing_crossbar_interconnect": lambda ports, given: traffic.Crossbar(ports, given["FORMAT"]),
    "aggregator_interconnect": lambda ports, given: crossbars.Aggregator(ports, given["ADDERS"], given["FORMAT"]),
    "voq_crossbar_mux": lambda ports, _: crossbars.VoqCrossbar(ports),
    "mesh_output": lambda ports, given: crossbars.MeshRouter(ports, (given["VC_DEPTH"], given["CTRL_DEPTH"], given["PACKET_FLITS"])),
}


def network_of(top: Top, kinds: Iterable[Kind]) -> traffic.Network | None:
    """The network in a top: a kind's switch, or an interconnect that adds by itself. None where there is none that is measured."""
    for kind in kinds:
        if kind.energy in NETWORKS and top.kind in kind.tops():
            return NETWORKS[kind.energy](kind.ports_of(top.parameters), top.parameters)
        if kind.energy in NETWORKS and top.kind == kind.energy and kind.addition:
            return NETWORKS[kind.energy](top.parameters["P"], top.parameters)
    return None


def parts_needed(network: traffic.Network, kinds: Iterable[str] | None = None) -> dict[str, list[traffic.Situation]]:
    """Parts that an interconnect is made of: module -> situations to measure, of its own or other kinds of traffic."""
    found: dict[str, set[traffic.Situation]] = {}
    for kind in network.kinds if kinds is None else kinds:
        for situation in network.situations(kind):
            found.setdefault(situation.module, set()).add(situation)
    quiet = {traffic.STILL}
    return {module: sorted((s for s in wanted if set(s.inputs) != quiet), key=repr) for module, wanted in found.items()}


def compose(network: traffic.Network, lanes: int, measured: Mapping[str, tuple[Sequence[traffic.Situation], Measured]],
            kinds: Sequence[str] | None = None) -> Energy:
    """Energy of a flit, from that of every part: module -> (situations, Measured)."""
    loading_pj, settled_pj, glitch_pj = {}, {}, {}
    kinds = network.kinds if kinds is None else kinds
    for kind in kinds:
        number = Counter(network.situations(kind))

        def per_flit(values: Callable[[Measured], list[float]]) -> float:
            return sum(number[situation] * value for wanted, found in measured.values()
                       for situation, value in zip(wanted, values(found), strict=True)) / network.flits(kind)  # fmt: skip

        loading_pj[kind] = per_flit(lambda found: found.loading_pj)
        settled_pj[kind] = per_flit(lambda found: found.settled_pj)
        glitch_pj[kind] = per_flit(lambda found: found.glitch_pj)
    modules: Counter[str] = Counter()
    for situation, count in network.situations("unicast").items():
        modules[situation.module] += count
    found = {module: measured[module][1] for module in modules}
    gated = sum(count * found[module].gated for module, count in modules.items())
    bit_pj = sum(count * found[module].gated * found[module].bit_pj for module, count in modules.items()) / gated if gated else 0.0
    return Energy(lanes, sum(count * found[module].clock_pj for module, count in modules.items()), loading_pj, settled_pj, glitch_pj,
                  traffic.flit_bits(lanes) * bit_pj,
                  memories={kind: network.memories(kind) for kind in kinds})  # fmt: skip


def of_tops(tops: Sequence[Top], flow: Flow) -> None:
    """Gives the tops that have an interconnect its energy."""
    found = [(top, top.lanes, network) for top in tops
             if (network := network_of(top, flow.sources.kinds)) and top.lanes is not None and not top.lacks]  # fmt: skip
    for (top, _, _), energy in zip(found, of_networks([(network, lanes) for _, lanes, network in found], flow), strict=True):
        if energy is None:
            top.lacks.append("energy: a tool did not finish in time")
        else:
            top.energy = energy


def of_networks(wanted: Sequence[tuple[traffic.Network, int]], flow: Flow, more: Sequence[str] = ()) -> list[Energy | None]:
    """Energies of interconnects at a number of lanes each, in that order; None: a tool did not finish in time. A part is measured once, for all
    interconnects that share it. more: kinds of traffic beside the ones of networks that add, behind them in the stimulus, which stays as it is."""
    groups: dict[object, list[int]] = {}
    for place, (network, _) in enumerate(wanted):
        groups.setdefault(network.alike(), []).append(place)
    energies: list[Energy | None] = [None] * len(wanted)
    for same in groups.values():
        needed: dict[str, set[traffic.Situation]] = {}
        beside: dict[str, set[traffic.Situation]] = {}
        for place in same:
            network = wanted[place][0]
            for module, situations in parts_needed(network).items():
                needed.setdefault(module, set()).update(situations)
            for module, situations in parts_needed(network, _beside(network, more)).items():
                beside.setdefault(module, set()).update(situations)
        first = wanted[same[0]][0]
        jobs = []
        simulated = {wanted[place][1]: _simulated(first, wanted[place][1]) for place in same}
        for lanes in sorted({one for ones in simulated.values() for one in ones}):
            for module, found in needed.items():
                part, new = flow.part(module, first.parameters(module, lanes))
                ordered = sorted(found, key=repr) + sorted(beside.get(module, set()) - found, key=repr)
                jobs.append((lanes, part, new, ordered))
        flow.synthesise([part for _, part, new, _ in jobs if new])
        results = flow.each(lambda job: _of_part(flow, first, job[0], job[1], job[3]), jobs)
        if None in results:
            continue
        measured: dict[int, dict[str, tuple[Sequence[traffic.Situation], Measured]]] = {lanes: {} for lanes, *_ in jobs}
        for (lanes, part, _, ordered), result in zip(jobs, results, strict=True):
            if result:
                measured[lanes][part.module] = ordered, result
        for place in same:
            each, lanes = wanted[place]
            kinds = [*each.kinds, *_beside(each, more)]
            composed = [compose(each, one, measured[one], kinds) for one in simulated[lanes]]
            energies[place] = composed[0] if len(composed) == 1 else at_lanes(composed[0], composed[1], lanes)
    return energies


def _simulated(network: traffic.Network, lanes: int) -> tuple[int, ...]:
    """Numbers of lanes that are simulated for one: more than a network's largest are on a line through its two."""
    return (lanes,) if lanes <= network.simulated_lanes[-1] else network.simulated_lanes


def _beside(network: traffic.Network, more: Sequence[str]) -> Sequence[str]:
    return more if "reduction" in network.kinds else ()


def _of_part(flow: Flow, network: traffic.Network, lanes: int, part: Part, wanted: Sequence[traffic.Situation]) -> Measured | None:
    if part.unfinished:
        return None
    stimulus = network.stimulus(part, wanted, lanes)
    try:
        with locked(part.folder):
            return measure(part, flow.netlists(part), flow.memories(part), flow.sources, stimulus, part.folder / "energy", flow.limit)
    except Unfinished:
        return None


def at_lanes(first: Energy, second: Energy, lanes: int) -> Energy:
    """Energy at a number of lanes, on a line through two other points."""

    def line(a: float, b: float) -> float:
        return a + (b - a) * (lanes - first.lanes) / (second.lanes - first.lanes)

    return Energy(lanes, line(first.clock_pj, second.clock_pj),
                  {kind: line(pj, second.loading_pj[kind]) for kind, pj in first.loading_pj.items()},
                  {kind: line(pj, second.settled_pj[kind]) for kind, pj in first.settled_pj.items()},
                  {kind: line(pj, second.glitch_pj[kind]) for kind, pj in first.glitch_pj.items()},
                  line(first.load_pj, second.load_pj), first.memories)  # fmt: skip
