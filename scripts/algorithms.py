"""Every algorithm of every collective beside the one that `auto` takes: cycles, simulated, and how far `auto` is from the best.

    python3 scripts/algorithms.py [--machines mesh,fred_a] [--collectives all_reduce] [--sizes 1,64KiB,4MiB] [--groups all,0-3]

A line per machine, collective, group and size; algorithms that a machine or group does not have are left out. At the end: in how many
lines `auto` is within 10 % of the best, and the worst. Exit code 1 when that is fewer than 95 % of the lines, or one beyond 1.3 times.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ALGORITHMS = ["in_switch", "multi_tree", "hier_direct", "direct", "tree", "hier_ring", "ring", "chain"]
NEAR, FAR, SHARE = 1.1, 1.3, 0.95


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", default="mesh,torus,mesh_reducing,fred_a,fred_b,fred_c,fred_d", help="files in configs/")
    parser.add_argument("--collectives", default="all_reduce,reduce_scatter,all_gather,reduce,broadcast")
    parser.add_argument("--sizes", default="1,4KiB,64KiB,512KiB,4MiB")
    parser.add_argument("--groups", default="all;0-3;0,4,8,12,16", help="separated by semicolons")
    parser.add_argument("--program", default="build/fredsim")
    parser.add_argument("--json", type=pathlib.Path, help="the figures as JSON, too")
    return parser.parse_args()


def run(program, machine, collective, group, size, algorithm):
    """(algorithm, cycles), or None where it does not exist."""
    command = [program, "run", f"configs/{machine}.yaml", "--collective", collective, "--group", group, "--size", size,
               "--algorithm", algorithm, "--quiet", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)["runs"][0]
    return result["algorithm"], result["cycles"]


def main():
    options = arguments()
    lines = []
    for machine in options.machines.split(","):
        for collective in options.collectives.split(","):
            for group in options.groups.split(";"):
                for size in options.sizes.split(","):
                    found = {}
                    for algorithm in ALGORITHMS:
                        if (result := run(options.program, machine, collective, group, size, algorithm)) is not None:
                            found[result[0]] = result[1]
                    chosen, cycles = run(options.program, machine, collective, group, size, "auto")
                    best = min(found, key=found.get)
                    ratio = cycles / found[best]
                    lines.append({"machine": machine, "collective": collective, "group": group, "size": size, "auto": chosen,
                                  "cycles": cycles, "best": best, "ratio": ratio, "algorithms": found})
                    others = "  ".join(f"{name} {value}" for name, value in sorted(found.items(), key=lambda item: item[1]))
                    print(f"{machine:<14} {collective:<14} {group:<12} {size:>7}  auto: {chosen:<11} {ratio:5.2f}   {others}", flush=True)
    near = sum(line["ratio"] <= NEAR for line in lines)
    worst = max(line["ratio"] for line in lines)
    print(f"auto within 10 % of the best in {near} of {len(lines)}, the worst is {worst:.2f} times the best")
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")
    return 0 if near >= SHARE * len(lines) and worst <= FAR else 1


if __name__ == "__main__":
    sys.exit(main())
