# SPDX-License-Identifier: Apache-2.0
"""Errors on links: what links that detect them and retransmit cost, without errors and with."""

from ..tables import size
from .study import BEST, BEST_TORUS, TITLE, Study


def measure(study: Study) -> None:
    rates = ["0", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3"]
    sizes = ["64KiB", "1MiB", "16MiB", "64MiB"]
    machines = [(TITLE["mesh"], "mesh", "paper"), (BEST, "mesh", "auto"), (BEST_TORUS, "torus", "auto"), (TITLE["fred_d"], "fred_d", "paper")]
    if study.smoke:
        rates, sizes = ["0", "1e-4"], ["64KiB"]
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {}  # machine -> size -> [(rate, times as long)]
    for title, machine, algorithm in machines:
        rows, resent = [], []
        for n in sizes:
            bare = study.run(machine, "--size", n, "--algorithm", algorithm)
            row, again = [f"{bare['time_ns']:.0f}"], []
            for rate in rates:
                if rate == "1e-3" and n != sizes[0]:  # 99 of 100 flits come damaged: hours
                    row.append("–")
                    again.append("–")
                    continue
                protected = ["--set", "link.reliability=link", "--set", f"link.bit_error_rate={rate}"]
                result = study.run(machine, "--size", n, "--algorithm", algorithm, *protected)
                row.append(f"{result['time_ns'] / bare['time_ns']:.3f}")
                curves.setdefault(title, {}).setdefault(size(bare["size_bytes"]), []).append(
                    (float(rate), result["time_ns"] / bare["time_ns"]))
                wafer = [link for link in result["links"] if not link["on_die"]]
                again.append(f"{sum(link['resent_flits'] for link in wafer) / sum(link['flits'] for link in wafer):.2e}")
            rows.append([size(bare["size_bytes"]), *row])
            resent.append([size(bare["size_bytes"]), *again])
        print(f"{title}, `--algorithm {algorithm}`, all-reduce: ns on links without, and times that with retransmission, by errors per bit:\n")
        study.table(["size", "ns", *rates], rows)
        print(f"{title}, retransmitted flits per flit:\n")
        study.table(["size", *rates], resent)
    if study.plot:
        from . import pictures  # needs matplotlib

        pictures.curves(curves, study.plot / "links")
