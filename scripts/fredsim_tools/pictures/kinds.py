# SPDX-License-Identifier: Apache-2.0
"""Heat maps of the study of switch kinds: collectives by kind and size, over Fred_3."""

from ..plots import pyplot
from .picture import Picture
from .strategies import heat_map

# Machine and algorithm by label.
KINDS = {
    "Fred_3": ("fred_3", "auto"),
    "reducing crossbar": ("reducing_crossbar", "auto"),
    "aggregator, 1 adder": ("aggregator_1", "auto"),
    "aggregator, 4 adders": ("aggregator_4", "auto"),
    "VOQ crossbar": ("voq_crossbar", "auto"),
    "mesh, paper's": ("mesh", "paper"),
    "mesh, best": ("mesh", "auto"),
    "torus, best": ("torus", "auto"),
    "reducing mesh, paper's": ("mesh_reducing", "paper"),
    "reducing mesh, best": ("mesh_reducing", "auto"),
}
COLLECTIVES = {"all_reduce": "all-reduce, time / Fred_3", "all_to_all": "all-to-all, time / Fred_3"}


def kinds(picture: Picture) -> None:
    """Times of all-reduces and all-to-alls by kind of switch and size, relative to Fred_3."""
    rows = picture.study("kinds")
    sizes = list(dict.fromkeys(row["options"]["size"] for row in rows))
    times = {}
    for row in rows:
        options, results = row["options"], row["results"]
        times[options["collective"], (results["fabric"], options["algorithm"]), options["size"]] = results["time_ns"]
    figure, axes = pyplot.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained", sharey=True)
    for axis, (collective, title) in zip(axes, COLLECTIVES.items()):

        def over_fred(label: str, size: str, collective: str = collective) -> float:
            return float(times[collective, KINDS[label], size] / times[collective, KINDS["Fred_3"], size])

        heat_map(axis, list(KINDS), sizes, over_fred, title)
    picture.save(figure)
