# SPDX-License-Identifier: Apache-2.0
"""A floorplan sketch of a switch: blocks by their area, wires by half the perimeter of the rectangle around their ends.

Units of inputs stand left, then a column of all that decides (control, matcher, stores, tables, counters), the data path with its stages in columns,
and units of outputs right. Every block has its share of the area at 14 to 16 nm; nothing is placed for timing, no block is kept away from
another, and ports are at the edge. Wires run between centres, as a flit's bits spread over a block. What is sketched is an architecture's
wires, not a layout.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import cells, technology
from .flow import Row, Top

INPUTS, OUTPUTS, CONTROL = "inputs", "outputs", "control"
UNITS = {"phased_input_unit": INPUTS, "voq_input_unit": INPUTS, "mesh_input": INPUTS,
         "phased_output_unit": OUTPUTS, "mesh_output": OUTPUTS}  # fmt: skip
PARTS_OF_UNITS = {"voq_list": "voq_input_unit"}  # synthesised apart from the units that they are in
# Modules of which a data path is made, besides the adders in them. A top has the crossbar of its
# kind in itself.
DATA_PATH = frozenset(("fred_r_uswitch", "fred_port_mux", "fred_port_demux", "reducing_crossbar_node", "aggregator_adder", "voq_crossbar_mux"))
ADDERS = frozenset(("fp_add", "fp_add_align", "fp_add_round"))
TWO_STAGE = "fred_r_uswitch_two_stage"  # has no sketch
OWN_CROSSBAR = frozenset(("reducing_crossbar", "mesh_reducing", "aggregator"))


@dataclass
class Block:
    """A rectangle of a module; x and y are its lower left corner, in mm."""

    module: str
    um2: float
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass
class Slice:
    """Blocks and slices side by side, or one above the other."""

    across: bool
    parts: "list[Slice | Block]"

    @property
    def um2(self) -> float:
        return sum(part.um2 for part in self.parts)

    def blocks(self) -> "list[Block]":
        return [block for part in self.parts for block in ([part] if isinstance(part, Block) else part.blocks())]


@dataclass
class Net:
    """Path of a flit, or of a decision, from a block to other blocks."""

    source: Block
    sinks: list[Block]

    def mm(self) -> float:
        xs, ys = zip(*(block.centre for block in [self.source, *self.sinks]), strict=True)
        return max(xs) - min(xs) + max(ys) - min(ys)


@dataclass
class Wires:
    """All nets from one kind of module to another."""

    source: str
    sink: str
    number: int
    mean_mm: float
    longest_mm: float
    path_fo4: float | None  # longest path of the sink alone

    @property
    def fo4(self) -> float | None:
        return None if self.path_fo4 is None else self.path_fo4 + cells.wire_fo4(self.longest_mm)


@dataclass
class Plan:
    side_mm: float
    blocks: list[Block]
    wires: list[Wires]

    @property
    def path_fo4(self) -> float:
        """Longest path with the wire in front of it."""
        return max(filter(None, (wires.fo4 for wires in self.wires)), default=0.0)

    def as_json(self) -> dict[str, Any]:
        return {
            "side_mm": round(self.side_mm, 3), "path_fo4": round(self.path_fo4, 2),
            "clock_ghz": [round(ghz, 3) for ghz in cells.clock_ghz(self.path_fo4)] if self.path_fo4 else None,
            "wires": [{"from": wires.source, "to": wires.sink, "number": wires.number, "mean_mm": round(wires.mean_mm, 3),
                       "longest_mm": round(wires.longest_mm, 3), "fo4": None if wires.fo4 is None else round(wires.fo4, 1)}
                      for wires in self.wires],
        }  # fmt: skip

    def lines(self) -> list[str]:
        row = "{:<30} {:<24} {:>6} {:>6} {:>8}"
        out = [f"Floorplan sketch: {self.side_mm:.2f} mm a side, without the ports at its edge. Wires:",
               row.format("from", "to", "mean", "most", "FO4")]  # fmt: skip
        out += [row.format(wires.source, wires.sink, f"{wires.mean_mm:.2f}", f"{wires.longest_mm:.2f}",
                           "-" if wires.fo4 is None else f"{wires.fo4:.0f}") for wires in self.wires]  # fmt: skip
        out.append("Lengths in mm; FO4: longest path of the end, longest wire in front of it.")
        if self.path_fo4:
            low, high = cells.clock_ghz(self.path_fo4)
            out.append(f"Clock with these wires, slow corner: {low:.2f} to {high:.2f} GHz.")
        return out

    def draw(self, title: str, file: Path) -> None:
        """Writes the sketch as SVG."""
        from matplotlib.patches import Rectangle

        from ..plots import pyplot, save  # needs matplotlib

        kinds = list(dict.fromkeys(block.module for block in self.blocks))
        colours = dict(zip(kinds, pyplot.get_cmap("tab10").colors, strict=False))
        figure, axes = pyplot.subplots(figsize=(6.4, 6), layout="constrained")
        for block in self.blocks:
            axes.add_patch(Rectangle((block.x, block.y), block.width, block.height, facecolor=colours[block.module],
                                     edgecolor="white", linewidth=0.4))  # fmt: skip
        axes.set(xlim=(0, self.side_mm), ylim=(0, self.side_mm), aspect="equal", xlabel="mm", ylabel="mm", title=title)
        axes.grid(False)
        handles = [Rectangle((0, 0), 1, 1, facecolor=colours[kind]) for kind in kinds]
        axes.legend(handles, kinds, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=9)
        save(figure, file.with_suffix(""), kinds=("svg",))


@dataclass
class _Areas:
    """um2 of an instance of each module, with the memories and adders in it."""

    top: Top
    paths: dict[str, float | None] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        adders, parts = 0.0, dict[str, float]()
        for row in self.top.rows:
            if row.module in ADDERS:
                adders += row.count * _um2(row)
                continue
            if row.module in PARTS_OF_UNITS:
                parts[PARTS_OF_UNITS[row.module]] = row.count * _um2(row)
                continue
            self.numbers[row.module] = self.numbers.get(row.module, 0) + row.count
            self.totals[row.module] = self.totals.get(row.module, 0) + row.count * _um2(row)
            self.paths[row.module] = max(filter(None, (self.paths.get(row.module), row.path_fo4)), default=None)
        for module, um2 in parts.items():
            self.totals[module] += um2
        holders = [name for name in ("fred_r_uswitch", "reducing_crossbar_node", "aggregator_adder") if name in self.numbers]
        if adders and holders:
            self.totals[holders[0]] += adders

    def each(self, module: str) -> float:
        return self.totals[module] / self.numbers[module]

    def block(self, module: str, share: float = 1) -> Block:
        return Block(module, self.each(module) * share)

    def crossbar(self) -> float:
        """Area of the top's own gates."""
        return self.totals[self.top.kind]

    def rest(self) -> float:
        """Area of all that has no block of its own."""
        placed = DATA_PATH | UNITS.keys() | OWN_CROSSBAR
        return sum(um2 for module, um2 in self.totals.items() if module not in placed)


def _um2(row: Row) -> float:
    """Area of one, at 14 to 16 nm, the middle of the range."""
    logic = row.kge * 1000 * cells.GATE_UM2
    memories = sum(sum(technology.memory_um2(memory["words"], memory["width"])) for memory in row.memories)
    return (sum(technology.scaled("area", logic)) + memories) / 2


# ------------------------------------------------------------------ data paths

@dataclass
class _Path:
    """A data path: its place, the blocks behind its inputs, the blocks in front of its outputs, and its nets."""

    place: Slice | Block
    inputs: list[list[Block]]
    outputs: list[Block]
    nets: list[Net]


def _fred(areas: _Areas, ports: int, middle: int) -> _Path:
    """The recursion of rtl/fred/fred_network.sv."""
    if ports == 2:
        base = areas.block("fred_r_uswitch")
        return _Path(base, [[base], [base]], [base, base], [])
    half, upper = ports // 2, (ports + 1) // 2
    first = [areas.block("fred_r_uswitch") for _ in range(half)]
    last = [[areas.block("fred_port_mux"), areas.block("fred_port_mux")] for _ in range(half)]
    subs = [_fred(areas, upper, middle) for _ in range(middle)]
    nets = [net for sub in subs for net in sub.nets]
    inputs = [[first[port // 2]] for port in range(2 * half)]
    outputs = [last[port // 2][port % 2] for port in range(2 * half)]
    sources = list(first)
    sinks = list(last)
    if ports % 2:
        demux = areas.block("fred_port_demux")
        mux = areas.block("fred_port_mux")
        inputs.append([demux])
        outputs.append(mux)
        sources.append(demux)
        sinks.append([mux])
    for index, (source, targets) in enumerate(zip(sources, sinks, strict=True)):
        for sub in subs:
            nets.append(Net(source, sub.inputs[index]))
            nets.append(Net(sub.outputs[index], targets))
    columns: list[Slice | Block] = [Slice(False, list(sources)), Slice(False, [sub.place for sub in subs]),
                                    Slice(False, [block for targets in sinks for block in targets])]  # fmt: skip
    return _Path(Slice(True, columns), inputs, outputs, nets)


def _reducing(areas: _Areas, ports: int) -> _Path:
    """A tree of adders at every output, behind registers of its own for every input."""
    trees: list[Slice | Block] = []
    entries: list[list[Block]] = []
    outputs, nets = [], []
    for _ in range(ports):
        registers = [Block("registers of a tree", areas.crossbar() / ports / ports) for _ in range(ports)]
        columns: list[Slice | Block] = [Slice(False, list(registers))]
        level = registers
        while len(level) > 1:
            nodes = [areas.block("reducing_crossbar_node") for _ in range(len(level) // 2)]
            for number, node in enumerate(nodes):
                nets += [Net(level[2 * number], [node]), Net(level[2 * number + 1], [node])]
            columns.append(Slice(False, list(nodes)))
            level = nodes + level[2 * len(nodes):]
        trees.append(Slice(True, columns))
        entries.append(registers)
        outputs.append(level[0])
    return _Path(Slice(False, trees), [[entry[port] for entry in entries] for port in range(ports)], outputs, nets)


def _aggregator(areas: _Areas, ports: int) -> _Path:
    """A crossbar with the operands' memories, and adders beside it."""
    crossbar = [Block("crossbar", areas.crossbar() / ports) for _ in range(ports)]
    adders = [areas.block("aggregator_adder") for _ in range(areas.numbers["aggregator_adder"])]
    nets = [Net(source, list(adders)) for source in crossbar] + [Net(adder, list(crossbar)) for adder in adders]
    nets += [Net(source, list(crossbar)) for source in crossbar]
    place = Slice(True, [Slice(False, list(crossbar)), Slice(False, list(adders))])
    return _Path(place, [[block] for block in crossbar], crossbar, nets)


def _crossbar(areas: _Areas, ports: int) -> _Path:
    """A multiplexer at every output."""
    muxes = [areas.block("voq_crossbar_mux") for _ in range(ports)]
    return _Path(Slice(False, list(muxes)), [list(muxes) for _ in range(ports)], muxes, [])


def _data_path(areas: _Areas, top: Top, ports: int) -> _Path | None:
    """None: outputs choose by themselves."""
    if "fred_r_uswitch" in areas.numbers:
        return _fred(areas, ports, top.parameters["M"])
    if "reducing_crossbar_node" in areas.numbers:
        return _reducing(areas, ports)
    if "aggregator_adder" in areas.numbers:
        return _aggregator(areas, ports)
    return _crossbar(areas, ports) if "voq_crossbar_mux" in areas.numbers else None


# ------------------------------------------------------------------ the switch

def plan(top: Top) -> Plan | None:
    """None: the top is no whole switch, has adders of two stages, or figures of its parts are missing."""
    areas = _Areas(top)
    units = {side: next((module for module in areas.numbers if UNITS.get(module) == side), None) for side in (INPUTS, OUTPUTS)}
    module_in, module_out = units[INPUTS], units[OUTPUTS]
    if module_in is None or module_out is None or top.ports is None or top.lacks or TWO_STAGE in areas.numbers:
        return None
    ports = top.ports
    inputs = [Block(module_in, areas.totals[module_in] / ports) for _ in range(ports)]
    outputs = [Block(module_out, areas.totals[module_out] / ports) for _ in range(ports)]
    control = Block(CONTROL, areas.rest())
    path = _data_path(areas, top, ports)
    columns: list[Slice | Block] = [Slice(False, list(inputs)), control, *([path.place] if path else []), Slice(False, list(outputs))]
    whole = Slice(True, columns)
    side = (whole.um2 / 1e6) ** 0.5
    _place(whole, 0, 0, side, side)
    nets = [Net(control, [block]) for block in [*inputs, *outputs]]
    if path:
        nets += path.nets
        nets += [Net(block, sinks) for block, sinks in zip(inputs, path.inputs, strict=True)]
        nets += [Net(block, [output]) for block, output in zip(path.outputs, outputs, strict=True)]
    else:
        nets += [Net(block, list(outputs)) for block in inputs]
    return Plan(side, whole.blocks(), _wires(nets, areas, top))


def _place(part: Slice | Block, x: float, y: float, width: float, height: float) -> None:
    if isinstance(part, Block):
        part.x, part.y, part.width, part.height = x, y, width, height
        return
    for inner in part.parts:
        share = inner.um2 / part.um2
        if part.across:
            _place(inner, x, y, width * share, height)
            x += width * share
        else:
            _place(inner, x, y, width, height * share)
            y += height * share


def _wires(nets: Iterable[Net], areas: _Areas, top: Top) -> list[Wires]:
    """Lists wires by pair of modules, the slowest first. A decision takes the longest path of the switch that ends outside of its data path."""
    lengths: dict[tuple[str, str], list[float]] = {}
    for net in nets:
        lengths.setdefault((net.source.module, net.sinks[0].module), []).append(net.mm())
    decisions = max((fo4 for fo4, _, end in top.paths if not _in_data_path(end)), default=None)
    found = [Wires(source, sink, len(mm), sum(mm) / len(mm), max(mm), decisions if source == CONTROL else areas.paths.get(sink))
             for (source, sink), mm in lengths.items()]  # fmt: skip
    return sorted(found, key=lambda wires: -(wires.fo4 or 0))


def _in_data_path(name: str) -> bool:
    return any(word in name for word in ("i_network", "i_interconnect", "i_tree", "i_crossbar", "i_datapath"))
