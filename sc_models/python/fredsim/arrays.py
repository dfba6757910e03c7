# SPDX-License-Identifier: Apache-2.0
"""Structured NumPy arrays."""

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray


def structured(columns: Mapping[str, Any]) -> NDArray[numpy.void]:
    """Columns as one array, a field each."""
    arrays = {key: numpy.asarray(column) for key, column in columns.items()}
    length = len(next(iter(arrays.values())))
    array = numpy.empty(length, dtype=[(key, column.dtype) for key, column in arrays.items()])
    for key, column in arrays.items():
        array[key] = column
    return array
