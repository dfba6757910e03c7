#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/user/debugging.md on a fredsim that has the fault.

  tutorial_test.py FREDSIM CHECKOUT

Every line that the page shows after a command must be among what it prints, but for the speed of the
simulation; a command after which it shows a result must succeed, every other must end with exit code 1. Then the
figures that it reads off the last waveform. Exit code 0, or 1 and what is different.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def commands(page):
    """The fredsim commands up to the repair, each with the lines shown after it."""
    section = page.split("**7.")[0]
    found = []
    for line in section.replace("\\\n", " ").splitlines():
        if line.startswith("    build/fredsim "):
            found.append((shlex.split(line), []))
        elif line.startswith("    ") and found and not line.startswith("    gtkwave "):
            found[-1][1].append(line[4:].rstrip())
    return found


def without_speed(line):
    return re.sub(r" exact +\d+$", " exact", line.rstrip())


def run(program, words, shown, folder):
    done = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    printed = {without_speed(line) for line in (done.stdout + done.stderr).splitlines()}
    wrong = [f"not printed: {line}" for line in shown if without_speed(line) not in printed]
    succeeds = any(" exact" in line for line in shown)
    if done.returncode != (0 if succeeds else 1):
        wrong.append(f"exit code {done.returncode}")
    return [f"{' '.join(words)}: {what}\n{done.stdout}{done.stderr}" for what in wrong]


def cycles_of(fst, names):
    """For each name, the wave.cycle values at which the signal is 1; and the last value of every signal."""
    dump = subprocess.run(["fst2vcd", fst], capture_output=True, text=True, check=True).stdout
    scope, ids, values = [], {}, {}
    high = {name: [] for name in names}

    def end_of_time():
        for name in names:
            if values.get(name) == 1:
                high[name].append(values["wave.cycle"])

    for line in dump.splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scope.append(words[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var"):
            ids.setdefault(words[3], []).append(".".join([*scope, words[4]]))
        elif line.startswith("#"):
            end_of_time()
        elif line[:1] in "01b" and len(line) > 1:
            value, name = (words[0][1:], words[1]) if line[0] == "b" else (line[0], line[1:])
            for path in ids.get(name, []):
                values[path] = int(value, 2)
                if path.endswith((".in_credit_o", ".i_input.pop_i")):  # their bit of DP, and port 0
                    values[path] = values[path] >> 2 & 1
    end_of_time()
    return high, values


def saved_signals(save_file):
    """The paths in a save file for GTKWave, without ranges, bits and aliases."""
    for line in save_file.read_text(encoding="utf-8").splitlines():
        if line[0] not in "[*@-^":
            for word in re.sub(r"^[+#]{.*?} ", "", line).split():
                yield re.sub(r"^\(\d+\)|\[\d+:\d+\]$", "", word)


def check_last_wave(folder, save_file):
    buffer = "l1_0.s0.fred_switch.i_phased.gen_port[0].i_input."
    pop, credit = buffer + "pop_i", "l1_0.s0.fred_switch.in_credit_o"
    sender = "links.npu0_0__l1_0_s0_0.credits_dp"
    high, last = cycles_of(folder / "all.fst", [pop, credit])
    wrong = []
    if high[pop] != list(range(93, 101)):
        wrong.append(f"all.fst: pop_i is high in {high[pop]}")
    if high[credit] != [96, 98, 99, 100, 101]:
        wrong.append(f"all.fst: in_credit_o is high in {high[credit]}")
    if last[sender] != 45:
        wrong.append(f"all.fst: the sender has {last[sender]} credits")
    return wrong + [f"{save_file}: no {path}" for path in saved_signals(save_file) if path not in last]


def main():
    program, checkout = sys.argv[1], Path(sys.argv[2])
    found = commands((checkout / "docs/user/debugging.md").read_text(encoding="utf-8"))
    wrong = [] if len(found) == 5 else [f"{len(found)} commands found, not 5"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "configs").symlink_to(checkout / "configs")
        for words, shown in found:
            wrong += run(program, words, shown, folder)
        wrong += [f"no {file}" for file in ("bug.fst", "bug.gtkw") if not (folder / file).exists()]
        wrong += check_last_wave(folder, checkout / "testbenches/tb_custom_switch/lost_credit.gtkw")
    print("\n".join(wrong) if wrong else f"{len(found)} commands as on the page")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
