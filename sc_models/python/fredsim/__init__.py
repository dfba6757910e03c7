# SPDX-License-Identifier: Apache-2.0
"""fredsim: a cycle-accurate model of a wafer-scale interconnect, from Python.

    import fredsim
    mesh, fred = fredsim.Machine("configs/mesh.yaml"), fredsim.Machine("configs/fred_d.yaml")
    print(fredsim.compare([mesh, fred], "all_reduce", "64KiB").column("time_ns"))

Machines, plans and fixed facts are computed in this process. Simulations run as commands of the program `fredsim`, in processes of their own, and
return its results: records.py has every key of theirs as an attribute."""

from . import requirements

requirements.check()

from . import _fredsim, records
from .errors import BadInput, Error, Interrupted, RoutingConflict, RunFailed
from .facts import Parameter, SwitchKind, algorithms, collectives, switch_kinds, topology_kinds
from .machine import Link, Machine, Node
from .plan import Plan, PlannedPart
from .program import Progress, program
from .record import Record, Records, Results
from .simulation import compare, load, run, sweep, traffic, train

__version__ = _fredsim.version()
__commit__ = _fredsim.commit()

__all__ = [
    "BadInput", "Error", "Interrupted", "Link", "Machine", "Node", "Parameter", "Plan", "PlannedPart", "Progress", "Record", "Records", "Results",
    "RoutingConflict", "RunFailed", "SwitchKind", "__commit__", "__version__", "algorithms", "collectives", "compare", "load", "program", "records", "run",
    "sweep", "switch_kinds", "topology_kinds", "traffic", "train",
]  # fmt: skip
