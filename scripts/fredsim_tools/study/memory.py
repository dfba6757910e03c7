# SPDX-License-Identifier: Apache-2.0
"""Memory of a run, which must not grow with the size of a collective."""

from ..runs import peak_kib
from ..tables import KIB, MIB, size
from .study import PAPER, TITLE, Study, config


def measure(study: Study) -> None:
    small, large = 16, 4 if study.smoke else 1024  # MiB
    rows = []
    for machine in ("mesh", "fred_d"):
        peak = []
        for n in (small, large):
            peak.append(peak_kib(study.runs, study.runs.program, "run", config(machine), "--size", f"{n}MiB", "--algorithm", "paper", "--quiet") / KIB)
        if abs(peak[1] - peak[0]) > 8:
            study.runs.fail(f"{machine}: memory grows with the size: {peak} MiB")
        rows.append([TITLE[machine], *(f"{mib:.1f}" for mib in peak)])
    print(f"Peak memory of an all-reduce over all 20, MiB; {PAPER}:\n")
    study.table(["machine", size(small * MIB), size(large * MIB)], rows)
