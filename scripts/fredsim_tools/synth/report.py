# SPDX-License-Identifier: Apache-2.0
"""The figures as a table of 80 columns and as JSON."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from . import cells, technology, traffic, trees
from .energy import Energy, WaveTraffic
from .flow import LANES, Row, RowMemory, Top

PATHS_SHOWN, PATHS_WRITTEN = 8, 40
COLUMNS = "{:<24} {:>6} {:>10} {:>10} {:>13} {:>10}"
CAVEAT = "open flow: slower than commercial synthesis, and without wires"


def size(top: Top) -> str:
    names = [name for name in top.parameters if name != "LANES"]
    lanes = [] if top.lanes is None else [f"LANES={top.lanes}"]
    return " ".join([f"{name}={top.parameters[name]}" for name in names] + lanes)


def memory_bits(rows: Iterable[Row]) -> int:
    return sum(row.count * memory["words"] * memory["width"] for row in rows for memory in row.memories)


def area(top: Top) -> float:
    return sum(row.count * row.kge for row in top.rows)


def um2(top: Top) -> float:
    """Area of the logic in the library's cells."""
    return area(top) * 1000 * cells.GATE_UM2


def _of_memories(top: Top, area: Callable[[int, int], float]) -> float:
    """Sum of a function of words and width."""
    return sum(row.count * area(memory["words"], memory["width"]) for row in top.rows for memory in row.memories)


def memory_um2(top: Top) -> list[float]:
    """Area of the memories at 14 to 16 nm: [low, high]."""
    return [_of_memories(top, lambda words, width: technology.memory_um2(words, width)[end]) for end in (0, 1)]


def memory_22nm_um2(top: Top) -> float:
    return _of_memories(top, technology.memory_22nm_um2)


def leakage_uw(top: Top) -> float:
    return sum(row.count * row.leakage_nw for row in top.rows) / 1000


def ports_text(memory: RowMemory) -> str:
    synchronous, asynchronous = memory["reads"]
    kinds = [f"{number} {kind}" for number, kind in
             ((synchronous, "synchronous"), (asynchronous, "asynchronous")) if number]  # fmt: skip
    return f"reads: {' + '.join(kinds) or 'none'}; writes: {memory['writes']}"


def alike_memories(top: Top) -> Counter[str]:
    """Memories of one name but for its indices, and of one shape -> how many there are."""
    found: Counter[str] = Counter()
    for row in sorted(top.rows, key=lambda row: row.module):
        for memory in row.memories:
            name = re.sub(r"\[\d+\]", "[*]", memory["name"])
            found[f"{row.module}.{name}: {memory['words']} × {memory['width']} bit; {ports_text(memory)}"] += row.count
    return found


def wrapped(words: Iterable[str], indent: str) -> list[str]:
    """Words in lines of at most 80 columns."""
    lines, line = [], ""
    for word in words:
        if line and len(indent) + len(line) + 1 + len(word) > 80:
            lines.append(indent + line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, indent + line]


def shortened(name: str, room: int) -> str:
    """A name of registers, shortened by instances in its middle until it fits."""
    words = name.split(".")
    first, rest = words[0], words[1:]
    while len(name) > room and len(rest) > 1:
        rest = rest[1:]
        name = first + "..." + ".".join(rest)
    return name


def path_lines(fo4: float, start: str, end: str) -> list[str]:
    text = f"  {fo4:6.1f}  {start} -> {end}"
    return [text] if len(text) <= 80 else [f"  {fo4:6.1f}  {shortened(start, 70)}", f"          -> {shortened(end, 67)}"]


def table(top: Top, fo4_ns: float) -> str:
    lines = wrapped([top.kind, *size(top).split()], "")
    if not top.rows:
        return "\n".join([*lines, *(energy_lines(top, top.energy) if top.energy else wrapped("no energy: " + "; ".join(top.lacks or ["nothing"
                          " in it is measured"]), ""))])  # fmt: skip
    lines.append(COLUMNS.format("module", "number", "kGE", "registers", "memory bits", "path, FO4"))
    by_module = sorted(top.rows, key=lambda row: (row.module != top.kind, row.module))
    for module, same in groupby(by_module, key=lambda row: row.module):
        rows = list(same)
        late = max((row.path_fo4 for row in rows if row.path_fo4 is not None), default=None)
        unfinished = next((row.unfinished for row in rows if row.unfinished), None)
        if unfinished:
            lines.append(f"{module:<24} {sum(row.count for row in rows):>6} {unfinished:>10}")
        else:
            lines.append(COLUMNS.format(
                module, sum(row.count for row in rows), f"{sum(row.count * row.kge for row in rows):.1f}",
                f"{sum(row.count * row.register_kge for row in rows):.1f}", memory_bits(rows),
                "-" if late is None else f"{late:.1f}"))  # fmt: skip
    lines.append(COLUMNS.format(
        "all" if not top.lacks else "all that finished", "", f"{area(top):.1f}",
        f"{sum(row.count * row.register_kge for row in top.rows):.1f}", memory_bits(top.rows),
        f"{top.paths[0][0]:.1f}" if top.paths else "-"))  # fmt: skip
    if top.lacks:
        lines += wrapped(f"Not in these figures: {'; '.join(dict.fromkeys(top.lacks))}.".split(), "")
    for text, number in alike_memories(top).items():
        lines += wrapped(f"{number} × {text}".split(), "  ")
    low, high = technology.scaled("area", um2(top) / 1e6)
    low_memory, high_memory = (um2 / 1e6 for um2 in memory_um2(top))
    lines += wrapped(f"Logic: {um2(top):.0f} µm² at 180 nm, {low:.4f} to {high:.4f} mm² at 14 to 16 nm; leakage"
                     f" {leakage_uw(top):.2f} µW at 180 nm. Memories, by a model: {low_memory:.4f} to {high_memory:.4f} mm² at"
                     f" 14 to 16 nm.".split(), "")  # fmt: skip
    if top.paths:
        low, high = cells.clock_ghz(top.paths[0][0])
        lines.append(f"Longest path at 180 nm: {top.paths[0][0] * fo4_ns:.2f} ns.")
        typical = " to ".join(f"{ghz:.2f}" for ghz in cells.typical_clock_ghz(top.paths[0][0]))
        lines += wrapped(f"Clock at 14 to 16 nm, slow corner: {low:.2f} to {high:.2f} GHz, typical {typical} ({CAVEAT}). Longest paths,"
                         " FO4:".split(), "")  # fmt: skip
        for path in top.paths[:PATHS_SHOWN]:
            lines += path_lines(*path)
    if top.energy:
        lines += energy_lines(top, top.energy)
    if top.traffic:
        lines += traffic_lines(top.traffic)
    if top.plan:
        lines += top.plan.lines()
    return "\n".join(lines)


def traffic_lines(found: WaveTraffic) -> list[str]:
    """Energy of a waveform's traffic."""
    pj = found.glitch_pj + found.clock_pj + found.loading_pj
    low, high = technology.scaled("energy", pj)
    text = (f"Traffic of {found.instance}: {found.cycles} cycles, {found.flits_in} flits of {traffic.flit_bits(found.lanes)} bit into the"
            f" interconnect, {found.flits_out} out. Energy in its {found.parts} parts at 180 nm: {found.settled_pj:.0f} pJ,"
            f" with glitches {found.glitch_pj:.0f}, clock {found.clock_pj + found.loading_pj:.0f}, of it {found.loading_pj:.0f} behind open"
            " clock gates.")  # fmt: skip
    if found.flits_in:
        text += (f" Of a flit in, glitches and clock: {pj / found.flits_in:.0f} pJ, {low / found.flits_in:.2f} to"
                 f" {high / found.flits_in:.2f} pJ at 14 to 16 nm.")  # fmt: skip
    return wrapped(text.split(), "")


def energy_lines(top: Top, energy: Energy) -> list[str]:
    bits = traffic.flit_bits(energy.lanes)
    row = "{:<24} {:>10} {:>13} {:>14} {:>15}"
    lines = wrapped(f"Energy of a flit of {bits} bit in the interconnect, pJ, all senders at full rate:".split(), "")
    lines.append(row.format("", "180 nm", "with glitches", "14 to 16 nm", "per bit"))
    for kind, glitches in energy.glitch_pj.items():
        low, high = technology.scaled("energy", glitches)
        lines.append(row.format(kind, f"{energy.settled_pj[kind]:.0f}", f"{glitches:.0f}", f"{low:.2f} - {high:.2f}",
                                f"{low / bits:.4f} - {high / bits:.4f}"))  # fmt: skip
    low, high = technology.scaled("energy", energy.clock_pj)
    lines += wrapped(f"Clock in its registers without a gate, and in clock gates: {energy.clock_pj:.0f} pJ per cycle at 180 nm, {low:.2f} to"
                     f" {high:.2f} pJ at 14 to 16 nm.".split(), "")  # fmt: skip
    loads = ", ".join(f"{kind} {pj:.0f}" for kind, pj in energy.loading_pj.items())
    lines += wrapped(f"Clock behind gates, pJ per flit at 180 nm, not in the rows above: {loads}; of a flit register that loads"
                     f" {energy.load_pj:.0f}.".split(), "")  # fmt: skip
    for kind, number in energy.memories.items():
        if number:
            lines += wrapped(f"A {kind}, in {number} memory of the interconnect, by a model, written and read:"
                             f" {number * technology.memory_pj(bits):.0f} pJ per flit.".split(), "")  # fmt: skip
    if not top.kind.endswith("_interconnect"):
        lines += wrapped(f"Beside it, by models: {technology.memory_pj(bits):.0f} pJ in every memory that a flit is written to"
                         f" and read from (input buffer, staging), {technology.link_pj(bits):.0f} pJ on a"
                         " link.".split(), "")  # fmt: skip
    return lines


def energy_json(top: Top, energy: Energy) -> dict[str, Any]:
    def pair(pj: float) -> list[float]:
        return [round(value, 4) for value in technology.scaled("energy", pj)]

    bits = traffic.flit_bits(energy.lanes)
    return {
        "flit_bits": bits, "clock_pj_180nm": round(energy.clock_pj, 2), "clock_pj_14_to_16nm": pair(energy.clock_pj),
        "load_pj_180nm": round(energy.load_pj, 2), "load_pj_14_to_16nm": pair(energy.load_pj),
        "memory_read_pj_22nm": round(technology.memory_read_pj(bits), 2), "memory_write_pj_22nm": round(technology.memory_write_pj(bits), 2),
        "memory_pj_22nm": round(technology.memory_pj(bits), 2), "link_pj": round(technology.link_pj(bits), 2),
        "flit_pj": {
            kind: {"settled_180nm": round(energy.settled_pj[kind], 2), "glitches_180nm": round(glitches, 2),
                   "settled_14_to_16nm": pair(energy.settled_pj[kind]), "glitches_14_to_16nm": pair(glitches),
                   "loading_180nm": round(energy.loading_pj[kind], 2), "loading_14_to_16nm": pair(energy.loading_pj[kind]),
                   "memories": energy.memories.get(kind, 0)}
            for kind, glitches in energy.glitch_pj.items()
        },
    }  # fmt: skip


def assumptions(fo4_ns: float, memory_fo4: tuple[float, float]) -> list[str]:
    read, setup = memory_fo4
    memory, registers = technology.DATA["memory"], technology.DATA["register_file"]
    least, most = traffic.SIMULATED_LANES
    return [
        f"Library osu018 (180 nm, typical); FO4 {1000 * fo4_ns:.1f} ps there, measured with OpenSTA on a chain of"
        f" {cells.INVERTER}; {cells.FO4_PS_FAST} to {cells.FO4_PS_SLOW} ps at 14 to 16 nm (Stillmaker & Baas 2017), typical; times"
        f" {technology.DATA['corner']['slow']} at the slow corner: {technology.DATA['corner']['source']}.",
        "The open flow is slower than commercial synthesis and knows no wires: ideal wires, ideal clock, no skew. Reset"
        " is not timed.",
        "Paths count clock-to-output and set-up; every pin of a module is driven by a register and drives one.",
        f"Memories: clock to data {read:g} FO4, set-up {setup:g} FO4; an asynchronous read takes {read:g} FO4 from address"
        f" to data. Area: {1e6 * memory['bank_mm2']:.0f} µm² per bank of {memory['bank_bits']} bit, less {memory['column_um2']} µm² per bit"
        f" that it is narrower, and {memory['bit_um2']} µm² per bit, at 22 nm; {memory['source']}. Times {memory['to_14_to_16nm'][0]:.2f}"
        f" to {memory['to_14_to_16nm'][1]:.2f} at 14 to 16 nm (Stillmaker & Baas 2017). Below {registers['below_bits']} bit, or where it is less, flip-flops:"
        f" {registers['bit_um2']} µm² per bit, {registers['word_um2']} per word and {registers['column_um2']} per bit of a word at 180 nm,"
        f" as this flow makes them, scaled as logic is.",
        f"kGE: 1000 {cells.UNIT_GATE}, {cells.GATE_UM2} µm² each. Modules are mapped one by one; nets between them of more than"
        f" {trees.MOST_PF} pF get trees of {trees.BUFFER}, at most {trees.FANOUT} pins each.",
        "Area at 14 to 16 nm: that at 180 nm times {} to {} (Stillmaker & Baas 2017). Leakage is not"
        " scaled.".format(*technology.DATA["scaling"]["area"]),
        f"Energy: the netlists of µSwitches, of adder trees' nodes, of an aggregator's interconnect and of each output of a crossbar"
        f" without adders, with a mesh router's credits, above {most} lanes at {least} and {most}, an aggregator's above 8 at 4 and 8, a line through these; a flit of a"
        " reduction is one that enters, of all ports to one; of a distribution one that leaves, of one port to all; a unicast"
        " is one of all ports to themselves. Lanes are normally distributed. Glitches: with the cells' delays without loads. In"
        " it: cells and the pins they drive, clock gates. Not in it: wires, clock tree, ports and control of a switch, the"
        " registers in front of a crossbar's trees.",
        "Energy at 14 to 16 nm: that at 180 nm times {} to {} (Stillmaker & Baas"
        " 2017).".format(*technology.DATA["scaling"]["energy"]),
        f"Area and leakage at other lanes: a line through {LANES[0]} and {LANES[1]}. Paths are those at {LANES[0]} lanes.",
    ]


def as_json(tops: Sequence[Top], fo4_ns: float, memory_fo4: tuple[float, float]) -> dict[str, Any]:
    return {
        "fo4_ps": round(1000 * fo4_ns, 2),
        "assumptions": assumptions(fo4_ns, memory_fo4),
        "tops": [
            {
                "kind": top.kind, "ports": top.ports, "middle": top.parameters.get("M"), "lanes": top.lanes,
                "parameters": {name: value for name, value in top.parameters.items() if name != "LANES"},
                "area_kge": round(area(top), 3) if top.rows else None, "memory_bits": memory_bits(top.rows) if top.rows else None,
                "area_um2": {"logic_180nm": round(um2(top), 1),
                             "logic_14_to_16nm": [round(value, 1) for value in technology.scaled("area", um2(top))],
                             "memory_22nm": round(memory_22nm_um2(top), 1),
                             "memory_14_to_16nm": [round(value, 1) for value in memory_um2(top)]},
                "path_ns": round(top.paths[0][0] * fo4_ns, 3) if top.paths else None,
                "leakage_uw": round(leakage_uw(top), 4), "energy": energy_json(top, top.energy) if top.energy else None,
                "traffic": top.traffic and vars(top.traffic),
                "path_fo4": round(top.paths[0][0], 2) if top.paths else None,
                "clock_ghz": [round(ghz, 3) for ghz in cells.clock_ghz(top.paths[0][0])] if top.paths else None,
                "paths": [{"from": start, "to": end, "fo4": round(fo4, 2)} for fo4, start, end in top.paths[:PATHS_WRITTEN]],
                "typical_clock_ghz": [round(ghz, 3) for ghz in cells.typical_clock_ghz(top.paths[0][0])] if top.paths else None,
                "floorplan": top.plan and top.plan.as_json(),
                "complete": not top.lacks, "lacks": list(dict.fromkeys(top.lacks)), "seconds": round(top.seconds, 1),
                "modules": [
                    {
                        "module": row.module, "number": row.count, "parameters": row.parameters,
                        "area_kge": None if row.unfinished else round(row.kge, 3),
                        "register_kge": None if row.unfinished else round(row.register_kge, 3),
                        "path_fo4": None if row.path_fo4 is None else round(row.path_fo4, 2),
                        "unfinished": row.unfinished, "seconds": round(row.seconds, 1),
                    }
                    for row in top.rows
                ],
                "memories": [
                    {
                        "module": row.module, "number": row.count, "name": memory["name"], "words": memory["words"],
                        "width": memory["width"], "synchronous_reads": memory["reads"][0],
                        "asynchronous_reads": memory["reads"][1], "writes": memory["writes"],
                    }
                    for row in top.rows
                    for memory in row.memories
                ],
            }
            for top in tops
        ],
    }  # fmt: skip
