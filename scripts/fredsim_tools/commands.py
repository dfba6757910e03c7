# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/reproduce: which commands there are.

A command is a module with main(words), which gives the exit code. It is imported when it is run, so that none needs the packages of another.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from . import checkout

@dataclass(frozen=True)
class Command:
    """first: words that main() gets before the user's; packages: installed before the module is imported, as its constants of the RTL need
    them (checkout.prepare)."""

    module: str
    help: str
    first: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


COMMANDS = {
    "fig9": Command("fig9", "figure 9 of the paper: collectives on the mesh and on Fred-A to -D"),
    "fig10": Command("training", "figure 10: training iterations of four workloads", ("10",)),
    "fig11": Command("training", "figures 11 and 2: training iterations of all strategies of 20 workers", ("11",)),
    "study": Command("study.command", "what the paper asserts and does not measure"),
    "kinds": Command("microarchitectures", "the kinds of switches: times, area, clock, energy"),
    "algorithms": Command("algorithms", "all algorithms of all collectives beside the choice of `auto`"),
    "eflops": Command("eflops", "BiGraphs, hashed fat trees and shared NICs of EFLOPS"),
    "energy": Command("energy_tables", "energy of mesh, torus and Fred side by side, by component"),
    "flow_error": Command("flow_error", "times of --engine flow beside exact ones"),
    "astra_sim": Command("astra_sim", "examples of ASTRA-sim beside the times that it prints"),
    "own_networks": Command("own_networks", "network files of ASTRA-sim beside formulas"),
    "beside_booksim": Command("beside_booksim", "meshes under synthetic traffic beside BookSim2"),
    "silicon": Command("silicon", "machines that exist: measured and simulated collectives"),
    "pytorch": Command("pytorch", "recorded steps of PyTorch beside simulated ones, and on wafers"),
    "trace_synthesis": Command("trace_synthesis", "synthetic traces beside traces that were held out"),
    "traffic_patterns": Command("traffic_patterns", "knees of all traffic patterns beside BookSim2"),
    "ranks": Command("ranks", "runs on several processes beside the same in one"),
    "modules": Command("rtl_modules", "the reference page of RTL modules, on standard output"),
    "libraries": Command("libraries", "the reference page of C++ libraries, on standard output"),
    "gallery": Command("gallery", "the outputs and pictures of docs/gallery"),
    "pictures": Command("pictures.command", "the pictures of README and docs"),
    "xcheck": Command("xcheck", "every kind of switch from unknown state, in a four-state simulation"),
    "mutate": Command("mutate.command", "mutants of RTL and twins, and whether tests find them"),
    "synth": Command("synth.command", "synthesis of the RTL: area, timing, energy", packages=("SYNTH_PACKAGES",)),
}


def main(words: Sequence[str]) -> int:
    lines = "\n".join(f"  {name:<14} {command.help}" for name, command in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/reproduce", usage="scripts/reproduce COMMAND [OPTION…]", epilog=f"commands:\n{lines}\n\nCOMMAND --help says more.",
        description="Reproduces the figures and tables of the pages. Installs and builds what is missing.",
        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="what to reproduce")
    parser.parse_args(words[:1])  # options after the command are its own
    command = COMMANDS[words[0]]
    if command.packages:
        checkout.prepare(f"{words[0]}.sh", command.packages)
    try:
        return importlib.import_module(f".{command.module}", __package__).main([*command.first, *words[1:]])
    except KeyboardInterrupt:
        print(f"{words[0]}: interrupted", file=sys.stderr)
        return 130
