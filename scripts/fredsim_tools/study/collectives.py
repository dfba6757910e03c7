# SPDX-License-Identifier: Apache-2.0
"""Single collectives: latency by size, sizes of buffers, compound steps that are serial in a switch."""

from ..tables import KIB, MIB, size
from .study import BEST, BEST_TORUS, MACHINES, PAPER, TITLE, Study, config, changes, over_bound, stalls

COLLECTIVES = [
    ("all_reduce", ["--collective", "all_reduce"]),
    ("reduce_scatter", ["--collective", "reduce_scatter"]),
    ("all_gather", ["--collective", "all_gather"]),
    ("broadcast", ["--collective", "broadcast"]),
    ("broadcast from 7", ["--collective", "broadcast", "--root", "7"]),
    ("reduce", ["--collective", "reduce"]),
    ("all_to_all", ["--collective", "all_to_all"]),
    ("unicast 0 to 1", ["--collective", "unicast", "--group", "0,1"]),
    ("unicast 3 to 4", ["--collective", "unicast", "--group", "3,4"]),
    ("unicast 0 to 19", ["--collective", "unicast", "--group", "0,19"]),
]


def ranges(sizes: list[int], slower: list[bool]) -> str:
    """The sizes at which it is slower, as ranges: "up to 512 KiB", "from 256 KiB on"."""
    words, first = [], None
    for i in range(len(sizes) + 1):
        if i < len(sizes) and slower[i]:
            first = i if first is None else first
        elif first is not None:
            low, high = size(sizes[first]), size(sizes[i - 1])
            if first == 0 and i == len(sizes):
                words.append("always")
            elif first == 0:
                words.append(f"up to {high}")
            elif i == len(sizes):
                words.append(f"from {low} on")
            else:
                words.append(low if low == high else f"{low} to {high}")
            first = None
    return ", ".join(words) or "never"


def latency(study: Study) -> None:
    sweeps = [["-b", "1", "-e", "512", "-f", "512"], ["-b", "1KiB", "-e", "64MiB", "-f", "2"]]
    shown = [1, 4 * KIB, 32 * KIB, 256 * KIB, 2 * MIB, 16 * MIB, 64 * MIB]
    if study.smoke:
        sweeps, shown = [["-b", "1", "-e", "64KiB", "-f", "256"]], [1, 64 * KIB]
    best = {"mesh": BEST, "torus": BEST_TORUS}
    time: dict[tuple[str, str, int], float] = {}
    bound: dict[tuple[str, str, int], float] = {}
    for name, arguments in COLLECTIVES:
        for sweep in sweeps:
            results = study.fredsim("compare", *map(config, MACHINES), *arguments, *sweep)
            for r in results:
                time[name, TITLE[r["fabric"]], r["size_bytes"]] = r["time_ns"]
                bound[name, TITLE[r["fabric"]], r["size_bytes"]] = r["derived"]["time_over_bound"]
            for grid in best:
                for r in study.fredsim("run", config(grid), *arguments, *sweep, "--algorithm", "auto"):
                    # An estimate that was wrong is no best.
                    better = min((r, next(o for o in results if (o["fabric"], o["size_bytes"]) == (grid, r["size_bytes"]))), key=lambda o: o["time_ns"])
                    time[name, best[grid], r["size_bytes"]] = better["time_ns"]
                    bound[name, best[grid], r["size_bytes"]] = better["derived"]["time_over_bound"]
    sizes = sorted({n for _, _, n in time})
    titles = [TITLE["mesh"], BEST, TITLE["torus"], BEST_TORUS, *map(TITLE.__getitem__, MACHINES[2:])]
    bases = [TITLE["mesh"], BEST, BEST_TORUS]

    print(f"All-reduce over all 20, time in ns; {PAPER} but for *{BEST}* and *{BEST_TORUS}*:\n")
    study.table(["size", *titles], [[size(n), *(f"{time['all_reduce', m, n]:.0f}" for m in titles)] for n in shown])
    print(f"One byte, time in ns; {PAPER} but for *{BEST}* and *{BEST_TORUS}*:\n")
    study.table(["collective", *titles], [[name, *(f"{time[name, m, 1]:.0f}" for m in titles)] for name, _ in COLLECTIVES])
    for base in bases:
        print(f"Sizes at which FRED ({PAPER}) is slower than *{base}*, of those simulated, and by how much at most:\n")
        rows = []
        for name, _ in COLLECTIVES:
            row = [name]
            for machine in map(TITLE.__getitem__, MACHINES[2:]):
                ratios = [time[name, machine, n] / time[name, base, n] for n in sizes]
                where = ranges(sizes, [ratio > 1 for ratio in ratios])
                row.append(where if where == "never" else f"{where}: {max(ratios):.2f} x")
            rows.append(row)
        study.table(["collective", *map(TITLE.__getitem__, MACHINES[2:])], rows)
    for base in bases:
        print(f"Speed-up over *{base}* at {size(shown[-1])}, in parentheses time over bound; the others {PAPER}:\n")
        study.table(["collective", *titles],
              [[name, *(f"{time[name, base, shown[-1]] / time[name, m, shown[-1]]:.2f} ({bound[name, m, shown[-1]]:.2f})" for m in titles)]
               for name, _ in COLLECTIVES])


def buffers(study: Study) -> None:
    works: list[tuple[str, str, list[str]]] = [
        ("all_reduce, Fred-D", "fred_d", []),
        ("all_reduce, Fred-B", "fred_b", []),
        ("all_reduce by hier_ring, Fred-C", "fred_c", []),
        ("all_to_all, Fred-D", "fred_d", ["--collective", "all_to_all"]),
    ]
    amount = "64KiB" if study.smoke else "16MiB"
    sweeps: list[tuple[str, float, list[float]]] = [
        ("switch.input_buffer", 24, [4, 8, 12, 16, 20, 22, 23, 23.5, 24, 24.5, 25, 26, 28, 32, 48]),
        ("switch.output_buffer", 12, [4, 6, 8, 10, 12, 16, 24, 48]),
    ]
    if study.smoke:
        sweeps = [(key, usual, [4, usual]) for key, usual, _ in sweeps]
    for key, usual, values in sweeps:
        time = {}
        for value in values:
            for name, machine, arguments in works:
                r = study.run(machine, *arguments, "--size", amount, "--set", f"{key}={value}KiB")
                time[name, value] = r["time_ns"]
        print(f"Bandwidth relative to {key} = {usual} KiB; {PAPER}:\n")
        study.table([key, *(name for name, _, _ in works)],
              [[f"{value} KiB", *(f"{time[name, usual] / time[name, value]:.3f}" for name, _, _ in works)] for value in values])


L1_AND_L2 = 35  # chiplets


def serial(study: Study) -> None:
    sizes = ["4KiB", "64KiB"] if study.smoke else ["4KiB", "64KiB", "512KiB", "1MiB", "4MiB", "16MiB", "64MiB"]
    for collective, simple in (("reduce_scatter", "reduce"), ("all_gather", "broadcast")):
        rows = []
        for n in sizes:
            r = {a: study.run("fred_d", "--collective", collective, "--size", n, "--algorithm", a) for a in ("in_switch", "hier_ring", "ring")}
            s = r["in_switch"]
            one = study.run("fred_d", "--collective", simple, "--size", n, "--algorithm", "in_switch")
            rows.append([size(s["size_bytes"]), f"{s['time_ns']:.0f}", over_bound(s), f"{changes(s) / L1_AND_L2:.1f}",
                         f"{stalls(s, 'phase')} / {stalls(s, 'credit')}", f"{one['time_ns']:.0f}",
                         f"{stalls(one, 'phase')} / {stalls(one, 'credit')}",
                         f"{r['hier_ring']['time_ns']:.0f}", f"{r['ring']['time_ns']:.0f}"])
        print(f"{collective} on Fred-D, beside it a {simple} of the same size, which is one phase:\n")
        study.table(["size", "in_switch, ns", "time / bound", "phase changes per chiplet", "stalls: phase / credit", f"{simple}, ns",
               "stalls: phase / credit", "hier_ring, ns", "ring, ns"], rows)

    buffers = [24, 48] if study.smoke else [24, 48, 96, 192]
    rows = []
    for n in ["64KiB"] if study.smoke else ["512KiB", "1MiB", "4MiB", "16MiB"]:
        results = [study.run("fred_d", "--collective", "reduce_scatter", "--size", n, "--set", f"switch.input_buffer={b}KiB") for b in buffers]
        rows.append([size(results[0]["size_bytes"]), *(f"{r['time_ns']:.0f}" for r in results)])
    print("reduce_scatter in_switch on Fred-D by input buffer, time in ns:\n")
    study.table(["size", *(f"{b} KiB" for b in buffers)], rows)

    sizes = ["4KiB", "64KiB"] if study.smoke else ["4KiB", "64KiB", "1MiB", "16MiB", "64MiB"]
    rows = []
    for n in sizes:
        results = study.fredsim("compare", *map(config, MACHINES), "--collective", "all_to_all", "--size", n)
        rows.append([size(results[0]["size_bytes"]), *(f"{r['time_ns']:.0f} ({over_bound(r)})" for r in results)])
    print(f"all_to_all, time in ns and over its bound; {PAPER}:\n")
    study.table(["size", *map(TITLE.__getitem__, MACHINES)], rows)
    last = [(r, stalls(r, "credit", ""), stalls(r, "arbiter", ""), stalls(r, "link", "")) for r in results]
    print(f"The switches' counters and the busiest link of these at {size(last[0][0]['size_bytes'])}, per cycle of the run:\n")
    study.table(["", *map(TITLE.__getitem__, MACHINES)],
          [["no credit", *(f"{credit / r['cycles']:.2f}" for r, credit, _, _ in last)],
           ["lost the arbitration", *(f"{arbiter / r['cycles']:.2f}" for r, _, arbiter, _ in last)],
           ["busiest link", *(f"{100 * max(link['utilization'] for link in r['links']):.0f} %" for r, *_ in last)]])
