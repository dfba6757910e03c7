# SPDX-License-Identifier: Apache-2.0
"""Energy of mesh, torus and Fred side by side, by component: the tables of docs/studies/energy.md, on standard output or into the page.

An all-reduce over all NPUs by every algorithm that the grids run: that of the paper, that of the least time and that of the least energy have
a row, on Fred sums in the switches. Training: an iteration, the mesh as well as it can beside the paper's, by flows.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from . import checkout
from .runs import Json, Runs
from .tables import lines_of, put_into

GRIDS, FRED = ("mesh", "torus"), "fred_d"
ALGORITHMS = ("ring", "hier_ring", "tree", "direct", "one_shot", "multi_tree")
PAPER = "hier_ring"
SIZES = {"4KiB": (1e3, "nJ", 1), "1MiB": (1e6, "µJ", 2), "64MiB": (1e6, "µJ", 0)}  # pJ of a unit, its name, digits
COLUMNS = {"adders": ("adders_pj",), "interconnect": ("interconnect_pj",), "buffers": ("buffers_pj", "tables_pj"),
           "links": ("npu_links_pj", "switch_links_pj", "io_links_pj"), "clock": ("clock_pj",), "sums at NPUs": ("npu_adders_pj",)}  # fmt: skip
TRAINING = {
    "transformer_17b": ["--mp", "3", "--dp", "3", "--pp", "2", "--samples", "16"],
    "gpt3": ["--mp", "2", "--dp", "5", "--pp", "2"],
}
FLOP_PJ = 0.71
PAGE = Path("docs/studies/energy.md")


def parts(energy: Json, unit: float, digits: int) -> list[str]:
    """Columns of a run, and their sum."""
    if energy["missing"]:
        raise SystemExit(f"energy: found none, {energy['missing']}; allowed: machines with energy rows")
    fabric = sum(energy[key] or 0 for keys in COLUMNS.values() for key in keys)
    sums = [sum(energy[key] or 0 for key in keys) for keys in COLUMNS.values()]
    return [f"{pj / unit:.{digits}f}" for pj in [*sums, fabric]]


def all_reduce(runs: Runs, size: str) -> list[str]:
    unit, name, digits = SIZES[size]
    rows = []
    for grid in GRIDS:
        found = {}
        for algorithm in ALGORITHMS:
            found[algorithm] = runs.fredsim("run", f"configs/{grid}.yaml", "--size", size, "--algorithm", algorithm)["runs"][0]
        best = {"paper": PAPER, "time": min(found, key=lambda one: found[one]["cycles"]),
                "energy": min(found, key=lambda one: found[one]["energy"]["total_pj"])}  # fmt: skip
        for algorithm in dict.fromkeys(best.values()):
            roles = " and ".join(role for role, one in best.items() if one == algorithm)
            rows.append(row(f"{grid}, {roles}", found[algorithm], unit, digits))
    fred = runs.fredsim("run", f"configs/{FRED}.yaml", "--size", size, "--algorithm", "paper")["runs"][0]
    rows.append(row("Fred-D", fred, unit, digits))
    return lines_of([f"all-reduce, {name}", "algorithm", "time, ns", *COLUMNS, "all", "pJ/bit"], rows)


def row(label: str, run: Json, unit: float, digits: int) -> list[str]:
    energy = run["energy"]
    return [label, f"`{run['algorithm']}`", f"{run['time_ns']:.0f}", *parts(energy, unit, digits), f"{energy['pj_per_bit']:.2f}"]


def training(runs: Runs, workload: str) -> list[str]:
    found = runs.fredsim("train", *(f"configs/{machine}.yaml" for machine in (*GRIDS, FRED)), "--workload", workload, *TRAINING[workload],
                         "--iterations", "1", "--best-base", "--engine", "flow", "--set", f"energy.npu_compute_pj_per_flop={FLOP_PJ}")["runs"]  # fmt: skip
    rows = [[run["fabric"], run["placement"], f"{run['time_ns'] / 1e6:.1f}",
             *parts(run["energy"], 1e12, 2), f"{run['energy']['total_pj'] / 1e12:.1f}"] for run in found]  # fmt: skip
    return lines_of([f"{workload}, J", "placement", "iteration, ms", *COLUMNS, "fabric", "with computing"], rows)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce energy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(SIZES), help="of %(default)s, by comma; none: the training alone")
    parser.add_argument("--no-training", dest="training", action="store_false", help="all-reduces alone")
    parser.add_argument("--page", action="store_true", help=f"puts the tables into {PAGE}")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    sizes = [size for size in options.sizes.split(",") if size not in ("", "none")]
    if unknown := [size for size in sizes if size not in SIZES]:
        parser.error(f"found the size {unknown[0]}; allowed: {', '.join(SIZES)}")
    checkout.enter()
    runs = Runs("energy", checkout.programs({"fredsim": options.program}, "energy")["fredsim"])
    tables = {size: all_reduce(runs, size) for size in sizes}
    if options.training:
        tables |= {workload: training(runs, workload) for workload in TRAINING}
    for name, table in tables.items():
        if not options.page:
            print("\n".join(table), end="\n\n")
        elif not put_into(PAGE, name, table):
            raise SystemExit(f"energy: {PAGE}: found no line <!-- table {name} -->")
    return 0
