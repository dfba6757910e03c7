#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the pages and compares what they print with what the pages show.

  pages_test.py BUILD CHECKOUT [PAGE…]

A command is an indented line that begins as one (COMMAND). All are run, in the order of the page, in a temporary folder
that looks like the top of a checkout, with Debian's Python, but for those in NOT_RUN, each with its reason: a new command is run, or this test
fails. An indented block that is none is what the command before it prints, but for tables (of a list) and those in
NOT_OUTPUT: its lines must be among what is printed, in this order. Exit code 0, or 1 and what is different.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = ["README.md", "CONTRIBUTING.md", "docs/index.md", "docs/gallery/*.md", "docs/user/*.md", "docs/developer/*.md"]
COMMAND = re.compile(r"(\$ |build/|scripts/|cmake |ctest |cp |sed |gtkwave |python3 |snakemake |/tmp/|[A-Z_]+=\S+ \w+ (-|docs/))")
LIMIT = 600  # seconds; longer ones hang

BUILDS = "builds into the checkout's own build folder"
TUTORIAL = "tests/tutorial runs it, on a fredsim that has the fault"
OUTSIDE = "testbenches/tb_bus_switch/outside_test.sh runs it"
INSTALLED = "tests/package/installed_test.sh does such"
OWN_NPU = "tests/testbenches/own_npu_outside.sh does"
# Prefixes of commands that are not run; first the ones of one section alone.
NOT_RUN = [
    ("Installing fredsim", "scripts/quickstart.sh", "README has its main job"),
    ("Packages", "scripts/package.sh", "a build of minutes"),
    ("Packages", "/tmp/fredsim/", INSTALLED),
    ("Debugging a switch in five minutes", "", TUTORIAL),
    ("A kind of switch", "cp ", OUTSIDE),
    ("A kind of switch", "cmake ", OUTSIDE),
    ("A kind of switch", "sed ", OUTSIDE),
    ("A kind of switch", "/tmp/my_switch", OUTSIDE),
    ("Your own NPU", "cp ", OWN_NPU),
    ("Your own NPU", "sed ", OWN_NPU),
    ("Your own NPU", "/tmp/my_npu", OWN_NPU),
    ("Your own switch", "build/fredsim run configs/fred_small.yaml --model rtl", "my_switch is the reader's"),
    ("", "cmake ", BUILDS),
    ("", "ctest ", "runs the tests, of which this is one"),
    ("", "gtkwave ", "opens a window"),
    ("", "build/fredsim traffic configs/mesh.yaml --set npu.count=4096", "a minute of processor time"),
    ("", "python3 -c 'import pandas", "needs python3-pandas, which nothing else does"),
    ("", "snakemake ", "tests/study/slurm_test.py runs it"),
    ("", "scripts/test.sh", "runs the tests, of which this is one"),
    ("", "scripts/lint.sh", "minutes"),
    ("", "scripts/docs.sh", "tests/pages/site_test.py builds the site and opens it"),
    ("", "scripts/reproduce flow_error", "an hour; tests/scripts runs it with few works"),
    ("", "scripts/reproduce pictures", "minutes"),
    ("", "scripts/reproduce gallery", "tests/scripts runs it"),
    ("", "scripts/fuzz.sh", "minutes"),
    ("", "scripts/formal.sh", "minutes"),
    ("", "scripts/xcheck.sh", "minutes"),
    ("", "nice -n 10 scripts/mutate.sh", "an hour"),
    ("", "scripts/mutate.sh", "an hour without --list"),
    ("", "scripts/lockstep.sh", "hours"),
]
# First lines of blocks that are no output.
NOT_OUTPUT = {
    ">>> ": "Python; tests/python/page_test.py runs it",
    "cmake_minimum_required": OWN_NPU,
    "export PKG_CONFIG_PATH": INSTALLED,
    "machines:": "a study",
    "[----------] 5 %": "a run of 16 GiB, on a terminal",
    "size   cycles      time  algbw  busbw   time/": "a run of 16 GiB, interrupted",
}
# Commands that end otherwise than by 0.
EXIT_CODES = {
    "build/fredsim route --ports 8 --middle 2 0,3:0,3 1,4:1,4 2,5:2,5 6,7:6,7": 3,
    "build/fredsim run configs/fred_d.yaml --group 0,4,8 --group 0,5,9 --size 1MiB": 3,
}


def blocks(text):
    """Indented blocks of a page, each with the heading above it."""
    heading, block, before = "", [], ""
    for line in [*text.splitlines(), "", "the end"]:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        begins = line.startswith("    ") and line.strip() and not before.strip()
        if begins or (block and (line.startswith("    ") or not line.strip())):
            block.append(line)
        elif block:
            yield heading, dedent(block)
            block = []
        before = line


def dedent(block):
    while not block[-1].strip():
        block.pop()
    first = block[0].lstrip()
    indent = len(block[0]) - len(first) if COMMAND.match(first) else 4  # deeper within a list
    return "\n".join(line[indent:] for line in block).replace("\\\n", "").splitlines()


def commands(text):
    """Commands of a page, (heading, command, lines shown after it)."""
    found = []
    for heading, lines in blocks(text):
        if lines[0].startswith("|") or any(lines[0].strip().startswith(start) for start in NOT_OUTPUT):
            continue
        for line in lines:
            if COMMAND.match(line):
                found.append((heading, re.sub(" {2,}", " ", line.removeprefix("$ ").split("  #")[0].strip()), []))
            elif not found:
                raise SystemExit(f"no command before: {line}")
            elif line.strip():
                found[-1][2].append(line.rstrip())
    return found


def reason_not_to_run(heading, command):
    for section, start, reason in NOT_RUN:
        if section in ("", heading) and command.startswith(start):
            return reason
    return None


def main_job(checkout):
    """The commands at the end of scripts/quickstart.sh, which all before them only builds: by twins, and in lockstep."""
    script = (checkout / "scripts/quickstart.sh").read_text(encoding="utf-8")
    return " && ".join(" ".join(job.split()) for job in re.findall(r"^(?:rtl_)?job=\((.*?)\)$", script, re.M | re.S))


def missing(shown, printed):
    """Returns the first line shown that is not printed after the lines before it."""
    rest = iter(line.rstrip() for line in printed.splitlines())
    return next((line for line in shown if line not in rest), None)


def cpu_time():
    """Processor time of all commands so far, in seconds."""
    times = os.times()
    return times.children_user + times.children_system


def run(command, shown, folder):
    begin = cpu_time()
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT,
                              env={**os.environ, "COLUMNS": "80", "PATH": f"/usr/bin:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return [f"{command}: does not end"]
    print(f"{cpu_time() - begin:6.1f} s  {command}", flush=True)
    wrong = []
    if done.returncode != EXIT_CODES.get(command, 0):
        wrong.append(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    line = missing(shown, done.stdout + done.stderr)
    if line is not None:
        wrong.append(f"{command}: the page shows what is not printed there:\n{line}\nprinted:\n{done.stdout}{done.stderr}")
    return wrong


def run_page(page, build, checkout):
    wrong, left_out = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("configs", "docs", "rtl", "sc_models", "scripts", "testbenches"):
            (folder / part).symlink_to(checkout / part)
        (folder / "build").symlink_to(build)
        for heading, command, shown in commands((checkout / page).read_text(encoding="utf-8")):
            if reason_not_to_run(heading, command):
                left_out += 1
                continue
            wrong += run(main_job(checkout) if command == "scripts/quickstart.sh" else command, shown, folder)
    print(f"{page}: {left_out} commands are not run here")
    return wrong


def all_pages(checkout):
    return [str(page.relative_to(checkout)) for pattern in PAGES for page in sorted(checkout.glob(pattern))]


def main():
    build, checkout = Path(sys.argv[1]), Path(sys.argv[2])
    wrong = [f"{page}: {what}" for page in sys.argv[3:] or all_pages(checkout) for what in run_page(page, build, checkout)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
