# SPDX-License-Identifier: Apache-2.0
"""Waveforms, drawn from the FST files of a run."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from ..plots import COLOURS, pyplot
from .picture import Picture

CYCLE = "wave.cycle"


def values_by_cycle(fst: Path, signals: Sequence[str]) -> dict[int, dict[str, int]]:
    """wave.cycle -> values of the signals after its edge."""
    dump = subprocess.run(["fst2vcd", fst], capture_output=True, text=True, check=True).stdout
    scope: list[str] = []
    names: dict[str, list[str]] = {}
    now: dict[str, int] = {}
    found: dict[int, dict[str, int]] = {}
    for line in dump.splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scope.append(words[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            name = ".".join([*scope, words[4]])
            if name in signals or name == CYCLE:
                names.setdefault(words[3], []).append(name)
        elif line.startswith("#"):
            if CYCLE in now:
                found[now[CYCLE]] = dict(now)
        elif line[:1] in "01b" and len(line) > 1:
            value, code = (words[0][1:], words[1]) if line[0] == "b" else (line[0], line[1:])
            for name in names.get(code, []):
                now[name] = int(value, 2)
    if CYCLE in now:
        found[now[CYCLE]] = now
    missing = set(signals).difference(*(values for values in found.values()))
    if missing:
        raise SystemExit(f"{fst}: no {', '.join(sorted(missing))}")
    return found


def draw_bit(axis: Axes, row: float, cycles: Sequence[int], bits: Sequence[int], colour: str) -> None:
    high = [row + 0.62 * bit for bit in bits]
    axis.step([*cycles, cycles[-1] + 1], [*high, high[-1]], where="post", color=colour, linewidth=1.8)


def draw_number(axis: Axes, row: float, cycles: Sequence[int], numbers: Sequence[int], colour: str) -> None:
    """Between two lines that cross where it changes, the value in every stretch that has room for it."""
    begin = 0
    for k in range(1, len(cycles) + 1):
        if k < len(cycles) and numbers[k] == numbers[begin]:
            continue
        left, right = cycles[begin], cycles[begin] + k - begin
        slope = min(0.25, (right - left) / 2)
        for up in (0.0, 0.62):
            axis.plot([left, left + slope, right - slope, right], [row + 0.31, row + up, row + up, row + 0.31], color=colour, linewidth=1.4)
        if right - left >= 2:
            axis.text((left + right) / 2, row + 0.29, str(numbers[begin]), ha="center", va="center", fontsize=10)
        begin = k


def lost_credit(picture: Picture) -> None:
    """The fault of docs/user/debugging.md: a credit is kept where a flit comes in at the same edge."""
    switch = "l1_0.s0.fred_switch"
    signals = [f"{switch}.in_valid_i", f"{switch}.i_phased.gen_port[0].i_input.pop_i", f"{switch}.in_credit_o", "links.npu0_0__l1_0_s0_0.credits_dp"]
    with tempfile.TemporaryDirectory() as name:
        fst = Path(name) / "all.fst"
        command = [picture.faulty, "run", "configs/fred_small.yaml", "--size", "4KiB", "--quiet", "--set", "switch.rtl_top=fred_switch", "--model", "rtl",
                   "--wave", str(fst), "--wave-scope", "l1_0.s0", "--wave-window", "80:160"]  # fmt: skip
        if subprocess.run(command, capture_output=True).returncode != 1:
            picture.runs.fail(f"{picture.faulty}: no fault")
        found: Mapping[int, Mapping[str, int]] = values_by_cycle(fst, signals)
    cycles = [cycle for cycle in sorted(found) if 88 <= cycle <= 134]
    bits = [[found[cycle].get(signal, 0) >> shift & 1 for cycle in cycles] for signal, shift in zip(signals, (0, 2, 2))]
    numbers = [found[cycle].get(signals[3], 0) for cycle in cycles]
    figure, axis = pyplot.subplots(figsize=(7, 2.7), layout="constrained")
    titles = ["flit comes in", "flit leaves buffer", "credit goes back", "credits at sender"]
    colours = [COLOURS["fred_b"], COLOURS["fred_b"], COLOURS["fred_d"], "#222222"]
    for k, row_bits in enumerate(bits):
        draw_bit(axis, 3 - k, cycles, row_bits, colours[k])
    draw_number(axis, 0, cycles, numbers, colours[3])
    came, left, back = bits
    lost = [cycle + 1 for k, cycle in enumerate(cycles[:-1]) if left[k] and not back[k + 1]]
    for cycle in lost:
        axis.axvspan(cycle, cycle + 1, color="#d1601e", alpha=0.18, linewidth=0)
    axis.text(lost[-1] + 12, 2.3, f"{len(lost)} credits never go back", color="#a8430d", fontsize=11, va="center")
    axis.set_yticks([3.3 - k for k in range(4)], titles)
    axis.set_xlim(cycles[0], cycles[-1] + 1)
    axis.set_ylim(-0.15, 3.85)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="y", visible=False)
    axis.spines["left"].set_visible(False)
    axis.set_xlabel("cycle; port 0 of switch l1_0.s0, virtual channel DP")
    picture.save(figure)
