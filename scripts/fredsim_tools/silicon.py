# SPDX-License-Identifier: Apache-2.0
"""Collectives on machines that exist, measured and simulated, each with its source: the table of docs/studies/silicon.md.

Every row says which error is expected of it; a row beyond that ends the program with exit code 1. A constant per machine is fitted on one
row, which says so; all others follow from it.
Commands go to standard error.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from . import checkout
from .runs import Json, Runs
from .tables import GIB, KIB, MIB, markdown, size

H200 = "configs/systems/hgx_h200.yaml"
TPU, WAFER = "configs/systems/tpu_v5e_axis.yaml", "configs/systems/wse_row.yaml"
BOOK, SCALING, PAPER = "[M]", "[S]", "[L]"  # sources, as the page has them

# Ring: share of the rate that carries payload, fitted at 16 GiB (8 GiB of the B200).
H200_SHARE, B200_SHARE = 0.816, 0.758
FLITS = 8  # per packet of the ring, 16 bytes each


def settings(**values: object) -> tuple[str, ...]:
    return tuple(word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}"))


# Links of twice the rate.
B200 = settings(fabric__links__1__bandwidth="900 GB/s", fabric__links__2__bandwidth="900 GB/s", link__efficiency=B200_SHARE)


def share_of_halves(share: float) -> float:
    """Share of packets with half the payload and as much protocol each."""
    protocol = FLITS * (1 / share - 1)
    return round(FLITS / 2 / (FLITS / 2 + protocol), 4)


@dataclass(frozen=True)
class Row:
    machine: str
    file: str
    collective: str
    bytes: int
    measured: float
    source: str
    words: tuple[str, ...]  # arguments of the run
    low: float  # expected error, %
    high: float
    unit: str = "GB/s"  # bus bandwidth; us, or cycles of a processing element
    note: str = ""
    engine: str = "flow"


def ours(row: Row, run: Json) -> float:
    if row.unit == "GB/s":
        return run["busbw_gbps"]
    return run["time_ns"] / 1e3 if row.unit == "us" else run["time_ns"] * PE_GHZ


PE_GHZ = 0.85  # clock of the WSE-2's processing elements


def gpus(n: int) -> tuple[str, ...]:
    return () if n == 8 else ("--group", f"0-{n - 1}")


def boxes() -> Iterator[Row]:
    def row(collective: str, data: int, measured: float, low: float, high: float, *words: str, n: int = 8, b200: bool = False, note: str = "") -> Row:
        machine, of_b200 = (f"{n} × B200", B200) if b200 else (f"{n} × H200", ())
        return Row(machine, H200, collective, data, measured, BOOK, (*gpus(n), *of_b200, *words), low, high, note=note)

    ring = ("--algorithm", "ring")
    yield row("all_reduce", 16 * GIB, 367.61, -1, 1, *ring, note="ring; fitted")
    for n, measured in ((4, 363.3), (5, 364.4), (6, 365.1), (7, 365.7), (8, 365.6)):
        yield row("all_reduce", 8 * GIB, measured, -3, 3, *ring, n=n, note="ring")
    yield row("all_gather", 16 * GIB, 361.4, -3, 3, *ring, note="ring")
    yield row("reduce_scatter", 16 * GIB, 362.9, -3, 3, *ring, note="ring")
    yield row("all_reduce", 8 * GIB, 682.2, -1, 1, *ring, b200=True, note="ring; fitted")
    yield row("all_reduce", 8 * GIB, 673.8, -3, 3, *ring, n=4, b200=True, note="ring")
    nvls = ("--algorithm", "switch_reads")
    sums = ((8, 64 * MIB, 346.51), (8, GIB, 463.58), (8, 16 * GIB, 482.26), (5, 8 * GIB, 414.2), (6, 8 * GIB, 435.6), (7, 8 * GIB, 460.0),
            (8, 8 * GIB, 473.1))  # fmt: skip
    for n, data, measured in sums:
        low, high = (30, 70) if data < GIB else (15, 25)
        yield row("all_reduce", data, measured, low, high, *nvls, n=n, note="NVLS")
    short = settings(link__efficiency=share_of_halves(H200_SHARE))
    for n, data, measured in sums:
        low, high = (5, 45) if data < GIB else (-10, 10)
        yield row("all_reduce", data, measured, low, high, *nvls, *short, n=n, note="NVLS, packets of 64 B")
    short = settings(link__efficiency=share_of_halves(B200_SHARE))
    for n, measured in ((6, 778.2), (7, 811.2), (8, 838.0)):
        yield row("all_reduce", 8 * GIB, measured, -10, 10, *nvls, *short, n=n, b200=True, note="NVLS, packets of 64 B")


def small() -> Iterator[Row]:
    """Times of torch.distributed, from its algorithm bandwidth."""
    for data, algbw, low, high in ((32 * KIB, 0.82, -1, 1), (64 * KIB, 1.67, -15, 15), (128 * KIB, 3.27, -15, 15), (256 * KIB, 6.71, -15, 15),
                                   (512 * KIB, 13.68, -15, 15), (MIB, 22.82, -15, 15)):  # fmt: skip
        note = "ring; overhead fitted" if data == 32 * KIB else "ring"
        yield Row("8 × H200", H200, "all_reduce", data, round(data / algbw / 1e3, 2), BOOK, ("--algorithm", "ring"), low, high, "us", note, "exact")


def tpus() -> Iterator[Row]:
    data = 2048 * 8192 * 2  # bf16[2048, 8192]
    yield Row("4 × TPU v5e, no ring", TPU, "all_gather", data, 680, SCALING, ("--algorithm", "ring"), -15, 10, "us", "line")


def wafers() -> Iterator[Row]:
    for places, data in ((8, 64), (8, 1024), (32, 64), (32, 1024)):
        words = settings(npu__count=places, fabric__width=places)
        for algorithm, formula in (("chain", data + 6 * (places - 1)), ("direct", data * (places - 1))):
            name = "chain" if algorithm == "chain" else "star"
            yield Row(f"{places} elements in a row", WAFER, "reduce", data * 512, formula, PAPER, (*words, "--algorithm", algorithm), -5, 5 if data > 64 else 8,
                      "cycles", f"{name}, {data} words", "exact")  # fmt: skip


PARTS: dict[str, Callable[[], Iterator[Row]]] = {"boxes": boxes, "small": small, "tpu": tpus, "wafer": wafers}


def error_of(row: Row, simulated: float) -> float:
    """Error of the bandwidth, or the time, in %."""
    return 100 * (simulated / row.measured - 1)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce silicon", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--smoke", action="store_true", help="of the boxes those of 8 H200 and 16 GiB alone")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"found {', '.join(sorted(unknown))}; allowed: {', '.join(PARTS)}")
    checkout.enter()
    program = checkout.programs({"fredsim": options.program}, "silicon")["fredsim"]
    runs, beyond = Runs("silicon", program, sys.stderr), []
    for part in options.parts or PARTS:
        table = []
        for row in PARTS[part]():
            if options.smoke and part == "boxes" and (row.bytes < 16 * GIB or row.collective != "all_reduce"):
                continue
            arguments = ("run", row.file, "--collective", row.collective, "--size", f"{row.bytes}B", "--engine", row.engine, *row.words)
            simulated = ours(row, runs.fredsim(*arguments)["runs"][0])
            error = error_of(row, simulated)
            if not row.low <= error <= row.high:
                beyond.append(f"{row.machine}, {row.collective}, {size(row.bytes)}, {row.note}: {error:+.1f} %, expected {row.low} to {row.high} %")
            data = size(row.bytes) if row.unit != "cycles" else None
            figures = (f"{row.measured:.5g} {row.unit}", f"{simulated:.4g}", f"{error:+.1f} %")
            table.append([row.machine, f"`{row.collective}`", row.note or None, data, *figures, row.source])
        markdown(("machine", "collective", "how", "size", "measured", "ours", "error", "source"), table)
    for line in beyond:
        print(f"silicon: {line}", file=sys.stderr)
    return 1 if beyond else 0
