# SPDX-License-Identifier: Apache-2.0
"""Rounding of sums by the order of their operands."""

from .study import TITLE, Study


def measure(study: Study) -> None:
    samples = ["--samples", "2000"] if study.smoke else []
    lines = study.runs.execute(study.rounding, *samples, "configs/mesh.yaml:ring", "configs/mesh.yaml:hier_ring", "configs/fred_d.yaml:in_switch")
    shown = [("fp16", "uniform"), ("fp16", "gradient"), ("bf16", "gradient")]
    rows = []
    for line in lines.splitlines()[1:]:
        words = line.split()
        if len(words) == 10 and (words[2], words[3]) in shown:
            machine, order, form, data, nearest, half, most, _, _, bound = words
            rows.append([form, data, f"{TITLE[machine]} {order}", f"{nearest} %", half, most, bound])
    print("Sums of 20 operands against the exact sum:\n")
    study.table(["format", "data", "order", "rounded to nearest", "error p50, ULP", "p99, ULP", "largest / (u sum of magnitudes)"], rows)
