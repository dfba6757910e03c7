# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of README and docs as SVG, each from runs of fredsim. The same program and matplotlib draw the same files, byte for byte.

Ten read figures that take long to simulate from the tables of their pages: memory_cluster, switch_kinds (areas alone) and the module `pages`.
The waveform of a fault comes from the fredsim that the tests build with that fault (tests/tutorial).
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import checkout
from ..runs import Runs

FAULTY = "build/tests/tutorial/fredsim_with_fault"
# Name -> its folder under docs/, module and function of the name here.
PLACES = {
    "wafer": ("pictures", "wafer"),
    "bandwidth": ("pictures", "curves"),
    "traffic": ("pictures", "curves"),
    "lost_credit": ("pictures", "waveform"),
    "paper_fig9": ("studies/pictures", "bars"),
    "training": ("studies/pictures", "bars"),
    "latencies": ("studies/pictures", "curves"),
    "buffers": ("studies/pictures", "buffers"),
    "fred_trees": ("studies/pictures", "trees"),
    "serial_steps": ("studies/pictures", "curves"),
    "link_errors": ("studies/pictures", "curves"),
    "failed_components": ("studies/pictures", "bars"),
    "inference": ("studies/pictures", "bars"),
    "experts": ("studies/pictures", "experts"),
    "preemption": ("studies/pictures", "bars"),
    "streaming": ("studies/pictures", "bars"),
    "switch_kinds": ("studies/pictures", "bars"),
    "floorplan_fred_3": ("studies/pictures", "floorplans"),
    "memory": ("studies/pictures", "strategies"),
    "strategies": ("studies/pictures", "strategies"),
    "systems": ("studies/pictures", "systems"),
    "uplinks": ("studies/pictures", "uplinks"),
    "kinds": ("studies/pictures", "kinds"),
    "themis": ("studies/pictures", "clusters"),
    "memory_cluster": ("studies/pictures", "clusters"),
    "wafer_front": ("studies/pictures", "clusters"),
    "energy": ("studies/pictures", "pages"),
    "eflops": ("studies/pictures", "pages"),
    "gradients": ("studies/pictures", "pages"),
    "libra": ("studies/pictures", "pages"),
    "own_networks": ("studies/pictures", "pages"),
    "pytorch": ("studies/pictures", "pages"),
    "rounding": ("studies/pictures", "pages"),
    "silicon": ("studies/pictures", "pages"),
    "topoopt": ("studies/pictures", "pages"),
    "latency_curve": ("user/pictures", "notebooks"),
    "pareto_front": ("user/pictures", "notebooks"),
    "my_dgx": ("gallery/pictures", "gallery"),
    "my_mesh": ("gallery/pictures", "gallery"),
    "my_trace": ("gallery/pictures", "gallery"),
    "my_switch": ("gallery/pictures", "gallery"),
    "my_algorithm": ("gallery/pictures", "gallery"),
    "my_traffic": ("gallery/pictures", "gallery"),
    "my_model": ("gallery/pictures", "gallery"),
    "my_faults": ("gallery/pictures", "gallery"),
}


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce pictures", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(PLACES)} (default: all)")
    parser.add_argument("--folder", type=Path, default="docs", help="in which they have their folders (default %(default)s)")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--faulty", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    unknown = [name for name in options.names if name not in PLACES]
    if unknown:
        parser.error(f"picture '{unknown[0]}' found, allowed: {', '.join(PLACES)}")
    checkout.enter()
    names = options.names or list(PLACES)
    if options.program is None or ("lost_credit" in names and options.faulty is None):
        checkout.prepare("pictures.sh", ["BUILD_PACKAGES", "TEST_BUILD_PACKAGES", "python3-matplotlib", "gtkwave"],
                         ["-DBUILD_TESTING=ON", "fredsim", "fredsim_with_fault", "fredsim_python"])  # fmt: skip
    from . import bars, buffers, clusters, curves, experts, floorplans, gallery, kinds, notebooks, pages, strategies, systems, trees, uplinks, waveform, wafer  # need matplotlib
    from .picture import Picture

    modules = {"bars": bars, "buffers": buffers, "clusters": clusters, "curves": curves, "experts": experts, "floorplans": floorplans, "gallery": gallery, "kinds": kinds, "notebooks": notebooks, "pages": pages, "strategies": strategies,
               "systems": systems, "trees": trees, "uplinks": uplinks, "waveform": waveform, "wafer": wafer}  # fmt: skip
    runs = Runs("pictures", options.program or "build/fredsim")
    for name in names:
        folder, module = PLACES[name]
        draw: Callable[[Picture], None] = getattr(modules[module], name)
        draw(Picture(runs, options.folder / folder / name, options.faulty or FAULTY))
    return 0
