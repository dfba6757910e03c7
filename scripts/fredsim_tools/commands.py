"""The command line of scripts/reproduce: which commands there are.

A command is a module with main(words), which gives the exit code. It is imported when it is run, so that none needs the packages of another.
"""

import argparse
import importlib
from collections.abc import Sequence

# Command -> module, words that the module gets before the user's, one line of help.
COMMANDS: dict[str, tuple[str, list[str], str]] = {
    "fig9": ("fig9", [], "figure 9 of the paper: collectives on the mesh and on Fred-A to -D"),
    "fig10": ("training", ["10"], "figure 10: training iterations of four workloads"),
    "fig11": ("training", ["11"], "figures 11 and 2: training iterations of all strategies of 20 workers"),
    "study": ("study.command", [], "what the paper asserts and does not measure"),
    "kinds": ("microarchitectures", [], "the kinds of switches: times, area, clock, energy"),
    "algorithms": ("algorithms", [], "all algorithms of all collectives beside the choice of `auto`"),
    "synth": ("synth.command", [], "synthesis of the RTL: area, timing, energy"),
}


def main(words: Sequence[str]) -> int:
    lines = "\n".join(f"  {name:<11} {text}" for name, (_, _, text) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/reproduce", usage="scripts/reproduce COMMAND [OPTION…]", epilog=f"commands:\n{lines}\n\nCOMMAND --help says more.",
        description="Reproduces the figures and tables of the pages. Installs and builds what is missing.",
        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="what to reproduce")
    parser.parse_args(words[:1])  # options after the command are its own
    module, first, _ = COMMANDS[words[0]]
    return importlib.import_module(f".{module}", __package__).main([*first, *words[1:]])
