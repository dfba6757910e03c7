# SPDX-License-Identifier: Apache-2.0
"""NumPy, imported when the first array is made, and structured arrays.

Machines, plans, runs and their results work without NumPy; an array without it is an ImportError that says how to have it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["numpy", "structured"]


class _NumPy:
    """The module, once it is asked for something."""

    def __getattr__(self, name: str) -> Any:
        try:
            module = importlib.import_module("numpy")
        except ImportError as error:
            raise ImportError(f"arrays of fredsim by {sys.executable}: found no NumPy ({error}); allowed: install it: {sys.executable} -m pip install numpy "
                              "(Debian's /usr/bin/python3: apt-get install python3-numpy)") from None  # fmt: skip
        return getattr(module, name)


if not TYPE_CHECKING:
    globals()["numpy"] = _NumPy()


def structured(columns: Mapping[str, Any]) -> NDArray[numpy.void]:
    """Columns as one array, a field each."""
    arrays = {key: numpy.asarray(column) for key, column in columns.items()}
    length = len(next(iter(arrays.values())))
    array = numpy.empty(length, dtype=[(key, column.dtype) for key, column in arrays.items()])
    for key, column in arrays.items():
        array[key] = column
    return array
