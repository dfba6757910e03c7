# SPDX-License-Identifier: Apache-2.0
"""Figures of the library scaled to 14 to 16 nm, and figures of memories and links: the numbers of technology.json."""

import json
import math
from pathlib import Path

DATA = json.loads(Path(__file__).with_name("technology.json").read_text())


def scaled(kind: str, value: float) -> list[float]:
    """A delay, an energy or an area at 180 nm, at 14 to 16 nm: [low, high]."""
    return [value * factor for factor in DATA["scaling"][kind]]


def slow_corner(value: float) -> float:
    """A typical delay at the slow corner."""
    factor: float = DATA["corner"]["slow"]
    return value * factor


def is_register_file(words: int, width: int) -> bool:
    """Memories of flip-flops: the small ones, and of few wide words, where banks take more."""
    file = DATA["register_file"]
    return (words * width < file["below_bits"]
            or register_file_um2(words, width) * file["to_22nm"] < banks_um2(words, width))  # fmt: skip


def register_file_um2(words: int, width: int) -> float:
    """Area of a memory of flip-flops, at 180 nm."""
    file = DATA["register_file"]
    return words * width * file["bit_um2"] + words * file["word_um2"] + width * file["column_um2"]


def banks_um2(words: int, width: int) -> float:
    """Area of a memory in banks side by side, at 22 nm. The last bank is as wide as it has to be."""
    memory = DATA["memory"]
    control = memory["bank_mm2"] * 1e6 - memory["bank_bits"] * memory["column_um2"]
    return (math.ceil(width / memory["bank_bits"]) * control + width * memory["column_um2"]
            + words * width * memory["bit_um2"])  # fmt: skip


def memory_um2(words: int, width: int) -> list[float]:
    """Area of a memory at 14 to 16 nm, as that of logic: [low, high]."""
    if is_register_file(words, width):
        return scaled("area", register_file_um2(words, width))
    return [banks_um2(words, width) * factor for factor in DATA["memory"]["to_14_to_16nm"]]


def memory_22nm_um2(words: int, width: int) -> float:
    """Value at 22 nm, the node of the memory model."""
    if is_register_file(words, width):
        return register_file_um2(words, width) * DATA["register_file"]["to_22nm"]
    return banks_um2(words, width)


def memory_read_pj(width: int) -> float:
    """Energy of a word that is read."""
    return width * DATA["memory"]["read_pj_per_bit"]


def memory_write_pj(width: int) -> float:
    """Energy of a word that is written."""
    return width * DATA["memory"]["write_pj_per_bit"]


def memory_pj(width: int) -> float:
    """Energy of a word that is written once and read once."""
    return memory_read_pj(width) + memory_write_pj(width)


def link_pj(width: int) -> float:
    """Energy of a word on a link."""
    return width * DATA["link"]["pj_per_bit"]
