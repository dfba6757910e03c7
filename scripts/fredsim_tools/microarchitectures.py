# SPDX-License-Identifier: Apache-2.0
"""Compares kinds of switches on the wafer and prints Markdown tables.

Each kind runs the same works on its machine: times at one clock for all, with the paper's input buffers and with buffers that cover the
credit loop, and with the latter at the clock that synthesis and its floorplan's wires give it at the slow corner, rounded down to 10 MHz, with the wires of
chiplets as large as the paper's. Where that clock is below what links need, a link carries a flit per cycle. Algorithms are the paper's; the mesh is there
a second time as well as it can (`--best-base`: algorithm auto, a searched placement), and a torus, which has twice the links in its cuts, likewise. Every time, rate and count comes out of a run of
fredsim, energy too (its `energy`, by the rows of sc_models/energy/rows.json); area and longest path out of scripts/synth.sh. The area of a machine
is derived: as if all its switches had the ports of the largest.

Exit code 1 when a command fails or a payload is wrong.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import checkout, kinds
from .kinds import Kind
from .rtl import constants
from .runs import Json, Runs
from .tables import markdown

TREE, MESH, TORUS, MESH_REDUCING = "configs/fred_d.yaml", "configs/mesh.yaml", "configs/torus.yaml", "configs/mesh_reducing.yaml"
SYNTHESIS_LIMIT = 1800  # seconds of each run of a tool: an aggregator of 12 ports, 11 adders and 32 lanes takes 700
GHZ = 1.5
# The credit loop between two switches of TREE: a link there and back, and the cycles in which the
# switches take a flit out and spend a credit.
LINK_NS, SWITCH_CYCLES, PORT_GB_PER_S = 20, 4, 600
SLICES, UPLINKS = 5, 20  # links of an NPU and of an L1 switch upwards in TREE, over all slices
MESH_GB_PER_S = 750
CHIPLET_MM, WIRE_NS_PER_MM = 26, 0.1  # side of the paper's 685 mm² (Table 4); configs' default of switch.wire_ns_per_mm
NO_CONFLICTS = "none by construction"
SCRIPT = "microarchitectures.sh"


@dataclass
class Variant:
    """A switch of a kind, the machine that it is measured in, and the size that is synthesised: its largest there."""

    name: str
    kind: str
    config: str
    settings: list[str]
    size: dict[str, int]  # parameters of the kind's top
    switches: int  # on the wafer
    conflicts: str | None = None  # middle sub-networks; "": any disjoint flows route, which nothing simulates; None: not said
    best: bool = False  # with the best algorithms and placement found
    works: dict[str, Json] = field(default_factory=dict)

    @property
    def described(self) -> Kind:
        return kinds.load()[self.kind]

    @property
    def module(self) -> str:
        """Module as scripts/synth.sh takes it."""
        return self.described.module(self.size)


def tree(name: str, kind: str, size: dict[str, int], conflicts: str | None = "", parameters: Mapping[str, int] = {}) -> Variant:
    settings = [f"switch.kind={kind}", *(f"{key}={value}" for key, value in parameters.items())]
    return Variant(name, kind, TREE, settings, size, 35, conflicts)


ROUTER = {"NUM_LOCAL": 4, "NUM_IO": 2}
VARIANTS = [
    *(tree(f"Fred_{m}", "fred", {"P": 12, "M": m}, str(m), {"fabric.middle": m}) for m in (2, 3, 4)),
    tree("reducing crossbar", "reducing_crossbar", {"P": 12}),
    *(tree(f"aggregator, {k}", "aggregator", {"P": 12, "ADDERS": k}, parameters={"switch.params.ADDERS": k}) for k in (1, 2, 4, 11)),
    tree("VOQ crossbar", "voq_crossbar", {"P": 12}, None),
    Variant("mesh", "mesh", MESH, [], ROUTER, 20),
    Variant("mesh (best)", "mesh", MESH, [], ROUTER, 20, best=True),
    Variant("torus (best)", "mesh", TORUS, [], ROUTER, 20, best=True),
    Variant("mesh, reducing", "mesh_reducing", MESH_REDUCING, [], ROUTER, 20),
]
# name, size, with --smoke, further arguments of `fredsim run`
WORKS: list[tuple[str, str, str, list[str]]] = [
    ("all-reduce", "4KiB", "4KiB", []),
    ("all-reduce", "64MiB", "64KiB", []),
    ("all-to-all", "4MiB", "40KiB", ["--collective", "all_to_all"]),
    *((f"{way} of MP2-DP5-PP2", "64MiB", "64KiB", ["--work", f"configs/paper/mp2_dp5_pp2_{way.lower()}.yaml"]) for way in ("MP", "DP", "PP")),
]

@dataclass
class Comparison:
    """A run of this script."""

    runs: Runs
    folder: Path
    synthesis: bool
    works: dict[str, list[str]]  # name -> arguments of `fredsim run`
    window: list[str]  # arguments of `fredsim traffic`


def settings_of(variant: Variant, ghz: float, buffer: float | None = None, more: Sequence[str] = ()) -> list[str]:
    settings = [*variant.settings, f"clock={ghz} GHz", *more]
    if buffer:
        settings.append(f"switch.input_buffer={buffer}KiB")
    return [word for setting in settings for word in ("--set", setting)]


def port_gb_per_s(variant: Variant, ghz: float) -> float:
    """Rate of a link between chiplets: the machine's, or a flit per cycle if that is less."""
    return min(PORT_GB_PER_S if variant.config == TREE else MESH_GB_PER_S, constants("noc_pkg")["FLIT_BYTES"] * ghz)


def own_settings(variant: Variant, ghz: float) -> list[str]:
    """Wires of chiplets, and links that are no faster than a flit per cycle."""
    rate = port_gb_per_s(variant, ghz)
    links = tree_links(rate) if variant.config == TREE else [f"fabric.link_bandwidth={rate:g} GB/s"]
    return [f"switch.chiplet_mm={CHIPLET_MM}", *links]


def tree_links(rate: float) -> list[str]:
    """Settings of TREE with so many GB/s a link between chiplets."""
    return [f"npu.bandwidth={SLICES * rate:g} GB/s", f"fabric.uplink_bandwidth={UPLINKS * rate:g} GB/s"]


def covering_buffer(variant: Variant, ghz: float, chiplet_mm: float = 0) -> float | None:
    """KiB of an input buffer that keeps a link of a tree busy: what it sends until a credit is back, and a flit. None: a mesh's does."""
    if variant.config != TREE:
        return None
    wire = math.ceil(round(chiplet_mm / 2 * WIRE_NS_PER_MM * ghz, 9))
    loop = 2 * (math.ceil(round(LINK_NS * ghz, 9)) + 2 * wire) + SWITCH_CYCLES
    flit = constants("noc_pkg")["FLIT_BYTES"]
    return (math.ceil(loop * port_gb_per_s(variant, ghz) / (flit * ghz)) + 1) * flit / 1024


# ------------------------------------------------------------------ synthesis

def synthesis(options: Comparison, variants: Sequence[Variant]) -> Mapping[str, Json | None]:
    """Module -> its figures; none where there are none."""
    file = options.folder / "synthesis.json"
    if options.synthesis:
        modules = list(dict.fromkeys(variant.module for variant in variants))
        options.runs.execute("scripts/synth.sh", *modules, "--limit", str(SYNTHESIS_LIMIT), "--json", str(file))
    elif not file.exists():
        return {}
    tops = json.loads(file.read_text())["tops"]
    if any("floorplan" not in top for top in tops):
        options.runs.fail(f"{file}: found no floorplans, of an earlier version; allowed: figures of this one, run without --no-synthesis")
    return {variant.module: found_top(tops, variant.module) for variant in variants}


def found_top(tops: Sequence[Json], module: str) -> Json | None:
    """The figures of "kind:A=1,B=2"; None: there are none."""
    name, _, rest = module.partition(":")
    wanted = {key: int(value) for key, value in (pair.split("=") for pair in rest.split(","))}
    lanes = wanted.pop("LANES", None)
    for top in tops:
        same = all(top["parameters"].get(key) == value for key, value in wanted.items())
        if top["kind"] == name and lanes in (None, top["lanes"]) and same:
            return top
    return None


def area_mm2(top: Json) -> float:
    """Area of logic and memories at 14 to 16 nm, the middle of the range."""
    area = top["area_um2"]
    return (sum(area["logic_14_to_16nm"]) + sum(area["memory_14_to_16nm"])) / 2 / 1e6


def own_clock(top: Json) -> float:
    """At the slow corner of the slow end, the wires of the floorplan with the longest path; rounded down to 10 MHz."""
    return rounded_down(top["floorplan"]["clock_ghz"][0])


def rounded_down(ghz: float) -> float:
    return int(ghz * 100) / 100


# ------------------------------------------------------------------ simulation

def energy_per_byte(run: Json) -> float | None:
    """pJ per byte of the vectors; None: a switch has no energy row."""
    per_bit = run["energy"]["pj_per_bit"]
    return None if per_bit is None else round(8 * per_bit, 2)


def algorithm_of(variant: Variant, work: str) -> str:
    """The paper's; a large all-reduce over a whole mesh is faster at the endpoints than in routers that add."""
    return "hier_ring" if variant.config == MESH_REDUCING and work.startswith("all-reduce") and "MiB" in work else "paper"


def run_of(options: Comparison, variant: Variant, work: str, arguments: Sequence[str], settings: Sequence[str], ghz: float = GHZ) -> Json:
    if variant.best:  # the second, beside a tree that takes no time worth saving
        beside = f"{TREE}@{','.join(tree_links(min(PORT_GB_PER_S, constants('noc_pkg')['FLIT_BYTES'] * ghz)))}"
        run = options.runs.fredsim("compare", variant.config, beside, "--best-base", *arguments, *settings)["runs"][1]
    else:
        run = options.runs.fredsim("run", variant.config, *arguments, *settings)["runs"][-1]
    if run.get("payload") != "exact":
        options.runs.fail(f"{variant.name}, {work}: payload {run.get('payload')}")
    return run


def simulate(options: Comparison, variant: Variant, top: Json | None) -> None:
    for work, arguments in options.works.items():
        if "--work" not in arguments:  # a work file names its own
            arguments = [*arguments, "--algorithm", algorithm_of(variant, work)]
        run = run_of(options, variant, work, arguments, settings_of(variant, GHZ))
        buffer = covering_buffer(variant, GHZ)
        covered = run_of(options, variant, work, arguments, settings_of(variant, GHZ, buffer)) if buffer else run
        own = None
        if top:
            ghz = own_clock(top)
            own = run_of(options, variant, work, arguments,
                         settings_of(variant, ghz, covering_buffer(variant, ghz, CHIPLET_MM), own_settings(variant, ghz)), ghz)  # fmt: skip
        variant.works[work] = {
            "work": work, "algorithm": run["algorithm"], "placement": run["placement"], "time_ns": run["time_ns"], "covered_time_ns": covered["time_ns"],
            "own_clock_time_ns": own and own["time_ns"],
            "energy_pj_per_byte": energy_per_byte(run)}  # fmt: skip


def saturation(options: Comparison, variant: Variant) -> float | None:
    """Accepted flits per cycle and NPU, uniform traffic, packets of a flit; no collectives, which the best mesh is about."""
    if variant.best:
        return None
    runs = options.runs.fredsim("traffic", variant.config, "--saturation", *settings_of(variant, GHZ), *options.window)["runs"]
    accepted = [run["accepted_rate"] for run in runs if not run["saturated"]]
    return max(accepted) if accepted else None


def conflict_rate(options: Comparison, variant: Variant) -> float | None:
    """Time of four random all-reduces in a switch of 12 ports; None if it is not simulated."""
    if not variant.conflicts:
        return None
    runs = options.runs.fredsim("conflicts", "--ports", "12", "--middle", variant.conflicts, "--flows", "4", "--kind", "all_reduce")["runs"]
    return runs[0]["conflict_rate"]


# ------------------------------------------------------------------ output

def figures(options: Comparison, variant: Variant, top: Json | None) -> Json:
    never = {"conflicts": NO_CONFLICTS} if variant.conflicts == "" else {}
    return never | {
        "name": variant.name, "kind": variant.kind, "config": variant.config, "settings": variant.settings, "module": variant.module,
        "switches": variant.switches, "logic_kge": top and top["area_kge"], "memory_bits": top and top["memory_bits"],
        "switch_mm2": top and round(area_mm2(top), 4), "area_mm2": top and round(variant.switches * area_mm2(top), 3),
        "path_fo4": top and top["path_fo4"], "path_with_wires_fo4": top and top["floorplan"]["path_fo4"],
        "clock_without_wires_ghz": top and rounded_down(top["clock_ghz"][0]), "side_mm": top and top["floorplan"]["side_mm"],
        "clock_ghz": top and own_clock(top), "saturation": saturation(options, variant),
        "covering_buffer_kib": covering_buffer(variant, GHZ), "own_clock_covering_buffer_kib": top and covering_buffer(variant, own_clock(top), CHIPLET_MM),
        "own_clock_port_gb_per_s": top and port_gb_per_s(variant, own_clock(top)),
        "conflict_rate": conflict_rate(options, variant), "works": list(variant.works.values())}  # fmt: skip


def print_tables(works: Sequence[str], found: Sequence[Json]) -> None:
    def shown(value: float | None, form: str) -> str | None:
        return None if value is None else format(value, form)

    print("Switches; area of the machine in mm², own clock in GHz, saturation in flits per cycle and NPU:\n")
    markdown(["switch", "logic, kGE", "memory, Mb", "area, mm²", "path, FO4", "with wires", "clock without wires", "clock", "saturation", "conflicts"],
          [[one["name"], shown(one["logic_kge"], ".0f"), one["memory_bits"] and f"{one['memory_bits'] / 2**20:.1f}",
            shown(one["area_mm2"], ".0f"), one["path_fo4"], one["path_with_wires_fo4"], one["clock_without_wires_ghz"], one["clock_ghz"], shown(one["saturation"], ".3f"),
            one.get("conflicts") or shown(one["conflict_rate"], ".1%")] for one in found])  # fmt: skip
    markdown(["switch", "buffer for the credit loop, KiB", "at its own clock", "a port then, GB/s"],
          [[one["name"], one["covering_buffer_kib"], one["own_clock_covering_buffer_kib"], shown(one["own_clock_port_gb_per_s"], ".0f")] for one in found])
    markdown(["algorithm", *works], [[one["name"], *(work["algorithm"] for work in one["works"])] for one in found])
    for title, key, form in (("Times at one clock with the paper's buffers, ns:", "time_ns", ".0f"),
                             ("Times at one clock, buffers for the credit loop, ns:", "covered_time_ns", ".0f"),
                             ("Times at their own clock with wires, buffers for the credit loop, ns:", "own_clock_time_ns", ".0f"),
                             ("Energy, pJ per byte of the vector:", "energy_pj_per_byte", ".1f")):  # fmt: skip
        if all(work[key] is None for one in found for work in one["works"]):
            continue
        print(f"{title}\n")
        markdown(["switch", *works], [[one["name"], *(shown(work[key], form) for work in one["works"])] for one in found])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/microarchitectures.sh", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="of switch, as in a machine file; default: all")
    parser.add_argument("--smoke", action="store_true", help="the smallest works only, short traffic")
    parser.add_argument("--no-synthesis", dest="synthesis", action="store_false", help="with the figures of before that are in the folder, or without")
    parser.add_argument("--folder", type=Path, default=Path("build/microarchitectures"), help="for JSON and page (default %(default)s)")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    known = list(dict.fromkeys(variant.kind for variant in VARIANTS))
    if unknown := [name for name in arguments.kinds if name not in known]:
        parser.error(f"found the kind {unknown[0]}; allowed: {', '.join(known)}")
    variants = [variant for variant in VARIANTS if not arguments.kinds or variant.kind in arguments.kinds]
    works = {}
    for name, size, smoke, more in WORKS:
        chosen = smoke if arguments.smoke else size
        works[f"{name}, {chosen.replace('KiB', ' KiB').replace('MiB', ' MiB')}"] = ["--size", chosen, *more]
    checkout.enter()
    program = checkout.programs({"fredsim": arguments.program}, SCRIPT, ["SYNTH_PACKAGES"])["fredsim"]
    options = Comparison(Runs(SCRIPT, program), arguments.folder, arguments.synthesis, works,
                         ["--warmup", "500", "--cycles", "2000"] if arguments.smoke else [])  # fmt: skip
    options.folder.mkdir(parents=True, exist_ok=True)
    tops = synthesis(options, variants)
    found = []
    for variant in variants:
        top = tops.get(variant.module)
        simulate(options, variant, top)
        found.append(figures(options, variant, top))
    print_tables(list(options.works), found)
    file = options.folder / "microarchitectures.json"
    version = options.runs.fredsim("conflicts", "--ports", "2", "--middle", "2", "--flows", "1", "--trials", "1")
    file.write_text(json.dumps({"fredsim": version["fredsim"], "commit": version["commit"],
                                "command": " ".join([f"scripts/{SCRIPT}", *words]),
                                "microarchitectures": found}, indent=1) + "\n")  # fmt: skip
    options.runs.execute(program, "report", str(file), "--output", str(options.folder / "report.html"))
    print(f"== {file}, {options.folder / 'report.html'}", file=sys.stderr)
    return 0
