# SPDX-License-Identifier: Apache-2.0
"""Floorplan sketches of switches, by scripts/synth.sh: minutes of synthesis, unless build/synth has the parts."""

from .picture import Picture

LIMIT = 1800  # seconds of each run of a tool


def floorplan_fred_3(picture: Picture) -> None:
    """Blocks of a Fred_3(12) of 256 lanes."""
    picture.runs.execute("scripts/synth.sh", "fred_switch:P=12,M=3", "--limit", str(LIMIT), "--floorplan", f"{picture.file}.svg")
