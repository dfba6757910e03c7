"""Measures what the paper asserts and does not measure, and prints Markdown tables.

Each question is a function below. Every number comes out of a run of fredsim or tb_rounding; these commands go to standard error, the
tables to standard output. Times are simulated and the same on every machine, only the memory of the last question is the machine's.

Exit code 1 when a command fails, when a table has no rows or an empty cell, when the implementations of the switches differ in a cycle, or when
memory grows with the size of a collective.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

MACHINES = ["mesh", "torus", "fred_a", "fred_b", "fred_c", "fred_d"]
TITLE = {"mesh": "mesh", "torus": "torus", "fred_a": "Fred-A", "fred_b": "Fred-B", "fred_c": "Fred-C", "fred_d": "Fred-D"}
KIB, MIB, GIB = 2**10, 2**20, 2**30
SLICES, FLIT = 5, 512  # of Fred-A to -D
L1_AND_L2 = 35  # chiplets
PAPER = "`--algorithm paper`, placement `paper`"  # where a caption or a command does not say otherwise
BEST = "mesh, `auto`"  # the algorithm that is estimated to be the fastest; no placement matters to one group of all
HELPER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

options = argparse.Namespace()


def execute(*command, prefix=()):
    print("==", *command, file=sys.stderr, flush=True)
    done = subprocess.run([*prefix, *command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"study.py: {' '.join(map(str, command))}: exit code {done.returncode}")
    return done.stdout


def fredsim(*arguments):
    """The study is about the paper's algorithms where it does not name others; work files name theirs."""
    if arguments[0] in ("run", "compare") and "--algorithm" not in arguments and "--work" not in arguments:
        arguments = [*arguments, "--algorithm", "paper"]
    return json.loads(execute(options.program, *arguments, "--quiet", "--json", "-"))["runs"]


def plots():
    import study_plots  # needs matplotlib, which the tables do not

    return study_plots


def config(machine):
    return f"configs/{machine}.yaml"


def run(machine, *arguments):
    return fredsim("run", config(machine), *arguments)[0]


def size(n):
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if n >= unit:
            return f"{n / unit:g} {name}"
    return f"{n} B"


def table(head, rows):
    """Prints a Markdown table. A table without rows or with an empty cell is an error of this script."""
    if not rows or any(len(row) != len(head) or any(str(cell) == "" for cell in row) for row in rows):
        sys.exit(f"study.py: incomplete table: {head}: {rows}")
    for row in (head, ["---"] * len(head), *rows):
        print("|", " | ".join(map(str, row)), "|")
    print()


def changes(result):
    return sum(switch["phase_changes"] for switch in result["switches"])


def stalls(result, reason, level="l"):
    return sum(s["stall_cycles"].get(reason, 0) for s in result["switches"] if s["name"].startswith(level))


def over_bound(result):
    return f"{result['derived']['time_over_bound']:.2f}"


# ------------------------------------------------------------------ latency against size

COLLECTIVES = [
    ("all_reduce", ["--collective", "all_reduce"]),
    ("reduce_scatter", ["--collective", "reduce_scatter"]),
    ("all_gather", ["--collective", "all_gather"]),
    ("broadcast", ["--collective", "broadcast"]),
    ("all_to_all", ["--collective", "all_to_all"]),
    ("unicast 0 to 1", ["--collective", "unicast", "--group", "0,1"]),
    ("unicast 3 to 4", ["--collective", "unicast", "--group", "3,4"]),
    ("unicast 0 to 19", ["--collective", "unicast", "--group", "0,19"]),
]


def ranges(sizes, slower):
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


def question_latency():
    sweeps = [["-b", "1", "-e", "512", "-f", "512"], ["-b", "1KiB", "-e", "64MiB", "-f", "2"]]
    shown = [1, 4 * KIB, 32 * KIB, 256 * KIB, 2 * MIB, 16 * MIB, 64 * MIB]
    if options.smoke:
        sweeps, shown = [["-b", "1", "-e", "64KiB", "-f", "256"]], [1, 64 * KIB]
    time, bound = {}, {}
    for name, arguments in COLLECTIVES:
        for sweep in sweeps:
            results = fredsim("compare", *map(config, MACHINES), *arguments, *sweep)
            for r in results:
                time[name, TITLE[r["fabric"]], r["size_bytes"]] = r["time_ns"]
                bound[name, TITLE[r["fabric"]], r["size_bytes"]] = r["derived"]["time_over_bound"]
            for r in fredsim("run", config("mesh"), *arguments, *sweep, "--algorithm", "auto"):
                # An estimate that was wrong is no best.
                better = min((r, next(o for o in results if (o["fabric"], o["size_bytes"]) == ("mesh", r["size_bytes"]))), key=lambda o: o["time_ns"])
                time[name, BEST, r["size_bytes"]] = better["time_ns"]
                bound[name, BEST, r["size_bytes"]] = better["derived"]["time_over_bound"]
    sizes = sorted({n for _, _, n in time})
    titles = [TITLE["mesh"], BEST, *map(TITLE.get, MACHINES[1:])]

    print(f"All-reduce over all 20, time in ns; {PAPER} but for *{BEST}*:\n")
    table(["size", *titles], [[size(n), *(f"{time['all_reduce', m, n]:.0f}" for m in titles)] for n in shown])
    print(f"One byte, time in ns; {PAPER} but for *{BEST}*:\n")
    table(["collective", *titles], [[name, *(f"{time[name, m, 1]:.0f}" for m in titles)] for name, _ in COLLECTIVES])
    for base in titles[:2]:
        print(f"Sizes at which FRED ({PAPER}) is slower than *{base}*, of those simulated, and by how much at most:\n")
        rows = []
        for name, _ in COLLECTIVES:
            row = [name]
            for machine in map(TITLE.get, MACHINES[2:]):
                ratios = [time[name, machine, n] / time[name, base, n] for n in sizes]
                where = ranges(sizes, [ratio > 1 for ratio in ratios])
                row.append(where if where == "never" else f"{where}: {max(ratios):.2f} x")
            rows.append(row)
        table(["collective", *map(TITLE.get, MACHINES[2:])], rows)
    for base in titles[:2]:
        print(f"Speed-up over *{base}* at {size(shown[-1])}, in parentheses time over bound; the others {PAPER}:\n")
        table(["collective", *titles],
              [[name, *(f"{time[name, base, shown[-1]] / time[name, m, shown[-1]]:.2f} ({bound[name, m, shown[-1]]:.2f})" for m in titles)]
               for name, _ in COLLECTIVES])


# ------------------------------------------------------------------ buffers


def question_buffers():
    works = [
        ("all_reduce, Fred-D", "fred_d", []),
        ("all_reduce, Fred-B", "fred_b", []),
        ("all_reduce by hier_ring, Fred-C", "fred_c", []),
        ("all_to_all, Fred-D", "fred_d", ["--collective", "all_to_all"]),
    ]
    amount = "64KiB" if options.smoke else "16MiB"
    sweeps = [("switch.input_buffer", 24, [4, 8, 12, 16, 20, 22, 23, 23.5, 24, 24.5, 25, 26, 28, 32, 48]),
              ("switch.output_buffer", 12, [4, 6, 8, 10, 12, 16, 24, 48])]
    if options.smoke:
        sweeps = [(key, usual, [4, usual]) for key, usual, _ in sweeps]
    for key, usual, values in sweeps:
        time = {}
        for value in values:
            for name, machine, arguments in works:
                r = run(machine, *arguments, "--size", amount, "--set", f"{key}={value}KiB")
                time[name, value] = r["time_ns"]
        print(f"Bandwidth relative to {key} = {usual} KiB; {PAPER}:\n")
        table([key, *(name for name, _, _ in works)],
              [[f"{value} KiB", *(f"{time[name, usual] / time[name, value]:.3f}" for name, _, _ in works)] for value in values])


# ------------------------------------------------------------------ serial steps


def question_serial():
    sizes = ["4KiB", "64KiB"] if options.smoke else ["4KiB", "64KiB", "512KiB", "1MiB", "4MiB", "16MiB", "64MiB"]
    for collective, simple in (("reduce_scatter", "reduce"), ("all_gather", "broadcast")):
        rows = []
        for n in sizes:
            r = {a: run("fred_d", "--collective", collective, "--size", n, "--algorithm", a) for a in ("in_switch", "hier_ring", "ring")}
            s = r["in_switch"]
            one = run("fred_d", "--collective", simple, "--size", n, "--algorithm", "in_switch")
            rows.append([size(s["size_bytes"]), f"{s['time_ns']:.0f}", over_bound(s), f"{changes(s) / L1_AND_L2:.1f}",
                         f"{stalls(s, 'phase')} / {stalls(s, 'credit')}", f"{one['time_ns']:.0f}",
                         f"{stalls(one, 'phase')} / {stalls(one, 'credit')}",
                         f"{r['hier_ring']['time_ns']:.0f}", f"{r['ring']['time_ns']:.0f}"])
        print(f"{collective} on Fred-D, beside it a {simple} of the same size, which is one phase:\n")
        table(["size", "in_switch, ns", "time / bound", "phase changes per chiplet", "stalls: phase / credit", f"{simple}, ns",
               "stalls: phase / credit", "hier_ring, ns", "ring, ns"], rows)

    buffers = [24, 48] if options.smoke else [24, 48, 96, 192]
    rows = []
    for n in ["64KiB"] if options.smoke else ["512KiB", "1MiB", "4MiB", "16MiB"]:
        results = [run("fred_d", "--collective", "reduce_scatter", "--size", n, "--set", f"switch.input_buffer={b}KiB") for b in buffers]
        rows.append([size(results[0]["size_bytes"]), *(f"{r['time_ns']:.0f}" for r in results)])
    print("reduce_scatter in_switch on Fred-D by input buffer, time in ns:\n")
    table(["size", *(f"{b} KiB" for b in buffers)], rows)

    sizes = ["4KiB", "64KiB"] if options.smoke else ["4KiB", "64KiB", "1MiB", "16MiB", "64MiB"]
    rows = []
    for n in sizes:
        results = fredsim("compare", *map(config, MACHINES), "--collective", "all_to_all", "--size", n)
        rows.append([size(results[0]["size_bytes"]), *(f"{r['time_ns']:.0f} ({over_bound(r)})" for r in results)])
    print(f"all_to_all, time in ns and over its bound; {PAPER}:\n")
    table(["size", *map(TITLE.get, MACHINES)], rows)
    last = [(r, stalls(r, "credit", ""), stalls(r, "arbiter", ""), stalls(r, "link", "")) for r in results]
    print(f"The switches' counters and the busiest link of these at {size(last[0][0]['size_bytes'])}, per cycle of the run:\n")
    table(["", *map(TITLE.get, MACHINES)],
          [["no credit", *(f"{credit / r['cycles']:.2f}" for r, credit, _, _ in last)],
           ["lost the arbitration", *(f"{arbiter / r['cycles']:.2f}" for r, _, arbiter, _ in last)],
           ["busiest link", *(f"{100 * max(link['utilization'] for link in r['links']):.0f} %" for r, *_ in last)]])


# ------------------------------------------------------------------ pre-emption


def part_cycles(result, priority):
    return max(part["cycles"] for part in result["parts"] if part["priority"] == priority)


def preempted(machine, work, dp, amount, *sets):
    """The MP part alone, the DP part alone, both together: a row of cycles and phase changes."""
    mp_alone = run(machine, "--work", "configs/paper/mp2_dp5_pp2_mp.yaml", "--size", amount, *sets)
    dp_alone = run(machine, *dp, "--size", "4MiB", *sets)
    both = run(machine, "--work", f"configs/study/{work}.yaml", "--size", amount, *sets)
    mp, d = part_cycles(both, "mp"), part_cycles(both, "dp")
    return [mp_alone["cycles"], mp, mp - mp_alone["cycles"], dp_alone["cycles"], d, d - dp_alone["cycles"],
            f"{both['cycles'] / (mp_alone['cycles'] + dp_alone['cycles']):.3f}",
            f"{changes(dp_alone)} + {changes(mp_alone)}", changes(both)]


def question_preemption():
    groups = ("mp_interrupts_dp", ["--work", "configs/paper/mp2_dp5_pp2_dp.yaml"])
    everyone = ("mp_interrupts_all", ["--priority", "dp"])
    head = ["MP alone", "beside DP", "loses", "DP alone", "beside MP", "loses", "both / sum", "phase changes alone", "together"]
    rows = []
    machines = [("Fred-D", "fred_d"), ("Fred-C", "fred_c"), ("mesh", "paper/mesh")]
    for name, machine in machines[:1] if options.smoke else machines:
        for dp, (work, alone) in (("4 groups of 5", groups), ("all 20", everyone)):
            rows.append([name, dp, *preempted(machine, work, alone, "256KiB")])
    after = run("fred_c", "--work", "configs/study/mp_after_all.yaml", "--size", "256KiB")
    print("Ten MP all-reduces of 256 KiB start 700 ns after DP all-reduces of 4 MiB; cycles, of the slowest group:\n")
    table(["machine", "DP", *head], rows)
    print(f"On Fred-C the DP part over all 20 takes {part_cycles(after, 'dp')} cycles when the MP part starts after its end.\n")

    works = [(20, 24)]  # KiB
    if not options.smoke:
        works = [(n, 24) for n in (5, 20, 80, 120, 160, 256, 1024)] + [(256, 32), (256, 48)]
    rows = []
    for amount, buffer in works:
        row = preempted("fred_d", *groups, f"{amount}KiB", "--set", f"switch.input_buffer={buffer}KiB")
        rows.append([size(amount * KIB), size(buffer * KIB), *row[:6]])
    print("The same on Fred-D with four DP groups, for other sizes of the MP part and other input buffers; cycles:\n")
    table(["MP size", "input buffer", *head[:6]], rows)

    # Links as fast as the switch and buffers for their round trip: what the switch loses, nothing else makes up for.
    fast = ["--set", "npu.bandwidth=3840GB/s", "--set", "switch.input_buffer=96KiB", "--set", "npu.receive_buffer=96KiB"]
    dp_alone = run("fred_d", "--collective", "unicast", "--group", "0,1", "--size", "2560KiB", *fast)
    rows = []
    for flits in (8, 64) if options.smoke else (8, 16, 64, 128):
        amount = str(SLICES * FLIT * flits)
        mp_alone = run("fred_d", "--collective", "unicast", "--group", "2,3", "--priority", "mp", "--size", amount, *fast)
        both = run("fred_d", "--work", "configs/study/phase_change.yaml", "--size", amount, *fast)
        lost = part_cycles(both, "dp") - dp_alone["cycles"]
        rows.append([flits, part_cycles(both, "mp") - mp_alone["cycles"], lost, lost - flits,
                     (changes(both) - changes(dp_alone)) // SLICES])
    print("Two unicasts that share a switch and no link, links as fast as the switch, cycles:\n")
    table(["MP, flits per slice", "MP loses", "DP loses", "DP loses beyond these flits", "phase changes more"], rows)

    rows = []
    for flits in (1, 8) if options.smoke else (1, 2, 4, 8):
        amount = str(4 * SLICES * FLIT * flits)
        one, four = (run("fred_d", "--collective", c, "--group", "0,1,2,3", "--algorithm", "in_switch", "--size", amount, *fast)
                     for c in ("reduce", "reduce_scatter"))
        more = (changes(four) - changes(one)) // SLICES
        rows.append([flits, one["cycles"], four["cycles"], more, f"{(four['cycles'] - one['cycles']) / more:.1f}"])
    print("reduce (one phase) and reduce_scatter (four phases of one priority) of the same size in one L1 switch, same links, cycles:\n")
    table(["flits per phase and slice", "reduce", "reduce_scatter", "phase changes more", "cycles per change"], rows)

    rows = []
    for name, machine in machines[:1] if options.smoke else machines:
        cycles = [run(machine, "--work", "configs/study/mp_interrupts_dp.yaml", "--size", "256KiB", "--model", model)["cycles"]
                  for model in ("tlm", "rtl", "lockstep")]
        if len(set(cycles)) != 1:
            sys.exit(f"study.py: {machine}: tlm, rtl and lockstep differ: {cycles}")
        rows.append([name, *cycles])
    print("Cycles by implementation of the switches:\n")
    table(["machine", "tlm", "rtl", "lockstep"], rows)


# ------------------------------------------------------------------ rounding


def question_rounding():
    samples = ["--samples", "2000"] if options.smoke else []
    lines = execute(options.rounding, *samples, "configs/mesh.yaml:ring", "configs/mesh.yaml:hier_ring", "configs/fred_d.yaml:in_switch")
    shown = [("fp16", "uniform"), ("fp16", "gradient"), ("bf16", "gradient")]
    rows = []
    for line in lines.splitlines()[1:]:
        words = line.split()
        if len(words) == 10 and (words[2], words[3]) in shown:
            machine, order, form, data, nearest, half, most, _, _, bound = words
            rows.append([form, data, f"{TITLE[machine]} {order}", f"{nearest} %", half, most, bound])
    print("Sums of 20 operands against the exact sum:\n")
    table(["format", "data", "order", "rounded to nearest", "error p50, ULP", "p99, ULP", "largest / (u sum of magnitudes)"], rows)


# ------------------------------------------------------------------ memory


def question_memory():
    small, large = 16, 4 if options.smoke else 1024  # MiB
    rows = []
    for machine in ("mesh", "fred_d"):
        peak = []
        for n in (small, large):
            command = [options.program, "run", config(machine), "--size", f"{n}MiB", "--algorithm", "paper", "--quiet"]
            peak.append(int(execute(*command, prefix=[sys.executable, "-S", "-c", HELPER])) / KIB)
        if abs(peak[1] - peak[0]) > 8:
            sys.exit(f"study.py: {machine}: memory grows with the size: {peak} MiB")
        rows.append([TITLE[machine], *(f"{mib:.1f}" for mib in peak)])
    print(f"Peak memory of an all-reduce over all 20, MiB; {PAPER}:\n")
    table(["machine", size(small * MIB), size(large * MIB)], rows)


# ------------------------------------------------------------------ inference


# ------------------------------------------------------------------ errors on links

def question_links():
    """What links that find errors and send again cost, without errors and with."""
    rates = ["0", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3"]
    sizes = ["64KiB", "1MiB", "16MiB", "64MiB"]
    machines = [(TITLE["mesh"], "mesh", "paper"), (BEST, "mesh", "auto"), (TITLE["fred_d"], "fred_d", "paper")]
    if options.smoke:
        rates, sizes = ["0", "1e-4"], ["64KiB"]
    curves = {}  # machine -> size -> [(rate, times as long)]
    for title, machine, algorithm in machines:
        rows, resent = [], []
        for n in sizes:
            bare = run(machine, "--size", n, "--algorithm", algorithm)
            row, again = [f"{bare['time_ns']:.0f}"], []
            for rate in rates:
                if rate == "1e-3" and n != sizes[0]:  # 99 of 100 flits come damaged: hours
                    row.append("–")
                    again.append("–")
                    continue
                protected = ["--set", "link.reliability=link", "--set", f"link.bit_error_rate={rate}"]
                result = run(machine, "--size", n, "--algorithm", algorithm, *protected)
                row.append(f"{result['time_ns'] / bare['time_ns']:.3f}")
                curves.setdefault(title, {}).setdefault(size(bare["size_bytes"]), []).append(
                    (float(rate), result["time_ns"] / bare["time_ns"]))
                wafer = [link for link in result["links"] if not link["on_die"]]
                again.append(f"{sum(link['resent_flits'] for link in wafer) / sum(link['flits'] for link in wafer):.2e}")
            rows.append([size(bare["size_bytes"]), *row])
            resent.append([size(bare["size_bytes"]), *again])
        print(f"{title}, `--algorithm {algorithm}`, all-reduce: ns on links without, and times that with retransmission, by errors per bit:\n")
        table(["size", "ns", *rates], rows)
        print(f"{title}, flits sent again for one that is sent:\n")
        table(["size", *rates], resent)
    if options.plot:
        plots().curves(curves, options.plot / "links")


# ------------------------------------------------------------------ lost parts

FAULT_WORKS = [("all-reduce", ["--size", "4MiB"]), ("all-to-all", ["--collective", "all_to_all", "--size", "640KiB"]),
               ("DP of MP2-DP5-PP2", ["--work", "configs/paper/mp2_dp5_pp2_dp.yaml", "--size", "4MiB", "--on-conflict", "later"])]  # fmt: skip


def kind_of(machine, part):
    form, name = part.split(":", 1)
    if form != "link":
        return {"npu": "NPU", "io": "I/O controller", "switch": f"{name.split('_')[0].split('.')[0].upper()} chiplet"}[form]
    ends = name.split("*")[0].split("->")
    kinds = ["I/O" if end.startswith("io") else "NPU" if end.startswith("npu") else end.split("_")[0].split(".")[0].upper() for end in ends]
    text = " - ".join("router" if machine == "mesh" and kind.startswith("R") else kind for kind in kinds)
    return f"link {text}, half its rate" if "*" in name else f"link {text}"


def time_with(machine, work, faults):
    """ns; None: refused, as by groups that no slice joins any more."""
    more = [word for fault in faults for word in ("--fault", fault)]
    command = [options.program, "run", config(machine), *work, *more, "--quiet", "--json", "-"]
    if "--work" not in work and "--algorithm" not in work:
        command += ["--algorithm", "paper"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2 and faults:
        return None
    if done.returncode:
        sys.exit(f"study.py: {' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)["runs"][0]
    if result["payload"] != "exact":
        sys.exit(f"study.py: {' '.join(command)}: payload {result['payload']}")
    return result["time_ns"]


def question_faults():
    """What each single lost part of a machine costs, and pairs of them."""
    draw = random.Random(1)
    for machine in ["fred_d", "mesh"]:
        parts = execute(options.program, "info", config(machine), "--parts").split()
        if machine == "mesh":  # routers route X-Y, so links are slower, not lost
            parts = [part + "*0.5" if part.startswith("link:") else part for part in parts if not part.startswith("switch:")]
        works = FAULT_WORKS
        if machine == "mesh":
            works = [work for work in FAULT_WORKS if "--work" not in work[1]]
            works += [(f"{title}, `auto`", [*work, "--algorithm", "auto"]) for title, work in works]
        number = 200
        if options.smoke:
            parts, works, number = parts[::90], works[:1], 2
        pairs = [draw.sample(parts, 2) for _ in range(number)]
        slower = {}  # (work, part or pair) -> times as long; None: refused
        for title, work in works:
            whole = time_with(machine, work, [])
            for faults in [[part] for part in parts] + pairs:
                time = time_with(machine, work, faults)
                slower[title, tuple(faults)] = None if time is None else time / whole
        kinds = list(dict.fromkeys(kind_of(machine, part) for part in parts))
        rows = []
        for title, _ in works:
            sets = [(kind, [(part,) for part in parts if kind_of(machine, part) == kind]) for kind in kinds]
            for kind, group in [*sets, ("any two", [tuple(pair) for pair in pairs])]:
                done = sorted((slower[title, one], one) for one in group if slower[title, one] is not None)
                refused = len(group) - len(done)
                times = [time for time, _ in done]
                worst = " and ".join(done[-1][1]) if done and done[-1][0] > 1.0005 else "none"
                rows.append([title, kind, str(len(group)), str(refused),
                             *(f"{times[k]:.3f}" if done else "–" for k in (0, len(done) // 2, -1)), f"`{worst}`"])
        print(f"{TITLE[machine]}, times as long as on the whole machine, payload exact in each; `--algorithm paper` but where named:\n")
        table(["work", "lost", "cases", "refused", "least", "median", "most", "the worst to lose"], rows)
        if options.plot and machine == "fred_d" and not options.smoke:  # which has no chiplet
            plots().chiplets(works, slower, options.plot / "faults")


def inference(workload, phase, strategy, batch, context, *more):
    words = [word for name, n in zip(("--mp", "--pp"), strategy) for word in (name, str(n))]
    return fredsim("train", *(config(machine) for machine in MACHINES), "--placement", "auto", "--workload", workload, "--phase", phase, *words, "--batch", str(batch),
                   "--context", str(context), *more)


def inference_row(title, runs, key):
    others = ("compute", "memory", "bubble")  # all else is exposed communication
    exposed = [sum(ns for part, ns in run["breakdown_ns"].items() if part not in others) for run in runs]
    times = [f"{run[key] / 1e3:.0f} ({100 * part / run['iteration_ns']:.1f} %)" for run, part in zip(runs, exposed)]
    return [title, *times, f"{runs[0][key] / runs[-1][key]:.3f}", f"{exposed[0] / exposed[-1]:.2f}"]


def question_inference():
    llama, gpt3 = ("Llama-3-70B", "configs/models/llama3_70b.yaml"), ("GPT-3", "configs/models/gpt3.yaml")
    head = ["", *TITLE.values(), "Fred-D, times faster", "exposed, times less"]
    # Model, (MP, PP), sequences, tokens.
    decodes = [(model, (mp, 1), batch, 2048) for model in (llama, gpt3) for mp, batch in ((16, 1), (16, 16), (16, 64), (20, 1))]
    decodes.append((llama, (4, 5), 20, 2048))
    prefills = [(model, (16, 1), 1, tokens) for model in (llama, gpt3) for tokens in (128, 512, 2048)]
    if options.smoke:
        decodes, prefills = [(llama, (4, 5), 5, 64)], [(llama, (16, 1), 1, 1)]
    for phase, works in (("decode", decodes), ("prefill", prefills)):
        key, what = ("time_per_token_ns", "per token") if phase == "decode" else ("time_to_first_token_ns", "to the first token")
        rows = []
        for (model, workload), (mp, pp), batch, tokens in works:
            title = f"{model}, MP{mp}-PP{pp}, {batch} × {tokens}"
            rows.append(inference_row(title, inference(workload, phase, (mp, pp), batch, tokens), key))
        print(f"{phase}, µs {what}, and the share of it that is exposed communication; `--algorithm auto`, `--placement auto`:\n")
        table(head, rows)
    work = (llama[1], "decode", (16, 1), 16, 64 if options.smoke else 2048)
    rows = [inference_row(f"{3 * times} TB/s", inference(*work, "--set", f"npu.memory_bandwidth={3 * times}TB/s"), "time_per_token_ns")
            for times in (1, 4, 16)]
    print("decode of Llama-3-70B, MP16-PP1, 16 × 2048, by bandwidth of the HBM; the same:\n")
    table(head, rows)
    rows = [inference_row(algorithm, inference(*work, "--algorithm", algorithm), "time_per_token_ns") for algorithm in ("auto", "paper")]
    print("The same at 3 TB/s, by algorithm of the all-reduces:\n")
    table(head, rows)


def main():
    questions = {name.removeprefix("question_"): f for name, f in globals().items() if name.startswith("question_")}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=f"{', '.join(questions)} (default: all)")
    parser.add_argument("--smoke", action="store_true", help="few and small sizes, for tests")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FOLDER", help="pictures of `links` and `faults` there, as PNG and SVG")
    parser.add_argument("--program", default="build/fredsim", help=argparse.SUPPRESS)
    parser.add_argument("--rounding", default="build/tb_rounding", help=argparse.SUPPRESS)
    parser.parse_args(namespace=options)
    unknown = [name for name in options.questions if name not in questions]
    if unknown:
        parser.error(f"question '{unknown[0]}' found, allowed: {', '.join(questions)}")
    for name in options.questions or questions:
        print(f"### {name}\n")
        questions[name]()


main()
