"""What a figure of the library becomes at 14 to 16 nm, and what memories and links take: the numbers of technology.json."""

import json
import math
from pathlib import Path

DATA = json.loads(Path(__file__).with_name("technology.json").read_text())


def scaled(kind, value):
    """A delay, an energy or an area at 180 nm, at 14 to 16 nm: [low, high]."""
    return [value * factor for factor in DATA["scaling"][kind]]


def memory_um2(words, width):
    """Area of a memory, in banks side by side."""
    memory = DATA["memory"]
    return math.ceil(width / memory["bank_bits"]) * memory["bank_mm2"] * 1e6 + words * width * memory["bit_um2"]


def memory_pj(width):
    """Energy of a word that is written once and read once."""
    return width * (DATA["memory"]["read_pj_per_bit"] + DATA["memory"]["write_pj_per_bit"])


def link_pj(width):
    """Energy of a word on a link."""
    return width * DATA["link"]["pj_per_bit"]
